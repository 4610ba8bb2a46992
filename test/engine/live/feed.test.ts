/** Which follower reads a shared list, when, and what the others get. */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createMemoryPace } from '../../../adapters/memory/pace.js';
import { Feed, intervalOf, type Turn } from '../../../src/live/feed.js';
import { Turns } from '../../../src/live/turns.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';

const SECOND = 1000;
const MINUTE = 60 * SECOND;

describe('the interval of a list', () => {
  it.each([
    [0, 1, 5 * SECOND],
    [MINUTE, 1, 6 * SECOND],
    [MINUTE, 10, 5 * SECOND],
    [60 * MINUTE, 1, 6 * MINUTE],
    [60 * MINUTE, 10, 3 * MINUTE],
    [60 * MINUTE, 1000, 1.5 * MINUTE],
    [24 * 60 * MINUTE, 1, 10 * MINUTE],
  ])('after %i ms of quiet with %i followers is %i ms', (quietMs, followers, expected) => {
    expect(intervalOf(quietMs, followers)).toBeCloseTo(expected);
  });
});

/** A feed, and the turns that its followers got. */
function openFeed(perSecond = 100, places = 1000) {
  const time = new VirtualTime(1_000_000);
  const turns = new Turns({
    pace: createMemoryPace({ clock: time }),
    key: 'live',
    perSecond,
    timers: time,
    now: time.now,
  });
  const feed = new Feed({ timers: time, now: time.now, turns, places });
  const got: [name: string, turn: Turn | undefined, at: number][] = [];
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  const wait = (name: string, { missed = false, signal = left.signal, has = feed.releases } = {}): void => {
    void feed.wait(signal, missed, has).then((turn) => got.push([name, turn, time.now() - 1_000_000]));
  };
  return { time, turns, feed, got, wait, left };
}

describe('a feed', () => {
  it('counts a list without items as quiet since it was followed, and at first for ten minutes', async () => {
    const { time, feed } = openFeed();
    feed.saw({ newestAt: null });
    expect(feed.intervalMs).toBe(MINUTE);
    await time.run(50 * MINUTE);
    expect(feed.intervalMs).toBe(5 * MINUTE);
    await time.run(24 * 60 * MINUTE);
    expect(feed.intervalMs).toBe(10 * MINUTE);
    feed.saw({ newestAt: time.now() });
    expect(feed.intervalMs).toBe(5 * SECOND);
  });

  it('lets one of its followers read, each in turn', async () => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() });
    for (const name of ['a', 'b', 'c']) wait(name);
    await time.run(5 * SECOND);
    expect(got).toEqual([['a', 'read', 5 * SECOND]]);
    await time.run(MINUTE);
    expect(got, 'nobody reads while another does').toHaveLength(1);
    feed.wasRead({ items: 0, newestAt: time.now() - 65 * SECOND });
    wait('a');
    await time.run(7 * SECOND);
    expect(got.map(([name, turn]) => [name, turn])).toEqual([
      ['a', 'read'],
      ['b', 'read'],
    ]);
  });

  it.each([
    ['once the first of them has', (feed: Feed, now: number) => feed.saw({ newestAt: now }), 0],
    ['a quarter of a second later, if the first has not', () => {}, SECOND / 4],
  ])('lets the others take what one of them found %s', async (_when, then, ms) => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() });
    for (const name of ['a', 'b', 'c', 'd']) wait(name);
    await time.run(5 * SECOND);
    feed.wasRead({ items: 1, newestAt: time.now() });
    await time.run(0);
    expect(got.slice(1).map(([name, turn]) => [name, turn])).toEqual([['b', 'take']]);
    then(feed, time.now());
    await time.run(ms);
    expect(got.slice(2).map(([name, turn]) => [name, turn])).toEqual([
      ['c', 'take'],
      ['d', 'take'],
    ]);
  });

  it('spreads followers that take new items over turns of the event loop, and slows down while many still do', async () => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() });
    for (let name = 0; name < 402; name += 1) wait(String(name));
    await time.run(5 * SECOND);
    feed.wasRead({ items: 1, newestAt: time.now() });
    feed.took();
    feed.saw({ newestAt: time.now() });
    await time.run(0);
    // The one that read, the one that went ahead, and two hundred of the others.
    expect(got).toHaveLength(202);
    for (let took = 0; took < 100; took += 1) feed.took();
    await time.run(0);
    expect(got, 'as many as have taken it').toHaveLength(302);
    await time.run(15);
    expect(got).toHaveLength(302);
    await time.run(1);
    expect(got, 'though those before them have not').toHaveLength(402);
  });

  it('lets no more take new items at a time than a fifth of the requests in progress', async () => {
    const { time, feed, got, wait } = openFeed(100, 40);
    feed.saw({ newestAt: time.now() });
    for (let name = 0; name < 20; name += 1) wait(String(name));
    await time.run(5 * SECOND);
    feed.wasRead({ items: 1, newestAt: time.now() });
    feed.took();
    feed.saw({ newestAt: time.now() });
    await time.run(0);
    expect(got).toHaveLength(2 + 8);
  });

  it('lets all take what a follower saw that did not read for them', async () => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() - MINUTE });
    wait('a');
    feed.saw({ newestAt: time.now() });
    await time.run(0);
    expect(got).toEqual([['a', 'take', 0]]);
  });

  it('lets those that were busy take new items at once, a few at a time', async () => {
    const { time, feed, got, wait } = openFeed(100, 40);
    feed.saw({ newestAt: time.now() - MINUTE });
    const has = feed.releases;
    feed.saw({ newestAt: time.now() });
    for (let name = 0; name < 20; name += 1) wait(String(name), { has });
    await time.run(0);
    expect(got.map(([, turn, at]) => [turn, at])).toEqual(Array(8).fill(['take', 0]));
    await time.run(100);
    expect(got).toHaveLength(20);
  });

  it('lets the next follower read at once when the one whose turn it was gives it up', async () => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() });
    wait('a');
    wait('b');
    await time.run(5 * SECOND);
    feed.wasGivenUp();
    await time.run(0);
    expect(got).toEqual([
      ['a', 'read', 5 * SECOND],
      ['b', 'read', 5 * SECOND],
    ]);
    feed.wasGivenUp();
    await time.run(SECOND);
    wait('a');
    wait('b');
    await time.run(0);
    expect(got.slice(2), 'whoever comes next').toEqual([['a', 'read', 6 * SECOND]]);
    feed.wasRead({ items: 0, newestAt: null });
    await time.run(4 * SECOND);
    expect(got).toHaveLength(3);
  });

  it('reads less often the longer the network fails, and reports the failure, until it answers', async () => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() });
    wait('a');
    await time.run(5 * SECOND);
    for (const expected of [10 * SECOND, 20 * SECOND, 40 * SECOND, 60 * SECOND, 60 * SECOND]) {
      feed.wasNotRead('upstream_error', 10 * SECOND);
      expect(feed.checked).toMatchObject({ everyMs: expected, failed: 'upstream_error' });
      const before = time.now();
      wait('a');
      await time.run(MINUTE);
      expect(got.at(-1)).toEqual(['a', 'read', before + expected - 1_000_000]);
    }
    feed.wasRead({ items: 0, newestAt: null });
    expect(feed.checked).toMatchObject({ at: time.now(), failed: null });
  });

  it('lets a follower that missed something read before the others', async () => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() });
    wait('a');
    wait('b', { missed: true });
    await time.run(5 * SECOND);
    expect(got).toEqual([['b', 'read', 5 * SECOND]]);
  });

  it('shortens its wait once something new was seen', async () => {
    const { time, feed, got, wait } = openFeed();
    await time.run(50 * MINUTE);
    wait('a');
    expect(feed.checked.everyMs).toBe(5 * MINUTE);
    await time.run(MINUTE);
    const signal = new AbortController().signal;
    feed.saw({ newestAt: time.now() });
    await time.run(0);
    expect(got).toEqual([['a', 'take', 51 * MINUTE]]);
    wait('a', { signal });
    await time.run(5 * SECOND);
    expect(got.at(-1)).toEqual(['a', 'read', 51 * MINUTE + 5 * SECOND]);
  });

  it('gives up its turn when the last follower leaves, so no other list waits for it', async () => {
    const { time, feed, got, wait, left, turns } = openFeed(0.1);
    // The first turn is taken at once, the next one in ten seconds.
    turns.wait(() => got.push(['another list', 'read', 0]));
    feed.saw({ newestAt: time.now() });
    wait('a');
    await time.run(6 * SECOND);
    expect(turns.delayMs).toBe(10 * SECOND);
    left.abort();
    await time.run(0);
    expect(got).toEqual([
      ['another list', 'read', 0],
      ['a', undefined, 6 * SECOND],
    ]);
    expect(turns.delayMs).toBe(0);
  });
});

describe('a feed whose network announces what is new', () => {
  /** One follower that reads whenever it is its turn, and finds what was posted so far and is shown. */
  function follow(perSecond?: number) {
    const opened = openFeed(perSecond);
    const { time, feed } = opened;
    const made: number[] = [];
    const state = { shownAfterMs: 0, fails: false };
    const reads: { readonly at: number; readonly notBefore: number; readonly items: number }[] = [];
    const start = time.now();
    let seen = 0;
    const announce = (): void => {
      made.push(time.now());
      feed.nudge(time.now());
    };
    void (async () => {
      feed.followers = 1;
      feed.saw({ newestAt: start - MINUTE });
      for (;;) {
        const turn = await feed.wait(opened.left.signal, false);
        if (turn !== 'read') continue;
        const shown = made.filter((at) => at + state.shownAfterMs <= time.now());
        const items = shown.length - seen;
        reads.push({ at: time.now() - start, notBefore: feed.notBefore - start, items });
        if (state.fails) feed.wasNotRead('upstream_error');
        else feed.wasRead({ items, newestAt: shown.at(-1) ?? start - MINUTE });
        if (!state.fails) seen = shown.length;
      }
    })();
    return { ...opened, reads, announce, made, state, start };
  }
  const timesOf = (reads: readonly { readonly at: number }[]) => reads.map(({ at }) => at);

  it('is read half a second after an announcement, once for all announced by then, and from no older page', async () => {
    const { time, feed, reads, announce } = follow();
    feed.setPushed(true);
    await time.run(7 * SECOND);
    // It is read once, at its own interval, after which nothing can be missing from before.
    expect(timesOf(reads)).toEqual([6 * SECOND]);
    await time.run(MINUTE);
    expect(reads, 'none while it is silent').toHaveLength(1);
    announce();
    await time.run(200);
    announce();
    await time.run(SECOND);
    expect(reads.slice(1)).toEqual([{ at: 67_500, notBefore: 67_200, items: 2 }]);
    await time.run(8 * MINUTE);
    expect(reads, 'and none after it was found').toHaveLength(2);
  });

  it('is read no more often for a thousand hints than a busy list is without them', async () => {
    const { time, feed, reads, announce } = follow();
    feed.setPushed(true);
    await time.run(MINUTE);
    reads.length = 0;
    for (let nth = 0; nth < 1000; nth += 1) {
      announce();
      await time.run(30);
    }
    await time.run(MINUTE);
    expect(reads.reduce((sum, { items }) => sum + items, 0)).toBe(1000);
    expect(reads.length).toBeLessThanOrEqual(7);
    const gaps = reads.slice(1).map(({ at }, index) => at - (reads[index]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(5 * SECOND);
  });

  it('is read every ten minutes while all is announced, and as often as usual afterwards', async () => {
    const { time, feed, reads, announce, made } = follow();
    feed.setPushed(true);
    await time.run(10 * SECOND);
    expect(feed.checked.everyMs).toBe(10 * MINUTE);
    announce();
    await time.run(5 * SECOND);
    reads.length = 0;
    await time.run(25 * MINUTE);
    expect(reads).toHaveLength(2);
    announce();
    await time.run(SECOND);
    reads.length = 0;
    made.push(time.now());
    feed.setPushed(false);
    await time.run(6 * SECOND);
    expect(reads, 'what was missed is found by the next read').toMatchObject([{ items: 1 }]);
    await time.run(30 * SECOND);
    expect(reads.length).toBeGreaterThan(5);
  });

  it('is not trusted until the list was read after the announcements began', async () => {
    const { time, feed, reads, made, start } = follow();
    made.push(time.now());
    for (let times = 0; times < 10; times += 1) {
      feed.setPushed(true);
      await time.run(2 * SECOND);
      feed.setPushed(false);
      await time.run(2 * SECOND);
    }
    // Announcements come and go, so it is read as often as without them.
    expect(reads.length).toBeGreaterThan(5);
    feed.setPushed(true);
    const since = time.now() - start;
    reads.length = 0;
    await time.run(30 * SECOND);
    expect(reads).toHaveLength(1);
    expect(reads[0]?.notBefore).toBe(since);
  });

  it('is read again, three times in all, if the network is late to show what it announced', async () => {
    const { time, feed, reads, announce, state } = follow();
    feed.setPushed(true);
    await time.run(MINUTE);
    reads.length = 0;
    state.shownAfterMs = 3 * SECOND;
    announce();
    await time.run(MINUTE);
    expect(reads).toEqual([
      { at: 60_500, notBefore: 60_000, items: 0 },
      { at: 65_500, notBefore: 60_501, items: 1 },
    ]);
    reads.length = 0;
    state.shownAfterMs = 30 * MINUTE;
    announce();
    await time.run(5 * MINUTE);
    expect(timesOf(reads)).toEqual([120_500, 125_500, 135_500]);
  });

  it('is read once more for what was announced during a read', async () => {
    const { time, feed, got, wait } = openFeed();
    feed.saw({ newestAt: time.now() });
    wait('a');
    await time.run(5 * SECOND);
    feed.nudge(time.now());
    await time.run(SECOND);
    feed.wasRead({ items: 0, newestAt: time.now() - 6 * SECOND });
    wait('a');
    await time.run(5 * SECOND);
    expect(got).toEqual([
      ['a', 'read', 5 * SECOND],
      ['a', 'read', 11 * SECOND],
    ]);
  });

  it('forgets no announcement while the network fails', async () => {
    const { time, feed, reads, announce, state } = follow();
    feed.setPushed(true);
    await time.run(MINUTE);
    reads.length = 0;
    state.fails = true;
    announce();
    await time.run(SECOND);
    await time.run(4 * MINUTE);
    expect(timesOf(reads)).toEqual([60_500, 65_500, 75_500, 95_500, 135_500, 195_500, 255_500]);
    state.fails = false;
    await time.run(MINUTE);
    expect(reads.at(-1)).toMatchObject({ items: 1 });
  });

  it('ignores announced times that are in the future', async () => {
    const { time, feed, reads, made } = follow();
    feed.setPushed(true);
    await time.run(MINUTE);
    reads.length = 0;
    made.push(time.now());
    feed.nudge(time.now() + 24 * 60 * MINUTE);
    await time.run(MINUTE);
    expect(reads).toHaveLength(1);
  });

  it('waits for its turn at the network like any other list', async () => {
    const { time, feed, turns, reads, announce } = follow(0.1);
    feed.setPushed(true);
    await time.run(MINUTE);
    reads.length = 0;
    // The first of them is served at once, the second ten seconds later.
    turns.wait(() => {});
    turns.wait(() => {});
    announce();
    await time.run(10 * SECOND);
    expect(reads).toEqual([]);
    await time.run(15 * SECOND);
    expect(reads).toMatchObject([{ items: 1 }]);
  });
});

describe('turns at the network', () => {
  it('are taken one after the other at their pace, and not by feeds that have left', async () => {
    const time = new VirtualTime();
    const turns = new Turns({
      pace: createMemoryPace({ clock: time }),
      key: 'live',
      perSecond: 2,
      timers: time,
      now: time.now,
    });
    const taken: [number, number][] = [];
    const leave = Array.from({ length: 1000 }, (_, nth) => turns.wait(() => taken.push([nth, time.now()])));
    expect(turns.delayMs).toBe(500 * SECOND);
    for (const giveUp of leave.slice(1, 998)) giveUp();
    await time.run(10 * SECOND);
    expect(taken.map(([nth]) => nth)).toEqual([0, 998, 999]);
    const [first = 0, last = 0] = [taken[0]?.[1], taken[2]?.[1]];
    expect(last - first).toBeGreaterThanOrEqual(SECOND - 20);
    expect(last - first).toBeLessThanOrEqual(SECOND);
  });

  it('follow their own pace if the shared pace cannot be asked', async () => {
    const time = new VirtualTime();
    const pace = { reserve: () => Promise.reject(new Error('Redis is away.')) };
    const turns = new Turns({ pace, key: 'live', perSecond: 2, timers: time, now: time.now });
    const taken: number[] = [];
    for (let nth = 0; nth < 3; nth += 1) turns.wait(() => taken.push(time.now()));
    await time.run(10 * SECOND);
    expect(taken).toEqual([500, 1000, 1500]);
  });
});
