import { type ErrorCode, isUnreadable, type ServiceError } from '../../domain/errors.js';
import type { Family } from '../../domain/model.js';
import type { SessionHealth } from './session.js';

/** Counters of one family of reads since the start. */
export interface FamilyCounts {
  upstreamCalls: number;
  failures: number;
  /** Objects that could not be read. They do not count as failures of the network. */
  unreadable: number;
  /** Lookups answered from the cache, and lookups that went to the network. */
  cacheHits: number;
  read: number;
  /**
   * Reads refused at once, because they could not have been made in time or their account was over its share of the
   * queue.
   */
  refused: number;
  /** Total milliseconds that reads waited for their turn, and that calls took. */
  waitedMs: number;
  readMs: number;
  lastIncident: { at: number; code: ErrorCode; message: string } | null;
  /** True when the last call of the family failed. */
  failing: boolean;
}

/** How many calls of one kind a session has in flight, and how many it may have, as the network can serve them. */
export interface InFlightHealth {
  readonly session: string;
  readonly kind: string;
  readonly calls: number;
  readonly limit: number;
}

export interface FamilyHealth extends Readonly<FamilyCounts> {
  /** Reads that wait for a turn. */
  readonly waiting: number;
  /** Estimated milliseconds that a new read would wait, for an account with nothing waiting. */
  readonly waitMs: number;
  /** For each session, and each kind that was read with it. */
  readonly inFlight: readonly InFlightHealth[];
}

export interface PoolHealth {
  readonly families: Readonly<Record<Family, FamilyHealth>>;
  readonly sessions: readonly SessionHealth[];
}

export const newCounts = (): FamilyCounts => ({
  upstreamCalls: 0,
  failures: 0,
  unreadable: 0,
  cacheHits: 0,
  read: 0,
  refused: 0,
  waitedMs: 0,
  readMs: 0,
  lastIncident: null,
  failing: false,
});

/** Failures that concern the network, not the request. */
const TROUBLE: ReadonlySet<ErrorCode> = new Set([
  'upstream_rate_limited',
  'no_account',
  'upstream_error',
  'request_rejected',
  'query_id_stale',
]);

export const isTrouble = (failure: ServiceError): boolean => TROUBLE.has(failure.code) && !isUnreadable(failure);

export function noteFailure(counts: FamilyCounts, failure: ServiceError, at: number): void {
  if (!isTrouble(failure)) return;
  counts.failures += 1;
  counts.failing = true;
  counts.lastIncident = { at, code: failure.code, message: failure.message };
}
