/** What is newer than an earlier answer, in lists that change in between. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasSince, isNewestFirst } from '../../../src/domain/lists.js';
import type { FollowCall } from '../../../src/read/newer.js';
import type { Page } from '../../../src/read/reads.js';
import { createEngine, type Engine } from '../../kit/engine.js';
import { createListNetwork, type ListNetwork, type ListShape } from '../../kit/networks/list-network.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';
import { newestFirst, pageSizes } from './chains.js';

const TIMELINE: ListShape = { kind: 'timeline', items: 30, pageSizes: [10], tokens: 'keyset' };

interface Following {
  readonly list: ListNetwork;
  readonly engine: Engine;
  poll(given: { since: string | null; count?: number; fresh?: boolean }): Promise<{ page: Page; charged: number }>;
}

function startFollowing(shape: ListShape): Following {
  const list = createListNetwork(shape);
  const engine = createEngine(list.network);
  return {
    list,
    engine,
    async poll({ since, count = 5, fresh = false }) {
      const { page, charge } = await engine.page({ ...list.list, count, since, fresh });
      return { page, charged: charge.amount };
    },
  };
}

const idsOf = ({ nodes }: Page): string[] => nodes.map(({ id }) => id);

/** Longer than a first page stays cached. */
const expire = (engine: Engine): void => {
  engine.clock.nowMs += 3 * 60_000;
};

/** Behind an empty first page, a token leads to the same cached page whatever has come since. */
const someFirst = pageSizes.filter(([first = 0]) => first > 0);

const follows = newestFirst.filter((list) => hasSince(list));

describe('since', () => {
  it('returns each new item once, oldest first, whatever the pages, counts and deletions', async () => {
    const turns = fc.array(
      fc.record({
        arrive: fc.integer({ min: 0, max: 9 }),
        gone: fc.subarray([0, 1, 2, 3, 12, 13]),
        fresh: fc.boolean(),
      }),
      { minLength: 1, maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          kind: follows,
          items: fc.integer({ min: 0, max: 40 }),
          pageSizes: someFirst,
          tied: fc.constantFrom(1, 3, 20),
        }),
        fc.integer({ min: 1, max: 8 }),
        turns,
        async ({ kind, ...shape }, count, todo) => {
          const { list, engine, poll } = startFollowing({ ...shape, ...kind, tokens: 'keyset' });
          const first = await poll({ since: null, count });
          let since = first.page.sinceCursor();
          let due: string[] = [];
          for (const { arrive, gone, fresh } of todo) {
            const before = new Set(list.ids());
            list.arrive(arrive);
            due.push(
              ...list
                .ids()
                .filter((id) => !before.has(id))
                .reverse(),
            );
            const lost = gone.map((nth) => list.ids()[nth]).filter((id) => id !== undefined);
            list.remove(lost);
            due = due.filter((id) => !lost.includes(id));
            expire(engine);
            for (let hasNewer = true; hasNewer; ) {
              const { page, charged } = await poll({ since, count, fresh });
              expect(idsOf(page)).toEqual(due.slice(0, count));
              expect([page.gap, page.hasNewer]).toEqual([false, due.length > count]);
              if (page.nodes.length === 0) expect(charged).toBe(0);
              due = due.slice(count);
              since = page.sinceCursor();
              hasNewer = page.hasNewer === true;
            }
          }
        },
      ),
      { numRuns: 200, interruptAfterTimeLimit: 20_000 },
    );
  });

  it('charges items as on a page: full, half from cached pages, double for fresh ones', async () => {
    const { list, engine, poll } = startFollowing(TIMELINE);
    const since = (await poll({ since: null })).page.sinceCursor();
    list.arrive(3);
    // The first page is still cached.
    expect(await poll({ since })).toMatchObject({ charged: 0, page: { nodes: [], cache: 'hit' } });
    expire(engine);
    expect(await poll({ since, count: 2 })).toMatchObject({ charged: 2000, page: { cache: 'miss', hasNewer: true } });
    expect(await poll({ since })).toMatchObject({ charged: 1500, page: { cache: 'hit', cacheHits: 3 } });
    expect(await poll({ since, fresh: true })).toMatchObject({ charged: 6000, page: { cache: 'bypass' } });
  });

  it('returns as many of the oldest items as the money covers, and the next ones later', async () => {
    const { list, engine, poll } = startFollowing(TIMELINE);
    const since = (await poll({ since: null })).page.sinceCursor();
    list.arrive(4);
    expire(engine);
    const newest = list.ids().slice(0, 4).reverse();
    const { page } = await engine.page({ ...list.list, count: 5, since }, 3000);
    expect([idsOf(page), page.truncated, page.hasNewer]).toEqual([newest.slice(0, 3), 'no_credits', true]);
    expect(idsOf((await poll({ since: page.sinceCursor() })).page)).toEqual(newest.slice(3));
  });

  it('says that items may be missing if more came than one call reads, and continues after them', async () => {
    const { list, engine, poll } = startFollowing(TIMELINE);
    const since = (await poll({ since: null })).page.sinceCursor();
    list.arrive(125);
    expire(engine);
    const read = list.ids().slice(0, 100).reverse();
    const got: string[] = [];
    let page = (await poll({ since, count: 60 })).page;
    expect([page.gap, page.hasNewer]).toEqual([true, true]);
    got.push(...idsOf(page));
    page = (await poll({ since: page.sinceCursor(), count: 60 })).page;
    expect([page.gap, page.hasNewer]).toEqual([false, false]);
    got.push(...idsOf(page));
    expect(got).toEqual(read);
  });

  it('finds an item that the network shows late, among the newest ones', async () => {
    const net = createScriptedNetwork();
    net.tweets(range(40));
    net.list('timeline', '7', [30, 28, 26, 24].map(String));
    const engine = createEngine(net.network);
    const poll = (since: string | null) => engine.page({ kind: 'timeline', subject: '7', count: 10, since });
    const first = await poll(null);
    net.list('timeline', '7', [30, 29, 28, 27, 26, 24].map(String));
    expire(engine);
    const second = await poll(first.page.sinceCursor());
    expect(idsOf(second.page)).toEqual(['27', '29']);
    net.list('timeline', '7', [31, 30, 29, 28, 27, 26, 24].map(String));
    expire(engine);
    expect(idsOf((await poll(second.page.sinceCursor())).page)).toEqual(['31']);
  });

  it.each([56, 700])('fits into a cursor with ids of %i digits, many of the same time', async (digits) => {
    const net = createScriptedNetwork();
    const engine = createEngine(net.network);
    const made = (numbers: readonly number[], second: number) =>
      numbers.map((number) => {
        const id = String(number).padEnd(digits, '0');
        return net.tweet({ id, createdAt: new Date(Date.UTC(2020, 0, 1, 0, 0, second)).toISOString() }).id;
      });
    const old = made(range(30, 100), 1).reverse();
    net.list('timeline', '7', old);
    const poll = (since: string | null) => engine.page({ kind: 'timeline', subject: '7', count: 10, since });
    const since = (await poll(null)).page.sinceCursor();
    expect(since?.length).toBeLessThan(512);
    const fresh = made(range(2, 200), 2);
    net.list('timeline', '7', [...fresh.toReversed(), ...old]);
    expire(engine);
    const { page } = await poll(since);
    expect(idsOf(page)).toEqual(fresh);
    expect(idsOf((await poll(page.sinceCursor())).page)).toEqual([]);
  });

  it('finds an item that the network shows below an older one', async () => {
    const net = createScriptedNetwork();
    net.tweets(range(60));
    net.list('timeline', '7', range(20, 1).toReversed().map(String));
    const engine = createEngine(net.network);
    const poll = (since: string | null) => engine.page({ kind: 'timeline', subject: '7', count: 10, since });
    const first = await poll(null);
    net.list('timeline', '7', [31, 3, 30, ...range(20, 1).toReversed()].map(String));
    expire(engine);
    expect(idsOf((await poll(first.page.sinceCursor())).page)).toEqual(['30', '31']);
  });

  it.each([
    ['newest first', (ids: readonly string[]) => ids.toReversed()],
    ['oldest first', (ids: readonly string[]) => ids],
    ['in no order', (ids: readonly string[]) => ids.toSorted((a, b) => (Number(a) % 7) - (Number(b) % 7))],
  ])('finds new replies in a network that lists them %s', async (_order, ordered) => {
    const net = createScriptedNetwork();
    const engine = createEngine(net.network);
    const start = engine.clock.nowMs - 3_600_000;
    const made = (numbers: readonly number[], at: number) =>
      numbers.map(
        (number) => net.tweet({ id: String(number), createdAt: new Date(at + number * 1000).toISOString() }).id,
      );
    const old = made(range(45, 100), start);
    net.list('replies', '7', ordered(old), { pageSize: 10 });
    const poll = (since: string | null, count: number) => engine.page({ kind: 'replies', subject: '7', count, since });
    const first = await poll(null, 5);
    expire(engine);
    const fresh = made(range(7, 200), engine.clock.nowMs - 60_000 - 200_000);
    net.list('replies', '7', ordered([...old, ...fresh]), { pageSize: 10 });
    // Deeper pages stay cached longer than the first.
    engine.drop();
    const second = await poll(first.page.sinceCursor(), 4);
    const third = await poll(second.page.sinceCursor(), 4);
    expect([...idsOf(second.page), ...idsOf(third.page)]).toEqual(fresh);
    expire(engine);
    engine.drop();
    expect((await poll(third.page.sinceCursor(), 4)).page.nodes).toEqual([]);
  });

  it('says once that items may be missing if the network does not go back to the known ones', async () => {
    const net = createScriptedNetwork();
    const engine = createEngine(net.network);
    const show = (...ids: readonly string[]) =>
      net.list('search', 'rare', ids, { product: 'Latest', endReason: 'network_limit' });
    const made = (id: string) => net.tweet({ id, createdAt: new Date(engine.clock.nowMs - 1000).toISOString() }).id;
    const search = { kind: 'search', product: 'Latest', subject: 'rare', count: 1 } as const;
    let since: string | null = null;
    const poll = async () => {
      const { page } = await engine.page({ ...search, since });
      since = page.sinceCursor();
      return [idsOf(page), page.gap];
    };
    show(made('1'));
    await poll();
    engine.clock.nowMs += 8 * 24 * 3_600_000;
    show();
    expect(await poll()).toEqual([[], true]);
    expire(engine);
    expect(await poll()).toEqual([[], false]);
    // A known item is not new, even if it is shown again.
    expire(engine);
    show(made('2'), '1');
    expect(await poll()).toEqual([['2'], false]);
    engine.clock.nowMs += 8 * 24 * 3_600_000;
    show(made('4'), made('3'));
    expect([await poll(), await poll(), await poll()]).toEqual([
      [['3'], true],
      [['4'], false],
      [[], false],
    ]);
  });

  it('asks a network that bills by item for few items', async () => {
    const { list, engine, poll } = startFollowing({ ...TIMELINE, billed: { least: 1, most: 100 } });
    const since = (await poll({ since: null })).page.sinceCursor();
    list.arrive(2);
    expire(engine);
    const billed = list.billedItems();
    expect(idsOf((await poll({ since })).page)).toHaveLength(2);
    expect(list.billedItems() - billed).toBeLessThanOrEqual(6);
  });
});

describe('a list that is followed', () => {
  it('stays that of the user who had the handle first', async () => {
    const net = createScriptedNetwork();
    const engine = createEngine(net.network);
    const made = (id: string, at: number) => net.tweet({ id, createdAt: new Date(at).toISOString() }).id;
    const given = { kind: 'timeline', subject: 'seven', count: 5, path: 'list', fresh: false } as const;
    const poll = async (since: string | null, subject: string | null) => {
      const follow: FollowCall = {
        ...{ since, subject, expires: true, notBefore: 0, mayBePaid: false, paid: null, followed: null },
        ...{ isKept: false, begins: null },
      };
      const page = await engine.open().reads.follow(given, follow);
      return { ids: idsOf(page), followed: follow.followed };
    };
    net.user({ id: '7', handle: 'seven' });
    net.list('timeline', '7', [made('1', engine.clock.nowMs)]);
    const { followed } = await poll(null, null);
    expect(followed?.list.subject).toBe('7');
    net.user({ id: '7', handle: 'renamed' });
    engine.clock.nowMs += 7 * 3_600_000;
    net.list('timeline', '7', [made('2', engine.clock.nowMs), '1']);
    const since = followed?.since ?? null;
    expect((await poll(since, '7')).ids).toEqual(['2']);
    await expect(poll(since, null)).rejects.toMatchObject({ code: 'not_found' });
    net.user({ id: '8', handle: 'seven' });
    net.list('timeline', '8', [made('3', engine.clock.nowMs)]);
    engine.clock.nowMs += 7 * 3_600_000;
    expect((await poll(since, '7')).ids).toEqual(['2']);
  });
});

describe('an answer that was paid for', () => {
  /** A timeline of which one page shows one tweet, behind which a client has everything older. */
  async function startPaying(...made: number[]) {
    const net = createScriptedNetwork();
    const engine = createEngine(net.network);
    net.user({ id: '7', handle: 'seven' });
    const begunMs = engine.clock.nowMs;
    const id = (nth: number) => String(1000 + nth);
    const tweet = (nth: number) =>
      net.tweet({ id: id(nth), createdAt: new Date(begunMs + nth * 60_000).toISOString() });
    const given = { kind: 'timeline', subject: '7', count: 5, path: 'list', fresh: false } as const;
    net.list('timeline', '7', [tweet(0).id], { pageSize: 1 });
    const since = (await engine.page({ ...given })).page.sinceCursor();
    net.list('timeline', '7', [...made.toReversed().map((nth) => tweet(nth).id), id(0)], { pageSize: 1 });
    engine.clock.nowMs += 7 * 3_600_000;
    return async (follows: Partial<FollowCall>, paidAfterMs = 7 * 3_600_000) => {
      const follow: FollowCall = {
        ...{ since, subject: null, expires: true, notBefore: 0, mayBePaid: true, followed: null },
        ...{ isKept: false, begins: null, paid: { amount: 2000, items: 2, atMs: begunMs + paidAfterMs } },
        ...follows,
      };
      const { nodes } = await engine.open().reads.follow(given, follow);
      const { gap, oldest, hasNewer } = follow.followed ?? {};
      return { ids: nodes.map((node) => Number(node.id) - 1000), gap, oldest, hasNewer };
    };
  }

  it('has as many items as then, and none that were made later', async () => {
    const ask = await startPaying(1, 2, 3, 120);
    expect(await ask({})).toEqual({ ids: [1, 2], gap: false, oldest: '1001', hasNewer: true });
    expect(await ask({}, 60_000)).toMatchObject({ ids: [1, 2], hasNewer: true });
    const later = await startPaying(119, 120);
    expect(await later({}, 60_000)).toEqual({ ids: [], gap: false, oldest: '1119', hasNewer: true });
  });

  it('has no items behind a gap, unless the charge is named by the first or the service keeps the position', async () => {
    const ask = await startPaying(...range(12));
    expect(await ask({})).toEqual({ ids: [], gap: true, oldest: '1003', hasNewer: true });
    expect(await ask({ begins: '1002' })).toMatchObject({ ids: [] });
    expect(await ask({ begins: '1003' })).toMatchObject({ ids: [3, 4], gap: true });
    expect(await ask({ isKept: true })).toMatchObject({ ids: [3, 4], gap: true });
  });
});

describe('a bad since', () => {
  it.each([
    ['made up', () => 'nonsense', 'cursor_malformed'],
    ['a page cursor', (page: Page) => page.endCursor, 'cursor_other_kind'],
  ])('is refused if it is %s', async (_what, given, reason) => {
    const { poll } = startFollowing(TIMELINE);
    const { page } = await poll({ since: null });
    await expect(poll({ since: given(page) })).rejects.toMatchObject({ detail: { param: 'since', reason } });
  });

  it('is refused with a cursor, for another list, as a cursor, after 30 days, and from the future', async () => {
    const { engine, list, poll } = startFollowing(TIMELINE);
    const { page } = await poll({ since: null });
    const [since, after] = [page.sinceCursor(), page.endCursor];
    const refusal = (given: object) =>
      engine.page({ ...list.list, count: 5, ...given }).then(
        () => null,
        ({ detail }) => [detail.param, detail.reason],
      );
    expect(await refusal({ since, after })).toEqual(['since', undefined]);
    expect(await refusal({ since, subject: '78' })).toEqual(['since', 'cursor_other_list']);
    expect(await refusal({ after: since })).toEqual(['cursor', 'cursor_other_kind']);
    const { nowMs } = engine.clock;
    engine.clock.nowMs = nowMs + 31 * 24 * 3_600_000;
    expect(await refusal({ since })).toEqual(['since', 'cursor_expired']);
    engine.clock.nowMs = nowMs - 2 * 3_600_000;
    expect(await refusal({ since })).toEqual(['since', 'cursor_future']);
  });

  it('is refused for products of a search that are not ordered by time', async () => {
    const { engine, list, poll } = startFollowing({ ...TIMELINE, kind: 'search', product: 'Latest' });
    const since = (await poll({ since: null })).page.sinceCursor();
    const top = { ...list.list, product: 'Top' as const, count: 5 };
    await expect(engine.page({ ...top, since })).rejects.toMatchObject({ detail: { param: 'since' } });
    expect((await engine.page(top)).page.sinceCursor()).toBeNull();
    expect(isNewestFirst(top)).toBe(false);
  });
});
