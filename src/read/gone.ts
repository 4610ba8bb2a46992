import { LRUCache } from 'lru-cache';
import type { Clock } from '../ports.js';
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
}

/** Remembers for longer than any page is held, so that one held since before the object went cannot show it again. */
export function createGone(clock: Clock, lifetimes: Lifetimes): Gone {
  const ttl = 2 * Math.max(...Object.values(lifetimes));
  const keys = new LRUCache<string, true>({ max: REMEMBERED, ttl, perf: { now: () => clock.now() } });
  let version = 0;
  return {
    has: (key) => keys.size > 0 && keys.has(key),
    add(key) {
      if (!keys.has(key)) version += 1;
      keys.set(key, true);
    },
    remove(key) {
      if (keys.delete(key)) version += 1;
    },
    get version() {
      return version;
    },
  };
}
