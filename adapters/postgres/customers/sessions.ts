import { isUuid } from '../../../src/lib/uuid.js';
import type { ActiveAt, SessionRecord, SessionStore } from '../../../src/ports/sessions.js';
import { record } from '../accounts/audit.js';
import { findTestAccount } from '../accounts/test-accounts.js';
import type { Sql, Transaction } from '../sql.js';

/** Sessions in Postgres. */
export const createSessionStore = (sql: Sql): SessionStore => ({
  start: (session, by) =>
    sql.begin(async (tx) => {
      const { accountId, hash, method, userAgent, address, startedAt, expiresAt } = session;
      const startDate = new Date(startedAt);
      await tx`
        insert into sessions (account_id, hash, method, user_agent, address, created_at, seen_at, expires_at)
        values (${accountId}, ${hash}, ${method}, ${userAgent}, ${address}, ${startDate}, ${startDate},
          ${new Date(expiresAt)})`;
      await record(tx, accountId, by, 'session.started', { method });
    }),

  async find(hash, working) {
    const [row] = await sql<{ accountId: string; sessionId: string; createdAt: Date; seenAt: Date }[]>`
      select account_id as "accountId", session_id as "sessionId", created_at as "createdAt", seen_at as "seenAt"
      from sessions where hash = ${hash} and ${works(sql, working)}`;
    if (row === undefined) return undefined;
    const { accountId, sessionId, createdAt, seenAt } = row;
    return { accountId, sessionId, startedAt: createdAt.getTime(), seenAt: seenAt.getTime() };
  },

  async seen(accountId, sessionId, at) {
    await sql`
      update sessions set seen_at = greatest(seen_at, ${new Date(at)})
      where account_id = ${accountId} and session_id = ${sessionId}`;
  },

  list: (accountId, working) => list(sql, accountId, working),

  end: async (accountId, which, at, by) => {
    const one = 'only' in which ? which.only : which.except;
    // Every session's name is a UUID.
    if (one !== null && !isUuid(one)) return 0;
    return sql.begin(async (tx) => {
      const ended = await tx<{ sessionId: string; method: string }[]>`
        update sessions set ended_at = ${new Date(at)}
        where account_id = ${accountId} and ended_at is null and expires_at > ${new Date(at)}
          ${'only' in which ? tx`and session_id = ${which.only}` : tx`and session_id is distinct from ${which.except}`}
        returning session_id as "sessionId", method`;
      await endTestKeys(
        tx,
        accountId,
        ended.map(({ sessionId }) => sessionId),
      );
      for (const { method } of ended) await record(tx, accountId, by, 'session.ended', { method });
      return ended.length;
    });
  },

  async forget(before) {
    await sql`delete from sessions where least(ended_at, expires_at) < ${new Date(before)}`;
  },
});

/** A session's test keys end with it: they are the family that is named after it. */
async function endTestKeys(tx: Transaction, accountId: string, sessionIds: readonly string[]): Promise<void> {
  const testId = sessionIds.length === 0 ? undefined : await findTestAccount(tx, accountId);
  if (testId === undefined) return;
  await tx`
    update keys set revoked_at = now()
    where account_id = ${testId} and family_id = any(${[...sessionIds]}::uuid[]) and revoked_at is null`;
}

const works = (sql: Sql, { at, usedSince }: ActiveAt) =>
  sql`ended_at is null and expires_at > ${new Date(at)} and seen_at > ${new Date(usedSince)}`;

async function list(sql: Sql, accountId: string, working: ActiveAt): Promise<SessionRecord[]> {
  const rows = await sql<(Record<'createdAt' | 'seenAt' | 'expiresAt', Date> & SessionRecord)[]>`
    select session_id as "sessionId", method, user_agent as "userAgent", address, created_at as "createdAt",
      seen_at as "seenAt", expires_at as "expiresAt"
    from sessions where account_id = ${accountId} and ${works(sql, working)} order by seen_at desc, session_id`;
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    seenAt: row.seenAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }));
}
