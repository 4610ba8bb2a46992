import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CostBook } from '../../../src/figures/cost-book.js';
import type { Charge } from '../../../src/metering/receipt.js';
import type { CostRow, Costs } from '../../../src/ports/figures.js';
import type { NetworkBilling } from '../../../src/ports/network.js';

const charge = (amount: number, items: number, cacheHits = 0): Charge => ({
  amount,
  items,
  cacheHits,
  cache: 'miss',
  lines: [],
  ledgerLines: [],
});

/** A store that keeps what it is given, and fails as often as it is told. */
function bookOf(per: NetworkBilling['per'] | null = 'item') {
  const written: CostRow[][] = [];
  const warned = new Set<string>();
  const at = { nowMs: Date.parse('2026-11-23T23:59:00Z'), failures: 0, readFrom: '' };
  const costs: Costs = {
    async add(_batchId, rows) {
      if (at.failures-- > 0) throw new Error('The database is away.');
      written.push([...rows]);
    },
    async read(from) {
      at.readFrom = from;
      return written.flat();
    },
    creditPrice: async () => ({ usdPerCredit: 0.001, from: 'packs' }),
    claimWarning: async (day, network, operation) => {
      const key = `${day} ${network} ${operation}`;
      return !warned.has(key) && Boolean(warned.add(key));
    },
  };
  const network = { name: 'x', billing: per === null ? null : { per, usd: { tweet: 0.005, user: 0.01 } } };
  const clock = { now: () => at.nowMs };
  const book = new CostBook({ network, operations: ['user', 'search'], costs, clock, newId: randomUUID });
  return { book, written, at };
}

const sumsOf = ({ answers, items, cacheHits, charged, calls, tweets, users, cost }: CostRow) => ({
  ...{ answers, items, cacheHits, charged, calls, tweets, users, cost },
});

describe('costs and earnings of reads', () => {
  it('are added up by operation and UTC day, and written at once', async () => {
    const { book, written, at } = bookOf();
    const spending = book.spendingOf('search');
    spending.called();
    spending.billed({ kind: 'tweet', items: 100 }, 1);
    spending.billed({ kind: 'user', items: 2 }, 0);
    book.delivered('search', charge(20_000, 20, 5));
    at.nowMs += 120_000;
    book.delivered('search', charge(500, 1, 1));
    book.delivered('user', charge(0, 0));
    expect(written).toEqual([]);
    await book.flush();
    await book.flush();
    expect(written).toHaveLength(1);
    expect(written[0]?.map((row) => [row.day, row.network, row.operation, sumsOf(row)])).toEqual([
      [
        '2026-11-23',
        'x',
        'search',
        { answers: 1, items: 20, cacheHits: 5, charged: 20_000, calls: 1, tweets: 100, users: 2, cost: 520_000 },
      ],
      [
        '2026-11-24',
        'x',
        'search',
        { answers: 1, items: 1, cacheHits: 1, charged: 500, calls: 0, tweets: 0, users: 0, cost: 0 },
      ],
      [
        '2026-11-24',
        'x',
        'user',
        { answers: 1, items: 0, cacheHits: 0, charged: 0, calls: 0, tweets: 0, users: 0, cost: 0 },
      ],
    ]);
  });

  it('have one row for all operations that are not persisted', () => {
    const { book } = bookOf();
    for (let n = 0; n < 1000; n += 1) book.delivered(`Mine${n}`, charge(1000, 1));
    expect([...book.totals.keys()]).toEqual(['graphql']);
    expect(book.totals.get('graphql')?.charged).toBe(1_000_000);
  });

  it('wait while the database is away, and are complete afterwards', async () => {
    const { book, written, at } = bookOf();
    at.failures = 1;
    book.delivered('user', charge(1000, 1));
    await expect(book.flush()).rejects.toThrow('away');
    book.delivered('user', charge(1000, 1));
    await book.flush();
    expect(written.flat().map(({ answers, charged }) => [answers, charged])).toEqual([
      [1, 1000],
      [1, 1000],
    ]);
  });

  it('count each call once if the network bills calls, however many reads share it', () => {
    const { book } = bookOf('call');
    book.spendingOf('user').billed({ kind: 'user', items: 3 }, 1);
    book.spendingOf('search').billed({ kind: 'user', items: 2 }, 0);
    expect([book.totals.get('user')?.cost, book.totals.get('search')?.cost]).toEqual([10_000, 0]);
  });

  it('are added to the day of the clock, even if that was set back over midnight', async () => {
    const { book, written, at } = bookOf();
    const days = [
      '2026-11-23T23:59:59.999Z',
      '2026-11-24T00:00:00.000Z',
      '2026-11-23T23:59:59.999Z',
      '2026-11-25T00:00:00Z',
    ];
    for (const day of days) {
      at.nowMs = Date.parse(day);
      book.delivered('user', charge(1000, 1));
    }
    await book.flush();
    expect(written.flat().map(({ day, answers }) => [day, answers])).toEqual([
      ['2026-11-23', 2],
      ['2026-11-24', 1],
      ['2026-11-25', 1],
    ]);
  });

  it('count nothing as billed if the network bills nothing', async () => {
    const { book, written } = bookOf(null);
    book.spendingOf('user').billed({ kind: 'user', items: 3 }, 1);
    expect(book.totals.size).toBe(0);
    await book.flush();
    expect(written).toEqual([]);
  });

  it('keep at most 1,000 rows while the database is away, and continue with those', async () => {
    const { book, written, at } = bookOf();
    for (let day = 0; day < 1_005; day += 1) {
      book.delivered('user', charge(1000, 1));
      at.nowMs += 86_400_000;
    }
    at.nowMs -= 1_005 * 86_400_000;
    book.delivered('user', charge(1000, 1));
    await book.flush();
    expect(written[0]).toHaveLength(1_000);
    expect(written[0]?.[0]?.answers).toBe(2);
    expect(book.totals.get('user')?.answers).toBe(1_006);
  });

  it('warn about the last seven days of their own network, reads that delivered nothing included', async () => {
    const { book, written, at } = bookOf();
    const sums = { answers: 0, items: 0, cacheHits: 0, charged: 0, calls: 1, tweets: 0, users: 10, cost: 100_000 };
    written.push([
      { day: '2026-11-22', network: 'x', operation: 'user', ...sums },
      { day: '2026-11-23', network: 'x', operation: 'user', ...sums },
      { day: '2026-11-23', network: 'mastodon', operation: 'search', ...sums },
    ]);
    expect(await book.newLosses()).toEqual([{ operation: 'user', worthUsd: 0, costUsd: 0.2, hitRate: 0 }]);
    expect(at.readFrom).toBe('2026-11-17');
  });

  it('warn once a day about an operation whose price does not cover its cost, and about no other', async () => {
    const { book, at } = bookOf();
    book.spendingOf('search').billed({ kind: 'tweet', items: 100 }, 1);
    book.delivered('search', charge(400_000, 400, 300));
    book.spendingOf('user').billed({ kind: 'user', items: 1 }, 1);
    book.delivered('user', charge(11_000, 11));
    await book.flush();
    expect(await book.newLosses()).toEqual([{ operation: 'search', worthUsd: 0.4, costUsd: 0.5, hitRate: 0.75 }]);
    expect(await book.newLosses()).toEqual([]);
    at.nowMs += 86_400_000;
    expect(await book.newLosses()).toHaveLength(1);
  });
});
