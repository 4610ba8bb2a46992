import { asServiceError, type ServiceError } from '../../domain/errors.js';
import type { FairShare } from '../../lib/fair-share.js';
import type { Clock, Timers } from '../../ports/clock.js';
import type { Billed } from '../../ports/network.js';
import type { Pace } from '../../ports/rate-limiter.js';
import type { Tracing } from '../../ports/tracing.js';
import { abandoned, isTooLate } from '../shared-reads.js';
import type { Waiters } from '../waiters.js';
import { FairQueue } from './fair-queue.js';
import { type FamilyHealth, type InFlightHealth, isTrouble, newCounts, noteFailure } from './health.js';
import { type SharedMeasurement, UNPACED } from './in-flight-limit.js';
import type { BatchSpec, Job } from './job.js';
import type { JobGroup } from './job-group.js';
import { accountShare } from './queue-share.js';
import { closedFor, queueTooLong, shareTaken, type Wanted } from './refusals.js';
import { fairSampleMs, send } from './send-batch.js';
import { isRefusal, refusing, type Session, usable, usableFor } from './session.js';
import { SessionWorker } from './session-worker.js';
import { WakeTimer } from './wake-timer.js';

/**
 * Counts one upstream call for the calls that lead these reads, and returns a function that divides what the network
 * bills for it: each read of a batch gets its part of the objects, and the first one also gets the upstream call.
 */
function leadersPay(jobs: readonly Job[]): (billed: Billed) => void {
  const leaders = jobs.flatMap(({ waiters }) => [...waiters.members].slice(0, 1));
  for (const leader of new Set(leaders)) leader.called();
  leaders[0]?.spending?.called();
  return ({ kind, items }) => {
    const each = Math.floor(items / leaders.length);
    const more = items % leaders.length;
    for (const [index, { spending }] of leaders.entries()) {
      const own = each + (index < more ? 1 : 0);
      if (own > 0) spending?.billed({ kind, items: own }, index === 0 ? 1 : 0);
    }
  };
}

export interface FamilyPoolOptions {
  /** Prefix of the pace keys: the network and the family. */
  readonly name: string;
  readonly sessions: readonly Session[];
  readonly pace: Pace;
  readonly clock: Clock;
  /** Monotonic, for waiting times and deadlines. */
  readonly monotonic: Clock;
  readonly timers: Timers;
  readonly perSecond: number | null;
  /** The calls in flight, if accounts share them; otherwise each kind and session has a limit of its own. */
  readonly inFlight: FairShare | null;
  readonly tracing: Tracing;
}

/** A failed read is retried once on another session, unless it was requested longer ago than this (S12). */
const RETRY_MS = 20_000;

/** If another session could retry, an attempt gets half of the call's remaining time, and at most this. */
const ATTEMPT_MS = 10_000;

/** The reads of one family: a fair queue, and one worker per session, which takes jobs as pace and network allow. */
export class FamilyPool {
  readonly counts = newCounts();
  readonly #options: FamilyPoolOptions;
  readonly #queue: FairQueue;
  readonly #workers: readonly SessionWorker[];
  /** By kind. */
  readonly #measurements = new Map<string, SharedMeasurement>();
  readonly #wakeTimer: WakeTimer;

  constructor(options: FamilyPoolOptions) {
    this.#options = options;
    const { name, sessions, pace, monotonic, timers, perSecond, inFlight } = options;
    this.#queue = new FairQueue(inFlight);
    this.#wakeTimer = new WakeTimer({ monotonic, timers, onFire: () => this.#wake() });
    const measurement = (kind: string): SharedMeasurement => {
      const of = this.#measurements.get(kind) ?? { round: 0 };
      this.#measurements.set(kind, of);
      return of;
    };
    const take = (worker: SessionWorker, jobs: readonly Job[]) => void this.#send(worker, jobs);
    const unpaced = inFlight?.total ?? UNPACED;
    const common = {
      sessions,
      queue: this.#queue,
      pace,
      monotonic,
      timers,
      perSecond,
      measurement,
      send: take,
      unpaced,
    };
    this.#workers = sessions.map(
      (session) =>
        new SessionWorker({ ...common, session, name: `${name}:${session.name}`, onIdle: () => this.#wake() }),
    );
  }

  get health(): FamilyHealth {
    const clear = this.#options.sessions.filter(({ isClear }) => isClear);
    const paced = this.#waitMs('', undefined, clear);
    // The kind with the longest wait counts: the network may serve less than the pace allows.
    const kinds = [...this.#queue.kinds()].map((kind) => this.#waitMs('', kind, usable(this.#options.sessions, kind)));
    const waitMs = Math.max(paced, ...kinds);
    return { ...this.counts, waiting: this.#queue.size, waitMs, inFlight: this.#workers.flatMap(inFlightHealth) };
  }

  /**
   * Queues the input. Rejects at once if it can't be read in time, its account is over its share, or no session may
   * read it.
   */
  async read<Input, Output>(spec: BatchSpec<Input, Output>, input: Input, waiters: Waiters): Promise<Output> {
    const now = this.#options.monotonic.now();
    this.counts.read += 1;
    const subject = spec.subjectOf(input);
    this.#admit({ kind: spec.kind, subject }, waiters, now);
    return new Promise<Output>((resolve, reject) => {
      const job: Job<Input, Output> = {
        spec,
        input,
        waiters,
        requestedAt: now,
        since: now,
        tried: refusing(this.#options.sessions, spec.kind, subject),
        resolve,
        reject,
      };
      this.#enqueue(job as Job);
    });
  }

  #admit({ kind, subject }: Pick<Wanted, 'kind' | 'subject'>, waiters: Waiters, now: number): void {
    const [first] = waiters.members;
    if (first === undefined) throw abandoned();
    const leftMs = waiters.deadlineAtMs - now;
    const { sessions, clock } = this.#options;
    const closed = closedFor(sessions, { kind, subject, nowMs: clock.now(), leftMs });
    const refusal = closed ?? this.#queueRefusal(kind, waiters, leftMs);
    if (refusal === undefined) return;
    this.counts.refused += 1;
    throw refusal;
  }

  /** Refuses because of the share only if none of the waiting accounts has room in the queue. */
  #queueRefusal(kind: string, waiters: Waiters, leftMs: number): ServiceError | undefined {
    const accounts = [...waiters.members].map(({ accountId }) => accountId);
    const account = accounts.find((accountId) => this.#queue.hasRoomFor(accountId));
    const waitMs = this.#waitMs(account ?? accounts[0] ?? '', kind, usable(this.#options.sessions, kind));
    if (account !== undefined) return waitMs >= leftMs ? queueTooLong(waitMs, leftMs) : undefined;
    const [own, share] = [this.#queue.slotsOf(accounts[0] ?? ''), accountShare(this.#queue.slots)];
    // There is room again once the jobs above the share have been read.
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
      // An account over its share still gets reads that others wait for, when it is their turn.
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

  /** Wakes as many workers as there are calls to make: an unused pace slot is lost to all nodes. */
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
    const onBilled = leadersPay(jobs);
    const limit = worker.limitOf(jobs[0]?.spec.kind ?? '');
    const call = limit.enter();
    const leave = (isSample: boolean): void => {
      limit.leave(call, isSample);
      for (const { slot } of jobs) slot?.release();
    };
    try {
      const timeoutMs = this.#attemptMs(session, jobs, startedAt);
      const time = { timeoutMs, fairMs: fairSampleMs(jobs), timers, onBilled, counts: this.counts };
      const outputs = await this.#traced(session, jobs, () => send(session, jobs, time));
      leave(true);
      this.counts.failing = false;
      this.#recordRead(jobs, startedAt);
      for (const [index, job] of jobs.entries()) job.resolve(outputs[index]);
      this.#wake();
    } catch (error) {
      const failure = asServiceError(error);
      leave(isMeasurement(failure));
      this.#recordRead(jobs, startedAt);
      this.#failed(session, jobs, failure);
    }
  }

  /** The span belongs to the first read, with links to the others in the batch. */
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
    this.counts.readMs += endedAt - startedAt;
    for (const { waiters } of jobs) for (const member of waiters.members) member.read(startedAt, endedAt);
  }

  /** Retries each job on another session: once after a failure, repeatedly while sessions only refuse it. */
  #failed(session: Session, jobs: readonly Job[], failure: ServiceError): void {
    const now = this.#options.monotonic.now();
    noteFailure(this.counts, failure, this.#options.clock.now());
    for (const job of jobs) {
      job.tried.add(session.name);
      if (!isRefusal(failure)) job.failure ??= failure;
      const last = this.#lastFailure(job, failure, now);
      if (last !== undefined) job.reject(last);
      else {
        job.since = now;
        this.#enqueue(job);
      }
    }
    this.#refuseUnservable(now);
    this.#wake();
  }

  /** What a failed job ends with; undefined if it is sent again. */
  #lastFailure(job: Job, failure: ServiceError, now: number): ServiceError | undefined {
    // The network has answered, whatever failed before.
    if (!isRefusal(failure) && !isTrouble(failure)) return failure;
    // Calls may have joined the read since all others left: they ask again for themselves.
    if (job.waiters.isEmpty) return abandoned();
    if (isRefusal(failure)) {
      const closed = this.#refusedFor(job, failure, now);
      // A refusal by another session does not explain why this one failed.
      return closed && (job.failure ?? closed);
    }
    const again = job.failure === failure && now - job.requestedAt < RETRY_MS;
    return again && usableFor(this.#options.sessions, job).length > 0 ? undefined : job.failure;
  }

  /** Why no other session may read a job that was refused; undefined if one may. */
  #refusedFor(job: Job, refusal: ServiceError, now: number): ServiceError | undefined {
    if (!this.#options.sessions.some((session) => session.mayTake(job))) return refusal;
    // A session that only rests may read it later: then this is no refusal for good.
    const closed = this.#closedFor(job, now);
    return closed !== undefined && isRefusal(closed) ? refusal : closed;
  }

  /** Why no session that has not tried the job may read it in time. */
  #closedFor(job: Job, now: number): ServiceError | undefined {
    const { sessions, clock } = this.#options;
    const subject = job.spec.subjectOf(job.input);
    const leftMs = job.waiters.deadlineAtMs - now;
    const untried = sessions.filter((session) => session.mayTake(job));
    return closedFor(untried, { kind: job.spec.kind, subject, nowMs: clock.now(), leftMs });
  }

  /** How long an attempt may take: all the remaining time, unless another session could retry. */
  #attemptMs(session: Session, jobs: readonly Job[], now: number): number {
    const leftMs = Math.max(...jobs.map(({ waiters }) => waiters.deadlineAtMs)) - now;
    const mayTry = (other: Session, job: Job) =>
      other !== session && other.mayTake(job) && other.mayRead(job.spec.kind);
    const another = jobs.some((job) => this.#options.sessions.some((other) => mayTry(other, job)));
    return another ? Math.min(leftMs / 2, ATTEMPT_MS) : leftMs;
  }

  /** Rejects jobs that wait for sessions which have closed since; checked once per closing. */
  #refuseUnservable(now: number): void {
    const closings = this.#options.sessions.reduce((sum, session) => sum + session.closings, 0);
    for (const group of [...this.#queue.groups()]) {
      if (group.checkedAtClosings === closings) continue;
      group.checkedAtClosings = closings;
      if (this.#mayWaitFor(group)) continue;
      for (const job of [...group.jobs()]) {
        const refusal = this.#closedFor(job, now);
        // A refusal by the session that it waited for does not explain why the other one failed.
        if (refusal) this.#drop(job, job.failure ?? refusal);
      }
    }
  }

  #mayWaitFor({ sample }: JobGroup): boolean {
    return sample !== undefined && usableFor(this.#options.sessions, sample).length > 0;
  }

  /** Jobs may wait while no session can take them: checks again when one may be free or no longer silent. */
  #scheduleWake(): void {
    const waitMs = this.#nextMs();
    if (waitMs === undefined) this.#wakeTimer.cancel();
    else this.#wakeTimer.set(waitMs);
  }

  /** Time until a job that is blocked now may be taken, as far as is known. */
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

  /** The wait for reads that only these sessions can make; counts all sessions if none of them can now. */
  #waitMs(accountId: string, kind: string | undefined, sessions: readonly Session[]): number {
    const before = this.#queue.callsBefore(accountId);
    const open = this.#workers.filter(({ session }) => sessions.includes(session));
    const workers = open.length > 0 ? open : this.#workers;
    const slotMs = this.#options.inFlight?.spacingMs(accountId) ?? 0;
    return Math.max(slotMs * (before + 1), Math.min(...workers.map((one) => one.waitMs(kind, before, workers.length))));
  }
}

/** Whether a failed call counts as a latency sample: if it was an answer about the request itself, or a timeout. */
const isMeasurement = (failure: ServiceError): boolean =>
  isTooLate(failure) || !(isTrouble(failure) || isRefusal(failure));

const inFlightHealth = ({ session, limits }: SessionWorker): InFlightHealth[] =>
  [...limits].map(([kind, { limit, inFlight }]) => ({ session: session.name, kind, limit, calls: inFlight }));
