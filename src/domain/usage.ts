/** The channel (node:diagnostics_channel) on which the ledger publishes its commits. It needs no subscriber. */
export const LEDGER_COMMITS = 'perch:ledger-commits';

export interface LedgerCommit {
  /** Debits posted together, as far as is known. */
  readonly debits: number;
  readonly ms: number;
  /** Whether Postgres failed, so that other debits were not posted or are in doubt. */
  readonly failed: boolean;
}

/** The channel for webhooks that were sent, each with its outcome. */
export const WEBHOOK_TRIES = 'perch:webhook-tries';

export interface WebhookTry {
  readonly of: 'watch' | 'notice';
  readonly outcome: 'delivered' | 'failed' | 'given up';
  readonly ms: number;
}

/** The groups of usage (W12), in the order in which rows are sorted. */
export const USAGE_GROUPS = ['day', 'hour', 'endpoint', 'key'] as const;

export type UsageGroup = (typeof USAGE_GROUPS)[number];

/** Days for which hourly usage is kept, including today (UTC). */
export const HOURLY_DAYS = 8;

/**
 * How many characters of the name that a caller gave an operation are kept. From the 101st name of an account on a day
 * on, names become `OTHER`.
 */
export const NAME_LENGTH = 64;
export const OTHER = 'other';
