import type { Actor } from '../../../src/domain/audit.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import { hastenWatches } from '../customers/watch-leases.js';
import type { Sql, Transaction } from '../sql.js';
import { record } from './audit.js';

/** The test account of a customer's account, if there is one. */
export async function findTestAccount(sql: Sql | Transaction, accountId: string): Promise<string | undefined> {
  if (!isUuid(accountId)) return undefined;
  const [row] = await sql<{ accountId: string }[]>`
    select account_id as "accountId" from accounts where test_of = ${accountId}`;
  return row?.accountId;
}

/**
 * Creates the test account with an empty wallet, unless it exists. Throws `not_found` for all but a customer's account.
 */
export async function openTestAccount(tx: Transaction, accountId: string, by: Actor): Promise<string> {
  if (!isUuid(accountId)) throw noAccount();
  // One caller at a time: the second finds the account of the first.
  const [live] = await tx`
    select from accounts where account_id = ${accountId} and test_of is null and deleted_at is null for no key update`;
  if (live === undefined) throw noAccount();
  const found = await findTestAccount(tx, accountId);
  if (found !== undefined) return found;
  const [made] = await tx<{ accountId: string }[]>`
    with account as (
      insert into accounts (name, test_of) select name, account_id from accounts where account_id = ${accountId}
      returning account_id
    )
    insert into wallets (account_id) select account_id from account returning account_id as "accountId"`;
  if (made === undefined) throw new Error('a test account was not created');
  await record(tx, made.accountId, by, 'account.created');
  return made.accountId;
}

const noAccount = (): ServiceError => new ServiceError('not_found', 'No such account.');

/**
 * Refills a wallet once a day, in one statement: a second node waits for the wallet's lock, and then finds the day
 * noted. The day is noted even if the wallet is full, so that what is spent afterwards is not refilled that day.
 */
export async function refillWallet(sql: Sql, refill: Parameters<Ledger['refill']>[0]): Promise<void> {
  const { accountId, day, upTo, requestId } = refill;
  await sql`
    with wallet as materialized (
      select account_id, balance_thousandths, last_seq from wallets
      where account_id = ${accountId} and (refilled_on is null or refilled_on < ${day}::date)
        and account_id in (select account_id from accounts where test_of is not null)
      for no key update
    ),
    entry as (
      insert into statement_entries (account_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
      select account_id, last_seq + 1, ${requestId}, 'grant', ${upTo}::bigint - balance_thousandths, ${upTo},
        'play credits of ' || ${day}
      from wallet where balance_thousandths < ${upTo}::bigint
      returning account_id, seq
    ),
    hastened as (
      ${hastenWatches(sql, accountId, 'credits')} and exists (select from entry)
    )
    update wallets w set refilled_on = ${day}::date, last_seq = coalesce(entry.seq, w.last_seq),
      balance_thousandths = greatest(w.balance_thousandths, ${upTo}::bigint)
    from wallet left join entry using (account_id) where w.account_id = wallet.account_id`;
}
