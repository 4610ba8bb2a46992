import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.js';
import { withTimeout } from '../lib/monotonic.js';
import { repeat } from '../lib/poll.js';
import type { Checked } from '../live/feed.js';
import type { Clock } from '../ports/clock.js';
import type { HeldWatch, WatchCheck, WatchId, WatchLeases } from '../ports/watches.js';
import { Beginnings } from './beginnings.js';
import { type FollowerOptions, WatchFollower } from './follower.js';

/** How long the leases of a process last, and how often it extends them, milliseconds. */
const HELD_MS = 25_000;
const RENEW_MS = 5_000;
/** A process that could not extend them for this long makes no new calls, because another may soon take its watches. */
const LOST_MS = HELD_MS - RENEW_MS;

/** Most watches that one statement takes, and most that a process holds. */
const CLAIM_AT_ONCE = 500;
const MOST_HELD = 20_000;

/** A process gives watches up once it exceeds its share by this part, so that none change hands for one or two. */
const TOLERATED = 0.1;
/** Most that it gives up at once, because the process that takes them reads each of their lists. */
const GIVE_UP_AT_ONCE = 500;

/** How often the time of a list's last read is stored, milliseconds, and for how many watches at once. */
const NOTE_MS = MINUTE_MS;
const MOST_NOTED = 2_000;
/** If the time between reads of a list changes by more than this part, that is stored at once. */
const NOTED_CHANGE = 0.2;

/** How long closing waits for calls in progress. */
const CLOSE_MS = 5_000;

/** How long ended watches are kept, for the record of their deliveries. */
const KEPT_MS = 30 * DAY_MS;
const FORGET_EVERY_MS = HOUR_MS;
const FORGET_AT_ONCE = 1_000;

export interface WatchingOptions extends Omit<FollowerOptions, 'leases' | 'beginnings'> {
  readonly leases: WatchLeases;
  /** Never set back. */
  readonly monotonic: Clock;
  /** A UUID that identifies this process. */
  readonly holder: string;
  /** Called with errors from the store and from followers, for the operator. */
  readonly onFailure: (error: unknown) => void;
}

/** A watch that is followed here, and what was last stored about the reads of its list. */
interface Held {
  readonly follower: WatchFollower;
  readonly done: Promise<void>;
  noted: Checked | null;
  notedAt: number;
}

/**
 * Follows watches. Over all nodes, each watch is followed by one process, and the processes share the watches evenly.
 * If a process is killed, others take over its watches after half a minute: they begin where the last delivery was
 * stored, and get free what was charged after that.
 */
export class Watching {
  readonly #options: WatchingOptions;
  readonly #beginnings = new Beginnings();
  readonly #held = new Map<string, Held>();
  #cancel: () => void = () => {};
  #running: Promise<void> | undefined;
  /** Whether it is time to check which watches it may take, and whether it has too many. */
  #isDue = false;
  /** Watches that were added or changed in this process. */
  #woken: WatchId[] = [];
  /** Whether it is giving up watches beyond its share. */
  #isLevelling = false;
  #isClosed = false;
  #renewedAt: number;
  #forgotAt: number;

  constructor(options: WatchingOptions) {
    this.#options = options;
    this.#renewedAt = options.monotonic.now();
    this.#forgotAt = this.#renewedAt;
  }

  /** Watches that are followed here. */
  get size(): number {
    return this.#held.size;
  }

  start(): void {
    this.#cancel = repeat(this.#options.timers, RENEW_MS, () => this.#tick());
    this.#look();
  }

  /** A watch was added or changed: takes it at once if no process holds it, or drops it if it need not be followed. */
  wake(watch: WatchId): void {
    this.#woken.push(watch);
    this.#begin();
  }

  #look(): void {
    this.#isDue = true;
    this.#begin();
  }

  #begin(): void {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
  }

  /** Waits a few seconds for calls in progress; then other processes may take the watches that were held here. */
  async close(): Promise<void> {
    const { leases, holder, clock, timers } = this.#options;
    this.#isClosed = true;
    this.#cancel();
    await this.#running;
    this.#endAll();
    const all = [...this.#held.values()].map(({ done }) => done);
    await withTimeout(CLOSE_MS, Promise.all(all), timers);
    await leases.release(holder, clock.now());
  }

  async #run(): Promise<void> {
    while ((this.#isDue || this.#woken.length > 0) && !this.#isClosed) {
      const [isDue, woken] = [this.#isDue, this.#woken];
      this.#isDue = false;
      this.#woken = [];
      try {
        await this.#renew();
        if (woken.length > 0) await this.#take(MOST_HELD, woken);
        if (isDue) await this.#balance();
        await this.#forget();
      } catch (error) {
        this.#options.onFailure(error);
      }
    }
  }

  #tick(): void {
    // Checked here, because a renewal may never return if the store does not answer at all.
    if (this.#options.monotonic.now() - this.#renewedAt >= LOST_MS) this.#endAll();
    this.#look();
  }

  #endAll(): void {
    for (const { follower } of this.#held.values()) follower.end();
  }

  async #renew(): Promise<void> {
    const { leases, clock, monotonic, holder } = this.#options;
    const at = monotonic.now();
    const checks = this.#checks();
    const before = new Set(this.#held.keys());
    const still = await leases.renew(holder, checks, clock.now() + HELD_MS);
    this.#renewedAt = at;
    for (const { watchId, isEnded } of still) {
      // A watch that had already ended was taken only for what may have been paid: its follower continues.
      if (!isEnded || this.#held.get(watchId)?.follower.watch.state === 'ended') before.delete(watchId);
    }
    for (const watchId of before) this.#held.get(watchId)?.follower.end();
    // These are not followed any more, but giving them up could not be stored.
    const left = still.filter(({ watchId }) => !this.#held.has(watchId));
    if (left.length > 0) await leases.giveUp(holder, left, clock.now());
  }

  /** How many watches this process should follow. If that is unknown, all: each of them has to be followed. */
  async #share(): Promise<number> {
    const { leases, clock, onFailure } = this.#options;
    try {
      const { watches, holders } = await leases.count(clock.now());
      return holders > 1 ? Math.ceil(watches / holders) : MOST_HELD;
    } catch (error) {
      onFailure(error);
      return MOST_HELD;
    }
  }

  async #balance(): Promise<void> {
    const share = await this.#share();
    if ((await this.#take(share - this.#staying().length)) === CLAIM_AT_ONCE) this.#isDue = true;
    this.#level(share);
  }

  /** Returns how many it took. */
  async #take(most: number, only?: readonly WatchId[]): Promise<number> {
    const { leases, clock, holder } = this.#options;
    const room = Math.min(CLAIM_AT_ONCE, MOST_HELD - this.#held.size, most);
    if (room <= 0) return 0;
    const claimed = await leases.claim(holder, clock.now(), room, only);
    for (const watch of claimed) this.#follow(watch);
    return claimed.length;
  }

  /** Followers that were not told to end. */
  #staying(): WatchFollower[] {
    return [...this.#held.values()].flatMap(({ follower }) => (follower.isEnding ? [] : [follower]));
  }

  /**
   * Gives up watches beyond its share, some at a time. Other processes claim no more than their share, so the watches
   * do not come back while the numbers of watches and processes stay the same.
   */
  #level(share: number): void {
    const staying = this.#staying();
    const surplus = staying.length - share;
    this.#isLevelling = surplus > (this.#isLevelling ? 0 : Math.max(1, share * TOLERATED));
    if (!this.#isLevelling) return;
    // Ended watches are about to finish. Watches of one list go together: a process reads it once for all of them.
    const given = staying.filter(({ watch }) => watch.state !== 'ended').sort(bySubject);
    for (const follower of given.slice(0, Math.min(surplus, GIVE_UP_AT_ONCE))) follower.end();
  }

  #follow(watch: HeldWatch): void {
    const follower = new WatchFollower(watch, this.#options.holder, {
      ...this.#options,
      beginnings: this.#beginnings,
    });
    const done = this.#finish(follower).finally(() => {
      if (this.#isHeldBy(follower)) this.#held.delete(watch.watchId);
    });
    this.#held.set(watch.watchId, { follower, done, noted: null, notedAt: 0 });
  }

  /** False if another follower took its place after the watch became free for other processes. */
  #isHeldBy(follower: WatchFollower): boolean {
    return this.#held.get(follower.watch.watchId)?.follower === follower;
  }

  async #finish(follower: WatchFollower): Promise<void> {
    const { leases, holder, clock, onFailure } = this.#options;
    let isSettled = false;
    try {
      if ((await follower.run()) === 'stopped') return;
      ({ isSettled } = follower);
    } catch (error) {
      onFailure(error);
    }
    // On closing, all are released together. If giving it up fails, the next `#renew` repeats that.
    if (this.#isClosed || !this.#isHeldBy(follower)) return;
    const againAt = isSettled ? undefined : clock.now();
    await leases.giveUp(holder, [follower.watch], againAt).catch(() => {});
  }

  /** What has changed about the reads of lists and is to be stored. */
  #checks(): WatchCheck[] {
    const now = this.#options.clock.now();
    const checks: WatchCheck[] = [];
    for (const held of this.#held.values()) {
      if (checks.length === MOST_NOTED) break;
      const { checked, watch } = held.follower;
      if (checked === null || !isNews(checked, held, now)) continue;
      Object.assign(held, { noted: checked, notedAt: now });
      const { at, everyMs, failed } = checked;
      checks.push({ accountId: watch.accountId, watchId: watch.watchId, checkedAt: at, everyMs, failed });
    }
    return checks;
  }

  async #forget(): Promise<void> {
    const { leases, clock, monotonic } = this.#options;
    if (monotonic.now() - this.#forgotAt < FORGET_EVERY_MS) return;
    const before = clock.now() - KEPT_MS;
    // The next run deletes the rest.
    if ((await leases.forget(before, FORGET_AT_ONCE)) < FORGET_AT_ONCE) this.#forgotAt = monotonic.now();
  }
}

const bySubject = ({ watch: a }: WatchFollower, { watch: b }: WatchFollower): number =>
  Number(a.subject > b.subject) - Number(a.subject < b.subject);

function isNews({ at, everyMs, failed }: Checked, { noted, notedAt }: Held, now: number): boolean {
  if (noted === null || failed !== noted.failed) return true;
  if (Math.abs(everyMs - noted.everyMs) > NOTED_CHANGE * noted.everyMs) return true;
  return at > noted.at && now - notedAt >= NOTE_MS;
}
