import DataLoader from 'dataloader';
import { digestOf } from '../core/digest.js';
import { Memories } from '../core/memories.js';
import { MEMORIES } from '../core/memory-table.js';
import { QuotaSet } from '../core/quota-set.js';
import type { Cache } from '../ports/cache.js';
import type { Clock } from '../ports/clock.js';
import type { Tombstone, TombstoneLog } from '../ports/tombstones.js';
import type { Lifetimes } from './lifetimes.js';

/** Objects the network says are gone: whatever page still holds one skips it (M25). */
export interface Tombstones {
  has(key: string): boolean;
  /** Nothing is: what shows thousands of items need not ask for each. */
  readonly isEmpty: boolean;
  /** It is gone, and something cached shows it. `accountId`: whose read found out. */
  add(key: string, accountId?: string): void;
  /**
   * The network says that there is none. Remembered only where something cached may show it: what nobody has cached needs no
   * remembering, makes no answer worse, and must not push out what does. Resolves with whether something may.
   */
  addIfCached(key: string, accountId: string): Promise<boolean>;
  /** The network shows the object again. */
  remove(key: string): void;
  /** Changes whenever the set does; a rendering made under another version may show what is gone. */
  readonly version: number;
  /** Hears of what the other nodes know; resolves when it knows it, with what ends the hearing. */
  follow(): Promise<() => Promise<void>>;
}

export interface TombstonesOptions {
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
  /** What the other nodes hear, and are heard, through. */
  readonly tombstoneLog: TombstoneLog;
  /** Knows what may still be shown. */
  readonly cache: Pick<Cache, 'shows'>;
  readonly memories?: Memories;
  readonly maxBytes?: number;
}

/** Enough of an account's digest to tell it from the others. */
const OWNER_LENGTH = 12;

/** Begins the owner of what is remembered only because nobody knows what is cached. */
const UNSURE = '?';

/** Whoever is not named: nodes of an earlier version. */
const NOBODY = '';

/**
 * Remembers for longer than any page is held, so that one held since before the object went cannot show it again. What one
 * account's reads found may fill a tenth of the memory, and as much again while nobody knows what is cached: that goes first.
 */
export function createTombstones(options: TombstonesOptions): Tombstones {
  const { clock, lifetimes, tombstoneLog, cache, memories = new Memories(), maxBytes } = options;
  const ttlMs = 2 * Math.max(...Object.values(lifetimes));
  const keys = new QuotaSet({
    ...{ maxBytes: maxBytes ?? MEMORIES.gone.limitBytes, ttlMs, clock },
    goesFirst: (owner) => owner.startsWith(UNSURE),
  });
  memories.add('gone', keys);
  // The absent ids of one batch are one question.
  const shown = new DataLoader((names: readonly string[]) => cache.shows(names), { cache: false });
  let version = 0;

  function note({ key, gone, by = NOBODY }: Tombstone): boolean {
    const isNews = gone ? !keys.has(key) : keys.delete(key);
    if (gone) keys.add(by, key);
    if (isNews) version += 1;
    return isNews;
  }

  function tell(tombstone: Tombstone): void {
    if (note(tombstone)) void tombstoneLog.add([tombstone]);
  }

  const ownerOf = (accountId: string): string => digestOf(accountId).slice(0, OWNER_LENGTH);

  return {
    has: (key) => keys.size > 0 && keys.has(key),
    get isEmpty() {
      return keys.size === 0;
    },
    add: (key, accountId) => tell({ key, gone: true, ...(accountId !== undefined && { by: ownerOf(accountId) }) }),
    async addIfCached(key, accountId) {
      const isShown = await shown.load(key);
      if (isShown === false) return false;
      // What is remembered to be on the safe side never pushes out what is known to matter.
      const owner = isShown ? ownerOf(accountId) : `${UNSURE}${ownerOf(accountId)}`;
      tell({ key, gone: true, by: owner });
      return true;
    },
    remove: (key) => tell({ key, gone: false }),
    get version() {
      return version;
    },
    follow: () =>
      tombstoneLog.follow(ttlMs, (told) => {
        for (const tombstone of told) note(tombstone);
      }),
  };
}
