import { isUuid } from '../../../src/lib/uuid.js';
import type { ActiveAt, SessionRecord, SessionStore } from '../../../src/ports/sessions.js';
import { recordForPerson } from '../accounts/audit.js';
import { notifyKeyChanges } from '../accounts/key-changes.js';
import type { Sql, Transaction } from '../sql.js';

/** Sessions in Postgres. */
export const createSessionStore = (sql: Sql): SessionStore => ({
  start: (session, by) =>
    sql.begin(async (tx) => {
      const { personId, accountId, hash, method, userAgent, address, startedAt, expiresAt } = session;
      const startDate = new Date(startedAt);
      await tx`
        insert into sessions (person_id, account_id, hash, method, user_agent, address, created_at, seen_at, expires_at)
        values (${personId}, ${accountId}, ${hash}, ${method}, ${userAgent}, ${address}, ${startDate}, ${startDate},
          ${new Date(expiresAt)})`;
      await recordForPerson(tx, personId, by, 'session.started', { method });
    }),

  async find(hash, working) {
    const [row] = await sql<
      { personId: string; sessionId: string; accountId: string | null; createdAt: Date; seenAt: Date }[]
    >`
      select person_id as "personId", session_id as "sessionId", account_id as "accountId", created_at as "createdAt",
        seen_at as "seenAt"
      from sessions where hash = ${hash} and ${works(sql, working)}`;
    if (row === undefined) return undefined;
    const { personId, sessionId, accountId, createdAt, seenAt } = row;
    return { personId, sessionId, accountId, startedAt: createdAt.getTime(), seenAt: seenAt.getTime() };
  },

  async choose(personId, sessionId, accountId) {
    await sql`
      update sessions set account_id = ${accountId} where person_id = ${personId} and session_id = ${sessionId}`;
  },

  async seen(personId, sessionId, at) {
    await sql`
      update sessions set seen_at = greatest(seen_at, ${new Date(at)})
      where person_id = ${personId} and session_id = ${sessionId}`;
  },

  list: (...wanted) => list(sql, wanted),

  async count(personId, working) {
    const [row] = await sql<{ count: number }[]>`
      select count(*) as count from sessions where person_id = ${personId} and ${works(sql, working)}`;
    return row?.count ?? 0;
  },

  end: async (personId, which, at, by) => {
    const one = 'only' in which ? which.only : which.except;
    // Every session id is a UUID.
    if (one !== null && !isUuid(one)) return 0;
    return sql.begin((tx) => endSessions(tx, personId, which, at, by));
  },

  async forget(before) {
    await sql`delete from sessions where least(ended_at, expires_at) < ${new Date(before)}`;
  },
});

/** Ends sessions as the port's `end` does, within a transaction that does more. */
export async function endSessions(
  tx: Transaction,
  ...[personId, which, at, by]: Parameters<SessionStore['end']>
): Promise<number> {
  // For a node whose clock is ahead, a session that works elsewhere may have expired.
  const ended = await tx<{ sessionId: string; method: string }[]>`
    update sessions set ended_at = ${new Date(at)}
    where person_id = ${personId} and ended_at is null and expires_at > least(${new Date(at)}, now())
      ${'only' in which ? tx`and session_id = ${which.only}` : tx`and session_id is distinct from ${which.except}`}
    returning session_id as "sessionId", method`;
  await endTestKeys(
    tx,
    ended.map(({ sessionId }) => sessionId),
  );
  // However many sessions end, the log gets one entry for each method.
  for (const method of new Set(ended.map((session) => session.method))) {
    const { length: count } = ended.filter((session) => session.method === method);
    await recordForPerson(tx, personId, by, 'session.ended', { method, ...(count > 1 && { sessions: count }) });
  }
  return ended.length;
}

/** A session's test keys end with it. They are one family, whose id is the session's. */
async function endTestKeys(tx: Transaction, sessionIds: readonly string[]): Promise<void> {
  if (sessionIds.length === 0) return;
  const keys = await tx<{ hash: Buffer }[]>`
    update keys set revoked_at = now()
    where family_id = any(${[...sessionIds]}::uuid[]) and revoked_at is null
      and account_id in (select account_id from accounts where test_of is not null)
    returning hash`;
  await notifyKeyChanges(tx, keys);
}

const works = (sql: Sql, { at, usedSince }: ActiveAt) =>
  sql`ended_at is null and expires_at > ${new Date(at)} and seen_at > ${new Date(usedSince)}`;

async function list(
  sql: Sql,
  [personId, working, limit, own]: Parameters<SessionStore['list']>,
): Promise<SessionRecord[]> {
  const rows = await sql<(Record<'createdAt' | 'seenAt' | 'expiresAt', Date> & SessionRecord)[]>`
    select session_id as "sessionId", method, user_agent as "userAgent", address, created_at as "createdAt",
      seen_at as "seenAt", expires_at as "expiresAt"
    from sessions where person_id = ${personId} and ${works(sql, working)}
    order by session_id is not distinct from ${own}::uuid desc, seen_at desc, session_id limit ${limit}`;
  return rows.map((row) => ({
    ...row,
    createdAt: row.createdAt.toISOString(),
    seenAt: row.seenAt.toISOString(),
    expiresAt: row.expiresAt.toISOString(),
  }));
}
