import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports/clock.js';
import type { Tombstones } from '../ports/shared.js';
import type { Lifetimes } from './lifetimes.js';

const REMEMBERED = 100_000;

/** Objects the network says are gone: whatever page still holds one skips it (M25). */
export interface Gone {
  has(key: string): boolean;
  add(key: string): void;
  /** The network shows the object again. */
  remove(key: string): void;
  /** Changes whenever the set does; a rendering made under another version may show what is gone. */
  readonly version: number;
  /** Hears of what the other nodes know; resolves when it knows it, with what ends the hearing. */
  follow(): Promise<() => Promise<void>>;
}

export interface GoneOptions {
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
  /** What the other nodes hear, and are heard, through. */
  readonly tombstones: Tombstones;
}

/** Remembers for longer than any page is held, so that one held since before the object went cannot show it again. */
export function createGone({ clock, lifetimes, tombstones }: GoneOptions): Gone {
  const ttl = 2 * Math.max(...Object.values(lifetimes));
  const keys = new LRUCache<string, true>({ max: REMEMBERED, ttl, perf: { now: () => clock.now() } });
  let version = 0;

  function note(key: string, gone: boolean): boolean {
    const isNews = gone ? !keys.has(key) : keys.delete(key);
    if (gone) keys.set(key, true);
    if (isNews) version += 1;
    return isNews;
  }

  function tell(key: string, gone: boolean): void {
    if (note(key, gone)) void tombstones.add([{ key, gone }]);
  }

  return {
    has: (key) => keys.size > 0 && keys.has(key),
    add: (key) => tell(key, true),
    remove: (key) => tell(key, false),
    get version() {
      return version;
    },
    follow: () =>
      tombstones.follow(ttl, (told) => {
        for (const { key, gone } of told) note(key, gone);
      }),
  };
}
