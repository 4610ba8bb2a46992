import { type CostSums, NO_COSTS, plusCosts, toUsd, toWorthUsd } from '../domain/costs.js';
import { DAY_MS, utcDay } from '../lib/durations.js';
import type { CostRow, Costs, CreditPrice } from '../ports/figures.js';
import type { MoneyTotals, OperatorStore, RevenueRow } from '../ports/operator.js';

/** First and last UTC day, both included: `2026-11-23`. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** Income and cost of one UTC day. */
export interface DayFigures extends CostSums {
  readonly day: string;
  readonly sales: number;
  /** Paid for packs that day, before refunds. */
  readonly paidUsd: number;
  /** The value of the credits spent that day, and the cost of its reads by the network's price list. */
  readonly worthUsd: number;
  readonly costUsd: number;
}

/** The whole service in figures, for its operator. */
export interface ServiceFigures {
  readonly days: Days;
  /** Since the beginning. */
  readonly totals: MoneyTotals;
  readonly price: CreditPrice;
  /** Of the requested days. */
  readonly revenue: readonly RevenueRow[];
  readonly reads: readonly CostRow[];
}

export interface FiguresStores {
  readonly store: Pick<OperatorStore, 'money' | 'revenue'>;
  readonly costs: Pick<Costs, 'read' | 'creditPrice'>;
}

/** Reads sums only, so it takes as long for ten million charges as for ten. */
export async function readFigures({ store, costs }: FiguresStores, days: Days): Promise<ServiceFigures> {
  const [totals, price, revenue, rows] = await Promise.all([
    store.money(),
    costs.creditPrice(),
    store.revenue(days),
    costs.read(days.from),
  ]);
  return { days, totals, price, revenue, reads: rows.filter(({ day }) => day <= days.to) };
}

/** The last `count` days, today included. */
export const daysUntil = (nowMs: number, count: number): Days => ({
  from: utcDay(nowMs - (count - 1) * DAY_MS),
  to: utcDay(nowMs),
});

/** One row for each network and operation, greatest cost first. */
export function byOperation(rows: readonly CostRow[]): CostRow[] {
  const sums = new Map<string, CostRow>();
  for (const row of rows) {
    const key = `${row.network} ${row.operation}`;
    const before = sums.get(key);
    sums.set(key, before === undefined ? row : { ...before, ...plusCosts(before, row) });
  }
  return [...sums.values()].sort((one, other) => other.cost - one.cost || other.charged - one.charged);
}

/** One row for each day with any sales or reads, newest first. */
export function byDay({ revenue, reads, price }: ServiceFigures): DayFigures[] {
  const names = new Set([...revenue, ...reads].map(({ day }) => day));
  return [...names]
    .sort()
    .reverse()
    .map((day) => {
      const sold = revenue.filter((row) => row.day === day);
      const sums = reads.filter((row) => row.day === day).reduce<CostSums>(plusCosts, NO_COSTS);
      return {
        ...sums,
        day,
        sales: sold.reduce((sum, { sales }) => sum + sales, 0),
        paidUsd: sold.reduce((sum, { usd }) => sum + usd, 0),
        worthUsd: toWorthUsd(sums, price.usdPerCredit),
        costUsd: toUsd(sums.cost),
      };
    });
}

/** Share of the items that came from the cache, from 0 to 1. */
export const cacheHitRate = ({ items, cacheHits }: Pick<CostSums, 'items' | 'cacheHits'>): number =>
  items === 0 ? 0 : cacheHits / items;
