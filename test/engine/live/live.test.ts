/** Streams of new items, over a service and a network that a test scripts. */
import { setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, ServiceError } from '../../../src/domain/errors.js';
import { LiveBudget } from '../../../src/live/budget.js';
import type { LiveEvent, LiveRequest } from '../../../src/live/live.js';
import type { LivePosition } from '../../../src/live/positions.js';
import type { Push, PushListener } from '../../../src/ports/network.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';
import { openLive, playService } from './played.js';

const SECOND = 1000;
const callAt = (address: string): LiveRequest['call'] =>
  ({
    interface: 'rest',
    address,
    parse: () => ({ variables: {}, budget: null, estimate: false }),
  }) as unknown as LiveRequest['call'];
const START = Date.UTC(2026, 10, 26);

function setUp(perSecond: number | null = 10, push: Pick<Push, 'follow'> | null = null) {
  const time = new VirtualTime(START);
  const { serve, state, calls, post } = playService(time);
  const live = openLive(time, serve, perSecond, time, push);
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  const open = (request: Partial<LiveRequest> = {}): AsyncGenerator<LiveEvent, void> =>
    live.follow({
      call: callAt('::b'),
      queryKey: 'timeline of seven',
      from: live.positions.begin(time.now(), null),
      ...{
        isResumed: false,
        isShort: false,
        mayWait: false,
        finishes: false,
        budget: new LiveBudget(),
        signal: left.signal,
      },
      ...request,
    });
  const follow = (request: Partial<LiveRequest> = {}): LiveEvent[] => {
    const events: LiveEvent[] = [];
    void (async () => {
      for await (const event of open(request)) events.push(event);
    })();
    return events;
  };
  const followAt = (address: string): LiveEvent[] => follow({ call: callAt(address) });
  return { time, live, state, calls, open, follow, followAt, post, left };
}

function leaving(): { signal: AbortSignal; abort: () => void } {
  const left = new AbortController();
  setMaxListeners(0, left.signal);
  return { signal: left.signal, abort: () => left.abort() };
}

const kinds = (events: LiveEvent[]): string[] =>
  events.map((event) =>
    event.kind === 'end'
      ? `end ${event.outcome.result.kind === 'refusal' ? event.outcome.result.failure.code : ''}`
      : `${event.kind} ${event.followed.items} for ${event.answer.charge.amount}`,
  );

const positionOf = (event: LiveEvent | undefined): LivePosition => {
  if (event === undefined || event.kind === 'end') throw new Error('no position');
  return event.position;
};

/** A network that announces for every list but one. */
function playPush() {
  const followed = new Map<string, PushListener>();
  const push: Pick<Push, 'follow'> = {
    follow({ subject }, listener) {
      if (subject === 'one too many') return undefined;
      followed.set(subject, listener);
      return () => void followed.delete(subject);
    },
  };
  return { push, followed };
}

describe('a list whose network announces what is new', () => {
  it('is followed once for all its followers, and read for all of them once something new is announced', async () => {
    const { push, followed } = playPush();
    const { time, calls, follow, post, left } = setUp(10, push);
    post();
    await time.run(20 * 60 * SECOND);
    const all = [follow(), follow(), follow()];
    await time.run(6 * SECOND);
    expect([...followed.keys()]).toEqual(['seven']);
    calls.length = 0;
    post();
    followed.get('seven')?.onNew(time.now());
    await time.run(SECOND);
    for (const events of all) expect(kinds(events)).toEqual(['begin 0 for 0', 'items 1 for 1']);
    expect(calls.map(({ call }) => call.follow?.notBefore)).toEqual([time.now() - SECOND, 0, 0]);
    left.abort();
    await time.run(0);
    expect(followed.size).toBe(0);
  });

  it('is read every ten minutes while all is announced, and as often as usual afterwards', async () => {
    const { push, followed } = playPush();
    const { time, calls, follow, post } = setUp(10, push);
    post();
    follow();
    await time.run(SECOND);
    followed.get('seven')?.onComplete(true);
    await time.run(10 * SECOND);
    calls.length = 0;
    await time.run(9 * 60 * SECOND);
    expect(calls).toEqual([]);
    post();
    followed.get('seven')?.onComplete(false);
    await time.run(2 * 60 * SECOND);
    expect(calls.length).toBeGreaterThan(1);
  });

  it.each([
    ['it has no room for', 'one too many', 'live'],
    ['a test key follows', 'seven', 'test'],
  ] as const)('is read as often as usual if %s it', async (_why, list, mode) => {
    const { push, followed } = playPush();
    const { time, calls, follow, post, state } = setUp(10, push);
    Object.assign(state, { list, mode });
    post();
    follow();
    await time.run(SECOND);
    expect(followed.size).toBe(0);
    calls.length = 0;
    await time.run(10 * SECOND);
    expect(calls.length).toBeGreaterThan(0);
  });
});

describe('a list that is followed', () => {
  it('is read by one of its followers for all, each of which pays for what is new', async () => {
    const { time, calls, follow, post, state } = setUp();
    post();
    const all = Array.from({ length: 20 }, () => follow());
    await time.run(SECOND);
    for (const events of all) expect(kinds(events)).toEqual(['begin 0 for 0']);
    calls.length = 0;
    post();
    await time.run(6 * SECOND);
    for (const events of all) expect(kinds(events)).toEqual(['begin 0 for 0', 'items 1 for 1']);
    expect(calls.filter(({ reads }) => reads)).toHaveLength(1);
    expect(calls).toHaveLength(20);
    expect(state.paid.size).toBe(20);
  });

  it('is read no more often than its interval while nothing comes', async () => {
    const { time, calls, follow, post } = setUp();
    post();
    await time.run(20 * 60 * SECOND);
    follow();
    follow();
    await time.run(SECOND);
    calls.length = 0;
    await time.run(10 * 60 * SECOND);
    // After twenty minutes of quiet: every two minutes, and a little more often for two followers.
    expect(calls.length).toBeGreaterThan(3);
    expect(calls.length).toBeLessThan(8);
    expect(calls.every(({ reads }) => reads)).toBe(true);
  });

  it('sends all new items, call by call, without waiting in between', async () => {
    const { time, follow, post, state } = setUp();
    const events = follow();
    await time.run(SECOND);
    state.perCall = 2;
    for (let nth = 0; nth < 5; nth += 1) post();
    await time.run(10 * 60 * SECOND);
    expect(kinds(events)).toEqual(['begin 0 for 0', 'items 2 for 2', 'items 2 for 2', 'items 1 for 1']);
  });

  it('gives a follower at once what another found while its client was slow to read', async () => {
    const { time, open, follow, post, calls } = setUp();
    post();
    await time.run(20 * 60 * SECOND);
    const slow = open();
    const { value: begin } = await slow.next();
    expect(begin).toMatchObject({ kind: 'begin' });
    const other = follow();
    await time.run(2 * 60 * SECOND);
    post();
    await time.run(3 * 60 * SECOND);
    expect(kinds(other)).toEqual(['begin 0 for 0', 'items 1 for 1']);
    calls.length = 0;
    const next = slow.next();
    await time.run(20);
    expect(calls).toMatchObject([{ reads: false }]);
    expect(kinds([(await next).value as LiveEvent])).toEqual(['items 1 for 1']);
    // It has everything, and waits for its turn.
    void slow.next();
    await time.run(20);
    expect(calls).toHaveLength(1);
  });

  it('keeps nothing once its last follower has left, even during a read', async () => {
    const { time, live, follow, post, left, calls, state } = setUp();
    post();
    follow();
    follow();
    await time.run(4 * SECOND);
    expect(live.size).toBe(1);
    state.takesMs = 3 * SECOND;
    await time.run(2 * SECOND);
    expect(calls).toHaveLength(3);
    left.abort();
    await time.run(3 * SECOND);
    expect(live.size).toBe(0);
    calls.length = 0;
    await time.run(60 * 60 * SECOND);
    expect(calls).toEqual([]);
  });

  describe('whose reader is refused for its own reasons', () => {
    const BUSY = ['account_busy', 'address_busy', 'processor', 'queue_share', 'settling'] as const;
    const REFUSALS = [
      new ServiceError('invalid_key', 'Revoked.'),
      new ServiceError('no_credits', 'Not enough.', { reason: 'max_credits' }),
      new ServiceError('access_denied', 'Not with this key.', { reason: 'scope' }),
      ...BUSY.map((reason) => new ServiceError('upstream_rate_limited', 'Busy.', { reason })),
    ].map((failure) => [failure.code, failure.detail.reason ?? '', failure] as const);

    it.each(REFUSALS)('is read by another in the same turn, after %s %s', async (_code, _reason, failure) => {
      const { time, calls, follow, followAt, post, state } = setUp();
      post();
      await time.run(20 * 60 * SECOND);
      for (let nth = 0; nth < 30; nth += 1) followAt('::a');
      const other = follow();
      await time.run(SECOND);
      post();
      state.failureAt = { address: '::a', failure };
      calls.length = 0;
      await time.run(2 * 60 * SECOND);
      expect(kinds(other)).toEqual(['begin 0 for 0', 'items 1 for 1']);
      const [begin] = other;
      if (begin?.kind !== 'begin') throw new Error('not begun');
      expect(begin.checked()).toMatchObject({ failed: null });
      expect(begin.checked().everyMs).toBeLessThanOrEqual(12 * SECOND);
    });
  });

  it('is read at once by a follower that was refused for its own reasons, once it no longer is', async () => {
    const { time, follow, post, state } = setUp();
    post();
    await time.run(60 * 60 * SECOND);
    const events = follow();
    await time.run(SECOND);
    post();
    state.failure = new ServiceError('upstream_rate_limited', 'Busy.', { reason: 'account_busy', retryAfter: 2 });
    await time.run(7 * 60 * SECOND);
    state.failure = null;
    await time.run(2 * SECOND);
    expect(kinds(events)).toEqual(['begin 0 for 0', 'items 1 for 1']);
  });

  it('is read by others while the end of a refused follower has not been taken yet', async () => {
    const { time, open, follow, post, state } = setUp();
    post();
    const refused = open({ call: callAt('::a') });
    await refused.next();
    const end = refused.next();
    const other = follow();
    await time.run(SECOND);
    state.failureAt = { address: '::a', failure: new ServiceError('not_found', 'Gone.') };
    await time.run(6 * SECOND);
    expect(kinds([(await end).value as LiveEvent])).toEqual(['end not_found']);
    post();
    await time.run(30 * SECOND);
    expect(kinds(other)).toEqual(['begin 0 for 0', 'items 1 for 1']);
  });

  it('continues when the follower that reads it leaves', async () => {
    const { time, follow, post, left, calls, state } = setUp();
    post();
    follow();
    await time.run(SECOND);
    const stays = follow({ signal: new AbortController().signal });
    await time.run(SECOND);
    state.takesMs = 5 * SECOND;
    await time.run(5 * SECOND);
    expect(calls).toHaveLength(3);
    left.abort();
    post();
    await time.run(30 * SECOND);
    expect(kinds(stays)).toEqual(['begin 0 for 0', 'items 1 for 1']);
  });

  it.each([1, 4])(
    'takes a third of the network’s pace, shared with streams that begin, in reads of %i calls',
    async (calls) => {
      const { time, follow, post, state } = setUp(3);
      state.callsOfRead = calls;
      post();
      const begin = (count: number): void => {
        for (let nth = 0; nth < count; nth += 1) follow();
      };
      for (const list of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l']) {
        state.list = list;
        begin(3);
        await time.run(6 * SECOND);
      }
      post();
      await time.run(2 * 60 * SECOND);
      const before = state.calls;
      for (let second = 0; second < 600; second += 1) {
        state.list = `list ${second}`;
        if (second % 20 === 0) begin(1);
        if (second % 60 === 0) post();
        await time.run(SECOND);
      }
      expect(state.calls - before).toBeGreaterThan(500);
      expect(state.calls - before).toBeLessThanOrEqual(620);
    },
  );

  it('does not keep followers waiting for more than a minute because others begin', async () => {
    const { time, follow, post, state, calls } = setUp(3);
    post();
    follow();
    await time.run(SECOND);
    for (let nth = 0; nth < 500; nth += 1) {
      state.list = `list ${nth}`;
      follow();
      await time.run(1);
    }
    calls.length = 0;
    post();
    await time.run(55 * SECOND);
    expect(calls).toEqual([]);
    await time.run(12 * SECOND);
    expect(calls.filter(({ reads }) => reads).length).toBeGreaterThan(0);
  });

  it('takes a third of the network’s pace, shared with all other lists', async () => {
    const { time, follow, post, calls, state } = setUp(3);
    for (let nth = 0; nth < 50; nth += 1) {
      state.list = `list ${nth}`;
      follow();
      await time.run(20);
    }
    post();
    await time.run(10 * 60 * SECOND);
    calls.length = 0;
    // Lists with something new lately are due every five seconds: fifty of them make ten reads a second.
    post();
    await time.run(60 * SECOND);
    post();
    await time.run(60 * SECOND);
    const reads = calls.filter(({ reads }) => reads).length;
    expect(reads).toBeLessThanOrEqual(121);
    expect(reads).toBeGreaterThan(30);
  });
});

describe('a stream', () => {
  it('gets again, free and under the same ids, all that was charged and lost, when it resumes', async () => {
    const { time, follow, post, left, state, calls } = setUp();
    post();
    const first = follow();
    await time.run(SECOND);
    for (let nth = 0; nth < 3; nth += 1) {
      post();
      await time.run(10 * SECOND);
    }
    expect(kinds(first)).toEqual(['begin 0 for 0', 'items 1 for 1', 'items 1 for 1', 'items 1 for 1']);
    left.abort();
    await time.run(SECOND);
    const charged = [...state.paid.keys()];
    calls.length = 0;
    post();
    const signal = new AbortController().signal;
    const second = follow({ from: positionOf(first[0]), isResumed: true, signal });
    await time.run(60 * SECOND);
    expect(kinds(second)).toEqual(['begin 1 for 0', 'items 1 for 0', 'items 1 for 0', 'items 1 for 1']);
    expect(calls.slice(0, 3).map(({ call }) => call.requestId)).toEqual(charged);
    expect(state.paid.size).toBe(4);
  });

  it('is charged once if it resumes while nothing is new, and again later', async () => {
    const { time, follow, post, state } = setUp();
    post();
    const [first] = [follow()];
    await time.run(SECOND);
    const { signal, abort } = leaving();
    const second = follow({ from: positionOf(first[0]), isResumed: true, signal });
    await time.run(SECOND);
    post();
    await time.run(10 * SECOND);
    abort();
    expect(kinds(second)).toEqual(['begin 0 for 0', 'items 1 for 1']);
    const third = follow({ from: positionOf(second[0]), isResumed: true });
    await time.run(SECOND);
    expect(kinds(third)).toEqual(['begin 1 for 0']);
    // The first stream, which is still open, is charged under the same name.
    expect(state.paid.size).toBe(1);
  });

  it('names the charge by the client’s position, after polls without news', async () => {
    const { time, follow, post, calls, state } = setUp();
    post();
    const events = follow();
    await time.run(10 * 60 * SECOND);
    post();
    await time.run(10 * 60 * SECOND);
    const from = positionOf(events[0]);
    const again = follow({ from, isResumed: true });
    await time.run(SECOND);
    expect(kinds(again)).toEqual(['begin 1 for 0']);
    const other = follow({ from, isResumed: true, queryKey: 'with other fields' });
    await time.run(SECOND);
    expect(kinds(other)).toEqual(['begin 1 for 1']);
    expect(state.paid.size).toBe(2);
    expect(new Set(calls.map(({ call }) => call.requestId)).size).toBeGreaterThan(2);
  });

  const PASSING: ErrorCode[] = [
    'upstream_error',
    'upstream_rate_limited',
    'no_account',
    'request_rejected',
    'query_id_stale',
    'internal',
  ];
  it.each(PASSING)('continues after %s, which its heartbeats report, and misses nothing', async (code) => {
    const { time, follow, post, state, calls } = setUp();
    post();
    const all = Array.from({ length: 10 }, () => follow());
    await time.run(SECOND);
    state.failure = new ServiceError(code, 'Failed.');
    calls.length = 0;
    await time.run(10 * 60 * SECOND);
    // One of them asks for all, after pauses that grow to a minute.
    expect(calls.length).toBeLessThan(20);
    const [begin] = all[0] ?? [];
    if (begin?.kind !== 'begin') throw new Error('not begun');
    expect(begin.checked()).toMatchObject({ everyMs: 60 * SECOND, failed: code });
    state.failure = null;
    post();
    await time.run(2 * 60 * SECOND);
    for (const events of all) expect(kinds(events)).toEqual(['begin 0 for 0', 'items 1 for 1']);
    expect(begin.checked()).toMatchObject({ failed: null });
  });

  it('catches up after it could not take what another had read', async () => {
    const { time, follow, post, state, calls } = setUp();
    post();
    const all = [follow(), follow(), follow()];
    await time.run(SECOND);
    const before = calls.length;
    post();
    state.takesMs = 2 * SECOND;
    // The first has read, and the others are being served.
    await time.run(7 * SECOND);
    expect(calls).toHaveLength(before + 3);
    state.failure = new ServiceError('internal', 'The ledger is away.');
    await time.run(2 * SECOND);
    state.failure = null;
    await time.run(30 * SECOND);
    for (const events of all) expect(kinds(events)).toEqual(['begin 0 for 0', 'items 1 for 1']);
  });

  it.each<ErrorCode>(['invalid_key', 'no_credits', 'access_denied', 'not_found', 'bad_request'])(
    'ends with %s',
    async (code) => {
      const { time, live, follow, post, state } = setUp();
      post();
      const events = follow();
      await time.run(SECOND);
      state.failure = new ServiceError(code, 'Refused.');
      await time.run(60 * SECOND);
      expect(kinds(events)).toEqual(['begin 0 for 0', `end ${code}`]);
      expect(live.size).toBe(0);
    },
  );

  it('ends if it cannot begin, whatever the reason', async () => {
    const { time, follow, state } = setUp();
    state.failure = new ServiceError('upstream_error', 'Failed.');
    const events = follow();
    await time.run(SECOND);
    expect(kinds(events)).toEqual(['end upstream_error']);
  });

  it('waits until its account may make a request, if others of the account have begun', async () => {
    const { time, follow, state } = setUp();
    state.failure = new ServiceError('rate_limited', 'Too fast.', { retryAfter: 1 });
    const events = follow({ mayWait: true });
    await time.run(3 * SECOND);
    state.failure = null;
    await time.run(2 * SECOND);
    expect(kinds(events)).toEqual(['begin 0 for 0']);
    state.failure = new ServiceError('rate_limited', 'No place left.', { reason: 'streams', retryAfter: 60 });
    const refused = follow({ mayWait: true });
    await time.run(SECOND);
    expect(kinds(refused)).toEqual(['end rate_limited']);
  });

  it('does not keep others waiting when its own account asks too often', async () => {
    const { time, follow, post, state } = setUp();
    post();
    const events = follow();
    await time.run(SECOND);
    state.failure = new ServiceError('rate_limited', 'Too fast.', { retryAfter: 1 });
    await time.run(30 * SECOND);
    const [begin] = events;
    if (begin?.kind !== 'begin') throw new Error('not begun');
    expect(begin.checked()).toMatchObject({ everyMs: 5 * SECOND, failed: 'rate_limited' });
    state.failure = null;
    await time.run(30 * SECOND);
    expect(begin.checked()).toMatchObject({ failed: null });
  });

  it('spends its budget, shared by all its lists, and ends', async () => {
    const { time, follow, post } = setUp();
    post();
    const budget = new LiveBudget({ inAll: 3 });
    const all = [follow({ budget }), follow({ budget })];
    await time.run(SECOND);
    post();
    await time.run(10 * SECOND);
    expect(budget.left(time.now())).toBe(1);
    post();
    await time.run(10 * SECOND);
    expect(all.flatMap(kinds).sort()).toEqual([
      ...['begin 0 for 0', 'begin 0 for 0', 'end no_credits'],
      ...['items 1 for 1', 'items 1 for 1', 'items 1 for 1'],
    ]);
    expect(budget.left(time.now())).toBe(0);
  });

  /** Three lists with one budget and two new items. One reads them, and the others take them, at the same time. */
  async function shareBudget(inAll: number) {
    const { time, follow, post, state } = setUp();
    post();
    const budget = new LiveBudget({ inAll });
    const all = [follow({ budget }), follow({ budget }), follow({ budget })];
    await time.run(SECOND);
    post();
    post();
    Object.assign(state, { takesMs: SECOND, postsMs: SECOND });
    return { time, state, budget, all };
  }

  it('spends no more than its budget if several of its lists have new items at the same time', async () => {
    const { time, budget, all } = await shareBudget(5);
    await time.run(30 * SECOND);
    expect(budget.left(time.now())).toBe(1);
    expect(all.flatMap(kinds).sort()).toEqual([
      ...['begin 0 for 0', 'begin 0 for 0', 'begin 0 for 0'],
      ...['end no_credits', 'items 2 for 2', 'items 2 for 2'],
    ]);
  });

  it('counts what was charged and lost towards its budget when that is delivered', async () => {
    const { time, follow, post, state } = setUp();
    post();
    const { signal, abort } = leaving();
    const lost = follow({ signal });
    await time.run(SECOND);
    post();
    post();
    await time.run(10 * SECOND);
    abort();
    expect(state.paid.size).toBe(1);
    post();
    const budget = new LiveBudget({ inAll: 2 });
    const events = follow({ from: positionOf(lost[0]), isResumed: true, budget });
    await time.run(60 * SECOND);
    expect(kinds(events)).toEqual(['begin 2 for 0', 'end no_credits']);
    expect(events[0]).toMatchObject({ charged: 2, spent: 2 });
    expect(budget.left(time.now())).toBe(0);
  });

  it('charges for what its list shows now if that is not what was paid for and lost', async () => {
    const { time, follow, post, state } = setUp();
    post();
    const { signal, abort } = leaving();
    const lost = follow({ signal });
    await time.run(SECOND);
    post();
    await time.run(10 * SECOND);
    abort();
    post();
    state.showsFrom = 2;
    const from = positionOf(lost[0]);
    const budget = new LiveBudget({ inAll: 100 });
    const events = follow({ from, isResumed: true, budget });
    await time.run(SECOND);
    expect(kinds(events)).toEqual(['begin 2 for 2']);
    // What was lost counts, too.
    expect([events[0]?.kind === 'begin' && events[0].spent, budget.left(time.now())]).toEqual([3, 97]);
    state.showsFrom = 0;
    const again = follow({ from, isResumed: true });
    await time.run(SECOND);
    expect(kinds(again)[0]).toBe('begin 1 for 0');
  });

  it('lets a list have what was planned for another if that could not be charged', async () => {
    const { time, state, budget, all } = await shareBudget(4);
    while (state.paid.size === 0) await time.run(SECOND / 10);
    state.unposted = new ServiceError('internal', 'The ledger is away.');
    await time.run(3 * SECOND);
    expect(all.flatMap(kinds).sort()).toEqual([
      ...['begin 0 for 0', 'begin 0 for 0', 'begin 0 for 0'],
      ...['items 2 for 2'],
    ]);
    await time.run(60 * SECOND);
    expect(all.flatMap(kinds).sort()).toEqual([
      ...['begin 0 for 0', 'begin 0 for 0', 'begin 0 for 0'],
      ...['end no_credits', 'items 2 for 2', 'items 2 for 2'],
    ]);
    expect(budget.left(time.now())).toBe(0);
  });

  it('lets a list have what was freed during its own call', async () => {
    const { time, live, follow, post, state } = setUp();
    post();
    const budget = new LiveBudget({ inAll: 2 });
    const from = live.positions.begin(time.now(), '1');
    post();
    post();
    Object.assign(state, { postsMs: SECOND, unposted: new ServiceError('internal', 'The ledger is away.') });
    follow({ from, budget });
    await time.run(SECOND / 2);
    Object.assign(state, { takesMs: SECOND, postsMs: 0 });
    const other = follow({ from, budget });
    await time.run(5 * SECOND);
    expect(kinds(other)).toEqual(['begin 2 for 2']);
  });

  it('follows the list it found at first, whatever the name leads to later', async () => {
    const { time, follow, post, calls } = setUp();
    post();
    const events = follow();
    await time.run(6 * SECOND);
    expect(calls.map(({ call }) => call.follow?.subject)).toEqual([null, 'seven']);
    // The client does not store that, and names the list anew.
    follow({ from: positionOf(events[0]), isResumed: true });
    await time.run(SECOND);
    expect(calls.at(-1)?.call.follow?.subject).toBeNull();
  });

  it('lets a caller’s cursor expire, but not its own', async () => {
    const { time, live, follow, post, calls } = setUp();
    post();
    const [first] = [follow({ from: live.positions.begin(time.now(), '1') })];
    await time.run(6 * SECOND);
    follow({ from: positionOf(first[0]), isResumed: true });
    await time.run(SECOND);
    expect(calls.map(({ call }) => call.follow?.expires)).toEqual([true, false, false]);
  });

  it('looks at its account once, and at its key with every call', async () => {
    const { time, follow, post, calls } = setUp();
    follow();
    await time.run(SECOND);
    post();
    await time.run(30 * SECOND);
    expect(calls[0]?.call.admitted).toBeUndefined();
    expect(calls.slice(1).every(({ call }) => call.admitted?.limit === 10)).toBe(true);
  });
});
