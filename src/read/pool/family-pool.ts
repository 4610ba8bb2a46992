import { asServiceError, type ServiceError } from '../../core/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Pace } from '../../ports/shared.js';
import type { Tracing } from '../../ports/tracing.js';
import type { Party } from '../party.js';
import { abandoned } from '../shared-reads.js';
import { FairQueue } from './fair-queue.js';
import { type FamilyHealth, isTrouble, newCounts, noteFailure } from './health.js';
import type { Carrier, Job } from './job.js';
import { Lane } from './lane.js';
import { closedFor, queueTooLong } from './refusals.js';
import { send } from './sender.js';
import { isRefusal, type Session } from './session.js';

export interface FamilyPoolOptions {
  /** What its lanes are named after: the network and the family. */
  readonly name: string;
  readonly sessions: readonly Session[];
  readonly pace: Pace;
  readonly clock: Clock;
  /** Milliseconds from any start, never set back: waiting and deadlines are counted by it. */
  readonly monotonic: Clock;
  readonly perSecond: number | null;
  readonly tracing: Tracing;
}

/** A failed read is tried once more, on another session, if that is within so long of its beginning (S12). */
const RETRY_MS = 20_000;

/** While another session could make a second attempt, the first takes half of a call's time, and no longer than this. */
const ATTEMPT_MS = 10_000;

/** Soonest and latest that jobs for which no session was free are looked at again. */
const LOOK_AGAIN_MS = { least: 20, most: 60_000 } as const;

/** The reads of one family: a fair queue, and a lane for each session that takes from it. */
export class FamilyPool {
  readonly counts = newCounts();
  readonly #options: FamilyPoolOptions;
  readonly #queue = new FairQueue();
  readonly #lanes: readonly Lane[];
  #alarm: { readonly timer: NodeJS.Timeout; readonly atMs: number } | undefined;

  constructor(options: FamilyPoolOptions) {
    this.#options = options;
    const { name, sessions, pace, monotonic, perSecond } = options;
    const take = (session: Session, jobs: readonly Job[]) => void this.#send(session, jobs);
    this.#lanes = sessions.map((session) => {
      const lane = { session, queue: this.#queue, pace, monotonic, perSecond, send: take, rest: () => this.#wake() };
      return new Lane({ ...lane, name: `${name}:${session.name}` });
    });
  }

  get health(): FamilyHealth {
    return { ...this.counts, waiting: this.#queue.size, waitMs: this.#waitMs('', ({ isClear }) => isClear) };
  }

  /** The input's output, once its turn has come. Refuses at once what could not come in time, or what no session may read. */
  async read<Input, Output>(carrier: Carrier<Input, Output>, input: Input, party: Party): Promise<Output> {
    const now = this.#options.monotonic.now();
    this.counts.read += 1;
    this.#admit(carrier.kind, party, now);
    return new Promise<Output>((resolve, reject) => {
      const job: Job<Input, Output> = {
        carrier,
        input,
        party,
        askedAt: now,
        since: now,
        tried: new Set(),
        resolve,
        reject,
      };
      this.#enter(job as Job);
    });
  }

  #admit(kind: string, party: Party, now: number): void {
    const [first] = party.members;
    if (first === undefined) throw abandoned();
    const leftMs = party.deadlineAtMs - now;
    const waitMs = this.#waitMs(first.accountId, (session) => session.mayRead(kind));
    const refusal = this.#closedFor(kind, leftMs) ?? (waitMs >= leftMs ? queueTooLong(waitMs, leftMs) : undefined);
    if (refusal === undefined) return;
    this.counts.refused += 1;
    throw refusal;
  }

  #enter(job: Job): void {
    for (const { accountId } of job.party.members) this.#queue.add(job, accountId);
    job.party.watch(
      ({ accountId }) => {
        if (this.#queue.has(job)) this.#queue.add(job, accountId);
      },
      () => {
        if (this.#queue.has(job)) this.#leave(job, abandoned());
      },
    );
    this.#wake();
  }

  #leave(job: Job, failure: unknown): void {
    this.#queue.delete(job);
    job.reject(failure);
  }

  /** As many lanes as there are calls to make: a place that is booked for nothing is lost to all nodes. */
  #wake(): void {
    let calls = this.#queue.calls - this.#lanes.filter(({ isRunning }) => isRunning).length;
    const idle = this.#lanes.filter((lane) => !lane.isRunning && this.#queue.hasFor(lane.session));
    for (const lane of idle.sort((one, other) => one.waitMs(0, 1) - other.waitMs(0, 1))) if (calls-- > 0) lane.wake();
    this.#lookAgain();
  }

  async #send(session: Session, jobs: readonly Job[]): Promise<void> {
    const { monotonic } = this.#options;
    const startedAt = monotonic.now();
    this.counts.upstreamCalls += 1;
    for (const { party, since } of jobs) {
      this.counts.waitedMs += startedAt - since;
      for (const member of party.members) member.waited(since, startedAt);
    }
    for (const leader of new Set(jobs.flatMap(({ party }) => [...party.members].slice(0, 1)))) leader.called();
    try {
      const outputs = await this.#traced(session, jobs, () =>
        send(session, jobs, this.#attemptMs(session, jobs, startedAt)),
      );
      this.counts.failing = false;
      this.#tookUntil(jobs, startedAt);
      for (const [index, job] of jobs.entries()) job.resolve(outputs[index]);
    } catch (error) {
      this.#tookUntil(jobs, startedAt);
      this.#failed(session, jobs, asServiceError(error));
    }
  }

  /** Of the read that came first, and linked to the others that travel with it. */
  #traced<T>(session: Session, jobs: readonly Job[], call: () => Promise<T>): Promise<T> {
    const { tracing } = this.#options;
    const behalf = jobs.flatMap(({ party }) => [...party.members].flatMap(({ mark }) => mark ?? []));
    const attributes = {
      'perch.session': session.name,
      'perch.kind': jobs[0]?.carrier.kind ?? '',
      'perch.batch_size': jobs.length,
    };
    return tracing.span('upstream call', attributes, call, [...new Set(behalf)]);
  }

  #tookUntil(jobs: readonly Job[], startedAt: number): void {
    const endedAt = this.#options.monotonic.now();
    for (const { party } of jobs) for (const member of party.members) member.read(startedAt, endedAt);
  }

  /** Another session may do better: each job is tried there, once, or for as long as it is only refused (S12, U34). */
  #failed(session: Session, jobs: readonly Job[], failure: ServiceError): void {
    const now = this.#options.monotonic.now();
    noteFailure(this.counts, failure, this.#options.clock.now());
    for (const job of jobs) {
      job.tried.add(session.name);
      if (!isRefusal(failure)) job.failure ??= failure;
      // That another session may not read it at all says nothing of why this one failed.
      if (job.party.isEmpty || !this.#mayRetry(job, failure, now)) job.reject(job.failure ?? failure);
      else {
        job.since = now;
        this.#enter(job);
      }
    }
    this.#sweep(now);
    this.#lookAgain();
  }

  #mayRetry(job: Job, failure: ServiceError, now: number): boolean {
    const again = isRefusal(failure) || (isTrouble(failure) && job.tried.size === 1 && now - job.askedAt < RETRY_MS);
    return again && this.#options.sessions.some((other) => other.mayTake(job) && other.mayRead(job.carrier.kind));
  }

  /** All the time there is, unless somebody else could try as well. */
  #attemptMs(session: Session, jobs: readonly Job[], now: number): number {
    const leftMs = Math.max(...jobs.map(({ party }) => party.deadlineAtMs)) - now;
    const mayTry = (other: Session, job: Job) =>
      other !== session && other.mayTake(job) && other.mayRead(job.carrier.kind);
    const another = jobs.some((job) => this.#options.sessions.some((other) => mayTry(other, job)));
    return another ? Math.min(leftMs / 2, ATTEMPT_MS) : leftMs;
  }

  /** What waits for sessions that have closed in the meantime need not wait in vain. */
  #sweep(now: number): void {
    if (this.#allClear) return;
    for (const job of this.#queue.jobs()) {
      const { carrier, party } = job;
      const sessions = this.#options.sessions.filter((session) => session.mayTake(job));
      const refusal = closedFor(sessions, carrier.kind, this.#options.clock.now(), party.deadlineAtMs - now);
      if (refusal) this.#leave(job, refusal);
    }
  }

  /** Jobs wait and no session may take them: one that rests will be free. */
  #lookAgain(): void {
    if (this.#queue.size === 0 || this.#allClear) return;
    const { sessions, clock, monotonic } = this.#options;
    const kinds = [...this.#queue.kinds()];
    const frees = sessions.flatMap((session) => kinds.flatMap((kind) => session.closed(kind)?.untilMs ?? []));
    if (frees.length === 0) return;
    const waitMs = Math.min(LOOK_AGAIN_MS.most, Math.max(LOOK_AGAIN_MS.least, Math.min(...frees) - clock.now()));
    const atMs = monotonic.now() + waitMs;
    if (this.#alarm !== undefined && this.#alarm.atMs <= atMs) return;
    clearTimeout(this.#alarm?.timer);
    const ring = (): void => {
      this.#alarm = undefined;
      this.#wake();
    };
    this.#alarm = { timer: setTimeout(ring, waitMs).unref(), atMs };
  }

  #closedFor(kind: string, leftMs: number): ServiceError | undefined {
    return closedFor(this.#options.sessions, kind, this.#options.clock.now(), leftMs);
  }

  get #allClear(): boolean {
    return this.#options.sessions.every(({ isClear }) => isClear);
  }

  /** For a read that only some sessions can make; as if all could, where none can now. */
  #waitMs(accountId: string, mayRead: (session: Session) => boolean): number {
    const before = this.#queue.callsBefore(accountId);
    const open = this.#lanes.filter(({ session }) => mayRead(session));
    const lanes = open.length > 0 ? open : this.#lanes;
    return Math.min(...lanes.map((lane) => lane.waitMs(before, lanes.length)));
  }
}
