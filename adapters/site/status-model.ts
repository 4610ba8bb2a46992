import type { ErrorCode } from '../../src/core/errors.js';
import type { Family } from '../../src/core/model.js';

export type Health = 'ok' | 'degraded' | 'down';

/** One of the two paces at which the network is read. */
export interface FamilyStatus {
  readonly name: Family;
  readonly state: Health;
  /** How long a read that starts now waits for its turn, milliseconds. */
  readonly queueWaitMs: number;
  /** The last failure of the network since the start; `at` is RFC 3339. */
  readonly lastIncident: { readonly at: string; readonly code: ErrorCode; readonly message: string } | null;
  /** Share of items that were held already, 0 to 1; null before the first read. */
  readonly cacheHitRate: number | null;
}

/** `GET /status`: as JSON for a program, as a page for a person (H10). */
export interface StatusModel {
  readonly status: Health;
  readonly network: string;
  readonly database: { readonly ok: boolean };
  readonly families: readonly FamilyStatus[];
  /** RFC 3339. */
  readonly startedAt: string;
  readonly version: string;
}
