/** Watches that processes follow, over a service and a network that a test scripts, on a clock that it moves. */
import { describe, expect, it } from 'vitest';
import { type ErrorCode, ServiceError } from '../../../src/domain/errors.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/lib/durations.js';
import { watchCall } from '../../../src/watches/follower.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';
import { MemoryWatches } from './memory-watches.js';
import { addPlayed, itemsOf, openNode, playService } from './played.js';

const SECOND = 1000;
const NOON = Date.UTC(2026, 10, 26, 12);

async function setUp(watches = 1, changes: Parameters<typeof addPlayed>[3] = {}) {
  const time = new VirtualTime(NOON);
  const service = playService(time);
  const store = new MemoryWatches();
  service.post();
  const nodes: ReturnType<typeof openNode>[] = [];
  const open = () => {
    const node = openNode(time, service.serve, store.leases);
    nodes.push(node);
    node.watching.start();
    return node;
  };
  const all = Array.from({ length: watches }, () => addPlayed(store, time, service, changes));
  const [watch] = all;
  if (watch === undefined) throw new Error('no watch');
  const kinds = () =>
    store
      .of(watch)
      .filter(({ channel }) => channel === 'webhook')
      .map(({ number, charged, body }) =>
        number === null ? JSON.parse(body).type : `${number}: ${itemsOf(body).length} for ${charged}`,
      );
  return { ...service, time, store, watch, all, open, nodes, kinds };
}

describe('a watch that is followed', () => {
  it('writes down each new item once, in order, with the position behind it', async () => {
    const { time, store, watch, open, post, kinds, state } = await setUp();
    open();
    await time.run(SECOND);
    for (let nth = 0; nth < 5; nth += 1) {
      post();
      await time.run(10 * SECOND);
    }
    post();
    post();
    await time.run(20 * SECOND);
    expect(kinds()).toEqual(['1: 1 for 1', '2: 1 for 1', '3: 1 for 1', '4: 1 for 1', '5: 1 for 1', '6: 2 for 2']);
    expect(store.of(watch).flatMap(({ body }) => itemsOf(body))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(store.of(watch).map(({ deliveryId }) => deliveryId)).toEqual([...state.paid.keys()]);
    expect(store.rows.get(watch.watchId)).toMatchObject({
      number: 6,
      spent: 7,
      spentThatDay: 7,
      spentOn: '2026-11-26',
    });
  });

  it('follows in all processes the user it found at first, whatever the handle leads to later', async () => {
    const { time, open, post, calls, state } = await setUp();
    state.list = '7';
    const node = open();
    await time.run(SECOND);
    post();
    await time.run(10 * SECOND);
    expect([...new Set(calls.map(({ call }) => call.follow?.subject))]).toEqual([null, '7']);
    calls.length = 0;
    await node.watching.close();
    open();
    await time.run(10 * SECOND);
    expect([...new Set(calls.map(({ call }) => call.follow?.subject))]).toEqual(['7']);
  });

  it('begins with what was posted while no process followed it', async () => {
    const { time, open, post, kinds } = await setUp();
    post();
    post();
    await time.run(HOUR_MS);
    open();
    await time.run(SECOND);
    expect(kinds()).toEqual(['1: 2 for 2']);
  });

  it('reports a gap with items, and once without', async () => {
    const { time, store, watch, open, post, state } = await setUp();
    open();
    await time.run(SECOND);
    state.gap = true;
    post();
    await time.run(10 * SECOND);
    expect(store.of(watch).map(({ body }) => JSON.parse(body).gap)).toEqual([true]);
    state.gap = false;
    await time.run(20 * SECOND);
    state.gap = true;
    await time.run(HOUR_MS);
    post();
    await time.run(20 * MINUTE_MS);
    expect(store.of(watch).map(({ body }) => [itemsOf(body), JSON.parse(body).gap])).toEqual([
      [[1], true],
      [[], true],
      [[2], true],
    ]);
  });

  it('is read once for all watches of the same list in a process', async () => {
    const { time, store, all, open, post, calls, state } = await setUp(100);
    open();
    await time.run(10 * SECOND);
    calls.length = 0;
    post();
    await time.run(20 * SECOND);
    expect(calls.filter(({ reads }) => reads).length).toBeLessThanOrEqual(4);
    for (const watch of all) expect(store.of(watch)).toHaveLength(1);
    expect(state.paid.size).toBe(100);
  });

  it('records how its list is read, at once when that changes, and otherwise once a minute', async () => {
    const { time, store, watch, open, post, state } = await setUp();
    open();
    post();
    await time.run(20 * SECOND);
    const check = () => store.rows.get(watch.watchId)?.check;
    expect(check()).toMatchObject({ everyMs: 5 * SECOND, failed: null });
    state.failure = new ServiceError('upstream_error', 'Failed.');
    await time.run(15 * SECOND);
    expect(check()).toMatchObject({ failed: 'upstream_error' });
    state.failure = null;
    await time.run(5 * MINUTE_MS);
    expect(check()?.failed).toBeNull();
    expect(time.now() - (check()?.checkedAt ?? 0)).toBeLessThan(2 * MINUTE_MS);
  });

  it('asks for the same under the same name, in whatever process', () => {
    const watch = { kind: 'timeline', subject: 'seven', product: null, count: 20 } as const;
    const { queryKey } = watchCall({ call: () => ({}) as never }, { ...watch, watchId: 'w', keyHash: 'k' });
    expect(queryKey).toBe('["w","timeline","seven",null,20]');
  });
});

describe('a watch that stops', () => {
  it.each([
    ['an empty wallet', 'no_credits', undefined, 'credits', 5 * MINUTE_MS],
    ["its key's cap", 'no_credits', 'key_cap', 'key_cap', 5 * MINUTE_MS],
    ['its limit of the day', 'no_credits', 'max_credits', 'daily_limit', 12 * HOUR_MS],
  ] as const)('waits for %s, tries again, and sends one notice', async (_, code, why, reason, againMs) => {
    const { time, store, watch, open, post, kinds, state, calls } = await setUp();
    open();
    await time.run(SECOND);
    state.failure = new ServiceError(code, 'Refused.', why === undefined ? {} : { reason: why });
    post();
    // Credits may have come while it stopped, so it is tried again soon, and then less often.
    await time.run(25 * SECOND);
    const row = store.rows.get(watch.watchId);
    expect(row).toMatchObject({ state: 'waiting', reason, holder: null });
    const [stoppedAt, dueAt] = [row?.stateAt ?? 0, row?.dueAt ?? 0];
    const againAt = reason === 'daily_limit' ? Date.UTC(2026, 10, 27) : stoppedAt + againMs;
    expect(dueAt).toBeGreaterThanOrEqual(againAt);
    expect(dueAt).toBeLessThanOrEqual(againAt + 15 * SECOND);
    expect(store.of(watch).map(({ channel }) => channel)).toEqual(['mail', 'webhook']);
    expect(JSON.parse(store.of(watch)[1]?.body ?? '')).toEqual({
      ...{ type: 'watch.waiting', timestamp: new Date(stoppedAt).toISOString() },
      data: { watch_id: watch.watchId, user: 'seven', reason, resumes_at: new Date(againAt).toISOString() },
    });
    calls.length = 0;
    await time.run(dueAt - time.now() + 10 * SECOND);
    expect(calls).toHaveLength(1);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'waiting', stateAt: stoppedAt });
    expect(store.of(watch)).toHaveLength(2);
    state.failure = null;
    await time.run(DAY_MS + MINUTE_MS);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'active', reason: null, dueAt: null });
    expect(kinds()).toEqual(['watch.waiting', '1: 1 for 1']);
  });

  it('resumes within seconds if credits came after the refusal and before it began to wait', async () => {
    const { time, store, watch, open, post, kinds, state } = await setUp();
    const stop = store.leases.stop;
    Object.assign(store.leases, {
      stop: (...given: Parameters<typeof stop>) => {
        state.failure = null;
        return stop(...given);
      },
    });
    open();
    await time.run(SECOND);
    state.failure = new ServiceError('no_credits', 'Refused.');
    post();
    await time.run(20 * SECOND);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'active', reason: null });
    expect(kinds()).toEqual(['watch.waiting', '1: 1 for 1']);
  });

  it.each<[ErrorCode, string | undefined, string]>([
    ['invalid_key', 'revoked', 'key'],
    ['access_denied', 'scope', 'key'],
    ['access_denied', undefined, 'list'],
    ['not_found', 'deleted', 'list'],
    ['bad_request', undefined, 'list'],
  ])('pauses after %s (%s), sends a notice, and resumes by hand', async (code, why, reason) => {
    const { time, store, watch, open, post, kinds, state, calls } = await setUp();
    open();
    await time.run(SECOND);
    state.failure = new ServiceError(code, 'Refused.', why === undefined ? {} : { reason: why });
    await time.run(2 * MINUTE_MS);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'paused', reason, dueAt: null });
    expect(store.of(watch).map(({ channel, subject }) => [channel, subject])).toEqual([
      ['mail', 'Perch: a watch was paused'],
      ['webhook', null],
    ]);
    state.failure = null;
    calls.length = 0;
    post();
    await time.run(DAY_MS);
    expect(calls).toEqual([]);
    store.change(watch, 'active', time.now());
    await time.run(10 * SECOND);
    expect(kinds()).toEqual(['watch.paused', '1: 1 for 1']);
  });

  it('waits without a notice while more than a thousand deliveries are on their way', async () => {
    const { time, store, watch, open, post, state, kinds } = await setUp();
    open();
    await time.run(SECOND);
    state.perCall = 1;
    for (let nth = 0; nth < 1_200; nth += 1) post();
    await time.run(20 * MINUTE_MS);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'waiting', reason: 'backlog', number: 1_001 });
    expect(state.paid.size).toBe(1_001);
    for (const one of store.of(watch)) one.isDelivered = true;
    await time.run(20 * MINUTE_MS);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'active', number: 1_200 });
    expect(kinds()).toHaveLength(1_200);
  });

  it('waits while more than 8 MiB are on their way', async () => {
    const { time, store, watch, open, post } = await setUp(1, { subject: 'x'.repeat(2 ** 20) });
    open();
    await time.run(SECOND);
    for (let nth = 0; nth < 20; nth += 1) {
      post();
      await time.run(6 * SECOND);
    }
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'waiting', reason: 'backlog', number: 8 });
  });

  it('spends no more on a UTC day than its limit, in whatever process', async () => {
    const { time, store, watch, open, post, nodes, state } = await setUp(1, { dailyLimit: 3 });
    for (let nth = 0; nth < 4; nth += 1) {
      open();
      post();
      await time.run(20 * SECOND);
      await closing(time, nodes.at(-1));
    }
    open();
    await time.run(MINUTE_MS);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'waiting', reason: 'daily_limit', spentThatDay: 3 });
    expect(state.paid.size).toBe(3);
    await time.run(13 * HOUR_MS);
    expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'active', spentThatDay: 1, spent: 4 });
  });

  it.each<ErrorCode>(['upstream_error', 'internal', 'no_account', 'upstream_rate_limited'])(
    'continues after %s, even at its start, and names the failure',
    async (code) => {
      const { time, store, watch, open, post, kinds, state, calls } = await setUp();
      state.failure = new ServiceError(code, 'Failed.');
      open();
      await time.run(10 * MINUTE_MS);
      expect(calls.length).toBeGreaterThan(8);
      expect(calls.length).toBeLessThan(16);
      expect(store.rows.get(watch.watchId)).toMatchObject({ state: 'active', check: { failed: code } });
      state.failure = null;
      post();
      await time.run(2 * MINUTE_MS);
      expect(kinds()).toEqual(['1: 1 for 1']);
      expect(store.rows.get(watch.watchId)?.check?.failed).toBeNull();
    },
  );
});

describe('a followed watch', () => {
  it('stops being followed at the renewal after it is paused or ended, and is followed again soon after it resumes', async () => {
    const { time, store, watch, open, post, calls, kinds } = await setUp();
    const { watching } = open();
    await time.run(SECOND);
    store.change(watch, 'paused', time.now());
    await time.run(6 * SECOND);
    expect(watching.size).toBe(0);
    calls.length = 0;
    post();
    await time.run(HOUR_MS);
    expect(calls).toEqual([]);
    store.change(watch, 'active', time.now());
    watching.wake(watch);
    await time.run(SECOND);
    expect(kinds()).toEqual(['1: 1 for 1']);
    store.change(watch, 'ended', time.now());
    await time.run(6 * SECOND);
    post();
    await time.run(HOUR_MS);
    expect([watching.size, kinds()]).toEqual([0, ['1: 1 for 1']]);
  });

  it('delivers what was charged while it was paused or its process stopped', async () => {
    for (const how of ['ended', 'closed'] as const) {
      const { time, store, watch, open, post, kinds, state } = await setUp();
      const node = open();
      await time.run(SECOND);
      post();
      state.takesMs = 2 * SECOND;
      await time.run(5 * SECOND);
      if (how === 'ended') store.change(watch, 'ended', time.now());
      await closing(time, node);
      expect([how, state.paid.size, kinds()]).toEqual([how, 1, ['1: 1 for 1']]);
    }
  });

  it('delivers items charged before a crash once its account is unfrozen, even after it has ended', async () => {
    const { time, store, watch, open, post, kinds, state } = await setUp();
    const { step } = store.leases;
    const node = open();
    await time.run(SECOND);
    store.leases.step = () => new Promise(() => {});
    post();
    await time.run(10 * SECOND);
    node.kill();
    Object.assign(store.leases, { step });
    store.change(watch, 'ended', time.now());
    state.failure = new ServiceError('invalid_key', 'Refused.', { reason: 'frozen' });
    const { watching } = open();
    await time.run(HOUR_MS);
    expect([state.paid.size, kinds()]).toEqual([1, []]);
    state.failure = null;
    post();
    await time.run(5 * MINUTE_MS);
    expect([state.paid.size, watching.size, kinds()]).toEqual([1, 0, ['1: 1 for 1']]);
  });

  it.each<['frozen' | 'unwritten']>([['frozen'], ['unwritten']])(
    'delivers what was paid for before it ended, although its process could not reach the store: %s',
    async (how) => {
      const { time, store, watch, open, post, kinds, state } = await setUp();
      const { step } = store.leases;
      const node = open();
      await time.run(SECOND);
      Object.assign(store.leases, { step: () => Promise.reject(new Error('The store is away.')) });
      post();
      await time.run(10 * SECOND);
      expect([state.paid.size, kinds()]).toEqual([1, []]);
      if (how === 'frozen') state.failure = new ServiceError('invalid_key', 'Refused.', { reason: 'frozen' });
      store.change(watch, 'ended', time.now());
      await time.run(MINUTE_MS);
      node.state.isCut = true;
      await time.run(6 * MINUTE_MS);
      node.state.isCut = false;
      Object.assign(store.leases, { step });
      state.failure = null;
      await time.run(6 * MINUTE_MS);
      expect([state.paid.size, node.watching.size, kinds()]).toEqual([1, 0, ['1: 1 for 1']]);
    },
  );

  it('stops reading an ended watch that is deleted while its account is frozen', async () => {
    const { time, store, watch, open, state, calls } = await setUp();
    const node = open();
    await time.run(SECOND);
    node.kill();
    store.change(watch, 'ended', time.now());
    state.failure = new ServiceError('invalid_key', 'Refused.', { reason: 'frozen' });
    const { watching } = open();
    await time.run(HOUR_MS);
    store.remove(watch.watchId);
    calls.length = 0;
    await time.run(HOUR_MS);
    expect([calls.length, watching.size]).toEqual([0, 0]);
  });

  it('is followed elsewhere at once when its process stops, and within half a minute when that is killed', async () => {
    const { time, store, watch, open, kinds, post, nodes } = await setUp();
    const [first, second] = [open(), open()];
    await time.run(SECOND);
    expect([first.watching.size, second.watching.size]).toEqual([1, 0]);
    await closing(time, first);
    post();
    await time.run(6 * SECOND);
    expect([second.watching.size, kinds()]).toEqual([1, ['1: 1 for 1']]);
    const third = open();
    await time.run(SECOND);
    nodes[1]?.kill();
    post();
    await time.run(15 * SECOND);
    expect(third.watching.size).toBe(0);
    await time.run(15 * SECOND);
    expect([third.watching.size, kinds()]).toEqual([1, ['1: 1 for 1', '2: 1 for 1']]);
    expect(store.rows.get(watch.watchId)?.number).toBe(2);
  });

  it('is not followed by a process that cannot reach the store, from before others may take it', async () => {
    const { time, open, calls, kinds, post } = await setUp();
    const node = open();
    await time.run(SECOND);
    node.state.isCut = true;
    await time.run(31 * SECOND);
    calls.length = 0;
    await time.run(HOUR_MS);
    expect([calls, node.watching.size]).toEqual([[], 0]);
    expect(node.failures.length).toBeGreaterThan(5);
    post();
    node.state.isCut = false;
    await time.run(10 * SECOND);
    expect(kinds()).toEqual(['1: 1 for 1']);
  });

  it('is not followed by a process whose store does not answer', async () => {
    const { time, open, calls } = await setUp();
    const node = open();
    await time.run(SECOND);
    node.state.isHung = true;
    await time.run(31 * SECOND);
    calls.length = 0;
    await time.run(HOUR_MS);
    expect(calls).toEqual([]);
  });

  it('is claimed five hundred at a time, by however many processes', async () => {
    const { time, store, open, nodes } = await setUp(1_201);
    open();
    open();
    await time.run(10 * SECOND);
    expect(nodes.reduce((sum, { watching }) => sum + watching.size, 0)).toBe(1_201);
    expect(Math.max(...nodes.flatMap(({ claims }) => claims))).toBe(500);
    expect([...store.rows.values()].every(({ holder }) => holder !== null)).toBe(true);
  });

  it('is kept for 30 days after it ended', async () => {
    const { time, store, watch, open } = await setUp();
    store.change(watch, 'ended', time.now() - 30 * DAY_MS + 2 * HOUR_MS + MINUTE_MS);
    open();
    await time.run(2 * HOUR_MS);
    expect(store.rows.size).toBe(1);
    await time.run(2 * HOUR_MS);
    expect(store.rows.size).toBe(0);
  });
});

describe('watches of several processes', () => {
  it('are spread evenly when a process comes or goes, and then stay', async () => {
    const { time, store, nodes, open, all, post, state } = await setUp(600);
    const sizes = () => nodes.map(({ watching }) => watching.size);
    open();
    await time.run(SECOND);
    expect(sizes()).toEqual([600]);
    open();
    await time.run(15 * SECOND);
    expect(sizes()).toEqual([300, 300]);
    open();
    await time.run(15 * SECOND);
    expect(sizes()).toEqual([200, 200, 200]);
    const holders = () => all.map(({ watchId }) => store.rows.get(watchId)?.holder);
    const before = holders();
    await time.run(10 * MINUTE_MS);
    expect(holders()).toEqual(before);
    await closing(time, nodes[0]);
    await time.run(15 * SECOND);
    expect(sizes()).toEqual([0, 300, 300]);
    nodes[1]?.kill();
    post();
    await time.run(MINUTE_MS);
    expect(nodes[2]?.watching.size).toBe(600);
    for (const watch of all) expect(store.of(watch).flatMap(({ body }) => itemsOf(body))).toEqual([1]);
    expect(state.paid.size).toBe(600);
  });

  it('move no more often than needed', async () => {
    const { time, nodes, open } = await setUp(600);
    open();
    await time.run(SECOND);
    const moved = () => nodes.flatMap(({ claims }) => claims).reduce((sum, claimed) => sum + claimed, -600);
    for (const most of [300, 500, 650]) {
      open();
      await time.run(10 * MINUTE_MS);
      expect(moved()).toBe(most);
    }
  });

  it('stay where they are when one process has only a few more', async () => {
    const { time, store, nodes, open, watch } = await setUp(210);
    open();
    open();
    await time.run(10 * SECOND);
    const [first, second] = nodes;
    expect([first?.watching.size, second?.watching.size]).toEqual([105, 105]);
    const own = [...store.rows.values()].filter(({ holder }) => holder === store.rows.get(watch.watchId)?.holder);
    for (const row of own.slice(0, 15)) store.change(row, 'paused', time.now());
    await time.run(10 * MINUTE_MS);
    expect([first?.watching.size, second?.watching.size].sort()).toEqual([105, 90]);
    for (const row of own.slice(15, 45)) store.change(row, 'paused', time.now());
    await time.run(15 * SECOND);
    expect([first?.watching.size, second?.watching.size].sort()).toEqual([82, 83]);
  });

  it('are followed at once by the process that made or resumed them', async () => {
    const { time, store, nodes, open, state } = await setUp(40);
    open();
    open();
    await time.run(SECOND);
    const [first, second] = nodes;
    for (let nth = 0; nth < 30; nth += 1) {
      const made = addPlayed(store, time, { state });
      second?.watching.wake(made);
      await time.run(10);
      expect(second?.watching.size).toBe(20 + nth + 1);
    }
    await time.run(20 * SECOND);
    expect([first?.watching.size, second?.watching.size]).toEqual([35, 35]);
    const [, , , , paused] = [...store.rows.values()];
    if (paused === undefined) throw new Error('no watch');
    store.change(paused, 'paused', time.now());
    first?.watching.wake(paused);
    await time.run(10 * SECOND);
    store.change(paused, 'active', time.now());
    second?.watching.wake(paused);
    const before = second?.watching.size ?? 0;
    await time.run(10);
    expect(second?.watching.size).toBe(before + 1);
  });

  it('are given up only after a call in progress is finished and what it charged is written', async () => {
    const { time, store, nodes, open, post, all, state } = await setUp(20);
    open();
    await time.run(SECOND);
    state.takesMs = 4 * SECOND;
    for (let nth = 0; nth < 12; nth += 1) {
      post();
      // The second call comes while the first reads and charges.
      if (nth === 4) open();
      await time.run(5 * SECOND);
    }
    await time.run(MINUTE_MS);
    expect(nodes.map(({ watching }) => watching.size)).toEqual([10, 10]);
    const posted = Array.from({ length: 12 }, (_, nth) => nth + 1);
    for (const watch of all) {
      expect(store.of(watch).flatMap(({ body }) => itemsOf(body))).toEqual(posted);
      expect(store.rows.get(watch.watchId)?.spent).toBe(12);
    }
    expect(state.paid.size).toBe(store.written.length);
  });

  it('move together when they follow one list', async () => {
    const { time, store, open, state } = await setUp(1);
    for (let nth = 0; nth < 59; nth += 1) addPlayed(store, time, { state }, { subject: `list ${nth % 6}` });
    open();
    await time.run(SECOND);
    open();
    await time.run(15 * SECOND);
    const lists = new Map<string, Set<string | null>>();
    for (const { subject, holder } of store.rows.values())
      lists.set(subject, (lists.get(subject) ?? new Set()).add(holder));
    expect([...lists.values()].filter(({ size }) => size > 1).length).toBeLessThanOrEqual(1);
  });

  it('fill a lone process up to 20,000, and leave it later even if no list can be read', async () => {
    const { time, nodes, open, state } = await setUp(20_010);
    state.takesMs = HOUR_MS;
    open();
    await time.run(SECOND);
    expect(nodes[0]?.watching.size).toBe(20_000);
    open();
    await time.run(2 * MINUTE_MS);
    // Except those whose call is in progress.
    expect(nodes.map(({ watching }) => watching.size)).toEqual([10_005 + 32, 10_005 - 32]);
  });

  it('are all claimed, and none given up, while they cannot be counted', async () => {
    const { time, store, nodes, open, kinds, post } = await setUp(20);
    open();
    await time.run(SECOND);
    const { count } = store.leases;
    Object.assign(store.leases, { count: () => Promise.reject(new Error('too slow')) });
    open();
    await time.run(5 * MINUTE_MS);
    post();
    await time.run(20 * SECOND);
    expect(nodes.map(({ watching }) => watching.size)).toEqual([20, 0]);
    expect(kinds()).toEqual(['1: 1 for 1']);
    expect(nodes[0]?.failures.length).toBeGreaterThan(50);
    await closing(time, nodes[0]);
    await time.run(6 * SECOND);
    expect(nodes[1]?.watching.size).toBe(20);
    Object.assign(store.leases, { count });
    open();
    await time.run(15 * SECOND);
    expect(nodes.map(({ watching }) => watching.size)).toEqual([0, 10, 10]);
  });
});

async function closing(time: VirtualTime, node: ReturnType<typeof openNode> | undefined): Promise<void> {
  const closed = node?.watching.close();
  await time.run(10 * SECOND, closed);
  await closed;
}
