import type { CostSums } from '../domain/costs.js';
import type { Family } from '../domain/model.js';
import type { Incident, StatusDay, Trouble } from '../domain/status-history.js';
import type { TrafficInterface, TrafficSums } from '../domain/traffic.js';

/** A minute with trouble. */
export interface BadMinute {
  /** Its begin, Unix milliseconds. */
  readonly minute: number;
  readonly family: Family;
  readonly trouble: Trouble;
  readonly calls: number;
  readonly failures: number;
}

export interface StatusHistory {
  /**
   * Adds to what other processes have written, all rows or none; nothing if a batch with this id (a UUID) was added
   * before.
   */
  add(batchId: string, days: readonly StatusDay[], minutes: readonly BadMinute[]): Promise<void>;
  /** The days from this one on, in their order, and as many incidents, the newest first. */
  read(fromDay: string, incidents: number): Promise<{ days: StatusDay[]; incidents: Incident[] }>;
}

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

/** Requests of one UTC hour (`2026-11-23T14:00:00Z`) that came, ended and took the same. */
export interface TrafficRow {
  readonly hour: string;
  readonly interface: TrafficInterface;
  /** A persisted operation, `graphql` for all others, or the empty text where no operation was determined. */
  readonly operation: string;
  /** Of HTTP; 0: the caller left. */
  readonly status: number;
  /** The error code, or the empty text. */
  readonly code: string;
  readonly bucket: number;
  readonly requests: number;
  readonly items: number;
  readonly cacheHits: number;
}

/** Refusals by a limit, on one UTC day (`2026-11-23`). */
export interface LimitRow {
  readonly day: string;
  /** Null: callers without a valid key. */
  readonly accountId: string | null;
  readonly limit: string;
  readonly refusals: number;
}

export interface HourTraffic extends TrafficSums {
  readonly hour: string;
  readonly interface: TrafficInterface;
}

export interface OperationTraffic extends TrafficSums {
  readonly interface: TrafficInterface;
  readonly operation: string;
}

export interface StatusTraffic {
  readonly interface: TrafficInterface;
  readonly status: number;
  readonly code: string;
  readonly requests: number;
}

/** Refusals of one account by one limit, over days. */
export interface MetLimit {
  readonly accountId: string | null;
  /** The account's name; null without an account. */
  readonly account: string | null;
  readonly limit: string;
  readonly refusals: number;
  /** The last day with one. */
  readonly lastDay: string;
}

/** The traffic of a time, summed up in different ways. */
export interface TrafficFigures {
  /** In order of time. */
  readonly hours: readonly HourTraffic[];
  /** Those with the most requests first. */
  readonly operations: readonly OperationTraffic[];
  readonly statuses: readonly StatusTraffic[];
  /** Those with the most refusals first, at most `limits`. */
  readonly limits: readonly MetLimit[];
}

export interface Traffic {
  /**
   * Adds to what is there, all rows or none; nothing if a batch with this id (a UUID) was added before. At most
   * one row for each key.
   */
  add(batchId: string, rows: readonly TrafficRow[], limits: readonly LimitRow[]): Promise<void>;
  /** From this hour on. */
  read(fromHour: string, most: { readonly limits: number }): Promise<TrafficFigures>;
}
