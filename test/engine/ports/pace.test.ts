import { describe, expect, it } from 'vitest';
import { createMemoryPace } from '../../../adapters/memory/pace.js';
import { paceSuite } from './suites/pace.suite.js';

describe('the pace in memory', () => {
  paceSuite(async () => {
    let nowMs = 0;
    const pace = createMemoryPace({ clock: { now: () => nowMs } });
    return {
      bookers: [pace, pace],
      advance: async (ms) => {
        nowMs += ms;
      },
      close: async () => {},
    };
  });

  it('forgets the lane that was idle longest when there are too many', async () => {
    const pace = createMemoryPace({ clock: { now: () => 0 }, maxBytes: 2 * 200 });
    for (const worker of ['a', 'b', 'c']) await pace.reserve(worker, 1);
    expect(await pace.reserve('c', 1)).toBe(990);
    expect(await pace.reserve('a', 1)).toBe(0);
  });
});
