import { type Actor, type AuditDetail, type AuditKind, INTERNAL_KINDS } from '../../../src/domain/audit.js';
import type { AuditEvent, AuditLog } from '../../../src/ports/accounts.js';
import type { QueryLimiter } from '../ledger/query-limiter.js';
import type { Sql, Transaction } from '../sql.js';

/** Writes a change to the account's log, in the transaction that makes it: neither exists without the other. */
export async function record(
  within: Sql | Transaction,
  accountId: string,
  by: Actor,
  what: AuditKind,
  detail: AuditDetail = {},
): Promise<void> {
  await within`
    insert into audit_log (account_id, what, who, address, operator_id, detail)
    values (${accountId}, ${what}, ${by.who}, ${by.address}, ${by.operatorId ?? null},
      ${JSON.stringify(detail)}::text::jsonb)`;
}

/** The log in Postgres. */
export const createAuditLog = (queries: QueryLimiter): AuditLog => ({
  async list(accountId, limit, signal) {
    const events = (sql: Sql) => sql<(Omit<AuditEvent, 'at'> & { at: Date })[]>`
      select at, what, who, address, detail from audit_log where account_id = ${accountId}
        and what <> all(${[...INTERNAL_KINDS]}) order by event_id desc limit ${limit}`;
    const rows = await queries.run(accountId, events, signal);
    return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
  },
});
