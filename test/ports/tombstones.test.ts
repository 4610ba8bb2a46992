import { describe, expect, it } from 'vitest';
import { createMemoryTombstones } from '../../adapters/memory/tombstones.js';
import type { Tombstone } from '../../src/ports/shared.js';
import { tombstonesSuite } from './tombstones.suite.js';

describe('tombstones in memory', () => {
  tombstonesSuite(async () => {
    let nowMs = 0;
    const tombstones = createMemoryTombstones({ clock: { now: () => nowMs } });
    return {
      nodes: [tombstones, tombstones],
      pass: async (ms) => {
        nowMs += ms;
      },
      close: async () => {},
    };
  });

  it('keeps a bounded size for those who follow later', async () => {
    const tombstones = createMemoryTombstones({ clock: { now: () => 0 }, maxBytes: 2 * 200 });
    for (const key of ['a', 'b', 'c']) await tombstones.add([{ key, gone: true }]);
    const heard: Tombstone[] = [];
    await tombstones.follow(1000, (some) => heard.push(...some));
    expect(heard.map(({ key }) => key)).toEqual(['b', 'c']);
  });
});
