import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.js';
import { withTimeout } from '../lib/monotonic.js';
import { repeat } from '../lib/poll.js';
import type { Checked } from '../live/feed.js';
import type { Clock } from '../ports/clock.js';
import type { HeldWatch, WatchCheck, WatchId, WatchLeases } from '../ports/watches.js';
import { Beginnings } from './beginnings.js';
import { type FollowerOptions, WatchFollower } from './follower.js';

/** How long a process holds its watches, and how often it puts that off, milliseconds. */
const HELD_MS = 25_000;
const RENEW_MS = 5_000;
/** A process that could not put it off for so long makes no new calls: soon another may hold its watches. */
const LOST_MS = HELD_MS - RENEW_MS;

/** Most watches that are taken in one statement, and that a process holds. */
const CLAIM_AT_ONCE = 500;
const MOST_HELD = 20_000;

/** A process gives watches up once it follows more than its share by this part: they are not passed on for one or two. */
const TOLERATED = 0.1;
/** Most that it gives up at once: the process that takes them reads each of their lists. */
const GIVE_UP_AT_ONCE = 500;

/** How often it is noted when a list was last read, milliseconds, and for how many watches at once. */
const NOTE_MS = MINUTE_MS;
const MOST_NOTED = 2_000;
/** It is noted at once that a list is read more or less often, by this part. */
const NOTED_CHANGE = 0.2;

/** How long a stop waits for calls in progress. */
const CLOSE_MS = 5_000;

/** How long watches that ended are kept, for what they delivered. */
const KEPT_MS = 30 * DAY_MS;
const FORGET_EVERY_MS = HOUR_MS;
const FORGET_AT_ONCE = 1_000;

export interface WatchingOptions extends Omit<FollowerOptions, 'leases' | 'beginnings'> {
  readonly leases: WatchLeases;
  /** Never set back. */
  readonly monotonic: Clock;
  /** Of this process alone: a UUID. */
  readonly holder: string;
  /** Called with what could not be read or written: for the operator. */
  readonly onFailure: (error: unknown) => void;
}

/** A watch that is followed here, and what was last noted of how. */
interface Held {
  readonly follower: WatchFollower;
  readonly done: Promise<void>;
  noted: Checked | null;
  notedAt: number;
}

/**
 * Follows watches, over all nodes each in one process, and in each process as many as in the others. One that is killed
 * leaves its watches to others after half a minute: they begin where the last delivery was written, and get what was charged
 * after that free.
 */
export class Watching {
  readonly #options: WatchingOptions;
  readonly #beginnings = new Beginnings();
  readonly #held = new Map<string, Held>();
  #cancel: () => void = () => {};
  #running: Promise<void> | undefined;
  /** Whether it is time to see what it may take, and what it has too many of. */
  #isDue = false;
  /** Those that were made or changed here. */
  #woken: WatchId[] = [];
  /** Whether it gives up what is more than its share. */
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

  /** A watch was made, or changed: takes it at once if nobody holds it, or leaves it if it is not to be followed. */
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

  /** What is in progress is finished, for some seconds; then others may have what was held here. */
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
    // Also where a store does not answer at all.
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
    for (const { watchId } of still) before.delete(watchId);
    for (const watchId of before) {
      const follower = this.#held.get(watchId)?.follower;
      // One that had ended before was taken for what may have been paid.
      if (follower?.watch.state !== 'ended') follower?.end();
    }
    // Nobody follows these: giving them up could not be written down.
    const left = still.filter(({ watchId }) => !this.#held.has(watchId));
    if (left.length > 0) await leases.giveUp(holder, left);
  }

  /** How many watches this process is to follow. All, where that is not known: each has to be followed by somebody. */
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

  /** How many there were. */
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
   * Gives up what is more than its share, some at a time. Others claim no more than theirs, and so none of it comes back
   * while there are as many watches and processes.
   */
  #level(share: number): void {
    const staying = this.#staying();
    const surplus = staying.length - share;
    this.#isLevelling = surplus > (this.#isLevelling ? 0 : Math.max(1, share * TOLERATED));
    if (!this.#isLevelling) return;
    // One that ended is about to be over. Those of one list go together: a process reads it once for all of them.
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

  /** Not by one that took its place, once it was free for others. */
  #isHeldBy(follower: WatchFollower): boolean {
    return this.#held.get(follower.watch.watchId)?.follower === follower;
  }

  async #finish(follower: WatchFollower): Promise<void> {
    const { leases, holder, onFailure } = this.#options;
    try {
      if ((await follower.run()) === 'stopped') return;
    } catch (error) {
      onFailure(error);
    }
    // All of them are released together. What fails is repeated when it is renewed.
    if (!this.#isClosed && this.#isHeldBy(follower)) await leases.giveUp(holder, [follower.watch]).catch(() => {});
  }

  /** What has changed of how lists are read. */
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
    // The others follow with the next run.
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
