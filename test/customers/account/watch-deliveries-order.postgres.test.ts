/** Deliveries of a watch arrive one at a time, in order, none lost, whatever receivers answer and processes die. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { watchFigures } from '../../../adapters/postgres/customers/watch-figures.js';
import { Deliveries } from '../../../src/account/deliveries.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { DueWebhook } from '../../../src/ports/deliveries.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { type Watched, watched, watchingAccount } from './watched.js';

const WATCHES = 3;
const PROCESSES = 2;
const HOUR_MS = 3_600_000;

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database?.drop());

type Step =
  | { readonly do: 'write'; readonly watch: number }
  | { readonly do: 'answer'; readonly watch: number; readonly status: number | null }
  | { readonly do: 'advance'; readonly ms: number }
  | { readonly do: 'kill'; readonly process: number }
  | { readonly do: 'resume'; readonly watch: number };

const index = (count: number) => fc.nat({ max: count - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), watch: index(WATCHES) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      watch: index(WATCHES),
      status: fc.constantFrom(200, 200, 500, 503, 410, null),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.constantFrom(1_000, 31_000, 600_000, 13 * HOUR_MS),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('kill' as const), process: index(PROCESSES) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const), watch: index(WATCHES) }) },
);

/** Watches, their receivers, and the processes that send to them. */
class World {
  readonly #clock = manualClock();
  readonly #watches: Watched[] = [];
  readonly #processes: { deliveries: Deliveries; kill(): void }[] = [];
  readonly #statuses: (number | null)[] = Array.from({ length: WATCHES }, () => 200);
  readonly #sending = new Set<string>();
  #sent = 0;
  /** Ids of deliveries that a receiver has accepted. */
  readonly taken = new Set<string>();
  readonly faults: string[] = [];

  async open(): Promise<this> {
    for (let nth = 0; nth < WATCHES; nth++)
      this.#watches.push(
        await watched(database.sql, await watchingAccount(database.sql), `https://hooks.example/${nth}`),
      );
    for (let nth = 0; nth < PROCESSES; nth++) this.#processes.push(this.#process());
    return this;
  }

  #process() {
    const store = createDeliveries(database.sql);
    const ending = { isKilled: false };
    /** Makes calls of a killed process do nothing, so that it dies between a receiver's answer and recording it. */
    const unlessKilled =
      <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
      (...args: Args): Promise<T | undefined> =>
        ending.isKilled ? Promise.resolve(undefined) : call(...args);
    const deliveries = new Deliveries({
      store: {
        ...store,
        delivered: async (...args) => void (await unlessKilled(store.delivered)(...args)),
        failed: async (...args) => void (await unlessKilled(store.failed)(...args)),
        giveUp: async (...args) => void (await unlessKilled(store.giveUp)(...args)),
      },
      ...{ clock: this.#clock, time: processTime, secret: Buffer.alloc(32, 7), mail: null },
      webhooks: { send: (url, headers) => this.#receive(Number(url.at(-1)), (headers['webhook-id'] ?? '').slice(4)) },
      authUrl: () => 'https://perch.example',
      onFailure: (error) => void this.faults.push(String(error)),
    });
    const kill = () => {
      ending.isKilled = true;
    };
    return { deliveries, kill };
  }

  async #receive(watch: number, deliveryId: string) {
    const { watchId = '' } = this.#watches[watch] ?? {};
    if (this.#sending.has(watchId)) this.faults.push(`two at once of watch ${watch}`);
    this.#sending.add(watchId);
    this.#sent += 1;
    const early = await database.sql`
      select from deliveries earlier join deliveries this using (watch_id)
      where this.watch_id = ${watchId} and this.delivery_id = ${deliveryId} and earlier.number < this.number
        and earlier.due_at is not null`;
    if (early.length > 0) this.faults.push(`out of order in watch ${watch}`);
    await sleep(1);
    this.#sending.delete(watchId);
    const status = this.#statuses[watch] ?? null;
    if (status === 200) this.taken.add(deliveryId);
    return { status, excerpt: null, fault: null };
  }

  async run(one: Step): Promise<void> {
    if (one.do === 'write') await this.#watches[one.watch]?.write(this.#clock.now());
    if (one.do === 'answer') this.#statuses[one.watch] = one.status;
    if (one.do === 'advance') this.#clock.advance(one.ms);
    if (one.do === 'resume') await this.#resume(one.watch);
    if (one.do === 'kill') {
      const [killed] = this.#processes.splice(one.process, 1, this.#process());
      killed?.kill();
      await killed?.deliveries.run();
    }
    await this.#settle();
  }

  async #resume(watch: number): Promise<void> {
    const one = this.#watches[watch];
    if ((await one?.state())?.reason === 'undelivered') await one?.resume(this.#clock.now());
  }

  /** Runs deliveries until nothing is due or being sent. */
  async #settle(): Promise<void> {
    for (let before = -1; ; before = this.#sent) {
      const runs = this.#processes.flatMap(({ deliveries }) =>
        this.#watches.map(({ accountId }) => deliveries.runSoon(accountId)),
      );
      await Promise.all(runs);
      const due = await database.sql`
        select from deliveries where in_turn and due_at <= ${new Date(this.#clock.now())}
          and watch_id = any(${this.#watches.map(({ watchId }) => watchId)}::uuid[])`;
      if (due.length === 0 && this.#sent === before) return;
    }
  }

  /** Lets every receiver accept everything from now on, and resumes every watch. Returns all delivery ids. */
  async recover(): Promise<string[]> {
    this.#statuses.fill(200);
    for (let nth = 0; nth < WATCHES; nth++) await this.#resume(nth);
    await this.run({ do: 'advance', ms: 13 * HOUR_MS });
    const rows = await Promise.all(this.#watches.map((one) => one.rows()));
    return rows.flat().map(({ deliveryId }) => deliveryId);
  }
}

describe('deliveries of watches', () => {
  it('arrive in order, one at a time, and none is lost', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world = await new World().open();
        for (const one of steps) await world.run(one);
        const written = await world.recover();
        expect(world.faults).toEqual([]);
        expect(written.filter((id) => !world.taken.has(id))).toEqual([]);
      }),
      { numRuns: 25, interruptAfterTimeLimit: 60_000, markInterruptAsFailure: false },
    );
  }, 120_000);

  it('are recorded together, and later if the watch is locked', async () => {
    const fresh = await freshDatabase();
    const { sql } = fresh;
    const store = createDeliveries(sql);
    const nowMs = Date.now();
    const account = await watchingAccount(sql);
    const all = await Promise.all(Array.from({ length: 4 }, (_, nth) => watched(sql, account, `https://hooks/${nth}`)));
    for (const one of all) for (let times = 0; times < 2; times += 1) await one.write(nowMs);
    const due = await store.dueWebhooks(nowMs, null, 1, 16);
    const claimed = await store.claim(due, nowMs, nowMs + 30_000);
    expect(claimed.map(({ number }) => number)).toEqual([1, 1, 1, 1]);
    const [locked, failing] = all as [Watched, Watched];
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from watches where watch_id = ${locked.watchId} for update`;
    const written = claimed.map((one) =>
      one.watchId === failing.watchId
        ? store.failed(one, nowMs, { status: 503, excerpt: 'busy', fault: null }, nowMs + 5_000)
        : store.delivered(one, nowMs, { status: 200, excerpt: `of ${one.watchId}`, fault: null }),
    );
    const states = async (one: Watched) =>
      (await one.rows()).map(({ deliveredAt, inTurn, status }) => [deliveredAt !== null, inTurn, status]);
    const passed = [
      [true, true, 200],
      [false, true, null],
    ];
    await expect.poll(() => Promise.all(all.slice(2).map(states))).toEqual([passed, passed]);
    const waiting = [
      [false, true, null],
      [false, false, null],
    ];
    expect(await states(locked)).toEqual(waiting);
    await holder`rollback`;
    holder.release();
    await Promise.all(written);
    expect(await states(locked)).toEqual(passed);
    expect(await states(failing)).toEqual([
      [false, true, 503],
      [false, false, null],
    ]);
    await fresh.drop();
  });

  it('are kept past their age while they are on their way, and the next one follows', async () => {
    const fresh = await freshDatabase();
    const { sql } = fresh;
    const store = createDeliveries(sql);
    const nowMs = Date.now();
    const one = await watched(sql, await watchingAccount(sql), 'https://hooks.example/1');
    for (const ageDays of [32, 31, 1]) await one.write(nowMs - ageDays * 24 * HOUR_MS);
    const forget = () => store.forget(nowMs - 30 * 24 * HOUR_MS, 0, 10);
    const take = async () => store.claim(await store.dueWebhooks(nowMs, null, 1, 16), nowMs, nowMs + 30_000);
    const numbers = async () => (await one.rows()).map(({ number }) => number);
    expect(await forget()).toBe(0);
    const [first] = (await take()) as [DueWebhook];
    await store.delivered(first, nowMs, { status: 200, excerpt: null, fault: null });
    expect(await forget()).toBe(1);
    const [second] = (await take()) as [DueWebhook];
    expect(second.number).toBe(2);
    await store.giveUp(second, nowMs, { status: 500, excerpt: null, fault: null }, () => []);
    expect(await forget()).toBe(1);
    expect(await numbers()).toEqual([3]);
    await one.resume(nowMs);
    expect((await take()).map(({ number }) => number)).toEqual([3]);
    await fresh.drop();
  });

  it('are forgotten with age behind one that was given up, but not while the watch is being resumed', async () => {
    const fresh = await freshDatabase();
    const { sql } = fresh;
    const store = createDeliveries(sql);
    const nowMs = Date.now();
    const one = await watched(sql, await watchingAccount(sql), 'https://hooks.example/1');
    for (const ageDays of [33, 32, 31]) await one.write(nowMs - ageDays * 24 * HOUR_MS);
    const forget = () => store.forget(nowMs - 30 * 24 * HOUR_MS, 0, 10);
    const [first] = await store.claim(await store.dueWebhooks(nowMs, null, 1, 16), nowMs, nowMs + 30_000);
    await store.giveUp(first as DueWebhook, nowMs, { status: 500, excerpt: null, fault: null }, () => []);
    const holder = await sql.reserve();
    await holder`begin`;
    await holder`select from watches where watch_id = ${one.watchId} for update`;
    expect(await forget()).toBe(0);
    await holder`rollback`;
    holder.release();
    expect(await forget()).toBe(3);
    await fresh.drop();
  });

  it('are counted while they wait, with the age of the most overdue one', async () => {
    const fresh = await freshDatabase();
    const { sql } = fresh;
    const one = await watched(sql, await watchingAccount(sql), 'https://hooks.example/1');
    const watches = [{ state: 'active', reason: null, count: 1 }];
    expect(await watchFigures(sql)).toEqual({ waiting: 0, overdueSeconds: 0, watches });
    const nowMs = Date.now();
    for (const atMs of [nowMs - 300_000, nowMs - 200_000]) await one.write(atMs);
    expect((await watchFigures(sql)).overdueSeconds).toBeCloseTo((Date.now() - nowMs) / 1000 + 300, -1);
    const store = createDeliveries(sql);
    const [first] = await store.claim(await store.dueWebhooks(nowMs, null, 1, 16), nowMs, nowMs + 30_000);
    expect(await watchFigures(sql)).toEqual({ waiting: 2, overdueSeconds: 0, watches });
    if (first !== undefined) await store.delivered(first, nowMs - 60_000, { status: 200, excerpt: null, fault: null });
    expect(await watchFigures(sql)).toMatchObject({ waiting: 1, overdueSeconds: expect.closeTo(60, -1) });
    await fresh.drop();
  });
});
