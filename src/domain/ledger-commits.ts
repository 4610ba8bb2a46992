/** The channel (node:diagnostics_channel) on which the ledger publishes its commits; it works without a subscriber. */
export const LEDGER_COMMITS = 'perch:ledger-commits';

export interface LedgerCommit {
  /** Debits committed together. */
  readonly debits: number;
  readonly ms: number;
  readonly failed: boolean;
}
