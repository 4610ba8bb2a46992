import { describe, expect, it } from 'vitest';
import { createMemoryTombstoneLog } from '../../../adapters/memory/tombstones.js';
import type { Tombstone } from '../../../src/ports/tombstones.js';
import { tombstonesSuite } from './suites/tombstones.suite.js';

describe('tombstones in memory', () => {
  tombstonesSuite(async () => {
    let nowMs = 0;
    const tombstones = createMemoryTombstoneLog({ clock: { now: () => nowMs } });
    return {
      nodes: [tombstones, tombstones],
      pass: async (ms) => {
        nowMs += ms;
      },
      close: async () => {},
    };
  });

  it('stays within a bounded size for nodes that follow later', async () => {
    const tombstones = createMemoryTombstoneLog({ clock: { now: () => 0 }, maxBytes: 2 * 200 });
    for (const key of ['a', 'b', 'c']) await tombstones.add([{ key, gone: true }]);
    const received: Tombstone[] = [];
    await tombstones.follow(1000, (some) => received.push(...some));
    expect(received.map(({ key }) => key)).toEqual(['b', 'c']);
  });
});
