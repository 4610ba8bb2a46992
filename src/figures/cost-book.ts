import { type CostSums, isLoss, NO_COSTS, OWN_SUBSCRIPTIONS, plusCosts, toUsd, toWorthUsd } from '../domain/costs.js';
import { DAY_MS, utcDay } from '../lib/durations.js';
import type { Charge } from '../metering/receipt.js';
import type { Clock } from '../ports/clock.js';
import type { CostRow, Costs } from '../ports/figures.js';
import type { Network, UpstreamSpending } from '../ports/network.js';
import { SumBuffer } from './sum-buffer.js';

/** Stands for all other operations that are not persisted: callers choose their names, so there is no limit to them. */
const OTHERS = 'graphql';

/** Days that a warning covers, today included. */
export const WARNING_DAYS = 7;

/** Most rows that wait to be written: many days without a database. Further rows are only in the metrics. */
const MOST_WAITING = 1_000;

export interface CostBookOptions {
  readonly network: Pick<Network, 'name' | 'billing'>;
  /** Names of the persisted operations. */
  readonly operations: readonly string[];
  readonly costs: Costs;
  readonly clock: Clock;
  /** A new UUID v7. */
  readonly newId: () => string;
}

/** An operation whose price does not cover its cost. */
export interface Loss {
  readonly operation: string;
  readonly worthUsd: number;
  readonly costUsd: number;
  /** Share of the items that came from the cache, from 0 to 1. */
  readonly hitRate: number;
}

/**
 * Adds up in memory what reads earn and cost, by operation and UTC day, so that no read waits for a write. `flush`
 * writes the sums with one statement. These sums are not the ledger, which is exact.
 */
export class CostBook {
  readonly #options: CostBookOptions;
  readonly #operations: ReadonlySet<string>;
  readonly #sums: SumBuffer<{ rows: CostRow }>;
  #today = { fromMs: 0, day: '' };
  /** By operation, since the start. */
  readonly #totals = new Map<string, CostSums>();

  constructor(options: CostBookOptions) {
    this.#options = options;
    this.#operations = new Set([...options.operations, OWN_SUBSCRIPTIONS]);
    this.#sums = new SumBuffer<{ rows: CostRow }>({
      kinds: {
        rows: {
          keyOf: ({ day, operation }) => `${day} ${operation}`,
          plus: (before, row) => ({ ...before, ...plusCosts(before, row) }),
        },
      },
      most: MOST_WAITING,
      newId: options.newId,
      write: (batchId, { rows }) => options.costs.add(batchId, rows),
    });
  }

  /** Records the upstream calls that are made for an operation. */
  spendingOf(operation: string): UpstreamSpending {
    return {
      called: () => this.#add(operation, { calls: 1 }),
      billed: ({ kind, items }, calls) => {
        const { billing } = this.#options.network;
        if (billing === null) return;
        const price = Math.round(billing.usd[kind] * 1e6);
        const cost = (billing.per === 'item' ? items : calls) * price;
        this.#add(operation, kind === 'tweet' ? { tweets: items, cost } : { users: items, cost });
      },
    };
  }

  /** Records an answer, paid or free. */
  delivered(operation: string, { items, cacheHits, amount }: Charge): void {
    this.#add(operation, { answers: 1, items, cacheHits, charged: amount });
  }

  get totals(): ReadonlyMap<string, CostSums> {
    return this.#totals;
  }

  /** Writes the waiting rows. If that fails, they keep waiting. */
  flush(): Promise<void> {
    return this.#sums.flush();
  }

  /** Operations that lost money in the last `WARNING_DAYS`. Each is returned to one process only, once a day. */
  async newLosses(): Promise<Loss[]> {
    const { costs, clock, network } = this.#options;
    const today = clock.now();
    const rows = await costs.read(utcDay(today - (WARNING_DAYS - 1) * DAY_MS));
    const { usdPerCredit } = await costs.creditPrice();
    const losses: Loss[] = [];
    for (const [operation, sums] of sumsByOperation(rows.filter((row) => row.network === network.name))) {
      if (!isLoss(sums, usdPerCredit)) continue;
      if (!(await costs.claimWarning(utcDay(today), network.name, operation))) continue;
      const hitRate = sums.items === 0 ? 0 : sums.cacheHits / sums.items;
      losses.push({ operation, worthUsd: toWorthUsd(sums, usdPerCredit), costUsd: toUsd(sums.cost), hitRate });
    }
    return losses;
  }

  #add(name: string, sums: Partial<CostSums>): void {
    const operation = this.#operations.has(name) ? name : OTHERS;
    this.#totals.set(operation, plusCosts(this.#totals.get(operation) ?? NO_COSTS, sums));
    const now = this.#options.clock.now();
    if (now < this.#today.fromMs || now >= this.#today.fromMs + DAY_MS) {
      this.#today = { fromMs: now - (now % DAY_MS), day: utcDay(now) };
    }
    const { day } = this.#today;
    const { name: network } = this.#options.network;
    this.#sums.add('rows', { day, network, operation, ...plusCosts(NO_COSTS, sums) });
  }
}

/** The sums of each operation over all days. */
function sumsByOperation(rows: readonly CostRow[]): Map<string, CostSums> {
  const sums = new Map<string, CostSums>();
  for (const row of rows) sums.set(row.operation, plusCosts(sums.get(row.operation) ?? NO_COSTS, row));
  return sums;
}
