/** An account's log of changes and who made them, which its owner can read. Append only. */
import type { Actor, AuditDetail, AuditKind } from '../domain/audit.js';

export interface AuditEvent {
  readonly at: string;
  readonly what: AuditKind;
  readonly who: Actor['who'];
  readonly address: string | null;
  readonly detail: AuditDetail;
}

export interface AuditLog {
  /** The newest first, at most `limit`. Bounded like the ledger's queries; cancelled when the signal fires. */
  list(accountId: string, limit: number, signal?: AbortSignal): Promise<AuditEvent[]>;
}
