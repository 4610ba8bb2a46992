import { asServiceError, type ServiceError } from '../../core/errors.js';
import type { Clock, Timers } from '../../ports/clock.js';
import type { Pace } from '../../ports/shared.js';
import type { Tracing } from '../../ports/tracing.js';
import type { Party } from '../party.js';
import { abandoned, isTooLate } from '../shared-reads.js';
import { Alarm } from './alarm.js';
import type { Crowd } from './crowd.js';
import { FairQueue } from './fair-queue.js';
import { type FamilyHealth, type InFlightHealth, isTrouble, newCounts, noteFailure } from './health.js';
import type { Measuring } from './in-flight-limit.js';
import type { Carrier, Job } from './job.js';
import { Lane } from './lane.js';
import { closedFor, queueTooLong, shareTaken } from './refusals.js';
import { send } from './sender.js';
import { isRefusal, type Session } from './session.js';
import { shareOf } from './share.js';

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
  readonly #lanes: readonly Lane[];
  /** By kind. */
  readonly #measuring = new Map<string, Measuring>();
  readonly #alarm: Alarm;

  constructor(options: FamilyPoolOptions) {
    this.#options = options;
    const { name, sessions, pace, monotonic, timers, perSecond } = options;
    this.#alarm = new Alarm({ monotonic, timers, ring: () => this.#wake() });
    const measuring = (kind: string): Measuring => {
      const of = this.#measuring.get(kind) ?? { round: 0 };
      this.#measuring.set(kind, of);
      return of;
    };
    const take = (lane: Lane, jobs: readonly Job[]) => void this.#send(lane, jobs);
    const common = { queue: this.#queue, pace, monotonic, timers, perSecond, measuring, send: take };
    this.#lanes = sessions.map(
      (session) => new Lane({ ...common, session, name: `${name}:${session.name}`, rest: () => this.#wake() }),
    );
  }

  get health(): FamilyHealth {
    const paced = this.#waitMs('', undefined, ({ isClear }) => isClear);
    // Of the kind that waits longest, if the network manages less of one than the pace allows.
    const kinds = [...this.#queue.kinds()].map((kind) => this.#waitMs('', kind, (session) => session.mayRead(kind)));
    const waitMs = Math.max(paced, ...kinds);
    return { ...this.counts, waiting: this.#queue.size, waitMs, inFlight: this.#lanes.flatMap(inFlightOf) };
  }

  /**
   * The input's output, once its turn has come. Refuses at once what could not come in time, what is over its account's share of the
   * queue, and what no session may read.
   */
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
    const refusal = this.#closedFor(kind, leftMs) ?? this.#tooLong(kind, party, leftMs);
    if (refusal === undefined) return;
    this.counts.refused += 1;
    throw refusal;
  }

  /** Whoever of those who wait has room in the queue decides: only when none has, it is refused for its share. */
  #tooLong(kind: string, party: Party, leftMs: number): ServiceError | undefined {
    const accounts = [...party.members].map(({ accountId }) => accountId);
    const account = accounts.find((accountId) => this.#queue.hasRoomFor(accountId));
    const waitMs = this.#waitMs(account ?? accounts[0] ?? '', kind, (session) => session.mayRead(kind));
    if (account !== undefined) return waitMs >= leftMs ? queueTooLong(waitMs, leftMs) : undefined;
    const [own, share] = [this.#queue.placesOf(accounts[0] ?? ''), shareOf(this.#queue.places)];
    // It has room again when what is above its share has been read.
    return shareTaken(own, share, waitMs * Math.min(1, (own - share + 1) / Math.max(1, own)));
  }

  #enter(job: Job): void {
    const { party } = job;
    const waits = () => this.#queue.has(job);
    const add = ({ accountId }: { readonly accountId: string }) => this.#queue.add(job, accountId);
    const hasRoom = ({ accountId }: { readonly accountId: string }) => this.#queue.hasRoomFor(accountId);
    const [first] = party.members;
    for (const member of party.members) if (hasRoom(member)) add(member);
    if (!waits() && first) add(first);
    party.watch({
      // Over its share an account still gets what others wait for as well: on their turn.
      onJoin: (member) => {
        if (waits() && hasRoom(member)) add(member);
      },
      onLeave: ({ accountId }) => {
        const [next] = party.members;
        if (!waits() || !next || [...party.members].some((member) => member.accountId === accountId)) return;
        add(next);
        this.#queue.leave(job, accountId);
      },
      onEmpty: () => {
        if (waits()) this.#leave(job, abandoned());
      },
    });
    this.#wake();
  }

  #leave(job: Job, failure: unknown): void {
    this.#queue.delete(job);
    job.reject(failure);
  }

  /** As many lanes as there are calls to make: a place that is booked for nothing is lost to all nodes. */
  #wake(): void {
    let calls = this.#queue.calls - this.#lanes.filter(({ isRunning }) => isRunning).length;
    const idle = this.#lanes.filter((lane) => !lane.isRunning && this.#queue.hasFor(lane));
    const soon = (one: Lane, other: Lane) => one.waitMs(undefined, 0, 1) - other.waitMs(undefined, 0, 1);
    for (const lane of idle.sort(soon)) if (calls-- > 0) lane.wake();
    this.#lookAgain();
  }

  async #send(lane: Lane, jobs: readonly Job[]): Promise<void> {
    const { session } = lane;
    const { monotonic, timers } = this.#options;
    const startedAt = monotonic.now();
    this.counts.upstreamCalls += 1;
    for (const { party, since } of jobs) {
      this.counts.waitedMs += startedAt - since;
      for (const member of party.members) member.waited(since, startedAt);
    }
    for (const leader of new Set(jobs.flatMap(({ party }) => [...party.members].slice(0, 1)))) leader.called();
    const limit = lane.limitOf(jobs[0]?.carrier.kind ?? '');
    const passage = limit.enter();
    try {
      const time = { givenMs: this.#attemptMs(session, jobs, startedAt), fairMs: fairMsOf(jobs), timers };
      const outputs = await this.#traced(session, jobs, () => send(session, jobs, time));
      limit.leave(passage, true);
      this.counts.failing = false;
      this.#tookUntil(jobs, startedAt);
      for (const [index, job] of jobs.entries()) job.resolve(outputs[index]);
      this.#wake();
    } catch (error) {
      const failure = asServiceError(error);
      limit.leave(passage, tells(failure));
      this.#tookUntil(jobs, startedAt);
      this.#failed(session, jobs, failure);
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
    this.#wake();
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

  /** What waits for sessions that have closed in the meantime need not wait in vain: looked at once for each time one closes. */
  #sweep(now: number): void {
    const closings = this.#options.sessions.reduce((sum, session) => sum + session.closings, 0);
    for (const crowd of [...this.#queue.crowds()]) {
      if (crowd.toldAt === closings) continue;
      crowd.toldAt = closings;
      if (this.#mayWaitFor(crowd)) continue;
      for (const job of [...crowd.jobs()]) {
        const sessions = this.#options.sessions.filter((session) => session.mayTake(job));
        const leftMs = job.party.deadlineAtMs - now;
        const refusal = closedFor(sessions, crowd.kind, this.#options.clock.now(), leftMs);
        if (refusal) this.#leave(job, refusal);
      }
    }
  }

  #mayWaitFor({ kind, sample }: Crowd): boolean {
    return this.#options.sessions.some((session) => sample && session.mayTake(sample) && session.mayRead(kind));
  }

  /** Jobs wait and no session may take them: one that rests will be free, and one that nothing comes from may be back. */
  #lookAgain(): void {
    const waitMs = this.#nextMs();
    if (waitMs === undefined) this.#alarm.off();
    else this.#alarm.set(waitMs);
  }

  /** How long until something may be taken that may not now, as far as is known. */
  #nextMs(): number | undefined {
    if (this.#queue.size === 0) return undefined;
    const { clock, monotonic } = this.#options;
    const [wallMs, nowMs] = [clock.now(), monotonic.now()];
    const times: number[] = [];
    for (const lane of this.#lanes) {
      for (const kind of this.#queue.kinds()) {
        const limit = lane.limits.get(kind);
        const untilMs = lane.session.closed(kind)?.untilMs;
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
    const open = this.#lanes.filter(({ session }) => mayRead(session));
    const lanes = open.length > 0 ? open : this.#lanes;
    return Math.min(...lanes.map((lane) => lane.waitMs(kind, before, lanes.length)));
  }
}

const fairMsOf = (jobs: readonly Job[]): number =>
  Math.min(FAIR.ms, FAIR.share * Math.max(...jobs.map(({ party, askedAt }) => party.deadlineAtMs - askedAt)));

/** Whether a failure took as long as the network takes: an answer about what was asked, or none in time. */
const tells = (failure: ServiceError): boolean => isTooLate(failure) || !(isTrouble(failure) || isRefusal(failure));

const inFlightOf = ({ session, limits }: Lane): InFlightHealth[] =>
  [...limits].map(([kind, { limit, inFlight }]) => ({ session: session.name, kind, limit, calls: inFlight }));
