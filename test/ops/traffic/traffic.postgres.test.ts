/** Sums of requests in a real database. */
import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createTraffic } from '../../../adapters/postgres/figures/traffic.js';
import { percentileOf } from '../../../src/domain/traffic.js';
import { TrafficBook } from '../../../src/figures/traffic-book.js';
import { DAY_MS, HOUR_MS, utcDay } from '../../../src/lib/durations.js';
import type { LimitRow, TrafficRow } from '../../../src/ports/figures.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { losingFirstAnswer } from '../../kit/postgres/lost-answer.js';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.sql`truncate traffic_hours, limits_met`);

const NOW = Date.now();
const hour = (ago: number): string => `${new Date(NOW - ago * HOUR_MS).toISOString().slice(0, 13)}:00:00Z`;

const row = (given: Partial<TrafficRow> = {}): TrafficRow => ({
  ...{ hour: hour(0), interface: 'rest', operation: 'user', status: 200, code: '', bucket: 3 },
  ...{ requests: 5, items: 5, cacheHits: 2 },
  ...given,
});
const met = (given: Partial<LimitRow> = {}): LimitRow => ({
  ...{ day: utcDay(NOW), accountId: null, limit: 'rate_limited', refusals: 1, ...given },
});

it('adds up what processes write at once', async () => {
  const rows = [row(), row({ bucket: 9, requests: 1 }), row({ interface: 'mcp', status: 404, code: 'not_found' })];
  const all = Array.from({ length: 4 }, () => createTraffic(database.sql));
  await Promise.all(
    all.flatMap((traffic) => Array.from({ length: 5 }, () => traffic.add(randomUUID(), rows, [met()]))),
  );
  const { operations, statuses, limits } = await createTraffic(database.sql).read(hour(1), { limits: 10 });
  expect(operations.map(({ buckets: _, ...sums }) => sums)).toEqual([
    { interface: 'rest', operation: 'user', requests: 120, refused: 0, items: 200, cacheHits: 80 },
    { interface: 'mcp', operation: 'user', requests: 100, refused: 100, items: 100, cacheHits: 40 },
  ]);
  expect(operations[0]?.buckets[3]).toBe(100);
  expect(percentileOf(operations[0]?.buckets ?? [], 0.99)).toBeGreaterThan(
    percentileOf(operations[0]?.buckets ?? [], 0.5) ?? 0,
  );
  expect(statuses).toEqual([
    { interface: 'rest', status: 200, code: '', requests: 120 },
    { interface: 'mcp', status: 404, code: 'not_found', requests: 100 },
  ]);
  expect(limits).toEqual([
    { accountId: null, account: null, limit: 'rate_limited', refusals: 20, lastDay: utcDay(NOW) },
  ]);
});

it('returns hours in order, within the requested range', async () => {
  const traffic = createTraffic(database.sql);
  await traffic.add(randomUUID(), [row(), row({ hour: hour(2) }), row({ hour: hour(30) })], []);
  const { hours, operations } = await traffic.read(hour(5), { limits: 10 });
  expect(hours.map((each) => [each.hour, each.interface, each.requests])).toEqual([
    [hour(2), 'rest', 5],
    [hour(0), 'rest', 5],
  ]);
  expect(operations.map(({ requests }) => requests)).toEqual([10]);
});

it('lists the accounts with the most refusals first, up to the limit', async () => {
  const traffic = createTraffic(database.sql);
  const { accountId } = await createAccounts(database.sql).create({
    ...{ name: 'Ada', email: null, paidUsd: 0, qpsOverride: null },
  });
  const gone = randomUUID();
  await traffic.add(
    randomUUID(),
    [],
    [
      met(),
      met({ accountId, refusals: 9 }),
      met({ accountId, day: utcDay(NOW - DAY_MS), refusals: 4 }),
      met({ accountId: gone, refusals: 2 }),
    ],
  );
  const { limits } = await traffic.read(hour(48), { limits: 2 });
  expect(limits).toEqual([
    { accountId, account: 'Ada', limit: 'rate_limited', refusals: 13, lastDay: utcDay(NOW) },
    { accountId: gone, account: null, limit: 'rate_limited', refusals: 2, lastDay: utcDay(NOW) },
  ]);
});

it('drops rows older than a month when new ones are written', async () => {
  const traffic = createTraffic(database.sql);
  await traffic.add(randomUUID(), [row({ hour: hour(32 * 24) })], [met({ day: utcDay(NOW - 32 * DAY_MS) })]);
  await traffic.add(randomUUID(), [row()], [met()]);
  const [left] = await database.sql`
    select (select count(*) from traffic_hours)::int as rows, (select count(*) from limits_met)::int as limits`;
  expect(left).toEqual({ rows: 1, limits: 1 });
});

it('counts a batch once when its acknowledgement is lost', async () => {
  const traffic = losingFirstAnswer(createTraffic(database.sql));
  const book = new TrafficBook({ traffic, operations: ['user'], clock: { now: () => NOW }, newId: v7 });
  const note = (): void =>
    book.note({
      ...{ interface: 'rest', operation: 'user', status: 429, code: 'rate_limited', ms: 4, items: 0, cacheHits: 0 },
      limit: { name: 'rate_limited', accountId: null },
    });
  note();
  await expect(book.flush()).rejects.toThrow('lost');
  note();
  await book.flush();
  const { operations, limits } = await traffic.read(hour(1), { limits: 10 });
  expect(operations).toMatchObject([{ operation: 'user', requests: 2 }]);
  expect(limits).toMatchObject([{ limit: 'rate_limited', refusals: 2 }]);
});
