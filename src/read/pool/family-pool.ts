import { asServiceError, type ServiceError } from '../../core/errors.js';
import type { Clock, Timers } from '../../ports/clock.js';
import type { Pace } from '../../ports/pace.js';
import type { Tracing } from '../../ports/tracing.js';
import { abandoned, isTooLate } from '../shared-reads.js';
import type { Waiters } from '../waiters.js';
import { FairQueue } from './fair-queue.js';
import { type FamilyHealth, type InFlightHealth, isTrouble, newCounts, noteFailure } from './health.js';
import type { SharedMeasurement } from './in-flight-limit.js';
import type { BatchSpec, Job } from './job.js';
import type { JobGroup } from './job-group.js';
import { shareOf } from './queue-share.js';
import { closedFor, queueTooLong, shareTaken } from './refusals.js';
import { send } from './send-batch.js';
import { isRefusal, type Session } from './session.js';
import { SessionWorker } from './session-worker.js';
import { WakeTimer } from './wake-timer.js';

export interface FamilyPoolOptions {
  /** What its lanes are named after: the network and the family. */
  readonly name: string;
  readonly sessions: readonly Session[];
  readonly pace: Pace;
  readonly clock: Clock;
  /** Milliseconds from any start, never set back: waiting and deadlines are counted by it. */
  readonly monotonic: Clock;
  readonly timers: Timers;
  readonly perSecond: number | null;
  readonly tracing: Tracing;
}

/** A failed read is tried once more, on another session, if that is within so long of its beginning (S12). */
const RETRY_MS = 20_000;

/** While another session could make a second attempt, the first takes half of a call's time, and no longer than this. */
const ATTEMPT_MS = 10_000;

/** A call that was given so much of its jobs' time, or this long, and is late, tells of the network. */
const FAIR = { share: 0.25, ms: 5000 } as const;

/** The reads of one family: a fair queue, and a lane for each session that takes from it as fast as pace and network allow. */
export class FamilyPool {
  readonly counts = newCounts();
  readonly #options: FamilyPoolOptions;
  readonly #queue = new FairQueue();
  readonly #workers: readonly SessionWorker[];
  /** By kind. */
  readonly #measurements = new Map<string, SharedMeasurement>();
  readonly #wakeTimer: WakeTimer;

  constructor(options: FamilyPoolOptions) {
    this.#options = options;
    const { name, sessions, pace, monotonic, timers, perSecond } = options;
    this.#wakeTimer = new WakeTimer({ monotonic, timers, onFire: () => this.#wake() });
    const measurement = (kind: string): SharedMeasurement => {
      const of = this.#measurements.get(kind) ?? { round: 0 };
      this.#measurements.set(kind, of);
      return of;
    };
    const take = (worker: SessionWorker, jobs: readonly Job[]) => void this.#send(worker, jobs);
    const common = { queue: this.#queue, pace, monotonic, timers, perSecond, measurement, send: take };
    this.#workers = sessions.map(
      (session) =>
        new SessionWorker({ ...common, session, name: `${name}:${session.name}`, onIdle: () => this.#wake() }),
    );
  }

  get health(): FamilyHealth {
    const paced = this.#waitMs('', undefined, ({ isClear }) => isClear);
    // Of the kind that waits longest, if the network manages less of one than the pace allows.
    const kinds = [...this.#queue.kinds()].map((kind) => this.#waitMs('', kind, (session) => session.mayRead(kind)));
    const waitMs = Math.max(paced, ...kinds);
    return { ...this.counts, waiting: this.#queue.size, waitMs, inFlight: this.#workers.flatMap(inFlightOf) };
  }

  /**
   * The input's output, once its turn has come. Refuses at once what could not come in time, what is over its account's share of the
   * queue, and what no session may read.
   */
  async read<Input, Output>(spec: BatchSpec<Input, Output>, input: Input, waiters: Waiters): Promise<Output> {
    const now = this.#options.monotonic.now();
    this.counts.read += 1;
    this.#admit(spec.kind, waiters, now);
    return new Promise<Output>((resolve, reject) => {
      const job: Job<Input, Output> = {
        spec,
        input,
        waiters,
        askedAt: now,
        since: now,
        tried: new Set(),
        resolve,
        reject,
      };
      this.#enqueue(job as Job);
    });
  }

  #admit(kind: string, waiters: Waiters, now: number): void {
    const [first] = waiters.members;
    if (first === undefined) throw abandoned();
    const leftMs = waiters.deadlineAtMs - now;
    const refusal = this.#closedFor(kind, leftMs) ?? this.#queueRefusal(kind, waiters, leftMs);
    if (refusal === undefined) return;
    this.counts.refused += 1;
    throw refusal;
  }

  /** Whoever of those who wait has room in the queue decides: only when none has, it is refused for its share. */
  #queueRefusal(kind: string, waiters: Waiters, leftMs: number): ServiceError | undefined {
    const accounts = [...waiters.members].map(({ accountId }) => accountId);
    const account = accounts.find((accountId) => this.#queue.hasRoomFor(accountId));
    const waitMs = this.#waitMs(account ?? accounts[0] ?? '', kind, (session) => session.mayRead(kind));
    if (account !== undefined) return waitMs >= leftMs ? queueTooLong(waitMs, leftMs) : undefined;
    const [own, share] = [this.#queue.slotsOf(accounts[0] ?? ''), shareOf(this.#queue.slots)];
    // It has room again when what is above its share has been read.
    return shareTaken(own, share, waitMs * Math.min(1, (own - share + 1) / Math.max(1, own)));
  }

  #enqueue(job: Job): void {
    const { waiters } = job;
    const waits = () => this.#queue.has(job);
    const add = ({ accountId }: { readonly accountId: string }) => this.#queue.add(job, accountId);
    const hasRoom = ({ accountId }: { readonly accountId: string }) => this.#queue.hasRoomFor(accountId);
    const [first] = waiters.members;
    for (const member of waiters.members) if (hasRoom(member)) add(member);
    if (!waits() && first) add(first);
    waiters.watch({
      // Over its share an account still gets what others wait for as well: on their turn.
      onJoin: (member) => {
        if (waits() && hasRoom(member)) add(member);
      },
      onLeave: ({ accountId }) => {
        const [next] = waiters.members;
        if (!waits() || !next || [...waiters.members].some((member) => member.accountId === accountId)) return;
        add(next);
        this.#queue.leave(job, accountId);
      },
      onEmpty: () => {
        if (waits()) this.#drop(job, abandoned());
      },
    });
    this.#wake();
  }

  #drop(job: Job, failure: unknown): void {
    this.#queue.delete(job);
    job.reject(failure);
  }

  /** As many lanes as there are calls to make: a place that is booked for nothing is lost to all nodes. */
  #wake(): void {
    let calls = this.#queue.calls - this.#workers.filter(({ isRunning }) => isRunning).length;
    const idle = this.#workers.filter((worker) => !worker.isRunning && this.#queue.hasFor(worker));
    const bySoonest = (one: SessionWorker, other: SessionWorker) =>
      one.waitMs(undefined, 0, 1) - other.waitMs(undefined, 0, 1);
    for (const worker of idle.sort(bySoonest)) if (calls-- > 0) worker.wake();
    this.#scheduleWake();
  }

  async #send(worker: SessionWorker, jobs: readonly Job[]): Promise<void> {
    const { session } = worker;
    const { monotonic, timers } = this.#options;
    const startedAt = monotonic.now();
    this.counts.upstreamCalls += 1;
    for (const { waiters, since } of jobs) {
      this.counts.waitedMs += startedAt - since;
      for (const member of waiters.members) member.waited(since, startedAt);
    }
    for (const leader of new Set(jobs.flatMap(({ waiters }) => [...waiters.members].slice(0, 1)))) leader.called();
    const limit = worker.limitOf(jobs[0]?.spec.kind ?? '');
    const call = limit.enter();
    try {
      const time = { timeoutMs: this.#attemptMs(session, jobs, startedAt), fairMs: fairMsOf(jobs), timers };
      const outputs = await this.#traced(session, jobs, () => send(session, jobs, time));
      limit.leave(call, true);
      this.counts.failing = false;
      this.#recordRead(jobs, startedAt);
      for (const [index, job] of jobs.entries()) job.resolve(outputs[index]);
      this.#wake();
    } catch (error) {
      const failure = asServiceError(error);
      limit.leave(call, isMeasurement(failure));
      this.#recordRead(jobs, startedAt);
      this.#failed(session, jobs, failure);
    }
  }

  /** Of the read that came first, and linked to the others that travel with it. */
  #traced<T>(session: Session, jobs: readonly Job[], call: () => Promise<T>): Promise<T> {
    const { tracing } = this.#options;
    const behalf = jobs.flatMap(({ waiters }) => [...waiters.members].flatMap(({ mark }) => mark ?? []));
    const attributes = {
      'perch.session': session.name,
      'perch.kind': jobs[0]?.spec.kind ?? '',
      'perch.batch_size': jobs.length,
    };
    return tracing.span('upstream call', attributes, call, [...new Set(behalf)]);
  }

  #recordRead(jobs: readonly Job[], startedAt: number): void {
    const endedAt = this.#options.monotonic.now();
    for (const { waiters } of jobs) for (const member of waiters.members) member.read(startedAt, endedAt);
  }

  /** Another session may do better: each job is tried there, once, or for as long as it is only refused (S12, U34). */
  #failed(session: Session, jobs: readonly Job[], failure: ServiceError): void {
    const now = this.#options.monotonic.now();
    noteFailure(this.counts, failure, this.#options.clock.now());
    for (const job of jobs) {
      job.tried.add(session.name);
      if (!isRefusal(failure)) job.failure ??= failure;
      // That another session may not read it at all says nothing of why this one failed.
      if (job.waiters.isEmpty || !this.#mayRetry(job, failure, now)) job.reject(job.failure ?? failure);
      else {
        job.since = now;
        this.#enqueue(job);
      }
    }
    this.#refuseUnservable(now);
    this.#wake();
  }

  #mayRetry(job: Job, failure: ServiceError, now: number): boolean {
    const again = isRefusal(failure) || (isTrouble(failure) && job.tried.size === 1 && now - job.askedAt < RETRY_MS);
    return again && this.#options.sessions.some((other) => other.mayTake(job) && other.mayRead(job.spec.kind));
  }

  /** All the time there is, unless somebody else could try as well. */
  #attemptMs(session: Session, jobs: readonly Job[], now: number): number {
    const leftMs = Math.max(...jobs.map(({ waiters }) => waiters.deadlineAtMs)) - now;
    const mayTry = (other: Session, job: Job) =>
      other !== session && other.mayTake(job) && other.mayRead(job.spec.kind);
    const another = jobs.some((job) => this.#options.sessions.some((other) => mayTry(other, job)));
    return another ? Math.min(leftMs / 2, ATTEMPT_MS) : leftMs;
  }

  /** What waits for sessions that have closed in the meantime need not wait in vain: looked at once for each time one closes. */
  #refuseUnservable(now: number): void {
    const closings = this.#options.sessions.reduce((sum, session) => sum + session.closings, 0);
    for (const group of [...this.#queue.groups()]) {
      if (group.checkedAtClosings === closings) continue;
      group.checkedAtClosings = closings;
      if (this.#mayWaitFor(group)) continue;
      for (const job of [...group.jobs()]) {
        const sessions = this.#options.sessions.filter((session) => session.mayTake(job));
        const leftMs = job.waiters.deadlineAtMs - now;
        const refusal = closedFor(sessions, group.kind, this.#options.clock.now(), leftMs);
        if (refusal) this.#drop(job, refusal);
      }
    }
  }

  #mayWaitFor({ kind, sample }: JobGroup): boolean {
    return this.#options.sessions.some((session) => sample && session.mayTake(sample) && session.mayRead(kind));
  }

  /** Jobs wait and no session may take them: one that rests will be free, and one that nothing comes from may be back. */
  #scheduleWake(): void {
    const waitMs = this.#nextMs();
    if (waitMs === undefined) this.#wakeTimer.cancel();
    else this.#wakeTimer.set(waitMs);
  }

  /** How long until something may be taken that may not now, as far as is known. */
  #nextMs(): number | undefined {
    if (this.#queue.size === 0) return undefined;
    const { clock, monotonic } = this.#options;
    const [wallMs, nowMs] = [clock.now(), monotonic.now()];
    const times: number[] = [];
    for (const worker of this.#workers) {
      for (const kind of this.#queue.kinds()) {
        const limit = worker.limits.get(kind);
        const untilMs = worker.session.closed(kind)?.untilMs;
        if (untilMs !== undefined) times.push(untilMs - wallMs);
        else if (limit !== undefined && limit.inFlight >= limit.limit) times.push(limit.silentAtMs - nowMs);
      }
    }
    return times.length === 0 ? undefined : Math.min(...times);
  }

  #closedFor(kind: string, leftMs: number): ServiceError | undefined {
    return closedFor(this.#options.sessions, kind, this.#options.clock.now(), leftMs);
  }

  /** For a read that only some sessions can make; as if all could, where none can now. */
  #waitMs(accountId: string, kind: string | undefined, mayRead: (session: Session) => boolean): number {
    const before = this.#queue.callsBefore(accountId);
    const open = this.#workers.filter(({ session }) => mayRead(session));
    const workers = open.length > 0 ? open : this.#workers;
    return Math.min(...workers.map((worker) => worker.waitMs(kind, before, workers.length)));
  }
}

const fairMsOf = (jobs: readonly Job[]): number =>
  Math.min(FAIR.ms, FAIR.share * Math.max(...jobs.map(({ waiters, askedAt }) => waiters.deadlineAtMs - askedAt)));

/** Whether a failure took as long as the network takes: an answer about what was asked, or none in time. */
const isMeasurement = (failure: ServiceError): boolean =>
  isTooLate(failure) || !(isTrouble(failure) || isRefusal(failure));

const inFlightOf = ({ session, limits }: SessionWorker): InFlightHealth[] =>
  [...limits].map(([kind, { limit, inFlight }]) => ({ session: session.name, kind, limit, calls: inFlight }));
