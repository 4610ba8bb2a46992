import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type {
  HeldWatch,
  WatchId,
  WatchLeases,
  WatchState,
  WatchStep,
  WatchStop,
} from '../../../../src/ports/watches.js';

export interface WrittenDelivery {
  readonly deliveryId: string;
  readonly number: number | null;
  readonly channel: string;
  readonly target: string;
  readonly subject: string | null;
  readonly body: string;
  readonly charged: number | null;
}

export interface WatchLeasesStore {
  readonly leases: WatchLeases;
  /** A second node on the same store. */
  readonly other: WatchLeases;
  /**
   * Adds an active watch at position `start`, for an account whose owner has an address: a new account, or that of
   * another watch.
   */
  add(beside?: WatchId): Promise<WatchId>;
  /** As its account changes it. */
  change(watch: WatchId, state: WatchState): Promise<void>;
  /** Replaces its key; returns the new one's hash. */
  rotate(watch: WatchId): Promise<string>;
  /** Pauses it and resumes it with a new key of its account; returns that key's hash. */
  resumeWithNewKey(watch: WatchId): Promise<string>;
  deleteAccount(accountId: string): Promise<void>;
  deliveries(watch: WatchId): Promise<WrittenDelivery[]>;
  /** What its account is shown of it. */
  read(watch: WatchId): Promise<Record<string, unknown>>;
  /** Marks its deliveries as delivered. */
  deliver(watch: WatchId): Promise<void>;
  /** Removes all watches. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export const NOW = Date.UTC(2026, 10, 26, 12);
const HELD_MS = 30_000;
const DAY = '2026-11-26';

const step = (changes: Partial<WatchStep> = {}): WatchStep => ({
  from: 'start',
  position: 'second',
  requestId: randomUUID(),
  items: 2,
  charged: 1500,
  day: DAY,
  newestAt: NOW - 1000,
  body: ['{"number":1,', '"data":[]', '}'],
  at: NOW,
  ...changes,
});

const waiting = (changes: Partial<WatchStop> = {}): WatchStop => ({
  ...{ state: 'waiting', reason: 'credits', dueAt: NOW + 300_000, at: NOW },
  notices: [
    { channel: 'mail', subject: 'It waits', body: 'for credits' },
    { channel: 'webhook', subject: null, body: '{"type":"watch.waiting"}' },
  ],
  ...changes,
});

/** What every store of watches must do for the processes that follow them. */
export function watchLeasesSuite(name: string, open: () => Promise<WatchLeasesStore>): void {
  describe(`${name}: leases of watches`, () => {
    let store: WatchLeasesStore;
    let leases: WatchLeases;
    beforeAll(async () => {
      store = await open();
      leases = store.leases;
    });
    beforeEach(() => store.clear());
    afterAll(() => store.close());

    const start = async (at: WatchLeases = leases, nowMs = NOW): Promise<string> => {
      const holder = randomUUID();
      await at.renew(holder, [], nowMs + HELD_MS);
      return holder;
    };
    const ids = (watches: readonly HeldWatch[]): string[] => watches.map(({ watchId }) => watchId).sort();
    /** A watch, and the process that holds it. */
    const held = async () => {
      const watch = await store.add();
      const holder = await start();
      const [found] = await leases.claim(holder, NOW, 10);
      if (found?.watchId !== watch.watchId) throw new Error('not claimed');
      return { watch, holder, found };
    };

    it('gives each watch to one of those that claim at the same time, up to the number claimed', async () => {
      const watches = await Promise.all(Array.from({ length: 25 }, () => store.add()));
      const holders = await Promise.all([start(), start(store.other)]);
      const claimed = await Promise.all(
        Array.from({ length: 6 }, (_, nth) => {
          const at = nth % 2 === 0 ? leases : store.other;
          return at.claim(holders[nth % 2] ?? '', NOW, 5);
        }),
      );
      for (const some of claimed) expect(some.length).toBeLessThanOrEqual(5);
      const [left, right] = await Promise.all([
        leases.claim(holders[0] ?? '', NOW, 100),
        store.other.claim(holders[1] ?? '', NOW, 100),
      ]);
      expect(ids([...claimed.flat(), ...left, ...right])).toEqual(watches.map(({ watchId }) => watchId).sort());
    });

    it('gives the watches to follow, and their positions', async () => {
      const { watch, found } = await held();
      expect(found).toEqual({
        ...watch,
        ...{
          kind: 'timeline',
          subject: 'aurora_obs',
          product: null,
          count: 20,
          webhookUrl: 'https://example.org/hook',
        },
        ...{ dailyLimit: null, number: 0, position: 'start', keyHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        ...{ state: 'active', reason: null, spentThatDay: 0, spentOn: null },
      });
    });

    it('gives no watch to a second holder while the first renews, and all of them once it does not', async () => {
      const { watch, holder } = await held();
      const second = await start(store.other, NOW + HELD_MS);
      await leases.renew(holder, [], NOW + 2 * HELD_MS);
      expect(await store.other.claim(second, NOW + HELD_MS, 10)).toEqual([]);
      await store.other.renew(second, [], NOW + 4 * HELD_MS);
      expect(ids(await store.other.claim(second, NOW + 2 * HELD_MS, 10))).toEqual([watch.watchId]);
      expect(await leases.renew(holder, [], NOW + 4 * HELD_MS)).toEqual([]);
    });

    it('gives nothing to a process that has not renewed in time', async () => {
      await store.add();
      const holder = await start();
      expect(await leases.claim(holder, NOW + HELD_MS, 10)).toEqual([]);
    });

    it('makes released watches free at once, one or all of a process', async () => {
      const { watch, holder } = await held();
      const second = await start(store.other);
      await leases.giveUp(holder, [watch]);
      expect(await leases.renew(holder, [], NOW + HELD_MS)).toEqual([]);
      expect(ids(await store.other.claim(second, NOW, 10))).toEqual([watch.watchId]);
      // It no longer holds it.
      await leases.giveUp(holder, [watch]);
      expect(await store.other.renew(second, [], NOW + HELD_MS)).toEqual([{ ...watch, isEnded: false }]);
      await store.other.release(second, NOW);
      expect(ids(await leases.claim(holder, NOW, 10))).toEqual([watch.watchId]);
    });

    it('claims a named watch only if it is free', async () => {
      const { watch: taken, holder } = await held();
      const [first, second, waits] = [await store.add(), await store.add(), await store.add()];
      await leases.claim(holder, NOW, 10, [waits]);
      await leases.stop(holder, waits, waiting());
      const other = await start(store.other);
      expect(ids(await store.other.claim(other, NOW, 10, [taken, waits, second]))).toEqual([second.watchId]);
      expect(await store.other.claim(other, NOW, 10, [])).toEqual([]);
      expect(ids(await leases.claim(holder, NOW, 10))).toEqual([first.watchId]);
    });

    it('counts the watches to share and the holders that renewed in time', async () => {
      // By then the holders of other tests are gone.
      const later = NOW + 24 * 3_600_000;
      const watches = await Promise.all(Array.from({ length: 7 }, () => store.add()));
      const [first, second, third, fourth] = watches;
      if (!first || !second || !third || !fourth) throw new Error('no watches');
      expect(await leases.count(later)).toEqual({ watches: 7, holders: 0 });
      const one = await start(leases, later);
      expect(await leases.count(later)).toEqual({ watches: 7, holders: 1 });
      expect(await leases.claim(one, later, 5)).toHaveLength(5);
      expect(await leases.count(later)).toEqual({ watches: 7, holders: 1 });
      const two = await start(store.other, later);
      const three = await start(store.other, later + 1);
      await store.other.claim(two, later, 5);
      expect(await leases.count(later)).toEqual({ watches: 7, holders: 3 });
      await store.other.release(three, later);
      expect(await store.other.count(later)).toEqual({ watches: 7, holders: 2 });
      // Watches that are given up and not to be followed do not count: paused, waiting, ended.
      for (const of of watches) for (const holder of [one, two]) await leases.giveUp(holder, [of]);
      await leases.claim(one, later, 10, [first, second]);
      await leases.stop(one, first, waiting({ dueAt: later + 1000 }));
      await store.change(second, 'ended');
      await store.change(third, 'ended');
      await store.change(fourth, 'paused');
      expect(await leases.count(later)).toEqual({ watches: 4, holders: 2 });
      expect(await leases.count(later + 1000)).toEqual({ watches: 5, holders: 2 });
      // An ended watch is followed to its end by another process.
      expect(await leases.count(later + HELD_MS)).toEqual({ watches: 5, holders: 0 });
      await leases.giveUp(one, [second]);
      expect(await leases.count(later)).toEqual({ watches: 3, holders: 2 });
    });

    it('writes a delivery together with the position, and adds its cost to the day', async () => {
      const { watch, holder } = await held();
      const first = step();
      expect(await leases.step(holder, watch, first)).toBe(true);
      const second = step({ from: 'second', position: 'third', charged: 500, newestAt: null });
      expect(await leases.step(holder, watch, second)).toBe(true);
      expect(await store.read(watch)).toMatchObject({
        ...{ position: 'third', number: 2, spent: 2000, spentOn: DAY, spentThatDay: 2000 },
        newestAt: new Date(NOW - 1000),
      });
      const next = step({ from: 'third', position: 'fourth', day: '2026-11-27' });
      expect(await leases.step(holder, watch, next)).toBe(true);
      expect(await store.read(watch)).toMatchObject({ spent: 3500, spentOn: '2026-11-27', spentThatDay: 1500 });
      expect(await store.deliveries(watch)).toMatchObject(
        [first, second, next].map(({ requestId, body, charged }, nth) => ({
          ...{ deliveryId: requestId, body: body.join(''), charged, number: nth + 1, channel: 'webhook' },
          target: 'https://example.org/hook',
        })),
      );
    });

    it('writes a step once, and no step of a process that no longer holds the watch', async () => {
      const { watch, holder } = await held();
      const taken = step();
      expect(await leases.step(holder, watch, taken)).toBe(true);
      expect(await leases.step(holder, watch, taken)).toBe(false);
      const second = await start(store.other, NOW + HELD_MS);
      await store.other.claim(second, NOW + HELD_MS, 10);
      expect(await leases.step(holder, watch, step({ from: 'second', position: 'third' }))).toBe(false);
      expect(await store.deliveries(watch)).toHaveLength(1);
      expect(await store.read(watch)).toMatchObject({ position: 'second', number: 1 });
    });

    it('writes the steps of many watches together, and all others if one cannot be written', async () => {
      const { watch, holder } = await held();
      const others = await Promise.all(Array.from({ length: 5 }, () => store.add()));
      await leases.claim(holder, NOW, 10);
      const all = [watch, ...others];
      const pages = all.map((_, nth) => `é ${Math.floor(nth / 2)}`);
      const taken = pages.map((page, nth) => step({ body: [`${nth}: `, page, ` \\ "${nth}"`] }));
      const [first = watch] = others;
      const [, before = step()] = taken;
      expect(await leases.step(holder, first, before)).toBe(true);
      // A charge that is already written, and a position that is not the watch's.
      const wrong = [{ ...before, from: 'second', position: 'third' }, step({ from: 'elsewhere' })];
      const steps = all.map((of, nth) => leases.step(holder, of, wrong[nth - 1] ?? taken[nth] ?? step()));
      const ends = await Promise.allSettled(steps);
      expect(ends.map((end) => (end.status === 'fulfilled' ? end.value : 'rejected'))).toEqual([
        ...[true, 'rejected', false, true, true, true],
      ]);
      for (const [nth, of] of all.entries()) {
        const [position, number] = nth === 2 ? ['start', 0] : ['second', 1];
        expect(await store.read(of)).toMatchObject({ position, number });
        expect(await store.deliveries(of)).toMatchObject(
          nth === 2 ? [] : [{ deliveryId: taken[nth]?.requestId, number, body: `${nth}: ${pages[nth]} \\ "${nth}"` }],
        );
        expect(await leases.backlog(of)).toMatchObject({ deliveries: number });
      }
    });

    it('writes the steps of many watches whose pages are large', async () => {
      const { watch, holder } = await held();
      const all = [watch, ...(await Promise.all(Array.from({ length: 3 }, () => store.add())))];
      await leases.claim(holder, NOW, 10);
      const page = 'a'.repeat(3 * 2 ** 20);
      const written = await Promise.all(all.map((of) => leases.step(holder, of, step({ body: ['{', page, '}'] }))));
      expect(written).toEqual(all.map(() => true));
      for (const of of all) expect(await leases.backlog(of)).toEqual({ deliveries: 1, bytes: page.length + 2 });
    });

    it('leaves the position where it was if the delivery cannot be written', async () => {
      const { watch, holder } = await held();
      const first = step();
      await leases.step(holder, watch, first);
      const again = step({ from: 'second', position: 'third', requestId: first.requestId });
      await expect(leases.step(holder, watch, again)).rejects.toThrow();
      expect(await store.read(watch)).toMatchObject({ position: 'second', number: 1, spent: 1500 });
      expect(await store.deliveries(watch)).toHaveLength(1);
    });

    it.each<WatchState>(['paused', 'ended'])(
      'writes down what was paid for before it was %s, and says so',
      async (to) => {
        const { watch, holder } = await held();
        await store.change(watch, to);
        const isEnded = to === 'ended';
        expect(await leases.renew(holder, [], NOW + HELD_MS)).toEqual(isEnded ? [{ ...watch, isEnded }] : []);
        expect(await leases.step(holder, watch, step())).toBe(true);
        expect(await leases.stop(holder, watch, waiting())).toBe(false);
        expect(await store.read(watch)).toMatchObject({ state: to, number: 1 });
        await leases.giveUp(holder, [watch]);
        expect(await leases.claim(holder, NOW, 10)).toEqual([]);
      },
    );

    it('hands an ended watch of a dead process to another, once', async () => {
      const { watch } = await held();
      await store.change(watch, 'ended');
      const second = await start(store.other, NOW + HELD_MS);
      expect(await store.other.claim(second, NOW + HELD_MS - 1, 10)).toEqual([]);
      const [found] = await store.other.claim(second, NOW + HELD_MS, 10);
      expect(found).toMatchObject({ watchId: watch.watchId, state: 'ended' });
      expect(await store.other.step(second, watch, step())).toBe(true);
      await store.other.giveUp(second, [watch]);
      expect(await store.other.claim(second, NOW + HELD_MS, 10)).toEqual([]);
      expect(await store.read(watch)).toMatchObject({ state: 'ended', number: 1 });
    });

    it('hands an ended watch that was given up until later to another then, and counts it from then on', async () => {
      const { watch, holder } = await held();
      await store.change(watch, 'ended');
      await leases.giveUp(holder, [watch], NOW + 1000);
      const { watches } = await leases.count(NOW + 999);
      expect(await leases.claim(holder, NOW + 999, 10)).toEqual([]);
      expect((await leases.count(NOW + 1000)).watches).toBe(watches + 1);
      expect(await leases.claim(holder, NOW + 1000, 10)).toMatchObject([{ watchId: watch.watchId, state: 'ended' }]);
      await leases.giveUp(holder, [watch]);
      expect(await leases.claim(holder, NOW + 1000, 10)).toEqual([]);
      // One that has not ended is free at once.
      const other = await store.add();
      await leases.claim(holder, NOW, 10);
      await leases.giveUp(holder, [other], NOW + 1000);
      expect(ids(await leases.claim(holder, NOW, 10))).toEqual([other.watchId]);
    });

    it('releases the paused watches of a process that died', async () => {
      const { watch } = await held();
      await store.change(watch, 'paused');
      const second = await start(store.other, NOW + HELD_MS);
      await store.other.claim(second, NOW + HELD_MS - 1, 10);
      expect(await store.other.count(NOW + HELD_MS)).toMatchObject({ watches: 1 });
      expect(await store.other.claim(second, NOW + HELD_MS, 10)).toEqual([]);
      expect(await store.other.count(NOW + HELD_MS)).toMatchObject({ watches: 0 });
      await store.change(watch, 'active');
      expect(ids(await store.other.claim(second, NOW + HELD_MS, 10))).toEqual([watch.watchId]);
    });

    it('lets a watch wait until it is due, with its notices, and wakes it', async () => {
      const { watch, holder } = await held();
      expect(await leases.stop(holder, watch, waiting())).toBe(true);
      expect(await store.deliveries(watch)).toMatchObject([
        { number: null, channel: 'mail', target: 'owner@example.org', subject: 'It waits', body: 'for credits' },
        { number: null, channel: 'webhook', target: 'https://example.org/hook', body: '{"type":"watch.waiting"}' },
      ]);
      expect(await store.read(watch)).toMatchObject({ state: 'waiting', reason: 'credits', stateAt: new Date(NOW) });
      await leases.renew(holder, [], NOW + 30 * HELD_MS);
      expect(await leases.claim(holder, NOW + 299_999, 10)).toEqual([]);
      const [again] = await leases.claim(holder, NOW + 300_000, 10);
      expect(again).toMatchObject({ watchId: watch.watchId, state: 'waiting', reason: 'credits' });
      const longer = waiting({ dueAt: NOW + 600_000, at: NOW + 300_000, notices: [] });
      expect(await leases.stop(holder, watch, longer)).toBe(true);
      expect(await store.read(watch)).toMatchObject({ stateAt: new Date(NOW), dueAt: new Date(NOW + 600_000) });
      expect(await leases.claim(holder, NOW + 600_000, 10)).toHaveLength(1);
      await leases.wake(holder, watch, NOW + 600_001);
      expect(await store.read(watch)).toMatchObject({ state: 'active', reason: null, dueAt: null });
      expect(await store.deliveries(watch)).toHaveLength(2);
    });

    it('writes one mail an hour for all watches of a key that stop for the same reason, on two nodes', async () => {
      const { watch, holder } = await held();
      const all = [watch, ...(await Promise.all(Array.from({ length: 11 }, () => store.add(watch))))];
      await leases.claim(holder, NOW, 20);
      const mails = async () => {
        const written = (await Promise.all(all.map((of) => store.deliveries(of)))).flat();
        expect(written.filter(({ channel }) => channel === 'webhook')).toHaveLength(stops);
        return written.filter(({ channel }) => channel === 'mail').length;
      };
      let stops = 0;
      const stopAll = async (changes: Partial<WatchStop> = {}) => {
        const done = await Promise.all(
          all.map((of, nth) => (nth % 2 === 0 ? leases : store.other).stop(holder, of, waiting(changes))),
        );
        expect(done).toEqual(all.map(() => true));
        stops += all.length;
        await leases.renew(holder, [], NOW + 2 * 3_600_000);
        await leases.claim(holder, NOW + 3_600_000, 20);
      };
      await stopAll();
      expect(await mails()).toBe(1);
      await stopAll({ at: NOW + 3_599_999 });
      expect(await mails()).toBe(1);
      await stopAll({ at: NOW + 3_600_000 });
      expect(await mails()).toBe(2);
      await stopAll({ reason: 'key_cap' });
      expect(await mails()).toBe(3);
      // A watch of another account.
      const other = await store.add();
      await leases.claim(holder, NOW, 20);
      await leases.stop(holder, other, waiting());
      expect((await store.deliveries(other)).map(({ channel }) => channel)).toEqual(['mail', 'webhook']);
      await store.resumeWithNewKey(watch);
      await leases.claim(holder, NOW, 20);
      await leases.stop(holder, watch, waiting());
      stops += 1;
      expect(await mails()).toBe(4);
    });

    it('pauses a watch until its account resumes it', async () => {
      const { watch, holder } = await held();
      const paused = waiting({ state: 'paused', reason: 'list', dueAt: null, notices: [] });
      expect(await leases.stop(holder, watch, paused)).toBe(true);
      await leases.renew(holder, [], NOW + 100 * HELD_MS);
      expect(await leases.claim(holder, NOW + 99 * HELD_MS, 10)).toEqual([]);
      await store.change(watch, 'active');
      expect(await leases.claim(holder, NOW, 10)).toHaveLength(1);
    });

    it('stops no watch that another process holds', async () => {
      const { watch, holder } = await held();
      const second = await start(store.other, NOW + HELD_MS);
      await store.other.claim(second, NOW + HELD_MS, 10);
      expect(await leases.stop(holder, watch, waiting())).toBe(false);
      await leases.wake(holder, watch, NOW);
      expect(await store.read(watch)).toMatchObject({ state: 'active' });
      expect(await store.deliveries(watch)).toEqual([]);
    });

    it('records the checks of the watches that it holds', async () => {
      const { watch, holder } = await held();
      const other = await store.add();
      const check = { checkedAt: NOW - 2000, everyMs: 40_000, failed: 'upstream_error' };
      const checks = [watch, other].map((of) => ({ ...of, ...check }));
      expect(await leases.renew(holder, checks, NOW + HELD_MS)).toEqual([{ ...watch, isEnded: false }]);
      expect(await store.read(watch)).toMatchObject({
        ...{ checkedAt: new Date(NOW - 2000), everyMs: 40_000, failed: 'upstream_error' },
      });
      await leases.renew(holder, [{ ...watch, ...check, failed: null }], NOW + HELD_MS);
      expect(await store.read(watch)).toMatchObject({ failed: null });
      expect(await store.read(other)).toMatchObject({ checkedAt: null });
    });

    it('counts what is on its way', async () => {
      const { watch, holder } = await held();
      expect(await leases.backlog(watch)).toEqual({ deliveries: 0, bytes: 0 });
      await leases.step(holder, watch, step({ body: ['x', 'x'.repeat(998), 'x'] }));
      await leases.step(holder, watch, step({ from: 'second', position: 'third', body: ['', 'é'.repeat(500), ''] }));
      expect(await leases.backlog(watch)).toEqual({ deliveries: 2, bytes: 2000 });
      await store.deliver(watch);
      expect(await leases.backlog(watch)).toEqual({ deliveries: 0, bytes: 0 });
    });

    it('lets a key’s replacement pay from then on', async () => {
      const { watch, holder, found } = await held();
      const hash = await store.rotate(watch);
      expect(hash).not.toBe(found.keyHash);
      // The process that follows it with the old key gives it up.
      expect(await leases.stop(holder, watch, waiting({ state: 'paused', reason: 'key', dueAt: null }))).toBe(false);
      expect(await leases.renew(holder, [], NOW + HELD_MS)).toEqual([]);
      expect(await leases.claim(holder, NOW, 10)).toMatchObject([{ watchId: watch.watchId, keyHash: hash }]);
    });

    it('lets the key that resumes a watch pay from then on, while another process follows it', async () => {
      const { watch, holder, found } = await held();
      const hash = await store.resumeWithNewKey(watch);
      expect(hash).not.toBe(found.keyHash);
      expect(await leases.step(holder, watch, step())).toBe(false);
      expect(await leases.stop(holder, watch, waiting())).toBe(false);
      expect(await leases.renew(holder, [], NOW + HELD_MS)).toEqual([]);
      const begin = { watchId: watch.watchId, keyHash: hash, position: 'start', number: 0 };
      expect(await leases.claim(holder, NOW, 10)).toMatchObject([begin]);
    });

    it('has no watch of an account that was deleted', async () => {
      const { watch, holder } = await held();
      await leases.step(holder, watch, step());
      await store.deleteAccount(watch.accountId);
      expect(await leases.renew(holder, [], NOW + HELD_MS)).toEqual([]);
      expect(await leases.step(holder, watch, step({ from: 'second', position: 'third' }))).toBe(false);
      expect(await store.deliveries(watch)).toEqual([]);
    });

    it('keeps a watch that ended long ago until its deliveries have arrived', async () => {
      const { watch, holder } = await held();
      await leases.step(holder, watch, step());
      await store.change(watch, 'ended');
      expect(await leases.forget(NOW + 1, 10)).toBe(0);
      expect(await store.deliveries(watch)).toHaveLength(1);
      await store.deliver(watch);
      expect(await leases.forget(NOW + 1, 10)).toBe(1);
    });

    it('deletes watches that ended long ago, and no others', async () => {
      const { watch, holder } = await held();
      const [ended, paused] = [await store.add(), await store.add()];
      await leases.step(holder, watch, step());
      await store.deliver(watch);
      await store.change(watch, 'ended');
      await store.change(ended, 'ended');
      await store.change(paused, 'paused');
      expect(await leases.forget(NOW, 10)).toBe(0);
      expect(await leases.forget(NOW + 1, 1)).toBe(1);
      expect(await leases.forget(NOW + 1, 10)).toBe(1);
      expect(await store.read(watch)).toEqual({});
      expect(await store.deliveries(watch)).toEqual([]);
      expect(await store.read(paused)).toMatchObject({ state: 'paused' });
    });
  });
}
