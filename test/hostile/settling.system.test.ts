/** One customer's locked wallet must not affect the others. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Transaction } from '../../adapters/postgres/sql.js';
import { openSettlingService, type SettlingCustomer, type SettlingService } from './settling-service.js';

const READ = '/v1/users/user1';
const many = <T>(count: number, make: (nth: number) => T): T[] => Array.from({ length: count }, (_, nth) => make(nth));

/** The time of the quickest of some reads, all of which must be answered. */
async function quickestRead(customer: SettlingCustomer, reads: number): Promise<number> {
  let bestMs = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < reads; nth += 1) {
    const from = performance.now();
    expect((await customer.get(READ)).status).toBe(200);
    bestMs = Math.min(bestMs, performance.now() - from);
  }
  return bestMs;
}

const ROWS: Record<string, (tx: Transaction, customer: SettlingCustomer) => Promise<unknown>> = {
  wallet: (tx, { accountId }) => tx`select from wallets where account_id = ${accountId} for update`,
  key: (tx, { keyId }) => tx`select from keys where key_id = ${keyId} for update`,
  cap: (tx, { accountId }) => tx`select from spend_caps where account_id = ${accountId} for update`,
};

describe("a locked row of one customer's", () => {
  let service: SettlingService;
  let innocent: SettlingCustomer;
  beforeAll(async () => {
    service = await openSettlingService();
    innocent = await service.customer();
    await quickestRead(innocent, 3);
  });
  afterAll(async () => {
    expect(await service.check()).toEqual([]);
    await service.close();
  });

  it.each(Object.keys(ROWS))(
    '%s: others are served, and the customer gets its answers when the lock is released',
    async (row) => {
      const customer = await service.customer({ cap: 900 });
      expect((await customer.get(READ)).status).toBe(200);
      const release = await service.lock((tx) => ROWS[row]?.(tx, customer) ?? Promise.reject(new Error(row)));
      let answered = 0;
      const waiting = many(5, async () => {
        const reply = await customer.get(READ);
        answered += 1;
        return reply.status;
      });
      await sleep(1_000);
      expect(await quickestRead(innocent, 30)).toBeLessThan(500);
      expect(answered).toBe(0);
      await release();
      expect(await Promise.all(waiting)).toEqual(many(5, () => 200));
      const { body } = await customer.get('/v1/me');
      expect(body.balance_remaining).toBe(997);
    },
  );

  it('forty at once: others are served, and a released one is answered before the rest', async () => {
    const customers = await Promise.all(many(40, () => service.customer()));
    for (const customer of customers) await customer.get(READ);
    const ids = customers.map(({ accountId }) => accountId);
    const [freed, ...others] = customers as [SettlingCustomer, ...SettlingCustomer[]];
    const letOne = await service.lock((tx) => ROWS.wallet?.(tx, freed) ?? Promise.reject(new Error('no row')));
    const letAll = await service.lock(
      (tx) => tx`select from wallets where account_id = any(${ids.slice(1)}::uuid[]) for update`,
    );
    const waiting = others.flatMap((customer) => many(3, () => customer.get(READ)));
    const last = freed.get(READ);
    await sleep(1_000);
    expect(await quickestRead(innocent, 30)).toBeLessThan(500);
    await letOne();
    expect((await last).status).toBe(200);
    await letAll();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(waiting.map(() => 200));
  });

  it('loses and doubles nothing when connections are killed', async () => {
    const customer = await service.customer();
    await customer.get(READ);
    const release = await service.lock((tx) => ROWS.wallet?.(tx, customer) ?? Promise.reject(new Error('no row')));
    const waiting = many(5, () => customer.get(READ));
    let paid = 0;
    for (let nth = 0; nth < 8; nth += 1) {
      await service.database.sql`
        select pg_terminate_backend(pid) from pg_stat_activity
        where application_name = 'perch settling' and datname = current_database()`;
      const reply = await innocent.get(READ);
      expect(reply.status).toBe(200);
      paid += 1;
      await sleep(50);
    }
    await release();
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual(many(5, () => 200));
    expect(paid).toBe(8);
    expect((await customer.get('/v1/me')).body.balance_remaining).toBe(997);
  });
});

describe('a wallet that stays locked', () => {
  let service: SettlingService;
  beforeAll(async () => {
    service = await openSettlingService({ env: { PERCH_DEADLINE_MS: '1500' } });
  });
  afterAll(() => service.close());

  it('ends its calls at their deadline: 503, free, and nothing is begun for them later (S13)', async () => {
    const customer = await service.customer();
    expect((await customer.get(READ)).status).toBe(200);
    const release = await service.lock((tx) => ROWS.wallet?.(tx, customer) ?? Promise.reject(new Error('no row')));
    const from = performance.now();
    const replies = await Promise.all(many(4, () => customer.get(READ)));
    // A second for work already begun, and ample room for a busy machine.
    expect(performance.now() - from).toBeLessThan(1_500 + 1_000 + 5_000);
    for (const { status, body, headers } of replies) {
      expect([status, body.error?.code, headers.get('retry-after')]).toEqual([503, 'upstream_error', '2']);
      expect(body.error?.message).toBe('This call did not finish within 1.5 s and was cancelled. Nothing was charged.');
    }
    await release();
    await sleep(500);
    expect((await customer.get('/v1/me')).body.balance_remaining).toBe(999);
    for (const { body } of replies) expect((await customer.get(`/v1/usage/${body.request_id}`)).status).toBe(404);
    expect(await service.check()).toEqual([]);
  });
});

describe('a wallet that two nodes charge at once', () => {
  let service: SettlingService;
  beforeAll(async () => {
    service = await openSettlingService({ nodes: 2 });
  });
  afterAll(() => service.close());

  it('serves both, charges each read once, and lets neither starve', async () => {
    const customer = await service.customer();
    for (const node of [0, 1]) await customer.on(node).get(READ);
    const counts = [0, 0];
    const lanes = many(16, async (worker) => {
      const node = customer.on(worker % 2);
      for (let nth = 0; nth < 30; nth += 1) {
        expect((await node.get(READ)).status).toBe(200);
        counts[worker % 2] = (counts[worker % 2] ?? 0) + 1;
      }
    });
    await Promise.all(lanes);
    expect(counts).toEqual([240, 240]);
    // Each node's first read costs the full price, unless the second node finds it cached.
    const { body } = await customer.get('/v1/me');
    expect([758, 758.5]).toContain(body.balance_remaining);
    expect(await service.check()).toEqual([]);
  });
});
