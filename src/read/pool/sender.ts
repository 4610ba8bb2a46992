import { ServiceError } from '../../core/errors.js';
import { tooLate } from '../shared-reads.js';
import { within } from '../within.js';
import type { Job } from './job.js';
import type { Limit, Session } from './session.js';

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** One upstream call of at most `leftMs` for the jobs that travel with it; an output per job, in order. Fails as a ServiceError. */
export async function send(session: Session, jobs: readonly Job[], leftMs: number): Promise<unknown[]> {
  const [first] = jobs;
  if (first === undefined) return [];
  const { kind, nameOf, read } = first.carrier;
  // One input for all who wait for it: reads that must not share a flight may share a call that is still to come (M8).
  const names = jobs.map(({ input }) => nameOf(input));
  const distinct = new Map(jobs.map(({ input }, index) => [names[index], input]));
  const signal = AbortSignal.timeout(Math.min(Math.max(1, Math.ceil(leftMs)), LONGEST_TIMER_MS));
  const outputs = await session.call(kind, async () => {
    try {
      const observe = (limit: Limit) => session.observe(kind, limit);
      return await within(signal, read([...distinct.values()], { signal, session: session.name, observe }));
    } catch (error) {
      throw upstreamFailure(error);
    }
  });
  const byName = new Map([...distinct.keys()].map((name, index) => [name, outputs[index]]));
  return names.map((name) => byName.get(name));
}

function upstreamFailure(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const late = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  if (late) return tooLate(error);
  return new ServiceError('upstream_error', 'The network failed to answer.', { cause: error });
}
