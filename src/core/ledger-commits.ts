/** The name of the channel (node:diagnostics_channel) on which the ledger tells of its commits; nobody need listen. */
export const LEDGER_COMMITS = 'perch:ledger-commits';

export interface LedgerCommit {
  /** Debits that went together. */
  readonly debits: number;
  readonly ms: number;
  readonly failed: boolean;
}
