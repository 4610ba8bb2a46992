import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import { bytesOf } from '../../../src/lib/bytes-of.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import type { Cached } from '../../../src/ports/cache.js';
import { cacheSuite } from './suites/cache.suite.js';

const clock = { now: () => 0 };
const held = <T>(value: T): Cached<T> => ({ value, fetchedAt: 0 });

describe('the cache in memory', () => {
  cacheSuite(async () => {
    let nowMs = 0;
    return {
      cache: createMemoryCache({ clock: { now: () => nowMs } }),
      now: () => nowMs,
      advance: async (ms) => {
        nowMs += ms;
      },
      close: async () => {},
    };
  });

  it('keeps no value longer, and leaves out nothing longer, when the clock is set back', async () => {
    let nowMs = DAY_MS;
    const cache = createMemoryCache({ clock: { now: () => nowMs } });
    await cache.set('k', held('old'), 1000);
    await cache.shows(['tweet:1']);
    nowMs = 0;
    expect(await cache.get('k')).toBeUndefined();
    const read = { beganAt: nowMs, without: () => undefined };
    nowMs += 1;
    expect(await cache.set('k', held('new'), 1000, ['tweet:1'], read)).toBe('new');
    expect(await cache.get('k')).toEqual(held('new'));
  });

  it('stays within its bytes by dropping what was used longest ago', async () => {
    const kilobyte = 'x'.repeat(1000);
    const cache = createMemoryCache({ clock, maxBytes: 10 * 1300 });
    for (let n = 0; n < 10; n += 1) await cache.set(`k${n}`, held(kilobyte), 1000);
    await cache.get('k0');
    for (let n = 10; n < 15; n += 1) await cache.set(`k${n}`, held(kilobyte), 1000);
    const names = Array.from({ length: 15 }, (_, n) => `k${n}`);
    const kept = await cache.getMany(names);
    expect(kept.filter((entry) => entry !== undefined).length).toBeLessThanOrEqual(10);
    expect(kept[0]).toBeDefined();
    expect(kept[1]).toBeUndefined();
    expect(kept[14]).toBeDefined();
  });

  it('holds no value larger than the cache, nor the older one under that key', async () => {
    const cache = createMemoryCache({ clock, maxBytes: 1000 });
    await cache.set('k', held('small'), 1000);
    await cache.set('other', held('kept'), 1000);
    await cache.set('k', held('x'.repeat(5000)), 1000);
    expect(await cache.get('k')).toBeUndefined();
    expect(await cache.get('other')).toBeDefined();
  });

  it.each([
    ['a number', 7, 8],
    ['null', null, 8],
    ['Latin text, a byte a character', 'abcé', 24 + 4],
    ['other text, two bytes a character', 'ab✓', 24 + 6],
    ['bytes', Buffer.alloc(1000), 32 + 1000],
    ['an array', [1, 2], 32 + 2 * 16],
    ['an object, its keys shared with others of its shape', { id: 'ab' }, 32 + 8 + 26],
  ])('estimates %s', (_what, value, bytes) => {
    expect(bytesOf(value)).toBe(bytes);
  });
});
