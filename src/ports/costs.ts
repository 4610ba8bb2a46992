import type { CostSums } from '../domain/costs.js';

/** The sums of one operation on one UTC day (`2026-11-23`), or over several. */
export interface CostRow extends CostSums {
  readonly day: string;
  readonly network: string;
  /** A persisted operation, or `graphql` for all others. */
  readonly operation: string;
}

/** What a credit is sold for. */
export interface CreditPrice {
  readonly usdPerCredit: number;
  /** The average of what was sold, refunds deducted; or, if nothing was, the pack with the lowest price. */
  readonly from: 'sales' | 'packs';
}

/** What reads earned and cost, for the operator. */
export interface Costs {
  /**
   * Adds to what is there, all rows or none; nothing if a batch with this id (a UUID) was added before. At most
   * one row for a day, network and operation.
   */
  add(batchId: string, rows: readonly CostRow[]): Promise<void>;
  /** From this UTC day on, by day, network and operation. */
  read(fromDay: string): Promise<CostRow[]>;
  creditPrice(): Promise<CreditPrice>;
  /** True for the first process that asks on this day: only one warns of an operation. */
  claimWarning(day: string, network: string, operation: string): Promise<boolean>;
}
