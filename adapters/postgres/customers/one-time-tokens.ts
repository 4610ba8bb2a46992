import { DAY_MS } from '../../../src/lib/durations.js';
import type { OneTimeTokens } from '../../../src/ports/sign-in.js';
import type { Sql } from '../sql.js';

/** One-time secrets in Postgres. */
export const createOneTimeTokens = (sql: Sql): OneTimeTokens => ({
  async put({ hash, kind, subject, at, expiresAt }) {
    await sql`
      insert into one_time_tokens (hash, kind, subject, created_at, expires_at)
      values (${hash}, ${kind}, ${JSON.stringify(subject)}::text::jsonb, ${new Date(at)}, ${new Date(expiresAt)})`;
  },

  async peek(hash, kind, at) {
    const [row] = await sql<{ subject: unknown }[]>`
      select subject from one_time_tokens
      where hash = ${hash} and kind = ${kind} and spent_at is null and expires_at > ${new Date(at)}`;
    return row?.subject;
  },

  // The row's lock lets one of several concurrent statements through; the others then see that the token is spent.
  async spend(hash, kind, at) {
    const [row] = await sql<{ subject: unknown }[]>`
      update one_time_tokens set spent_at = ${new Date(at)}
      where hash = ${hash} and kind = ${kind} and spent_at is null and expires_at > ${new Date(at)}
      returning subject`;
    return row?.subject;
  },

  async forget(at) {
    await sql`
      delete from one_time_tokens
      -- Codes of clients are the grants' to forget.
      where kind <> 'code' and expires_at < ${new Date(at)} and (spent_at is null or spent_at < ${new Date(at - DAY_MS)})`;
  },
});
