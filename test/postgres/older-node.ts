import type { Sql } from '../../adapters/postgres/sql.js';
import type { Payer } from '../engine/ports/suites/ledger.suite.js';
import { randomId } from './posting/random-id.js';

/** Posts a debit as a node of the version before this ledger does, and refuses by what it knows. Returns the request id. */
export async function olderPost(
  sql: Sql,
  { accountId, walletId, keyId }: Payer,
  amount: number,
  requestId: string = randomId(),
): Promise<string> {
  const lines = JSON.stringify([{ path: 'user', unit: 'profile', cache: 'miss', items: 1, unitPrice: amount }]);
  const rows = await sql`
    with wallet as materialized (
      select account_id, balance_thousandths as balance, last_seq from wallets
      where account_id = ${accountId} for no key update
    ),
    key as materialized (
      select key_id, spent_thousandths as spent from keys
      where key_id = ${keyId} and (select count(*) from wallet) > 0 for no key update
    ),
    entry as (
      insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
        operation, items, cache_hits, lines, at)
      select account_id, ${walletId}, last_seq + 1, ${requestId}, 'debit', ${amount}, balance - ${amount}, key_id, 'user', 1, 0,
        ${lines}::text::jsonb, now()
      from wallet, key where balance >= ${amount}
    ),
    paid as (
      update wallets w set balance_thousandths = o.balance - ${amount}, last_seq = o.last_seq + 1
      from wallet o where w.account_id = o.account_id and o.balance >= ${amount}
    ),
    spent as (
      update keys k set spent_thousandths = o.spent + ${amount}, counted_thousandths = o.spent + ${amount}
      from key o, wallet w where k.key_id = o.key_id and w.balance >= ${amount}
    )
    select from wallet where balance >= ${amount}`;
  if (rows.length !== 1) throw new Error('an older node refused a debit');
  return requestId;
}
