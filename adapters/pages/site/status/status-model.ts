import type { ErrorCode } from '../../../../src/domain/errors.js';
import type { Family } from '../../../../src/domain/model.js';
import type { Incident, StatusDay } from '../../../../src/domain/status-history.js';

export type Health = 'ok' | 'degraded' | 'down';

/** One of the two families of reads, each with its own pace. Counts are those of this process since its start. */
export interface FamilyStatus {
  readonly name: Family;
  readonly state: Health;
  /** How long a read that starts now waits for its turn, in milliseconds. */
  readonly queueWaitMs: number;
  /** Reads that are waiting for a turn. */
  readonly queueLength: number;
  readonly upstreamCalls: number;
  /** How many of these calls failed because of the network. */
  readonly failures: number;
  /** Objects of the network that could not be read; they do not count as failures. */
  readonly unreadable: number;
  /** Reads refused at once, because they would miss their deadline or exceed their account's share of the queue. */
  readonly refused: number;
  /** The last failure of the network since the start; `at` is RFC 3339. */
  readonly lastIncident: { readonly at: string; readonly code: ErrorCode; readonly message: string } | null;
  /** Share of items that were cached, 0 to 1; null before the first read. */
  readonly cacheHitRate: number | null;
}

/** The state of one set of credentials that the network is read with. */
export interface SessionStatus {
  readonly name: string;
  /** `ok`: everything works; `limited`: some kinds of reads are closed; the session may also rest or fail. */
  readonly state: 'ok' | 'limited' | 'resting' | 'failing';
  /** What it can't read now: a kind of read, or `*` for all; `until` is RFC 3339. */
  readonly closed: readonly {
    readonly kind: string;
    readonly why: 'refused' | 'resting' | 'failing';
    readonly until: string;
  }[];
}

/** `GET /status`: as JSON for a program, as a page for a person. */
export interface StatusModel {
  readonly status: Health;
  readonly network: string;
  readonly database: { readonly ok: boolean };
  /** `since` is RFC 3339; null if Redis is not used. */
  readonly redis: { readonly state: 'up' | 'away' | 'not used'; readonly since: string | null };
  /** Processes that share Redis, including this one; null if Redis is not used. */
  readonly processes: number | null;
  readonly families: readonly FamilyStatus[];
  readonly sessions: readonly SessionStatus[];
  /** What this configuration can and cannot read, as found at startup. One sentence each. */
  readonly networkFindings: readonly { readonly ok: boolean; readonly what: string }[];
  /** Whether this process was asked to stop and is serving its last requests. */
  readonly draining: boolean;
  /** RFC 3339. */
  readonly startedAt: string;
  readonly version: string;
}

/** What the status page shows of the past. */
export interface HistoryModel {
  /** The first UTC day, such as `2026-11-23`. */
  readonly fromDay: string;
  /** In order; days on which the service did not run are missing. */
  readonly days: readonly StatusDay[];
  /** The newest first. */
  readonly incidents: readonly Incident[];
}
