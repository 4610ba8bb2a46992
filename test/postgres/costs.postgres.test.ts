import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createCosts } from '../../adapters/postgres/figures/costs.js';
import { PACKS } from '../../src/domain/tiers.js';
import { CostBook } from '../../src/figures/cost-book.js';
import type { CostRow } from '../../src/ports/figures.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { losingFirstAnswer } from '../kit/postgres/lost-answer.js';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
beforeEach(() => database.sql`truncate read_costs, sales cascade`);
afterAll(() => database.drop());

const TODAY = new Date().toISOString().slice(0, 10);

const row = (operation: string, more: Partial<CostRow> = {}): CostRow => ({
  ...{ day: TODAY, network: 'x', operation, answers: 1, items: 20, cacheHits: 10, charged: 15_000 },
  ...{ calls: 1, tweets: 20, users: 3, cost: 130_000 },
  ...more,
});

it('adds to the sums of a day, even if processes write at once', async () => {
  const costs = createCosts(database.sql);
  const names = ['search', 'user', 'tweet'];
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      costs.add(
        randomUUID(),
        (n % 2 === 0 ? names : names.toReversed()).map((name) => row(name, { network: 'y' })),
      ),
    ),
  );
  const rows = await costs.read(TODAY);
  expect(rows.map(({ operation }) => operation)).toEqual(['search', 'tweet', 'user']);
  expect(rows[0]).toEqual({
    ...{ day: TODAY, network: 'y', operation: 'search', answers: 20, items: 400, cacheHits: 200, charged: 300_000 },
    ...{ calls: 20, tweets: 400, users: 60, cost: 2_600_000 },
  });
});

it('returns only the days in the range and drops days older than 400 days', async () => {
  const costs = createCosts(database.sql);
  await costs.add(randomUUID(), [row('user', { day: '2020-01-01' })]);
  await costs.add(randomUUID(), [row('user')]);
  expect(await costs.read('2000-01-01')).toHaveLength(1);
  expect(await costs.read('2999-01-01')).toEqual([]);
});

it('lets one process warn of an operation, once a day', async () => {
  const costs = createCosts(database.sql);
  await costs.add(randomUUID(), [row('search')]);
  const claims = await Promise.all([1, 2, 3].map(() => costs.claimWarning(TODAY, 'x', 'search')));
  expect(claims.filter(Boolean)).toHaveLength(1);
  expect(await costs.claimWarning(TODAY, 'x', 'user')).toBe(false);
});

it('values a credit at the average price of sold credits, without those of refunds and disputes', async () => {
  const costs = createCosts(database.sql);
  const lowest = Math.min(...PACKS.map(({ usd, credits }) => usd / credits));
  expect(await costs.creditPrice()).toEqual({ usdPerCredit: lowest, from: 'packs' });
  const { accountId } = await createAccounts(database.sql).create({
    name: 'a',
    email: null,
    paidUsd: 0,
    qpsOverride: null,
  });
  const sale = (usd: number, credits: number, state: string, refundedCents = 0, reversed = 0, shortfall = 0) =>
    database.sql`
      insert into sales (account_id, pack, usd, credits_thousandths, state, total_cents, refunded_cents,
        reversed_thousandths, shortfall_thousandths)
      values (${accountId}, 'a pack', ${usd}, ${credits * 1000}, ${state}, ${usd * 125}, ${refundedCents},
        ${reversed * 1000}, ${shortfall * 1000})`;
  await sale(10, 10_000, 'paid');
  await sale(600, 800_000, 'open');
  // With tax, 62.50 dollars were paid. 25 are refunded, and with them 40 % of the price and of the credits.
  await sale(50, 100_000, 'paid', 2500, 30_000, 10_000);
  expect(await costs.creditPrice()).toEqual({ usdPerCredit: 40 / 70_000, from: 'sales' });
  // Disputed: the credits are set aside, and nothing was refunded.
  await sale(50, 50_000, 'paid', 0, 50_000);
  expect(await costs.creditPrice()).toEqual({ usdPerCredit: 40 / 70_000, from: 'sales' });
});

it('counts a batch once when its acknowledgement is lost', async () => {
  const costs = losingFirstAnswer(createCosts(database.sql));
  const network = { name: 'x', billing: null };
  const book = new CostBook({ network, operations: ['user'], costs, clock: Date, newId: v7 });
  const free = { amount: 0, items: 3, cacheHits: 0, cache: 'miss', lines: [], ledgerLines: [] } as const;
  book.delivered('user', free);
  await expect(book.flush()).rejects.toThrow('lost');
  book.delivered('user', free);
  await book.flush();
  expect(await costs.read(TODAY)).toMatchObject([{ operation: 'user', answers: 2, items: 6 }]);
});
