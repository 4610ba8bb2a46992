import type { EmailAccounts } from '../../src/ports/sign-in.js';
import type { Sql, Transaction } from './sql.js';

/** Accounts by mail address in Postgres. */
export function createEmailAccounts(sql: Sql): EmailAccounts {
  let turn: Promise<unknown> = Promise.resolve();

  /** A lock occupies a connection while `open` needs another: one at a time, so that locks can't take a whole pool. */
  const alone = <T>(run: () => Promise<T>): Promise<T> => {
    const done = turn.then(run);
    turn = done.catch(() => undefined);
    return done;
  };

  return {
    accountOf: async (email, open) =>
      (await oldest(sql, email)) ??
      alone(() =>
        sql.begin(async (tx) => {
          await tx`select pg_advisory_xact_lock(hashtextextended('account of ' || lower(${email}), 0))`;
          return (await oldest(tx, email)) ?? (await open());
        }),
      ),
    find: (email) => oldest(sql, email),
    async lacksStartingCredits(accountId) {
      const [row] = await sql<{ lacks: boolean }[]>`
        select exists (
            select from audit_log where account_id = ${accountId} and what = 'account.created' and who = 'customer'
          ) and not exists (
            select from ledger_entries where account_id = ${accountId} and kind <> 'debit'
          ) as lacks`;
      return row?.lacks === true;
    },
  };
}

async function oldest(sql: Sql | Transaction, email: string): Promise<string | undefined> {
  const [row] = await sql<{ accountId: string }[]>`
    select account_id as "accountId" from accounts where lower(email) = lower(${email})
    order by created_at, account_id limit 1`;
  return row?.accountId;
}
