import { describe, expect, it } from 'vitest';
import { costsReport } from '../../adapters/cli/commands/costs.js';
import type { CostRow } from '../../src/ports/figures.js';

const row = (day: string, operation: string, more: Partial<CostRow> = {}): CostRow => ({
  ...{ day, network: 'x', operation, answers: 10, items: 200, cacheHits: 50, charged: 175_000 },
  ...{ calls: 8, tweets: 150, users: 0, cost: 750_000 },
  ...more,
});

const ROWS = [
  row('2026-11-22', 'search'),
  row('2026-11-23', 'search'),
  row('2026-11-23', 'user', { tweets: 0, users: 2, charged: 200_000, cost: 20_000 }),
];
const report = (daily: boolean) =>
  costsReport(ROWS, { from: '2026-11-17', price: { usdPerCredit: 0.001, from: 'sales' }, daily });

describe('perch costs', () => {
  it('adds up the days, highest cost first, and marks operations that make a loss', () => {
    expect(report(false).text().split('\n')).toEqual([
      'Since 2026-11-17 (UTC):',
      '',
      'operation  responses  items  cached  credits  calls  tweets  profiles  worth  cost',
      'search            20    400  25%         350     16     300         0  $0.35  $1.50  LOSS: its price does not cover its cost',
      'user              10    200  25%         200      8       0         2  $0.20  $0.02',
      '',
      'A credit is counted as $1 per 1,000: the average of what was sold.',
    ]);
  });

  it('shows each day', () => {
    expect(report(true).result.rows.map((each) => [each.day, each.operation, each.cost_usd, each.loss])).toEqual([
      ['2026-11-22', 'search', 0.75, true],
      ['2026-11-23', 'search', 0.75, true],
      ['2026-11-23', 'user', 0.02, false],
    ]);
  });

  it('says so when there is nothing', () => {
    const none = costsReport([], { from: '2026-11-17', price: { usdPerCredit: 0.001, from: 'packs' }, daily: false });
    expect(none.text()).toMatch(/^No reads since 2026-11-17/);
  });
});
