import DataLoader from 'dataloader';
import type { BoundedMap } from '../lib/bounded-map.js';
import { Memories } from '../lib/memories.js';
import { backgroundTimers } from '../lib/monotonic.js';
import type { Accounts, KeyLookup } from '../ports/accounts.js';
import type { Clock, Timers } from '../ports/clock.js';

/** A key used after this part of its lookup's lifetime is looked up again. */
const REFRESH_FROM = 2 / 3;

/** How long a refresh waits for others to share its query, milliseconds. */
const REFRESH_DELAY_MS = 50;

/** Most keys in one query. */
const MOST_KEYS = 100;

interface Known {
  readonly lookup: KeyLookup;
  readonly untilMs: number;
  /** Set by the first use close to expiry, so that a failing store is not asked again before then. */
  isRefreshed: boolean;
}

/** A read in progress, and the time until which other calls may join it. */
interface Reading {
  readonly result: Promise<KeyLookup | undefined>;
  readonly joinUntilMs: number;
}

type Loader = DataLoader<string, KeyLookup | undefined>;

export interface LookupsOptions {
  readonly accounts: Pick<Accounts, 'findKeys' | 'onKeyChange'>;
  readonly monotonic: Clock;
  /** On the same clock; the process's own by default. */
  readonly timers?: Timers | undefined;
  readonly ttlMs: number;
  readonly memories?: Memories;
}

/**
 * Lookups of keys, cached for up to `ttlMs` by a clock that is never set back, because otherwise a revoked key would
 * keep working. Concurrent lookups of one key share a read, and lookups of many keys share a query. A key used shortly
 * before its lookup expires is looked up again in the background, so that no call with a busy key waits for the store.
 * The age of the new lookup counts from before that read; if the store does not answer, the old one expires as usual.
 */
export class Lookups {
  readonly #accounts: LookupsOptions['accounts'];
  readonly #monotonic: Clock;
  readonly #ttlMs: number;
  readonly #known: BoundedMap<Known>;
  readonly #underway = new Map<string, Reading>();
  /** For calls that wait: one query for everything that arrives in one turn of the event loop, on any connection. */
  readonly #atOnce: Loader;
  /** For keys that may be guesses. */
  readonly #oneByOne: Loader;
  /** For refreshes. */
  readonly #ahead: Loader;

  constructor({ accounts, monotonic, timers = backgroundTimers, ttlMs, memories = new Memories() }: LookupsOptions) {
    this.#accounts = accounts;
    this.#monotonic = monotonic;
    this.#ttlMs = ttlMs;
    this.#known = memories.map('api_keys');
    this.#atOnce = createLoader(accounts, (dispatch) => timers.after(0, dispatch));
    this.#oneByOne = inTurn(accounts);
    this.#ahead = createLoader(accounts, (dispatch) => timers.after(REFRESH_DELAY_MS, dispatch));
  }

  /** Drops the lookup of each key that the store reports as changed. Returns an unsubscriber. */
  follow(): Promise<() => Promise<void>> {
    return this.#accounts.onKeyChange((hashHex) => {
      this.#known.delete(hashHex);
      // A read in progress may return the old state: it must not be cached, and no new lookup may join it.
      this.#underway.delete(hashHex);
    });
  }

  /** The lookup of the key, if it is at most `ttlMs` old. */
  recent(hashHex: string): KeyLookup | undefined {
    const now = this.#monotonic.now();
    const entry = this.#known.get(hashHex);
    if (entry === undefined || now >= entry.untilMs) return undefined;
    this.#refreshIfDue(hashHex, entry, now);
    return entry.lookup;
  }

  /**
   * The lookup of the key: at most `ttlMs` old, or read now. Undefined if there is no such key; that is never cached.
   * Keys that may be guesses share one query at a time, so their number does not increase the load on the store (A33).
   */
  async find(hashHex: string, { mayBeGuess = false } = {}): Promise<KeyLookup | undefined> {
    const recent = this.recent(hashHex);
    if (recent !== undefined) return recent;
    const now = this.#monotonic.now();
    const reading = this.#underway.get(hashHex);
    if (reading !== undefined && now < reading.joinUntilMs) return reading.result;
    // The result of a slow read is as old as the start of the read, so it may be joined for `ttlMs` only.
    return this.#read(hashHex, mayBeGuess ? this.#oneByOne : this.#atOnce, now + this.#ttlMs);
  }

  /** The last lookup of the key, and whether it is recent enough for `find` to return without waiting. */
  last(hashHex: string): { readonly lookup: KeyLookup | undefined; readonly isFresh: boolean } {
    const entry = this.#known.peek(hashHex);
    return { lookup: entry?.lookup, isFresh: entry !== undefined && this.#monotonic.now() < entry.untilMs };
  }

  /** Whether the store knew the key when it was last asked, however long ago that was. */
  knows(hashHex: string): boolean {
    return this.#known.has(hashHex);
  }

  #refreshIfDue(hashHex: string, entry: Known, now: number): void {
    if (entry.isRefreshed || now < entry.untilMs - this.#ttlMs * (1 - REFRESH_FROM)) return;
    entry.isRefreshed = true;
    // A failure changes nothing: the lookup expires, and the next call reads again. It also reads again if the refresh
    // is still hanging at expiry, because no call joins it after that. No other read of this key can be in progress: a
    // lookup that is recent and not yet refreshed came from the last read that was started.
    this.#read(hashHex, this.#ahead, entry.untilMs).catch(() => {});
  }

  #read(hashHex: string, loader: Loader, joinUntilMs: number): Promise<KeyLookup | undefined> {
    // The age counts from before the read, so a slow store does not lengthen it.
    const untilMs = this.#monotonic.now() + this.#ttlMs;
    const result = loader
      .load(hashHex)
      .then((lookup) => {
        if (this.#underway.get(hashHex) !== reading) return lookup;
        if (lookup === undefined) this.#known.delete(hashHex);
        else this.#known.set(hashHex, { lookup, untilMs, isRefreshed: false });
        return lookup;
      })
      .finally(() => {
        if (this.#underway.get(hashHex) === reading) this.#underway.delete(hashHex);
      });
    const reading: Reading = { result, joinUntilMs };
    this.#underway.set(hashHex, reading);
    return result;
  }
}

/** Puts all keys asked for until `dispatch` is called into one query. Caches nothing. */
const createLoader = (accounts: Pick<Accounts, 'findKeys'>, batchScheduleFn: (dispatch: () => void) => void): Loader =>
  new DataLoader((hashes) => accounts.findKeys(hashes.map((hex) => Buffer.from(hex, 'hex'))), {
    cache: false,
    maxBatchSize: MOST_KEYS,
    batchScheduleFn,
  });

/** Makes one query at a time, for the keys asked for during the previous query. */
function inTurn(accounts: Pick<Accounts, 'findKeys'>): Loader {
  let last: Promise<unknown> = Promise.resolve();
  const findKeys: Accounts['findKeys'] = (hashes) => {
    const found = accounts.findKeys(hashes);
    last = found.catch(() => {});
    return found;
  };
  let turns: Promise<unknown> = last;
  return createLoader({ findKeys }, (dispatch) => {
    turns = turns.then(() => {
      dispatch();
      return last;
    });
  });
}
