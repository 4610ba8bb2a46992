import { setImmediate, setTimeout } from 'node:timers/promises';
import type { Clock } from '../../ports/clock.js';
import type { Pace } from '../../ports/shared.js';
import type { FairQueue } from './fair-queue.js';
import type { Job } from './job.js';
import type { Session } from './session.js';

export interface LaneOptions {
  /** What the pace knows it by. */
  readonly name: string;
  readonly session: Session;
  readonly queue: FairQueue;
  readonly pace: Pace;
  /** Milliseconds from any start, never set back. */
  readonly monotonic: Clock;
  /** Upstream calls per second; null: no pace. */
  readonly perSecond: number | null;
  readonly send: (session: Session, jobs: readonly Job[]) => void;
  /** Told when there is nothing more to call for here. */
  readonly rest: () => void;
}

/** Weight of the newest of the observed distances between two places. */
const NEWEST = 0.3;

/** One session's calls of one family, at their pace. What goes with a call is decided when its turn has come, not before. */
export class Lane {
  readonly #options: LaneOptions;
  readonly #intervalMs: number;
  /** Observed distance of places while there was a queue: longer than the interval when other nodes take places, too. */
  #distanceMs: number;
  #lastPlaceMs = Number.NEGATIVE_INFINITY;
  #running = false;

  constructor(options: LaneOptions) {
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

  /** Calls as long as there is something to call for. */
  wake(): void {
    if (this.#running) return;
    this.#running = true;
    void this.#run();
  }

  /** About how long until the call after so many others, milliseconds; the others are shared among so many lanes. */
  waitMs(callsBefore: number, lanes: number): number {
    if (this.#options.perSecond === null) return 0;
    const next = this.#lastPlaceMs + (this.#running ? 0 : this.#intervalMs) - this.#options.monotonic.now();
    return Math.max(0, next) + (callsBefore * this.#distanceMs) / lanes;
  }

  async #run(): Promise<void> {
    const { queue, session, send } = this.#options;
    for (let calls = 0; queue.hasFor(session); calls += 1) {
      await this.#turn(calls > 0);
      const jobs = queue.take(session);
      if (jobs.length > 0) send(session, jobs);
    }
    // In the same step as the last look: a job that comes from now on wakes it anew.
    this.#running = false;
    this.#options.rest();
  }

  async #turn(inQueue: boolean): Promise<void> {
    const { pace, name, perSecond, monotonic } = this.#options;
    // What arrives in this tick travels together.
    if (perSecond === null) return void (await setImmediate());
    const waitMs = await pace.book(name, perSecond);
    const placeMs = monotonic.now() + waitMs;
    const distance = Math.max(this.#intervalMs, placeMs - this.#lastPlaceMs);
    this.#distanceMs = inQueue ? (1 - NEWEST) * this.#distanceMs + NEWEST * distance : this.#intervalMs;
    this.#lastPlaceMs = placeMs;
    await (waitMs > 0 ? setTimeout(waitMs) : setImmediate());
  }
}
