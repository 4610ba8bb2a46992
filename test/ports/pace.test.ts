import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createMemoryPace } from '../../adapters/memory/pace.js';
import { paceSuite } from './pace.suite.js';

const clock = { now: () => Date.now() };
const never = new AbortController().signal;
setMaxListeners(0, never);

describe('the pace in memory', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_700_000_000_000 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  paceSuite(async (perSecond) => ({
    pace: createMemoryPace({ clock, perSecond }),
    advance: async (ms) => {
      await vi.advanceTimersByTimeAsync(ms);
    },
    close: async () => {},
  }));

  it('says how many wait, and about how long a newcomer would', async () => {
    const pace = createMemoryPace({ clock, perSecond: { fast: 10, slow: null } });
    expect([pace.waitMs('fast'), pace.waiting('fast')]).toEqual([0, 0]);
    for (let n = 0; n < 6; n += 1) void pace.turn('fast', never);
    expect([pace.waitMs('fast'), pace.waiting('fast')]).toEqual([600, 5]);
    await vi.advanceTimersByTimeAsync(250);
    expect([pace.waitMs('fast'), pace.waiting('fast')]).toEqual([350, 3]);
    expect([pace.waitMs('slow'), pace.waiting('slow')]).toEqual([0, 0]);
  });

  it('leaves no timer behind when the last one gives up', async () => {
    const pace = createMemoryPace({ clock, perSecond: { fast: 1, slow: 1 } });
    const leaver = new AbortController();
    await pace.turn('slow', leaver.signal);
    const waiting = pace.turn('slow', leaver.signal);
    leaver.abort();
    await expect(waiting).rejects.toThrow();
    expect(vi.getTimerCount()).toBe(0);
    expect(pace.waiting('slow')).toBe(0);
  });

  it('keeps a pace of two thousand a second although timers know whole milliseconds', async () => {
    const pace = createMemoryPace({ clock, perSecond: { fast: 2000, slow: null } });
    let sent = 0;
    for (let n = 0; n < 3000; n += 1) void pace.turn('fast', never).then(() => sent++);
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toBeGreaterThanOrEqual(1998);
    expect(sent).toBeLessThanOrEqual(2021);
  });

  it('waits one interval at most when the clock is set back', async () => {
    const pace = createMemoryPace({ clock, perSecond: { fast: 10, slow: null } });
    await pace.turn('fast', never);
    vi.setSystemTime(1_600_000_000_000);
    let sent = false;
    void pace.turn('fast', never).then(() => {
      sent = true;
    });
    await vi.advanceTimersByTimeAsync(100);
    expect(sent).toBe(true);
  });
});
