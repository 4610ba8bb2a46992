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
  const { payers, keys, rows } = sumsOf(debits);
  const paid = await sql<{ payer: number; balance: number; seq: number }[]>`
    with ${payerRows(sql, payers, keys)},
    -- Of a row that has changed since the statement began, the newest version is judged and updated.
    paid as (
      update wallets w set balance_thousandths = w.balance_thousandths - p.amount, last_seq = w.last_seq + p.count
      from (select * from payer order by account_id) p
      where w.account_id = p.account_id and w.wallet_id = p.wallet_id and w.balance_thousandths >= p.amount
        and w.summed_to <= p.first_id and w.caps_version = p.caps_version
      returning p.payer::int, w.wallet_number, w.balance_thousandths + p.amount as balance, w.last_seq - p.count as last_seq
    ),
    entries as (
      insert into debits (wallet_number, request_id, seq, amount_thousandths, balance_after, key_number, items, cache_hits,
        operation, lines)
      select wallet_number, request_id, last_seq + nth, amount, balance - amount_to, of_keys[key_nth], items, cache_hits,
        operation, lines
      from ${debitRows(sql, rows)} join paid using (payer), numbers
    )
    select payer, balance, last_seq as seq from paid`;
  const before = new Map(paid.map((wallet) => [wallet.payer, wallet]));
  const entries = new Map<Debit, Entry>();
  for (const { debit, payer, nth, amountTo } of rows) {
    const wallet = before.get(payer);
    if (wallet !== undefined) entries.set(debit, { balance: wallet.balance - amountTo, seq: wallet.seq + nth });
  }
  return debits.map((debit) => entries.get(debit));
}

/** Payers whose keys are theirs and have no cap, with the version that this was seen at; and the numbers of their keys. */
const payerRows = (sql: Sql, payers: readonly Payer[], keys: readonly PayerKey[]) => sql`
  key as materialized (
    select i.payer, i.nth, k.key_number
    from unnest(
      ${keys.map(({ payer }) => payer)}::int[],
      ${keys.map(({ debit }) => debit.keyId)}::uuid[],
      ${keys.map(({ debit }) => debit.accountId)}::uuid[],
      ${keys.map(({ debit }) => debit.walletId)}::uuid[]
    ) with ordinality as i(payer, key_id, account_id, wallet_id, nth)
      -- Each by the index, whatever is known of the table.
      left join lateral (
        select key_number from keys k
        where k.key_id = i.key_id and k.account_id = i.account_id and k.wallet_id = i.wallet_id and cap_id is null limit 1
      ) k on true
  ),
  -- By position: Postgres expects few rows here, and a join would compare each with each.
  numbers as materialized (select array_agg(key_number order by nth) as of_keys from key),
  payer as materialized (
    select i.*, w.caps_version
    from unnest(
      ${payers.map(({ debit }) => debit.accountId)}::uuid[],
      ${payers.map(({ debit }) => debit.walletId)}::uuid[],
      ${payers.map(({ amount }) => amount)}::bigint[],
      ${payers.map(({ count }) => count)}::int[],
      ${payers.map(({ firstId }) => firstId)}::uuid[]
    ) with ordinality as i(account_id, wallet_id, amount, count, first_id, payer)
      join (select payer from key group by 1 having bool_and(key_number is not null)) k using (payer)
      cross join lateral (select caps_version from wallets w where w.account_id = i.account_id limit 1) w
    -- For this statement only, whatever connection or pooler it comes by.
    where (select set_config('lock_timeout', ${String(LOCK_TIMEOUT_MS)}, true)) is not null
  )`;

const debitRows = (sql: Sql, rows: readonly Row[]) => sql`
  unnest(
    ${rows.map(({ payer }) => payer)}::int[],
    ${rows.map(({ debit }) => debit.requestId)}::uuid[],
    ${rows.map(({ nth }) => nth)}::int[],
    ${rows.map(({ debit }) => debit.amount)}::bigint[],
    ${rows.map(({ amountTo }) => amountTo)}::bigint[],
    ${rows.map(({ key }) => key)}::int[],
    ${rows.map(({ debit }) => debit.items)}::int[],
    ${rows.map(({ debit }) => debit.cacheHits)}::int[],
    ${rows.map(({ debit }) => debit.operation)}::text[],
    ${rows.map(({ debit }) => receiptText(debit))}::text[]
  ) as i(payer, request_id, nth, amount, amount_to, key_nth, items, cache_hits, operation, lines)`;

/** What a batch takes from one wallet; `debit`: the first of them. */
interface Payer {
  readonly debit: Debit;
  /** Their position among the payers, and so on: all positions begin with 1. */
  readonly payer: number;
  amount: number;
  count: number;
  /** The least of its request ids. */
  firstId: string;
}

/** A key of a payer's debits. */
interface PayerKey {
  readonly debit: Debit;
  readonly payer: number;
  readonly key: number;
}

/** A debit with its key's position, its own among its payer's, and what the payer's take up to this one. */
interface Row extends PayerKey {
  readonly nth: number;
  readonly amountTo: number;
}

/** A batch by its wallets, in the order of their accounts' ids; debits of a wallet in order of arrival. */
function sumsOf(debits: readonly Debit[]): { payers: Payer[]; keys: PayerKey[]; rows: Row[] } {
  const payers = new Map<string, Payer>();
  const keys = new Map<string, PayerKey>();
  const rows: Row[] = [];
  for (const debit of debits.toSorted((a, b) => compare(a.accountId, b.accountId))) {
    const { accountId, walletId, keyId, requestId, amount } = debit;
    const walletOf = `${accountId} ${walletId}`;
    const payer = payers.get(walletOf) ?? { debit, payer: payers.size + 1, amount: 0, count: 0, firstId: requestId };
    payers.set(walletOf, payer);
    payer.amount += amount;
    payer.count += 1;
    if (requestId < payer.firstId) payer.firstId = requestId;
    const keyOf = `${walletOf} ${keyId}`;
    const key = keys.get(keyOf) ?? { debit, payer: payer.payer, key: keys.size + 1 };
    keys.set(keyOf, key);
    rows.push({ debit, payer: payer.payer, key: key.key, nth: payer.count, amountTo: payer.amount });
  }
  return { payers: [...payers.values()], keys: [...keys.values()], rows };
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
