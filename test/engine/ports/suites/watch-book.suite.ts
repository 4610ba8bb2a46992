import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../../../../src/domain/audit.js';
import type { NewWatch, WatchBook, WatchReason, WatchRecord, WatchState } from '../../../../src/ports/watches.js';

export type Payer = Pick<NewWatch, 'accountId' | 'keyId'>;

export interface WatchBookStore {
  readonly book: WatchBook;
  /** A second node on the same store. */
  readonly other: WatchBook;
  /** A new account with a key whose hash is 32 bytes of this value. */
  payer(hash?: number): Promise<Payer>;
  /** Puts a watch into a state, as the process that follows it does. */
  put(watch: WatchRecord, state: WatchState, reason: WatchReason, dueAt: number | null): Promise<void>;
  /** Writes down items for it, as the process that follows it does, with consecutive numbers. */
  deliver(watch: WatchRecord, at: number, charged: number, body?: string): Promise<void>;
  /** Adds a notice, which has no items. */
  notice(watch: WatchRecord): Promise<void>;
  /** The entries of the account's log about watches, oldest first. */
  log(accountId: string): Promise<{ readonly what: string; readonly who: string; readonly detail: unknown }[]>;
  close(): Promise<void>;
}

const NOW = Date.UTC(2026, 10, 26, 12);
const DAY_MS = 86_400_000;
const ALL = { below: null, limit: 10, bytes: 1e6 };
const BY: Actor = { who: 'customer', address: '203.0.113.7' };
const at = (ms: number): string => new Date(ms).toISOString();

/** What every store of watches must do for accounts. */
export function watchBookSuite(name: string, open: () => Promise<WatchBookStore>): void {
  describe(`${name}: watches of accounts`, () => {
    let store: WatchBookStore;
    let book: WatchBook;
    let payer: Payer;
    beforeAll(async () => {
      store = await open();
      book = store.book;
    });
    beforeEach(async () => {
      payer = await store.payer();
    });
    afterAll(() => store.close());

    const wanted = (changes: Partial<NewWatch> = {}): NewWatch => ({
      ...payer,
      ...{
        watchId: randomUUID(),
        kind: 'timeline',
        subject: 'harbor_obs',
        subjectId: changes.subject ?? 'harbor_obs',
        product: null,
        count: 20,
        position: 'start',
      },
      ...{ webhookUrl: 'https://example.org/hook', dailyLimit: null, at: NOW },
      ...changes,
    });
    const add = async (changes: Partial<NewWatch> = {}): Promise<WatchRecord> => {
      const watch = await book.add(wanted(changes), 100, BY);
      if (watch === null) throw new Error('There are too many.');
      return watch;
    };
    const ids = (watches: readonly WatchRecord[]): string[] => watches.map(({ watchId }) => watchId);

    it('adds a watch as its account sees it, and logs that', async () => {
      const request = wanted({ kind: 'search', subject: 'ferry since:2026', product: 'Photos', dailyLimit: 1500 });
      const { position: _, at: __, subjectId: ___, ...settings } = request;
      const watch = await book.add(request, 1, BY);
      expect(watch).toEqual({
        ...settings,
        ...{ keyPrefix: 'perch_live_abcdef', state: 'active', reason: null, stateAt: at(NOW), dueAt: null },
        ...{ createdAt: at(NOW), number: 0, spent: 0, spentToday: 0, newestAt: null, checkedAt: null },
        ...{ everyMs: null, failed: null },
      });
      expect(await store.other.get(payer.accountId, request.watchId, NOW)).toEqual(watch);
      const detail = { list: 'search', subject: 'ferry since:2026', webhook: 'https://example.org/hook' };
      expect(await store.log(payer.accountId)).toEqual([
        { what: 'watch.added', who: 'customer', detail: { ...detail, watch: request.watchId } },
      ]);
    });

    it('returns the existing watch for the same list and address, with its own settings', async () => {
      const first = await add();
      expect(await add({ count: 5, dailyLimit: 7000 })).toEqual(first);
      expect(await book.add(wanted(), 1, BY)).toEqual(first);
      expect(await add({ subject: '@HARBOR_obs', subjectId: 'harbor_obs' })).toEqual(first);
      const others = await Promise.all([
        add({ kind: 'replies' }),
        add({ subject: 'ferry_times' }),
        add({ webhookUrl: 'https://example.org/other' }),
        add({ kind: 'search', product: 'Latest' }),
        add({ kind: 'search', product: 'Photos' }),
      ]);
      expect(new Set(ids([first, ...others])).size).toBe(6);
      expect(await store.log(payer.accountId)).toHaveLength(6);
    });

    it('adds the same watch anew once it has ended, and for another account', async () => {
      const first = await add();
      await book.change(first, 'paused', NOW, BY);
      expect((await add()).watchId).toBe(first.watchId);
      await book.change(first, 'ended', NOW, BY);
      const second = await add();
      expect(second.watchId).not.toBe(first.watchId);
      expect((await add(await store.payer())).watchId).not.toBe(second.watchId);
    });

    it('adds one watch for the same request made at once on two nodes', async () => {
      const watches = await Promise.all(
        Array.from({ length: 8 }, (_, nth) => (nth % 2 === 0 ? book : store.other).add(wanted(), 100, BY)),
      );
      expect(new Set(watches.map((watch) => watch?.watchId)).size).toBe(1);
      expect(await store.log(payer.accountId)).toHaveLength(1);
    });

    it('adds no more than an account may have, however many are requested at once; an ended one makes room', async () => {
      const attempts = Array.from({ length: 9 }, (_, nth) =>
        (nth % 2 === 0 ? book : store.other).add(wanted({ subject: `user_${nth}` }), 3, BY),
      );
      const added = (await Promise.all(attempts)).filter((watch) => watch !== null);
      expect(added).toHaveLength(3);
      const [first] = added as [WatchRecord];
      await book.change(first, 'paused', NOW, BY);
      expect(await book.add(wanted({ subject: 'one_more' }), 3, BY)).toBeNull();
      await book.change(first, 'ended', NOW, BY);
      expect(await book.add(wanted({ subject: 'one_more' }), 3, BY)).toMatchObject({ subject: 'one_more' });
      expect(await book.list(payer.accountId, NOW)).toHaveLength(4);
    });

    it('lists the watches of this account only, newest first and ended ones last', async () => {
      const watches = [];
      for (const [nth, subject] of ['a', 'b', 'c'].entries()) watches.push(await add({ subject, at: NOW + nth }));
      const [first, second, third] = watches as [WatchRecord, WatchRecord, WatchRecord];
      await add(await store.payer());
      await book.change(third, 'ended', NOW, BY);
      expect(ids(await book.list(payer.accountId, NOW))).toEqual([second, first, third].map(({ watchId }) => watchId));
    });

    it('lists the last 100 that ended, and all others', async () => {
      const first = await add({ subject: 'kept' });
      const ended = [];
      for (let nth = 0; nth < 102; nth++) {
        const watch = await add({ subject: `user_${nth}`, at: NOW + nth });
        await book.change(watch, 'ended', NOW + 200 - nth, BY);
        ended.push(watch);
      }
      const newest = ended.slice(0, 100).reverse();
      expect(ids(await book.list(payer.accountId, NOW))).toEqual(ids([first, ...newest]));
      expect(await book.get(payer.accountId, ended[101]?.watchId ?? '', NOW)).toMatchObject({ state: 'ended' });
    });

    it('pauses, resumes and ends a watch, once each, and logs that', async () => {
      const watch = await add();
      const paused = { state: 'paused', reason: 'by_hand', stateAt: at(NOW + 1), dueAt: null };
      expect(await book.change(watch, 'paused', NOW + 1, BY)).toEqual({ ...watch, ...paused });
      expect(await book.change(watch, 'paused', NOW + 2, BY)).toEqual({ ...watch, ...paused });
      const active = { state: 'active', reason: null, stateAt: at(NOW + 3), dueAt: null };
      expect(await book.change(watch, 'active', NOW + 3, BY)).toEqual({ ...watch, ...active });
      expect(await book.change(watch, 'active', NOW + 4, BY)).toEqual({ ...watch, ...active });
      const ended = { state: 'ended', reason: null, stateAt: at(NOW + 5), dueAt: null };
      expect(await book.change(watch, 'ended', NOW + 5, BY)).toEqual({ ...watch, ...ended });
      for (const to of ['active', 'paused', 'ended'] as const)
        expect(await book.change(watch, to, NOW + 6, BY)).toEqual({ ...watch, ...ended });
      const log = await store.log(payer.accountId);
      expect(log.slice(1)).toEqual(
        ['paused', 'resumed', 'ended'].map((what) => ({
          ...{ what: `watch.${what}`, who: 'customer', detail: { watch: watch.watchId } },
        })),
      );
    });

    it('resumes a watch that waits, and keeps the reason of one that is paused for one', async () => {
      const watch = await add();
      await store.put(watch, 'waiting', 'credits', NOW + 300_000);
      expect(await book.get(payer.accountId, watch.watchId, NOW)).toMatchObject({
        ...{ state: 'waiting', reason: 'credits', dueAt: at(NOW + 300_000) },
      });
      expect(await book.change(watch, 'active', NOW, BY)).toMatchObject({ state: 'active', reason: null, dueAt: null });
      await store.put(watch, 'paused', 'list', null);
      expect(await book.change(watch, 'paused', NOW, BY)).toMatchObject({ state: 'paused', reason: 'list' });
    });

    it('makes undelivered items due again when it resumes a watch whose webhook took nothing', async () => {
      const watch = await add();
      for (const nth of [1, 2]) await store.deliver(watch, NOW + nth, 1000);
      await store.put(watch, 'paused', 'undelivered', null);
      await book.change(watch, 'active', NOW + DAY_MS, BY);
      expect((await book.deliveries(payer.accountId, watch.watchId, ALL)).nodes).toMatchObject([
        { number: 2, dueAt: at(NOW + DAY_MS), tries: 0 },
        { number: 1, dueAt: at(NOW + DAY_MS), tries: 0 },
      ]);
    });

    it('returns what was spent in all and today', async () => {
      const watch = await add();
      await store.deliver(watch, NOW, 1500);
      await store.deliver(watch, NOW + 1, 500);
      const seen = (nowMs: number) => book.get(payer.accountId, watch.watchId, nowMs);
      expect(await seen(NOW)).toMatchObject({ number: 2, spent: 2000, spentToday: 2000 });
      expect(await seen(NOW + DAY_MS)).toMatchObject({ number: 2, spent: 2000, spentToday: 0 });
    });

    it('pages through deliveries of items, newest first, without notices', async () => {
      const watch = await add();
      for (const nth of [1, 2, 3]) await store.deliver(watch, NOW + nth, nth);
      await store.notice(watch);
      const page = async (below: number | null, limit: number) => {
        const { nodes, hasMore } = await book.deliveries(payer.accountId, watch.watchId, { ...ALL, below, limit });
        return [nodes.map(({ number }) => number), hasMore];
      };
      const [newest] = (await book.deliveries(payer.accountId, watch.watchId, ALL)).nodes;
      expect(newest).toEqual({
        ...{ deliveryId: expect.any(String), number: 3, items: 2, charged: 3, body: '{}', tries: 0 },
        ...{ target: 'https://example.org/hook', status: null, excerpt: null, fault: null },
        ...{ createdAt: at(NOW + 3), triedAt: null, deliveredAt: null, dueAt: at(NOW + 3) },
      });
      expect(await page(null, 1)).toEqual([[3], true]);
      expect(await page(null, 3)).toEqual([[3, 2, 1], false]);
      expect(await page(3, 10)).toEqual([[2, 1], false]);
      expect(await page(1, 10)).toEqual([[], false]);
    });

    it('limits the bytes of a page of deliveries, but returns at least one', async () => {
      const watch = await add();
      for (const nth of [1, 2, 3, 4]) await store.deliver(watch, NOW + nth, nth, 'é'.repeat(500 * nth));
      const page = async (bytes: number, below: number | null = null) => {
        const { nodes, hasMore } = await book.deliveries(payer.accountId, watch.watchId, { ...ALL, below, bytes });
        return [nodes.map(({ number }) => number), hasMore];
      };
      expect(await page(1)).toEqual([[4], true]);
      expect(await page(6_999)).toEqual([[4], true]);
      expect(await page(7_000)).toEqual([[4, 3], true]);
      expect(await page(3_000, 3)).toEqual([[2, 1], false]);
      expect(await page(10_000)).toEqual([[4, 3, 2, 1], false]);
    });

    it('knows the hash of a key of the account', async () => {
      const mine = await store.payer(7);
      expect(await book.keyHash(mine.accountId, mine.keyId)).toBe('07'.repeat(32));
      expect(await book.keyHash(payer.accountId, mine.keyId)).toBeUndefined();
      expect(await book.keyHash(mine.accountId, 'no key')).toBeUndefined();
    });

    it('has nothing of another account, and nothing for an invalid id', async () => {
      const watch = await add();
      await store.deliver(watch, NOW, 1000);
      const { accountId } = await store.payer();
      for (const [of, watchId] of [
        [accountId, watch.watchId],
        [payer.accountId, randomUUID()],
        [payer.accountId, "' or true --"],
      ] as const) {
        expect(await book.get(of, watchId, NOW)).toBeUndefined();
        expect(await book.change({ accountId: of, watchId }, 'ended', NOW, BY)).toBeUndefined();
        expect(await book.deliveries(of, watchId, ALL)).toEqual({ nodes: [], hasMore: false });
      }
      expect(await book.list(accountId, NOW)).toEqual([]);
      expect(await book.get(payer.accountId, watch.watchId, NOW)).toMatchObject({ state: 'active' });
      expect(await store.log(accountId)).toEqual([]);
    });
  });
}
