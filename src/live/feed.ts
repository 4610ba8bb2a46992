import type { ErrorCode } from '../domain/errors.js';
import type { Timers } from '../ports/clock.js';
import type { Turns } from './turns.js';

/** The shortest and the longest time between two reads of a list, milliseconds. */
export const SHORTEST_MS = 5_000;
const LONGEST_MS = 10 * 60_000;

/** The time between two reads of a list is the time since its newest item, divided by this. */
const PART_OF_QUIET = 10;

/** A list without items counts as quiet for as long as it is followed, but at least for this long. Milliseconds. */
const EMPTY_QUIET_MS = 10 * 60_000;

/** The longest pause after failures, milliseconds. A list that is read less often anyway is not affected. */
const LONGEST_PAUSE_MS = 60_000;

/** Milliseconds between two reads of a list: fewer if it was quiet for less time, or has more followers. */
export function intervalOf(quietMs: number, followers: number): number {
  const wanted = quietMs / PART_OF_QUIET / (1 + Math.log10(Math.max(1, followers)));
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, wanted));
}

/** A list is not read again if it was read within this part of its interval, for example by another node. */
const NEW_ENOUGH = 0.9;

/** How long the network may take to show what it announced, milliseconds. One read covers all of that time. */
const SHOWN_AFTER_MS = 500;

/** How many reads may fail to find what was announced: the network may show it late, or never. */
const MOST_IN_VAIN = 3;

/** What a follower does after waiting: read the list, or take what another follower has just read. */
export type Turn = 'read' | 'take';

/** How long the other followers wait at most for the first one that takes what is new, milliseconds. */
const LEAD_MS = 250;

/**
 * How many followers take what is new at the same time before the next ones wait for them; half as many begin in one
 * turn of the event loop. The next ones wait at most `BETWEEN_TAKES_MS` milliseconds, so that no slow follower holds
 * them up.
 */
const MOST_TAKING = 200;
const BETWEEN_TAKES_MS = 16;

/** Followers that take what is new use at most one in this many of the process's places: fewer than one account may. */
const PART_OF_PLACES = 5;

/** A follower that waits. */
interface Waiting {
  /** Ends its wait. False if that has ended already. */
  readonly go: (turn: Turn) => boolean;
}

export interface FeedOptions {
  readonly timers: Timers;
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly turns: Pick<Turns, 'wait' | 'delayMs'>;
  /** Requests that the process works on at a time. */
  readonly places: number;
}

/** When a list was last read for its followers, how often it is read, and why the last read failed, if it did. */
export interface Checked {
  readonly at: number;
  readonly everyMs: number;
  readonly failed: ErrorCode | null;
}

/** What the network announced and no read has found yet. Times are Unix milliseconds. */
interface News {
  readonly announcedAt: number;
  /** When the newest of it was made. */
  readonly madeAt: number;
  /** How often the list was read because of it. */
  readonly reads: number;
}

/**
 * The followers of one list in this process. They take turns to read it for all of them. What was read is cached, so
 * the others take it without asking the network, and each pays for what it gets.
 */
export class Feed {
  readonly #options: FeedOptions;
  /** In the order in which they began to wait. Followers that missed something go before the others. */
  readonly #urgent = new Set<Waiting>();
  readonly #waiting = new Set<Waiting>();
  #next: { readonly atMs: number; readonly cancel: () => void } | null = null;
  #isRead = false;
  /** Whether a follower gave up its turn to read: the next one reads at once, in the same turn of the network's pace. */
  #isGivenUp = false;
  /** Releases the followers that wait until the first one has taken what is new. */
  #releaseOthers: (() => void) | null = null;
  /** How many followers were released to take what is new and have not done so yet; and which ones are next. */
  #taking = 0;
  #nextToTake: Waiting[] = [];
  readonly #atOnce: number;
  #cancelTakes: (() => void) | null = null;
  #newestAt: number | null = null;
  readonly #openedAt: number;
  #readAt: number;
  /** When the last read began, and when it ended. */
  #beganAt: number;
  #triedAt: number;
  #failed: ErrorCode | null = null;
  #pauseMs = 0;
  #news: News | null = null;
  /** Since when the network announces everything that is new; null: it does not. */
  #pushedSince: number | null = null;
  /** Whether the list was read since then: only then is nothing from before missing. */
  #isReadSince = false;
  followers = 0;
  /** How often something new was found. A follower that was busy meanwhile has missed some of it. */
  releases = 0;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#atOnce = Math.max(1, Math.floor(Math.min(MOST_TAKING, options.places / PART_OF_PLACES) / 2));
    this.#openedAt = this.#readAt = this.#beganAt = this.#triedAt = options.now();
  }

  /** Whether a follower that has just begun saw less than was found here. */
  isAheadOf({ newestAt }: { readonly newestAt: number | null }): boolean {
    return (this.#newestAt ?? 0) > (newestAt ?? 0);
  }

  get checked(): Checked {
    const everyMs = Math.max(this.intervalMs, this.#options.turns.delayMs);
    return { at: this.#readAt, everyMs, failed: this.#failed };
  }

  /** Milliseconds between two reads, if the network's pace allows it and nothing is announced. */
  get intervalMs(): number {
    if (this.#isReadSince) return Math.max(this.#pauseMs, LONGEST_MS);
    const now = this.#options.now();
    const quietMs = this.#newestAt === null ? Math.max(EMPTY_QUIET_MS, now - this.#openedAt) : now - this.#newestAt;
    return Math.max(this.#pauseMs, intervalOf(Math.max(0, quietMs), this.followers));
  }

  /** A page that was read at this time or later is new enough for the follower whose turn it is to read. */
  get notBefore(): number {
    const newEnough = this.#options.now() - NEW_ENOUGH * this.intervalMs;
    if (this.#news !== null) return Math.max(this.#news.announcedAt, this.#triedAt + 1);
    return this.#isReadSince ? newEnough : Math.max(newEnough, this.#pushedSince ?? 0);
  }

  /**
   * The network announced something new, made at this time. This is only a hint: the list is read soon because of it,
   * but no more often than a busy list is read anyway.
   */
  nudge(madeAt: number): void {
    const announcedAt = this.#options.now();
    this.#news = { announcedAt, madeAt: Math.min(announcedAt, Math.max(madeAt, this.#news?.madeAt ?? 0)), reads: 0 };
    this.#hasten();
  }

  /** The network now announces everything that is new, or no longer does. While it does, reads only fill gaps. */
  setPushed(isPushed: boolean): void {
    this.#pushedSince = isPushed ? this.#options.now() : null;
    this.#isReadSince = false;
    this.#hasten();
  }

  /**
   * Waits for the follower's turn, ahead of others if it `missed` something. Undefined once the signal is aborted.
   * `has`: up to which of the `releases` it has what was found (default: all). If some are missing, its turn to take
   * them comes at once.
   */
  wait(signal: AbortSignal, missed: boolean, has = this.releases): Promise<Turn | undefined> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve(undefined);
      const among = missed ? this.#urgent : this.#waiting;
      const leave = (turn?: Turn): boolean => {
        if (!among.delete(waiting)) return false;
        signal.removeEventListener('abort', abort);
        if (this.#first === undefined) this.#stop();
        resolve(turn);
        return true;
      };
      const abort = (): void => void leave();
      const waiting: Waiting = { go: leave };
      among.add(waiting);
      signal.addEventListener('abort', abort);
      if (has < this.releases) this.#takeNext(waiting);
      this.#start();
    });
  }

  /** Called by a follower whose turn it was to take what is new, once it has done so or has failed. */
  took(): void {
    this.#taking -= 1;
    if (this.#taking === this.#atOnce) this.#letMoreTake();
  }

  /** Called by the follower whose turn it was to read, with the newest item that it saw. */
  wasRead(found: { readonly items: number; readonly newestAt: number | null }): void {
    this.#isRead = false;
    this.#triedAt = this.#options.now();
    if (this.#pushedSince !== null && this.#beganAt >= this.#pushedSince) this.#isReadSince = true;
    this.#update(found);
    if (this.#news !== null) this.#wasReadFor(this.#news);
    this.#start();
  }

  /**
   * Called by the same follower instead if the list could not be read. Null: for a reason that ends its followers, so
   * the network did not fail.
   */
  wasNotRead(failed: ErrorCode | null, retryAfterMs = 0): void {
    this.#isRead = false;
    if (failed !== null) {
      this.#triedAt = this.#options.now();
      this.#failed = failed;
      this.#pauseMs = Math.min(LONGEST_PAUSE_MS, Math.max(2 * this.#pauseMs, retryAfterMs, SHORTEST_MS));
    }
    this.#start();
  }

  /** Called by the same follower instead if it left, or was refused for reasons of its own. */
  wasGivenUp(): void {
    this.#isRead = false;
    this.#isGivenUp = true;
    this.#start();
  }

  /** Called by a follower that did not read for the others, with what it saw. */
  saw({ newestAt }: { readonly newestAt: number | null }): void {
    this.#releaseOthers?.();
    this.#update({ items: 0, newestAt });
    this.#hasten();
  }

  #wasReadFor(news: News): void {
    const reads = news.reads + 1;
    const isFound = this.#newestAt !== null && this.#newestAt >= news.madeAt && news.announcedAt <= this.#beganAt;
    this.#news = isFound || reads === MOST_IN_VAIN ? null : { ...news, reads };
  }

  #update({ items, newestAt }: { readonly items: number; readonly newestAt: number | null }): void {
    [this.#readAt, this.#failed, this.#pauseMs] = [this.#options.now(), null, 0];
    const isNewer = newestAt !== null && newestAt > (this.#newestAt ?? 0);
    if (isNewer) this.#newestAt = newestAt;
    if (isNewer && this.#news !== null && newestAt >= this.#news.madeAt) this.#news = null;
    if (items > 0 || isNewer) this.#release();
  }

  /** Lets one follower take what is new first: its answer is kept, so that the others need little work. */
  #release(): void {
    this.releases += 1;
    this.#releaseOthers?.();
    const [first, ...others] = [...this.#urgent, ...this.#waiting];
    if (others.length > 0) {
      const release = (): void => {
        cancel();
        this.#releaseOthers = null;
        this.#nextToTake.push(...others);
        this.#letSomeTake();
      };
      const cancel = this.#options.timers.after(LEAD_MS, release);
      this.#releaseOthers = release;
    }
    if (first?.go('take')) this.#taking += 1;
  }

  #takeNext(waiting: Waiting): void {
    this.#nextToTake.push(waiting);
    if (this.#cancelTakes === null) this.#letMoreTake();
  }

  /** Releases some at a time: all at once would take up the places that other requests need. */
  #letSomeTake(): void {
    for (const { go } of this.#nextToTake.splice(0, this.#atOnce)) if (go('take')) this.#taking += 1;
    this.#letMoreTake();
  }

  #letMoreTake(): void {
    this.#cancelTakes?.();
    this.#cancelTakes = null;
    if (this.#nextToTake.length === 0) return;
    const afterMs = this.#taking <= this.#atOnce ? 0 : BETWEEN_TAKES_MS;
    this.#cancelTakes = this.#options.timers.after(afterMs, () => this.#letSomeTake());
  }

  get #first(): Waiting | undefined {
    for (const waiting of this.#urgent) return waiting;
    for (const waiting of this.#waiting) return waiting;
    return undefined;
  }

  /** Milliseconds until the next read. */
  get #waitMs(): number {
    if (this.#news === null) return this.intervalMs;
    const betweenMs = Math.max(this.#pauseMs, SHORTEST_MS * Math.max(1, this.#news.reads));
    return Math.min(this.intervalMs, Math.max(SHOWN_AFTER_MS, this.#triedAt + betweenMs - this.#options.now()));
  }

  /** Brings the next read forward if it would come sooner, had the wait for it begun now. */
  #hasten(): void {
    if (this.#next === null || this.#next.atMs <= this.#options.now() + this.#waitMs) return;
    this.#stop();
    this.#start();
  }

  #start(): void {
    if (this.#next !== null || this.#isRead || this.#first === undefined) return;
    const { timers, turns, now } = this.#options;
    const go = (): void => {
      this.#next = null;
      const first = this.#first;
      if (first === undefined) return;
      this.#isRead = true;
      this.#isGivenUp = false;
      this.#beganAt = now();
      first.go('read');
    };
    if (this.#isGivenUp) {
      go();
      return;
    }
    const waitMs = this.#waitMs;
    const atMs = now() + waitMs;
    const cancel = timers.after(waitMs, () => {
      this.#next = { atMs, cancel: turns.wait(go) };
    });
    this.#next = { atMs, cancel };
  }

  #stop(): void {
    this.#next?.cancel();
    this.#next = null;
  }
}
