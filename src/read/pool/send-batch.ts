import { ServiceError } from '../../domain/errors.js';
import { abortable } from '../../lib/abort.js';
import type { Timers } from '../../ports/clock.js';
import type { Billed } from '../../ports/network.js';
import { isTooLate, tooLate } from '../shared-reads.js';
import type { FamilyCounts } from './health.js';
import type { Job } from './job.js';
import type { Session, SessionLimit } from './session.js';

/** How long a call may take, milliseconds. */
export interface CallTime {
  readonly timeoutMs: number;
  /** A timeout after less than this says nothing about the network: the jobs spent most of their time waiting here. */
  readonly fairMs: number;
  readonly timers: Timers;
  readonly onBilled?: (billed: Billed) => void;
  /** Where objects that could not be read are counted. */
  readonly counts: Pick<FamilyCounts, 'unreadable'>;
}

/** A timeout counts as a latency sample only if the call had at least this share of its jobs' time, or this long. */
const FAIR = { share: 0.25, ms: 5000 } as const;

export const fairSampleMs = (jobs: readonly Job[]): number =>
  Math.min(
    FAIR.ms,
    FAIR.share * Math.max(...jobs.map(({ waiters, requestedAt }) => waiters.deadlineAtMs - requestedAt)),
  );

/** Makes one upstream call for the batched jobs; returns an output per job, in order. Fails with a ServiceError. */
export async function send(session: Session, jobs: readonly Job[], time: CallTime): Promise<unknown[]> {
  const [first] = jobs;
  if (first === undefined) return [];
  const { kind, nameOf, subjectOf, read } = first.spec;
  // The same input is sent only once: reads that must not share a flight may share a call that has not been sent yet.
  const names = jobs.map(({ input }) => nameOf(input));
  const distinct = new Map(jobs.map(({ input }, index) => [names[index], input]));
  const isOurs = (failure: ServiceError): boolean => isTooLate(failure) && time.timeoutMs < time.fairMs;
  const call = async (): Promise<readonly unknown[]> => {
    const late = new AbortController();
    const { signal } = late;
    const giveUp = () => late.abort(new DOMException('The network did not respond in time.', 'TimeoutError'));
    const cancel = time.timers.after(Math.max(1, Math.ceil(time.timeoutMs)), giveUp);
    try {
      const observe = (limit: SessionLimit) => session.observe(kind, limit);
      const { onBilled, counts } = time;
      const onUnreadable = (objects: number): void => {
        counts.unreadable += objects;
      };
      const context = { signal, session: session.name, observe, onUnreadable, ...(onBilled && { onBilled }) };
      return await abortable(signal, read([...distinct.values()], context));
    } catch (error) {
      throw upstreamFailure(error);
    } finally {
      cancel();
    }
  };
  const outputs = await session.call({ kind, subject: subjectOf(first.input) }, call, isOurs);
  const byName = new Map([...distinct.keys()].map((name, index) => [name, outputs[index]]));
  return names.map((name) => byName.get(name));
}

function upstreamFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  if (late) return tooLate(error);
  return new ServiceError('upstream_error', 'The network failed to answer the request.', { cause: error });
}
