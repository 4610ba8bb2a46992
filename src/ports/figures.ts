import type { CostSums } from '../domain/costs.js';
import type { Thousandths } from '../domain/credits.js';
import type { Family } from '../domain/model.js';
import type { Incident, StatusDay, Trouble } from '../domain/status-history.js';
import type { TrafficInterface, TrafficSums } from '../domain/traffic.js';

/** A minute with trouble. */
export interface BadMinute {
  /** When it began, Unix milliseconds. */
  readonly minute: number;
  readonly family: Family;
  readonly trouble: Trouble;
  readonly calls: number;
  readonly failures: number;
}

export interface StatusHistory {
  /**
   * Adds to what other processes have written, either all rows or none. Does nothing if a batch with this id (a UUID)
   * was added before.
   */
  add(batchId: string, days: readonly StatusDay[], minutes: readonly BadMinute[]): Promise<void>;
  /** The days from `fromDay` on, in order, and at most `incidents` incidents, the newest first. */
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
  /**
   * The average price of the credits sold, less refunds and disputes; if none were sold, that of the pack with the lowest
   * price.
   */
  readonly from: 'sales' | 'packs';
}

/** What reads earned and cost, for the operator. */
export interface Costs {
  /**
   * Adds to the stored sums, either all rows or none. Does nothing if a batch with this id (a UUID) was added before.
   * There may be at most one row for each day, network and operation.
   */
  add(batchId: string, rows: readonly CostRow[]): Promise<void>;
  /** From this UTC day on, by day, network and operation. */
  read(fromDay: string): Promise<CostRow[]>;
  creditPrice(): Promise<CreditPrice>;
  /** True for the first process that asks on this day, so that only one of them warns about an operation. */
  claimWarning(day: string, network: string, operation: string): Promise<boolean>;
}

/** Sums over requests of one UTC hour (`2026-11-23T14:00:00Z`) of the same interface, operation, outcome and time. */
export interface TrafficRow {
  readonly hour: string;
  readonly interface: TrafficInterface;
  /** A persisted operation, `graphql` for all others, or the empty text where no operation was determined. */
  readonly operation: string;
  /** The HTTP status; 0 if the caller left. */
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

/** The traffic of a period, summed up in different ways. */
export interface TrafficFigures {
  /** In order of time. */
  readonly hours: readonly HourTraffic[];
  /** The one with the most requests first. */
  readonly operations: readonly OperationTraffic[];
  readonly statuses: readonly StatusTraffic[];
  /** The one with the most refusals first; at most `limits` of them. */
  readonly limits: readonly MetLimit[];
}

export interface Traffic {
  /**
   * Adds to the stored sums, either all rows or none. Does nothing if a batch with this id (a UUID) was added before.
   * There may be at most one row for each key.
   */
  add(batchId: string, rows: readonly TrafficRow[], limits: readonly LimitRow[]): Promise<void>;
  /** From this hour on. */
  read(fromHour: string, most: { readonly limits: number }): Promise<TrafficFigures>;
}

/**
 * An account's newest requests, for its members. Only for looking things up: unlike the ledger, it is bounded and
 * sampled.
 */

export interface LoggedRequest {
  readonly accountId: string;
  readonly requestId: string;
  /** When it ended, Unix milliseconds. */
  readonly at: number;
  readonly keyId: string | null;
  readonly interface: TrafficInterface;
  /** Null if no operation was determined. */
  readonly operation: string | null;
  /** 0: the caller left before the answer was sent. */
  readonly status: number;
  /** The error code of a refusal, or of the first field that failed; null if nothing failed. */
  readonly code: string | null;
  readonly message: string | null;
  /** Its method and as much of its URL as may be logged. */
  readonly requestLine: string;
  readonly ms: number;
  readonly charged: Thousandths;
}

/** Undefined members match everything. */
export interface RequestFilter {
  readonly keyId?: string | undefined;
  /** A status; `failed`: all requests that were not answered in full. */
  readonly status?: number | 'failed' | undefined;
  readonly operation?: string | undefined;
  /** Only requests that came before the one with this id. */
  readonly before?: string | undefined;
  readonly limit: number;
}

export interface RequestLog {
  /** Writes all rows or none; existing ones stay as they are. Deletes an account's oldest rows beyond its bound. */
  write(rows: readonly LoggedRequest[]): Promise<void>;
  /** The newest first. Bounded like the ledger's queries. */
  list(accountId: string, filter: RequestFilter, signal?: AbortSignal): Promise<LoggedRequest[]>;
  /** The names of the operations in the account's log, sorted. */
  operations(accountId: string, signal?: AbortSignal): Promise<string[]>;
  /** Deletes requests older than the given time. */
  forget(before: Date): Promise<void>;
}
