import { describe, expect, it } from 'vitest';
import type { ServiceError } from '../../../src/domain/errors.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import { monotonic } from '../../../src/lib/monotonic.js';
import type { Network } from '../../../src/ports/network.js';
import { CallContext } from '../../../src/read/call-context.js';
import { createEngine } from '../../kit/engine.js';
import { upstreamFault, withFaults } from '../../kit/networks/faults.js';
import { createListNetwork, type ListShape } from '../../kit/networks/list-network.js';

const SITE = { path: 'object', fresh: false };

function setUp(shape: Partial<ListShape> = {}, more: Partial<Network> = {}) {
  const list = createListNetwork({ kind: 'timeline', items: 30, pageSizes: [10], tokens: 'keyset', ...shape });
  const faults = withFaults({ ...list.network, ...more });
  return { list, faults, engine: createEngine(faults.network), query: { ...list.list, count: 5 } };
}

const contextOf = (deadlineMs: number, waitForNetwork = () => {}): CallContext =>
  new CallContext({
    accountId: 'test',
    signal: AbortSignal.timeout(deadlineMs),
    deadlineAtMs: monotonic.now() + deadlineMs,
    slot: { waitForNetwork },
  });

describe('reads at the same time', () => {
  it('are one upstream read: one full price, the others hits (M7)', async () => {
    const { engine, query, faults } = setUp();
    const release = faults.hold();
    const all = Array.from({ length: 8 }, (_, i) => engine.page({ ...query, count: i + 1 }));
    await faults.called(1);
    release();
    const pages = await Promise.all(all);
    expect(faults.calls).toHaveLength(1);
    expect(pages.map(({ page }) => page.cache).sort()).toEqual([...Array(7).fill('hit'), 'miss']);
    for (const { page, charge } of pages) {
      expect(charge.amount).toBe(page.nodes.length * (page.cache === 'hit' ? 500 : 1000));
    }
  });

  it('fail together and free when that read fails, and the failure is not remembered (M7)', async () => {
    const { engine, query, faults } = setUp();
    const release = faults.hold();
    faults.fail(upstreamFault('upstream_error'), 1);
    const all = Array.from({ length: 4 }, () => engine.page(query).catch((error: ServiceError) => error.code));
    await faults.called(1);
    release();
    expect(await Promise.all(all)).toEqual(Array(4).fill('upstream_error'));
    expect((await engine.page(query)).page.cache).toBe('miss');
  });

  it('do not share with `fresh`, which reads for itself at double price and refills the cache (M8, M9)', async () => {
    const { engine, query, faults } = setUp();
    const release = faults.hold();
    const plain = engine.page(query);
    await faults.called(1);
    const anew = [engine.page({ ...query, fresh: true }), engine.page({ ...query, fresh: true })];
    await faults.called(3);
    release();
    expect((await plain).page.cache).toBe('miss');
    for (const { page, charge } of await Promise.all(anew)) {
      expect([page.cache, charge.amount]).toEqual(['bypass', 10_000]);
    }
    expect(await engine.page(query)).toMatchObject({ page: { cache: 'hit' }, charge: { amount: 2500 } });
    expect(faults.calls).toHaveLength(3);
  });

  it('of single objects are one read, too, and no input is sent twice in one call (M7, M8)', async () => {
    const { engine, list, faults } = setUp();
    const [id = ''] = list.ids();
    const all = [false, false, true, true, false].map(async (fresh) => {
      const { reads, charge } = engine.open();
      await reads.tweet(id, { ...SITE, fresh });
      return charge();
    });
    const charges = await Promise.all(all);
    expect(charges.map(({ cache }) => cache).sort()).toEqual(['bypass', 'bypass', 'hit', 'hit', 'miss']);
    expect(charges.map(({ amount }) => amount).reduce((sum, amount) => sum + amount)).toBe(2000 * 2 + 1000 + 500 * 2);
    for (const call of faults.calls) expect(new Set(call.of).size).toBe(call.of.length);
  });

  it('of objects charge in full a call that joins its own read (M7)', async () => {
    const { engine, list } = setUp({}, { batchSize: { users: 100, tweets: 25 } });
    const { reads, charge } = engine.open();
    const ids = list.ids();
    // The second batch is answered first, because all of it is in the first of two upstream calls.
    await Promise.all([reads.tweets(ids.slice(0, 26), SITE), reads.tweets(ids.slice(0, 25), SITE)]);
    expect(charge()).toMatchObject({ amount: 26_000, items: 26, cacheHits: 0, cache: 'miss' });
  });

  it('of a list charge in full a call that joins its own read, and half another call (M7)', async () => {
    const { engine, query, faults } = setUp();
    const release = faults.hold();
    const { reads, charge } = engine.open();
    const own = [3, 8].map((count) => reads.page({ ...query, count, path: `list${count}`, fresh: false }));
    await faults.called(1);
    const other = engine.page(query);
    release();
    expect((await Promise.all(own)).map(({ cache }) => cache)).toEqual(['miss', 'miss']);
    expect([charge().amount, (await other).charge.amount]).toEqual([8000, 2500]);
    expect(faults.calls).toHaveLength(1);
  });

  it('of many objects in one tick are one upstream call', async () => {
    const { engine, list, faults } = setUp();
    const { reads } = engine.open();
    await Promise.all(list.ids().map((id) => reads.tweet(id, SITE)));
    expect(faults.calls.map(({ of }) => of.length)).toEqual([30]);
  });
});

describe('cached pages', () => {
  it('are the same for followers and their ids, each at half its own price (M15, C6)', async () => {
    const { engine, query, faults } = setUp({ kind: 'followers', pageSizes: [20] });
    const profiles = await engine.page(query);
    const ids = await engine.page({ ...query, idsOnly: true });
    expect(profiles.charge).toMatchObject({ amount: 500, cache: 'miss' });
    expect(ids.charge).toMatchObject({ amount: 50, cache: 'hit' });
    const after = profiles.page.endCursor;
    const next = await engine.page({ ...query, idsOnly: true, after });
    expect(next.page.nodes.map((node) => node.id)).toEqual(
      (await engine.page({ ...query, after })).page.nodes.map((node) => node.id),
    );
    expect(faults.calls).toHaveLength(1);
  });

  it('make a cursor used again the same page at half price, whatever the count (C4, C5)', async () => {
    const { engine, query, list } = setUp();
    const first = await engine.page(query);
    const after = first.page.endCursor;
    const once = await engine.page({ ...query, after, count: 8 });
    const again = await engine.page({ ...query, after, count: 8 });
    const other = await engine.page({ ...query, after, count: 3 });
    expect(again.page.nodes).toEqual(once.page.nodes);
    expect(again.charge).toMatchObject({ amount: 4000, cache: 'hit' });
    expect(other.page.nodes.map((node) => node.id)).toEqual(list.ids().slice(5, 8));
  });

  it('cost half for cached items and full price for the rest if a page has both (M6)', async () => {
    const { engine, query } = setUp();
    await engine.page(query);
    const { page, charge } = await engine.page({ ...query, count: 14 });
    expect(page).toMatchObject({ cache: 'miss', cacheHits: 10, charged: 9000 });
    expect(charge).toMatchObject({ amount: 9000, cacheHits: 10, items: 14 });
  });

  it('are not needed to continue a chain a day later: its anchor is enough, at full price (C7)', async () => {
    const { engine, query, list } = setUp();
    const { page } = await engine.page(query);
    engine.clock.nowMs += 24 * HOUR_MS;
    const next = await engine.page({ ...query, after: page.endCursor });
    expect(next.page.nodes.map((node) => node.id)).toEqual(list.ids().slice(5, 10));
    expect(next.page.cache).toBe('miss');
  });

  it('fill the single objects, tweets and their authors, if they are complete (M13)', async () => {
    const { engine, query, list, faults } = setUp();
    await engine.page(query);
    const { reads, charge } = engine.open();
    await reads.tweet(list.ids()[3] ?? '', SITE);
    expect(charge()).toMatchObject({ amount: 500, cache: 'hit' });
    expect(faults.calls).toHaveLength(1);
  });
});

describe('bounds', () => {
  it('fill a page from at most ten upstream pages, and say if it is short for that reason (C12, C14)', async () => {
    const { engine, list, query, faults } = setUp({ kind: 'replies', items: 12, pageSizes: [0, 0, 0, 1] });
    const ids: string[] = [];
    let after: string | null = null;
    do {
      const before = faults.calls.length;
      const { page } = await engine.page({ ...query, count: 12, after });
      expect(faults.calls.length - before).toBeLessThanOrEqual(10);
      expect(page.truncated).toBe(page.endCursor === null ? null : 'sparse');
      expect(page.nodes.length).toBeGreaterThan(0);
      ids.push(...page.nodes.map((node) => node.id));
      after = page.endCursor;
      engine.drop();
    } while (after !== null);
    expect(ids).toEqual(list.ids());
  });

  it('never flag a full page, though the look-ahead reached them (C14, C15)', async () => {
    const { engine, query } = setUp({ items: 2, pageSizes: [1, ...Array(20).fill(0)] });
    const { page } = await engine.page({ ...query, count: 1 });
    expect(page).toMatchObject({ truncated: null, endCursor: expect.any(String) });
  });

  it('do not lose the page when a look-ahead fails (C13, C15)', async () => {
    const { engine, query, faults } = setUp();
    faults.failAfter(1, upstreamFault('upstream_error'));
    const { page, charge } = await engine.page({ ...query, count: 10 });
    expect([page.nodes.length, charge.amount]).toEqual([10, 10_000]);
    faults.heal();
    const next = await engine.page({ ...query, count: 10, after: page.endCursor });
    expect(next.page.nodes).toHaveLength(10);
  });

  it('do not lose a cached page when the call gets no slot for the look-ahead (C15)', async () => {
    const { engine, query } = setUp();
    await engine.page(query);
    const callContext = contextOf(10_000, () => {
      throw upstreamFault('no_account');
    });
    const { reads, charge } = engine.open(10_000, callContext);
    const page = await reads.page({ ...query, count: 10, path: 'list', fresh: false });
    expect([page.nodes.length, charge().amount, page.endCursor]).toEqual([10, 5000, expect.any(String)]);
    expect(callContext.refusal).toBeUndefined();
  });

  it('do not lose a cached page when the look-ahead hangs (C15)', async () => {
    const { engine, query, faults } = setUp();
    await engine.page(query);
    const release = faults.hold();
    const callContext = contextOf(1200);
    const { reads, charge } = engine.open(10_000, callContext);
    const page = await reads.page({ ...query, count: 10, path: 'list', fresh: false }).finally(release);
    expect([page.nodes.length, charge().amount, page.endCursor]).toEqual([10, 5000, expect.any(String)]);
    // At the deadline it would be too late to answer.
    expect(callContext.signal.aborted).toBe(false);
  });

  it('do not lose a cached page when the look-ahead joins a read that hangs for a call with more time (C15)', async () => {
    const { engine, query, faults } = setUp();
    const { page: first } = await engine.page({ ...query, count: 9 });
    const release = faults.hold();
    const other = engine.page({ ...query, after: first.endCursor });
    await faults.called(2);
    const callContext = contextOf(1200);
    const { reads, charge } = engine.open(10_000, callContext);
    const page = await reads.page({ ...query, count: 10, path: 'list', fresh: false }).finally(release);
    expect([page.nodes.length, charge().amount, page.endCursor]).toEqual([10, 5000, expect.any(String)]);
    expect(callContext.signal.aborted).toBe(false);
    expect((await other).page.nodes).toHaveLength(5);
  });

  it('serve an item without its author when the author joins a read that hangs for a call with more time (T23)', async () => {
    const { engine, faults } = setUp();
    const release = faults.hold();
    const other = engine.open().reads.author('1');
    await faults.called(1);
    const callContext = contextOf(1200);
    const author = await engine.open(10_000, callContext).reads.author('1').finally(release);
    expect([author, callContext.signal.aborted]).toEqual([null, false]);
    await other;
  });
});
