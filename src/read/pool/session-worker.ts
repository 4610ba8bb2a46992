import type { Clock, Timers } from '../../ports/clock.js';
import type { Pace } from '../../ports/rate-limiter.js';
import type { Consumer, FairQueue } from './fair-queue.js';
import { InFlightLimit, type SharedMeasurement } from './in-flight-limit.js';
import type { Job } from './job.js';
import { type Session, usableFor } from './session.js';

export interface SessionWorkerOptions {
  /** The worker's key in the pace. */
  readonly name: string;
  readonly session: Session;
  /** All sessions of the pool, including its own. */
  readonly sessions: readonly Session[];
  readonly queue: FairQueue;
  readonly pace: Pace;
  /** Milliseconds from any start, never set back. */
  readonly monotonic: Clock;
  readonly timers: Timers;
  /** Upstream calls per second; null: no pace. */
  readonly perSecond: number | null;
  /** Calls of one kind in flight without a pace. */
  readonly unpaced: number;
  /** By kind: the measurement shared by the limits of all workers. */
  readonly measurement: (kind: string) => SharedMeasurement;
  readonly send: (worker: SessionWorker, jobs: readonly Job[]) => void;
  /** Called when there is nothing left to take. */
  readonly onIdle: () => void;
}

/** Weight of the newest observed distance between two pace slots. */
const NEWEST = 0.3;

/**
 * Makes one session's calls of one family, at its pace and within its in-flight limits. A batch is formed when the
 * call's turn comes.
 */
export class SessionWorker implements Consumer {
  readonly #options: SessionWorkerOptions;
  readonly #intervalMs: number;
  /** By kind of read. */
  readonly #limits = new Map<string, InFlightLimit>();
  /** Observed interval between pace slots under load: longer than configured when other nodes take slots, too. */
  #distanceMs: number;
  #lastPlaceMs = Number.NEGATIVE_INFINITY;
  #running = false;

  constructor(options: SessionWorkerOptions) {
    this.#options = options;
    this.#intervalMs = options.perSecond === null ? 0 : 1000 / options.perSecond;
    this.#distanceMs = this.#intervalMs;
  }

  get session(): Session {
    return this.#options.session;
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** The limits of the kinds read so far. */
  get limits(): ReadonlyMap<string, InFlightLimit> {
    return this.#limits;
  }

  mayTake(job: Job): boolean {
    return usableFor(this.#options.sessions, job).includes(this.session);
  }

  mayRead(kind: string): boolean {
    return this.session.mayRead(kind) && this.limitOf(kind).hasRoom();
  }

  limitOf(kind: string): InFlightLimit {
    const { measurement } = this.#options;
    const limit = this.#limits.get(kind) ?? new InFlightLimit({ ...this.#options, measurement: measurement(kind) });
    this.#limits.set(kind, limit);
    return limit;
  }

  /** Makes calls until there is nothing left to take. */
  wake(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  /**
   * Estimated milliseconds until a call of this kind is made, after `callsBefore` others that are shared among
   * `workers`. Based on the pace or, if that is less, on what the network was observed to serve. Without a kind: on the
   * pace alone.
   */
  waitMs(kind: string | undefined, callsBefore: number, workers: number): number {
    const placeMs = kind === undefined ? 0 : (this.#limits.get(kind)?.waitMs ?? 0);
    const isPaced = this.#options.perSecond !== null;
    const next = isPaced
      ? this.#lastPlaceMs + (this.#running ? 0 : this.#intervalMs) - this.#options.monotonic.now()
      : 0;
    return Math.max(0, next, placeMs) + (callsBefore * Math.max(this.#distanceMs, placeMs)) / workers;
  }

  async #run(): Promise<void> {
    const { queue, send } = this.#options;
    for (let calls = 0; queue.hasFor(this); calls += 1) {
      await this.#turn(calls > 0);
      const jobs = queue.take(this);
      if (jobs.length > 0) send(this, jobs);
    }
    // In the same tick as the last check, so that a job that arrives later wakes it again.
    this.#running = false;
    this.#options.onIdle();
  }

  async #turn(inQueue: boolean): Promise<void> {
    const { pace, name, perSecond, monotonic } = this.#options;
    // Jobs that arrive in this tick go into one batch.
    if (perSecond === null) return this.#after(0);
    const waitMs = await pace.reserve(name, perSecond);
    const placeMs = monotonic.now() + waitMs;
    const distance = Math.max(this.#intervalMs, placeMs - this.#lastPlaceMs);
    this.#distanceMs = inQueue ? (1 - NEWEST) * this.#distanceMs + NEWEST * distance : this.#intervalMs;
    this.#lastPlaceMs = placeMs;
    return this.#after(waitMs);
  }

  #after(ms: number): Promise<void> {
    return new Promise((resolve) => void this.#options.timers.after(ms, resolve));
  }
}
