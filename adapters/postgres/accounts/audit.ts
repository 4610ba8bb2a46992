import { type Actor, type AuditDetail, type AuditKind, INTERNAL_KINDS } from '../../../src/domain/audit.js';
import type { AuditEvent, AuditLog } from '../../../src/ports/accounts.js';
import type { QueryLimiter } from '../ledger/query-limiter.js';
import type { Sql, Transaction } from '../sql.js';

/** Writes a change to the account's log, in the transaction that makes the change: neither exists without the other. */
export async function record(
  within: Sql | Transaction,
  accountId: string,
  by: Actor,
  what: AuditKind,
  detail: AuditDetail = {},
): Promise<void> {
  await within`
    insert into audit_log (account_id, what, who, address, person_id, detail)
    values (${accountId}, ${what}, ${by.who}, ${by.address}, ${by.personId ?? null},
      ${JSON.stringify(detail)}::text::jsonb)`;
}

/** Writes a change that a person made to their own access to the log of each account of which they are a member. */
export async function recordForPerson(
  within: Sql | Transaction,
  personId: string,
  by: Actor,
  what: AuditKind,
  detail: AuditDetail = {},
): Promise<void> {
  await within`
    insert into audit_log (account_id, what, who, address, person_id, detail)
    select account_id, ${what}, ${by.who}, ${by.address}, ${by.personId ?? personId}::uuid,
      ${JSON.stringify(detail)}::text::jsonb
    from members where person_id = ${personId}`;
}

/** No event has this id: the highest bigint. */
const AFTER_ALL = '9223372036854775807';

/** The log in Postgres. */
export const createAuditLog = (queries: QueryLimiter): AuditLog => ({
  async list(accountId, limit, signal, before = AFTER_ALL) {
    const events = (sql: Sql) => sql<(Omit<AuditEvent, 'at' | 'by'> & { at: Date; personId: string; email: string })[]>`
      select l.event_id::text as "eventId", l.at, l.what, l.who, l.address, l.detail, l.person_id as "personId", p.email
      from audit_log l left join people p using (person_id)
      where l.account_id = ${accountId} and l.event_id < ${before} and l.what <> all(${[...INTERNAL_KINDS]})
      order by l.event_id desc limit ${limit}`;
    const rows = await queries.run(accountId, events, signal);
    return rows.map(({ personId, email, ...row }) => ({
      ...row,
      at: row.at.toISOString(),
      by: personId === null || row.who !== 'customer' ? null : { personId, email },
    }));
  },
});
