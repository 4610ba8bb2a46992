/** Sums of requests before they are written: by hour and kind, bounded, and kept while the database is down. */
import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { TrafficBook, type TrafficSample } from '../../../src/figures/traffic-book.js';
import type { LimitRow, TrafficRow } from '../../../src/ports/figures.js';

let rows: TrafficRow[] = [];
let limits: LimitRow[] = [];
let isAway = false;
beforeEach(() => {
  [rows, limits, isAway] = [[], [], false];
  now = Date.parse('2026-11-23T14:59:30Z');
});

let now = 0;

const open = (): TrafficBook =>
  new TrafficBook({
    operations: ['user'],
    clock: { now: () => now },
    newId: randomUUID,
    traffic: {
      async add(_batchId, newRows, newLimits) {
        if (isAway) throw new Error('the database is away');
        rows.push(...newRows);
        limits.push(...newLimits);
      },
    },
  });

const sample = (given: Partial<TrafficSample> = {}): TrafficSample => ({
  ...{ interface: 'rest', operation: 'user', status: 200, code: '', ms: 4, items: 1, cacheHits: 0, limit: null },
  ...given,
});

it('keeps one row per hour, interface, operation, status, code and time', async () => {
  const book = open();
  book.note(sample());
  book.note(sample({ items: 3, cacheHits: 2 }));
  for (const other of [{ interface: 'mcp' }, { status: 404 }, { code: 'not_found' }, { ms: 900 }] as const) {
    book.note(sample(other));
  }
  now += 60_000;
  book.note(sample());
  await book.flush();
  expect(rows[0]).toMatchObject({ hour: '2026-11-23T14:00:00Z', requests: 2, items: 4, cacheHits: 2 });
  expect(rows).toHaveLength(6);
  expect(rows.at(-1)).toMatchObject({ hour: '2026-11-23T15:00:00Z', requests: 1 });
});

it('sums up all names that callers choose as one operation, and missing names separately', async () => {
  const book = open();
  for (let n = 0; n < 100; n += 1) book.note(sample({ operation: `mine${n}`, interface: 'graphql' }));
  book.note(sample({ operation: null }));
  await book.flush();
  expect(rows.map(({ operation, requests }) => [operation, requests])).toEqual([
    ['graphql', 100],
    ['', 1],
  ]);
});

it('counts reached limits by account and day', async () => {
  const book = open();
  const limit = (name: string, accountId: string | null) => book.note(sample({ limit: { name, accountId } }));
  for (let n = 0; n < 3; n += 1) limit('rate_limited', 'ada');
  limit('key_cap', 'ada');
  limit('rate_limited', null);
  await book.flush();
  expect(limits.map(({ accountId, limit: name, refusals }) => [accountId, name, refusals])).toEqual([
    ['ada', 'rate_limited', 3],
    ['ada', 'key_cap', 1],
    [null, 'rate_limited', 1],
  ]);
});

it('writes rows of a failed flush once, before those of the next flush', async () => {
  const book = open();
  const met = sample({ status: 429, limit: { name: 'rate_limited', accountId: 'ada' } });
  book.note(met);
  isAway = true;
  await expect(book.flush()).rejects.toThrow('away');
  book.note(met);
  isAway = false;
  await book.flush();
  await book.flush();
  expect(rows.map(({ requests }) => requests)).toEqual([1, 1]);
  expect(limits.map(({ refusals }) => refusals)).toEqual([1, 1]);
});

it('drops new accounts, and still counts known ones, when there are more than it keeps', async () => {
  const book = open();
  const from = (n: number) => book.note(sample({ limit: { name: 'rate_limited', accountId: `account ${n}` } }));
  for (let n = 0; n < 6_000; n += 1) from(n);
  from(0);
  await book.flush();
  expect(limits).toHaveLength(5_000);
  expect(limits[0]?.refusals).toBe(2);
  expect(rows.map(({ requests }) => requests)).toEqual([6_001]);
});
