/** Pages filled from a network's own: amounts, failures and positions that random lists do not reach. */
import { describe, expect, it } from 'vitest';
import { ANCHORS, createCursors, type Position } from '../../../src/read/cursor.js';
import { createEngine } from '../../kit/engine.js';
import { upstreamFault } from '../../kit/networks/faults.js';
import { createListNetwork } from '../../kit/networks/list-network.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';

/** Signs like the tests' engine. */
const cursors = createCursors(Buffer.alloc(32, 7), 'scripted');

const expired = expect.objectContaining({ code: 'bad_request', detail: { param: 'cursor', reason: 'cursor_expired' } });

/** A timeline of pages written by the test; the last one ends it. */
function timeline(pages: readonly (readonly number[])[]) {
  const net = createScriptedNetwork();
  const at = (index: number) => (index === 0 ? null : `p${index}`);
  net.pages('timeline', '1', (token) => {
    const index = pages.findIndex((_, nth) => at(nth) === token);
    const tweets = (pages[index] ?? []).map((id) => net.tweet({ id: String(id) }));
    return { tweets, next: index + 1 < pages.length ? at(index + 1) : null };
  });
  const engine = createEngine(net.network);
  const page = (count: number, after: string | null = null, credits?: number) =>
    engine.page({ kind: 'timeline', subject: '1', count, after }, credits);
  const positionOf = (cursor: string | null): Position =>
    cursors.decode({ kind: 'timeline', subject: '1' }, cursor ?? '', engine.clock.nowMs);
  return { net, engine, page, positionOf };
}

const idsOf = ({ page }: { page: { nodes: readonly { id: string }[] } }) => page.nodes.map(({ id }) => Number(id));

describe('a page that fails halfway', () => {
  it('is free (C13)', async () => {
    const { net, engine } = timeline([[99, 98], [97]]);
    const { reads, charge, left } = engine.open(10_000);
    net.failAfter(1, upstreamFault('upstream_error'));
    const failing = reads.page({ kind: 'timeline', subject: '1', count: 3, path: 'list', fresh: false });
    await expect(failing).rejects.toMatchObject({ code: 'upstream_error' });
    expect([charge().amount, charge().items, left()]).toEqual([0, 0, 10_000]);
  });

  it('leaves what the operation paid for before, though the page has the same item (G3)', async () => {
    const { net, engine } = timeline([[99, 98], [97]]);
    net.tweet({ id: '99' });
    const { reads, charge, left } = engine.open(10_000);
    await reads.tweet('99', { path: 'tweet', fresh: false });
    net.failAfter(1, upstreamFault('upstream_error'));
    const failing = reads.page({ kind: 'timeline', subject: '1', count: 3, path: 'list', fresh: false });
    await expect(failing).rejects.toMatchObject({ code: 'upstream_error' });
    expect([charge().amount, charge().items, left()]).toEqual([1000, 1, 9000]);
  });
});

describe('empty pages of the network', () => {
  it('give an empty page without a cursor or an error, if there are more than a call may read (C14, U20)', async () => {
    const { engine, page } = timeline([...range(12).map(() => []), [7]]);
    const { nodes, endCursor, truncated, cache } = (await page(5)).page;
    expect([nodes, endCursor, truncated, cache, engine.calls()]).toEqual([[], null, 'sparse', 'miss', 10]);
  });

  it('expire the place of a chain if there are more than a call may read', async () => {
    const { net, engine, page } = timeline([[9, 8, 7], [6]]);
    const { endCursor } = (await page(2)).page;
    engine.drop();
    net.pages('timeline', '1', (token) => ({ tweets: [], next: `${token ?? ''}x` }));
    await expect(page(2, endCursor)).rejects.toEqual(expired);
  });
});

describe('where the next page begins', () => {
  it('is after the last item taken, found by the last three items and its time', async () => {
    const { net, page, positionOf } = timeline([[9, 8, 7, 6, 5], [4]]);
    const { endCursor } = (await page(4)).page;
    const { inside, passed, at } = positionOf(endCursor);
    expect([inside, passed]).toEqual([4, ['6', '7', '8']]);
    expect(passed).toHaveLength(ANCHORS);
    expect(at).toBe(Date.parse(net.tweet({ id: '6' }).createdAt));
  });

  it.each([
    ['first', false],
    ['later', true],
  ])(
    'is never before an item that the chain passed, if a fresh read of a %s page has another order (M10)',
    async (_page, isLater) => {
      const net = createScriptedNetwork();
      net.tweets(range(20));
      const top = (numbers: readonly number[]) => {
        const all = isLater ? [...range(8, 11), ...numbers] : numbers;
        net.list('search', 'a', all.map(String), { product: 'Top', pageSize: 8 });
      };
      const engine = createEngine(net.network);
      const query = { kind: 'search', subject: 'a', product: 'Top', count: 5 } as const;
      top(range(8));
      const before = isLater ? (await engine.page({ ...query, count: 8 })).page.endCursor : null;
      const { endCursor: after } = (await engine.page({ ...query, after: before })).page;
      top([2, 3, 4, 5, 1, 6, 7, 8]);
      const again = await engine.page({ ...query, after, fresh: true });
      expect([idsOf(again), again.charge.amount]).toEqual([[6, 7, 8], 6000]);
    },
  );

  it('is found again in the newest first page, whose other items a fresh read may return', async () => {
    const net = createScriptedNetwork();
    net.users(range(9));
    net.list('followers', '1', ['2', '3', '4', '5']);
    const engine = createEngine(net.network);
    const query = { kind: 'followers', subject: '1', count: 2 } as const;
    const { endCursor: after } = (await engine.page(query)).page;
    engine.drop();
    engine.clock.nowMs += 1000;
    net.list('followers', '1', ['7', '2', '3', '4']);
    await engine.page(query);
    net.list('followers', '1', ['2', '3', '7', '4']);
    expect(idsOf(await engine.page({ ...query, after, fresh: true }))).toEqual([7, 4]);
  });

  it('is after what earlier pages show, though a page repeats it that was cached when they were not (C11)', async () => {
    const { net, engine, page } = timeline([[9, 8, 7, 6, 5, 4], [3]]);
    const { endCursor } = (await page(6)).page;
    const smaller = new Map<string | null, [number[], string | null]>([
      [null, [[9, 8, 7], 'p2']],
      ['p2', [[6], 'p3']],
      ['p3', [[8, 7, 6, 5, 4, 3, 2], null]],
    ]);
    net.pages('timeline', '1', (token) => {
      const [ids = [], next = null] = smaller.get(token) ?? [];
      return { tweets: ids.map((id) => net.tweet({ id: String(id) })), next };
    });
    engine.drop();
    const other = (await page(7)).page;
    engine.drop();
    expect(idsOf(await page(1, other.endCursor))).toEqual([2]);
    expect(idsOf(await page(2, endCursor))).toEqual([3, 2]);
  });

  it('is that item for a page of one', async () => {
    const { page, positionOf } = timeline([[9, 8]]);
    expect(positionOf((await page(1)).page.endCursor)).toMatchObject({ inside: 1, passed: ['9'] });
  });

  it('is the network’s next page if one was used up', async () => {
    const { net, page, positionOf } = timeline([[9, 8], [7]]);
    // The look-ahead fails.
    net.failAfter(1, upstreamFault('upstream_error'));
    const { endCursor } = (await page(2)).page;
    expect(positionOf(endCursor)).toMatchObject({ place: 'p1', inside: 0, passed: ['8', '9'] });
    net.heal();
    expect(idsOf(await page(2, endCursor))).toEqual([7]);
  });

  it('is lost in a list of profiles if none of them is left, and the cursor expires', async () => {
    const net = createScriptedNetwork();
    net.users(range(9));
    net.list('followers', '1', ['2', '3', '4', '5']);
    const engine = createEngine(net.network);
    const { endCursor } = (await engine.page({ kind: 'followers', subject: '1', count: 2 })).page;
    engine.drop();
    net.list('followers', '1', ['7', '8', '9']);
    const again = engine.page({ kind: 'followers', subject: '1', count: 2, after: endCursor });
    await expect(again).rejects.toEqual(expired);
  });

  it('is found by time in a list of tweets if none of them is left', async () => {
    const { net, engine, page } = timeline([[9, 8, 7, 6]]);
    const { endCursor } = (await page(2)).page;
    engine.drop();
    for (const id of ['9', '8', '7', '6']) net.remove(id);
    net.pages('timeline', '1', () => ({ tweets: [net.tweet({ id: '12' }), net.tweet({ id: '5' })], next: null }));
    expect(idsOf(await page(2, endCursor))).toEqual([5]);
  });

  it('is the end of a list of tweets if all are younger now', async () => {
    const { net, engine, page } = timeline([[9, 8, 7]]);
    const { endCursor } = (await page(2)).page;
    engine.drop();
    net.pages('timeline', '1', () => ({ tweets: [net.tweet({ id: '12' }), net.tweet({ id: '11' })], next: null }));
    const { nodes, endCursor: next } = (await page(2, endCursor)).page;
    expect([nodes, next]).toEqual([[], null]);
  });
});

it('walks at most 200 cached pages of a list', async () => {
  const { engine, page } = timeline(range(250).map((nth) => [1000 - nth]));
  let after: string | null = null;
  do after = (await page(1, after)).page.endCursor;
  while (after !== null);
  const calls = engine.calls();
  // The first page expires sooner than those below it, unless it is read again.
  const { nodes, truncated, endCursor } = (await page(240)).page;
  expect([nodes.length, truncated, endCursor !== null]).toEqual([200, 'sparse', true]);
  expect(engine.calls()).toBe(calls);
});

describe('a network that bills by item', () => {
  const open = (most = 100) => {
    const list = createListNetwork({
      kind: 'timeline',
      items: 60,
      pageSizes: [7],
      tokens: 'keyset',
      billed: { least: 1, most },
    });
    const wanted: (number | undefined)[] = [];
    const engine = createEngine({
      ...list.network,
      page(which, token, context, want) {
        wanted.push(want);
        return list.network.page(which, token, context, want);
      },
    });
    const page = (count: number, credits?: number, after: string | null = null) =>
      engine.page({ ...list.list, count, after }, credits);
    return { list, engine, wanted, page };
  };

  it('gets no larger request than can be paid for, plus one to look ahead (C21)', async () => {
    const { wanted, page } = open();
    expect((await page(20, 3_500)).page.nodes).toHaveLength(3);
    expect((await open().page(20)).page.nodes).toHaveLength(20);
    expect(wanted).toEqual([4]);
  });

  it('answers for the missing items up to the position of a chain when that page is read again', async () => {
    const { engine, wanted, page } = open();
    const { endCursor } = (await page(5)).page;
    engine.drop();
    await page(4, undefined, endCursor);
    // Five were passed in that page, four are wanted, and one more is the look-ahead.
    expect(wanted).toEqual([6, 10]);
  });

  it('answers for the rest of a page whose beginning is cached', async () => {
    const { wanted, page } = open();
    const { endCursor } = (await page(5)).page;
    await page(10, undefined, endCursor);
    // One was looked ahead to before.
    expect(wanted).toEqual([6, 10]);
  });

  it('answers with a page of its natural size if the position of a chain was not in the page', async () => {
    const { list, engine, wanted, page } = open();
    const { endCursor } = (await page(5)).page;
    engine.drop();
    list.arrive(30);
    const { nodes } = (await page(4, undefined, endCursor)).page;
    expect([nodes.length, wanted.slice(0, 3)]).toEqual([4, [6, 10, undefined]]);
  });

  it('answers for the missing items and no more, if its pages are smaller', async () => {
    const { wanted, page } = open(10);
    expect((await page(25)).page.nodes).toHaveLength(25);
    expect(wanted).toEqual([26, 16, 6]);
  });
});
