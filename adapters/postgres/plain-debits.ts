import type { Debit } from '../../src/ports/ledger.js';
import { receiptText } from './receipt-text.js';
import type { Sql } from './sql.js';

/** A debit's number in its wallet, and the balance after it. */
export interface Entry {
  readonly balance: number;
  readonly seq: number;
}

/**
 * The longest that the statement waits for one wallet before it fails, having done nothing (55P03): as long as another
 * node's commit usually takes.
 */
const LOCK_TIMEOUT_MS = 10;

/** Ids from 2100 on: they are no times, or wrong ones (`unsummed_debits`). */
export const NO_TIME = '03bb2cc3-d800-0000-0000-000000000000';

/**
 * Whether the id can be that of a request of now, a UUID of version 7: sums are made later, in the order of such ids.
 */
export const isTimely = (requestId: string): boolean => requestId.toLowerCase() < NO_TIME;

/**
 * Posts those debits of a batch whose wallets cover all that the batch takes from them, as one statement, which is one
 * durable commit; of any other wallet nothing. Undefined for a debit that was not posted: its wallet is short, unknown,
 * or sums are made beyond its id already, its key is not the wallet's, has a cap or got one meanwhile. `postDebits`
 * finds out which. The whole statement fails with a unique violation when one of the request ids is already posted.
 *
 * Wallets are updated in the order of their ids, as nodes do everywhere.
 */
export async function postPlainDebits(sql: Sql, debits: readonly Debit[]): Promise<(Entry | undefined)[]> {
  const payers = payersOf(debits);
  const rows = payers.flatMap((payer) => payer.rows);
  const keyIds = [...new Set(debits.map(({ keyId }) => keyId))];
  const keyNths = new Map(keyIds.map((keyId, index) => [keyId, index + 1]));
  const paid = await sql<{ accountId: string; balance: number; seq: number }[]>`
    with key as materialized (
      select nth, key_number, account_id, wallet_id
      from unnest(${keyIds}::uuid[]) with ordinality as i(key_id, nth)
        -- Each by the index, whatever is known of the table.
        left join lateral (select * from keys k where k.key_id = i.key_id and cap_id is null limit 1) k on true
    ),
    -- By position: Postgres expects few rows here, and a join would compare each with each.
    numbers as materialized (select array_agg(key_number order by nth) as of_keys from key),
    payer as materialized (
      select i.*, w.caps_version
      from unnest(
        ${payers.map(({ accountId }) => accountId)}::uuid[],
        ${payers.map(({ walletId }) => walletId)}::uuid[],
        ${payers.map(({ amount }) => amount)}::bigint[],
        ${payers.map(({ rows: own }) => own.length)}::int[],
        ${payers.map(({ firstId }) => firstId)}::uuid[],
        ${payers.map(({ keyIds }) => keyIds.size)}::bigint[]
      ) as i(account_id, wallet_id, amount, count, first_id, keys)
        join (select account_id, wallet_id, count(*) as keys from key group by 1, 2) k using (account_id, wallet_id, keys)
        cross join lateral (select caps_version from wallets w where w.account_id = i.account_id limit 1) w
      -- For this statement only, whatever connection or pooler it comes by.
      where (select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)) is not null
    ),
    -- Of a row that has changed since the statement began, the newest version is judged and updated.
    paid as (
      update wallets w set balance_thousandths = w.balance_thousandths - p.amount, last_seq = w.last_seq + p.count
      from (select * from payer order by account_id) p
      where w.account_id = p.account_id and w.wallet_id = p.wallet_id and w.balance_thousandths >= p.amount
        and w.summed_to <= p.first_id and w.caps_version = p.caps_version
      returning w.account_id, w.wallet_number, w.balance_thousandths + p.amount as balance, w.last_seq - p.count as last_seq
    ),
    entries as (
      insert into debits (wallet_number, request_id, seq, amount_thousandths, balance_after, key_number, items, cache_hits,
        operation, lines)
      select wallet_number, request_id, last_seq + nth, amount, balance - amount_to, of_keys[key_nth], items, cache_hits, operation, lines
      from unnest(
        ${rows.map(({ debit }) => debit.accountId)}::uuid[],
        ${rows.map(({ debit }) => debit.requestId)}::uuid[],
        ${rows.map(({ nth }) => nth)}::int[],
        ${rows.map(({ debit }) => debit.amount)}::bigint[],
        ${rows.map(({ amountTo }) => amountTo)}::bigint[],
        ${rows.map(({ debit }) => keyNths.get(debit.keyId) ?? 0)}::int[],
        ${rows.map(({ debit }) => debit.items)}::int[],
        ${rows.map(({ debit }) => debit.cacheHits)}::int[],
        ${rows.map(({ debit }) => debit.operation)}::text[],
        ${rows.map(({ debit }) => receiptText(debit))}::text[]
      ) as i(account_id, request_id, nth, amount, amount_to, key_nth, items, cache_hits, operation, lines)
        join paid using (account_id), numbers
    )
    select account_id as "accountId", balance, last_seq as seq from paid`;
  const before = new Map(paid.map((entry) => [entry.accountId, entry]));
  const entries = new Map<Debit, Entry>();
  for (const { debit, nth, amountTo } of rows) {
    const wallet = before.get(debit.accountId);
    if (wallet !== undefined) entries.set(debit, { balance: wallet.balance - amountTo, seq: wallet.seq + nth });
  }
  return debits.map((debit) => entries.get(debit));
}

/** What a batch takes from one wallet. */
interface Payer {
  readonly accountId: string;
  readonly walletId: string;
  amount: number;
  /** The least of its request ids. */
  firstId: string;
  readonly keyIds: Set<string>;
  /** In order of arrival; `amountTo`: of all up to this one. */
  readonly rows: { readonly debit: Debit; readonly nth: number; readonly amountTo: number }[];
}

/** By wallet, in the order of their accounts' ids. */
function payersOf(debits: readonly Debit[]): Payer[] {
  const payers = new Map<string, Payer>();
  for (const debit of debits) {
    const { accountId, walletId, keyId, requestId } = debit;
    const id = `${accountId} ${walletId}`;
    let payer = payers.get(id);
    if (payer === undefined) {
      payer = { accountId, walletId, amount: 0, firstId: requestId, keyIds: new Set(), rows: [] };
      payers.set(id, payer);
    }
    payer.amount += debit.amount;
    if (requestId < payer.firstId) payer.firstId = requestId;
    payer.keyIds.add(keyId);
    payer.rows.push({ debit, nth: payer.rows.length + 1, amountTo: payer.amount });
  }
  return [...payers.values()].sort((a, b) => (a.accountId < b.accountId ? -1 : 1));
}
