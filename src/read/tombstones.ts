import DataLoader from 'dataloader';
import { digestText } from '../lib/digest.js';
import { Memories } from '../lib/memories.js';
import { QuotaSet } from '../lib/quota-set.js';
import type { Cache } from '../ports/cache.js';
import type { Clock } from '../ports/clock.js';
import type { Tombstone, TombstoneLog } from '../ports/tombstones.js';
import type { Lifetimes } from './lifetimes.js';

/** The tombstones of deleted objects. Cached pages that still contain one of these objects skip it. */
export interface Tombstones {
  has(key: string): boolean;
  /** True if there are no tombstones, so that pages need not check each item. */
  readonly isEmpty: boolean;
  /**
   * Adds a deleted object that the cache still shows, at once. `accountId`: the account whose read found the deletion.
   * Resolves when the cache knows it, too, and leaves the object out of answers whose read began earlier.
   */
  add(key: string, accountId: string): Promise<void>;
  /**
   * Adds an object that the network says does not exist, but only if a cached value may show it, because it would
   * otherwise just push out tombstones that matter. Resolves with whether it was added.
   */
  addIfCached(key: string, accountId: string): Promise<boolean>;
  /** How many tombstones were noted so far. A read remembers this number when it begins. */
  readonly noted: number;
  /**
   * Removes a tombstone, because the network shows the object again in answer to a read that began when `noted` were
   * noted. A tombstone noted since then stays: the answer may be older than the deletion.
   */
  remove(key: string, noted: number): void;
  /** Changes with every change of the set. An answer rendered at another version may show a deleted object. */
  readonly version: number;
  /** Subscribes to the tombstones of all nodes. Resolves once existing ones have been read; returns an unsubscriber. */
  follow(): Promise<() => Promise<void>>;
}

export interface TombstonesOptions {
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
  /** The log shared with the other nodes. */
  readonly tombstoneLog: TombstoneLog;
  /** Tells which names cached pages may still show. */
  readonly cache: Pick<Cache, 'shows'>;
  readonly memories?: Memories;
  readonly maxBytes?: number;
}

/** Characters of an account's digest that are enough to distinguish accounts. */
const OWNER_LENGTH = 12;

/** Prefix of the owner of precautionary tombstones, whose objects may or may not be shown by something cached. */
const UNSURE = '?';

/** The owner of tombstones that name no account, because they come from nodes of an earlier version. */
const NOBODY = '';

/**
 * Tombstones outlive every cached page, so that no page from before the deletion can show the object again. Those found
 * by one account's reads may fill a tenth of the memory, and precautionary ones of the account another tenth;
 * precautionary tombstones are dropped first.
 */
export function createTombstones(options: TombstonesOptions): Tombstones {
  const { clock, lifetimes, tombstoneLog, cache, memories = new Memories(), maxBytes } = options;
  const ttlMs = 2 * Math.max(...Object.values(lifetimes));
  const keys = new QuotaSet({
    ...{ maxBytes: maxBytes ?? memories.limitOf('gone'), ttlMs, clock },
    goesFirst: (owner) => owner.startsWith(UNSURE),
  });
  memories.add('gone', keys);
  // Tells the cache of all withdrawn names of one batch in one query.
  const shown = new DataLoader((names: readonly string[]) => cache.shows(names), { cache: false });
  let version = 0;

  function note({ key, gone, by = NOBODY }: Tombstone): boolean {
    const wasGone = keys.has(key);
    // A tombstone that is no longer only a precaution is news for the other nodes, but does not change the set.
    const isNews = gone ? keys.add(by, key) : keys.delete(key);
    if (gone !== wasGone) version += 1;
    return isNews;
  }

  function publish(tombstone: Tombstone): void {
    if (note(tombstone)) void tombstoneLog.add([tombstone]);
  }

  const ownerDigest = (accountId: string): string => digestText(accountId).slice(0, OWNER_LENGTH);

  return {
    has: (key) => keys.size > 0 && keys.has(key),
    get isEmpty() {
      return keys.size === 0;
    },
    async add(key, accountId) {
      publish({ key, gone: true, by: ownerDigest(accountId) });
      await shown.load(key);
    },
    async addIfCached(key, accountId) {
      const isShown = await shown.load(key);
      if (isShown === false) return false;
      // Precautionary tombstones never push out those that matter.
      const owner = isShown ? ownerDigest(accountId) : `${UNSURE}${ownerDigest(accountId)}`;
      publish({ key, gone: true, by: owner });
      return true;
    },
    get noted() {
      return keys.added;
    },
    remove(key, noted) {
      if (!keys.wasAddedAfter(key, noted)) publish({ key, gone: false });
    },
    get version() {
      return version;
    },
    follow: () =>
      tombstoneLog.follow(ttlMs, (received) => {
        for (const tombstone of received) note(tombstone);
      }),
  };
}
