import type { Actor } from '../../../src/domain/audit.js';
import type { EmailAccounts, EmailChangeRecord } from '../../../src/ports/sign-in.js';
import { writeDeliveries } from '../customers/new-deliveries.js';
import { endSessions } from '../customers/sessions.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql, Transaction } from '../sql.js';
import { recordForPerson } from './audit.js';

/** People by their mail address, in Postgres. */
export function createEmailAccounts(sql: Sql): EmailAccounts {
  let turn: Promise<unknown> = Promise.resolve();

  /**
   * Runs one at a time: a lock occupies a connection while `open` needs another, so locks could take the whole pool.
   */
  const alone = <T>(run: () => Promise<T>): Promise<T> => {
    const done = turn.then(run);
    turn = done.catch(() => undefined);
    return done;
  };

  return {
    personOf: async (email, open) =>
      (await personWith(sql, email)) ??
      alone(() =>
        sql.begin(async (tx) => {
          await lockAddress(tx, email);
          return (await personWith(tx, email)) ?? (await open());
        }),
      ),
    find: (email) => personWith(sql, email),
    async emailOf(personId) {
      const [person] = await sql<{ email: string | null }[]>`select email from people where person_id = ${personId}`;
      return person?.email ?? null;
    },
    async ownerOf(accountId) {
      const [owner] = await sql<{ personId: string }[]>`
        select person_id as "personId" from account_owners where account_id = ${accountId}`;
      return owner?.personId;
    },
    async ownedBy(personId) {
      const [account] = await sql<{ accountId: string }[]>`
        select account_id as "accountId" from account_owners join accounts using (account_id)
        where person_id = ${personId} order by created_at, account_id limit 1`;
      return account?.accountId;
    },
    change: (change, by) => lockingTransaction(sql, (tx) => changeEmail(tx, change, by)),
    async claimStartingCredits(accountId) {
      const claimed = await sql`
        insert into starting_credits (mailbox, account_id)
        select mailbox_of(email), account_id from account_owners a
        where account_id = ${accountId} and email is not null and exists (
            select from audit_log l where l.account_id = a.account_id and what = 'account.created' and who = 'customer'
          ) and not exists (
            select from ledger_entries e where e.account_id = a.account_id and kind <> 'debit'
          )
        -- Claimed before, and perhaps not granted.
        on conflict (mailbox) do update set account_id = excluded.account_id
          where starting_credits.account_id = excluded.account_id
        returning mailbox`;
      return claimed.count > 0;
    },
  };
}

/** Until the transaction ends, no other transaction opens an account with the address, or gives it to a person. */
async function lockAddress(tx: Transaction, email: string): Promise<void> {
  await tx`select pg_advisory_xact_lock(hashtextextended('account of ' || ${email.toLowerCase()}, 0))`;
}

async function changeEmail(
  tx: Transaction,
  { personId, from, to, notice, sessionId, at }: EmailChangeRecord,
  by: Actor,
): Promise<boolean> {
  await lockAddress(tx, to);
  if ((await personWith(tx, to)) !== undefined) return false;
  const changed = await tx`
    update people set email = ${to} where person_id = ${personId} and email is not distinct from ${from}`;
  if (changed.count === 0) return false;
  const owned = tx`select account_id from account_owners where person_id = ${personId}`;
  await tx`update accounts set name = ${to} where name = ${from} and coalesce(test_of, account_id) in (${owned})`;
  await recordForPerson(tx, personId, by, 'account.email_changed', { from, to });
  await endSessions(tx, personId, { except: sessionId }, at, by);
  const [account] = await tx<{ accountId: string }[]>`
    select account_id as "accountId" from members where person_id = ${personId} order by role <> 'owner', joined_at limit 1`;
  if (notice !== null && account !== undefined) await writeDeliveries(tx, { ...account, alertId: null }, [notice]);
  return true;
}

async function personWith(sql: Sql | Transaction, email: string): Promise<string | undefined> {
  const [row] = await sql<{ personId: string }[]>`
    select person_id as "personId" from people where lower(email) = ${email.toLowerCase()}`;
  return row?.personId;
}
