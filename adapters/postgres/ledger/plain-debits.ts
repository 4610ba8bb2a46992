import type { Debit } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';
import type { UncappedKey, UncappedKeys } from './remembered-keys.js';

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

/** From here on, an id is not the time of its request, which would be in 2100 or later (`unsummed_debits`). */
export const NO_TIME = '03bb2cc3-d800-0000-0000-000000000000';

/**
 * Whether the id can be that of a request of now, a UUID of version 7: sums are made later, in the order of such ids.
 */
export const isTimely = (requestId: string): boolean => requestId.toLowerCase() < NO_TIME;

/**
 * Written for a plan that is made once and always fits:
 * - Debits are found by their position in the arrays: a join would be planned by a guess of how many there are.
 * - Arrays are unnested in a select list, because functions in `from` store their rows first.
 * - Arrays are sent as text: if Postgres saw their length, it would plan anew each time, which costs more than the rest.
 * - `amount > 0 and count > 0` is always true, but makes the planner expect so few wallets that it finds each by its
 *   index, in the order of their ids.
 */
const STATEMENT = `
  with paid as (
    update wallets w set balance_thousandths = w.balance_thousandths - p.amount, last_seq = w.last_seq + p.count
    from (
      select * from (
        select unnest($1::text::uuid[]) as account_id, unnest($2::text::uuid[]) as wallet_id,
          unnest($3::text::int[]) as caps_version, unnest($4::text::bigint[]) as amount, unnest($5::text::int[]) as count,
          unnest($6::text::int[]) as first, unnest($7::text::uuid[]) as first_id
      ) p
      where (select set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)) is not null and amount > 0 and count > 0
      order by account_id
    ) p
    where w.account_id = p.account_id and w.wallet_id = p.wallet_id and w.balance_thousandths >= p.amount
      and w.summed_to <= p.first_id and w.caps_version = p.caps_version
    returning p.first, p.count, w.wallet_number, w.balance_thousandths + p.amount as balance, w.last_seq - p.count as last_seq
  ),
  entries as (
    insert into debits (wallet_number, request_id, seq, amount_thousandths, balance_after, key_number, items, cache_hits,
      operation, lines)
    select wallet_number, ((select $8::uuid[]))[n], last_seq + n - first + 1, ((select $12::bigint[]))[kind],
      balance - ((select $9::bigint[]))[n], ((select $10::int[]))[n], ((select $13::int[]))[kind],
      ((select $14::int[]))[kind], ((select $15::text[]))[kind], ((select $16::text[]))[kind]
    from paid cross join lateral (
      select n, ((select $11::int[]))[n] as kind from (select generate_series(first, first + count - 1) as n) i offset 0
    ) i
  )
  select array_agg(first)::text, array_agg(balance)::text, array_agg(last_seq)::text from paid`;

/**
 * Posts those debits of a batch whose wallets cover all that the batch takes from them, as one statement, which is one
 * durable commit; of any other wallet nothing. Undefined for a debit that was not posted: its wallet is short, unknown,
 * or sums are made beyond its id already, its key is not the wallet's, has a cap or got one meanwhile. `postDebits`
 * finds out which. The whole statement fails with a unique violation when one of the request ids is already posted.
 *
 * Wallets are updated in the order of their ids, as nodes do everywhere.
 */
export async function postPlainDebits(
  sql: Sql,
  keys: UncappedKeys,
  debits: readonly Debit[],
): Promise<(Entry | undefined)[]> {
  await keys.learn(debits);
  const entries: (Entry | undefined)[] = debits.map(() => undefined);
  const payers = groupByPayer(keys, debits);
  if (payers.length === 0) return entries;
  const [row] = await sql
    .unsafe(STATEMENT, [...walletColumns(payers), ...debitColumns(payers)], { prepare: true })
    .values();
  const [firsts, balances, seqs] = (row as (string | null)[]).map(numbersIn) as [number[], number[], number[]];
  const unpaid = new Map(payers.map((payer) => [payer.first, payer]));
  for (const [nth, first] of firsts.entries()) {
    const payer = unpaid.get(first) as Payer;
    unpaid.delete(first);
    let balance = balances[nth] as number;
    let seq = seqs[nth] as number;
    for (const { position, debit } of payer.debits) {
      balance -= debit.amount;
      seq += 1;
      entries[position] = { balance, seq };
    }
  }
  // Their keys may be the reason: they are read again.
  for (const payer of unpaid.values()) for (const { debit } of payer.debits) keys.forget(debit.keyId);
  return entries;
}

/** The elements of an array as Postgres writes it; none for null. */
const numbersIn = (array: string | null): number[] => (array === null ? [] : array.slice(1, -1).split(',').map(Number));

interface Placed {
  readonly debit: Debit;
  readonly key: UncappedKey;
  /** Its place in the batch. */
  readonly position: number;
}

/** What a batch takes from one wallet. */
interface Payer {
  readonly accountId: string;
  readonly walletId: string;
  readonly capsVersion: number;
  /** In order of arrival. */
  readonly debits: Placed[];
  /** The position of the first of them among all that are sent; from 1, as Postgres counts. */
  first: number;
  amount: number;
  /** The least of their request ids. */
  firstId: string;
}

/** A batch by its wallets, without those with a debit whose key is not known. */
function groupByPayer(keys: UncappedKeys, debits: readonly Debit[]): Payer[] {
  const payers = new Map<string, Payer>();
  const strangers = new Set<string>();
  for (const [position, debit] of debits.entries()) {
    const { accountId, walletId, requestId, amount } = debit;
    const key = keys.keyOf(debit);
    const payer = payers.get(accountId);
    if (key === undefined) {
      strangers.add(accountId);
    } else if (payer !== undefined && payer.capsVersion !== key.capsVersion) {
      strangers.add(accountId);
      // One was read before the other: both are read again.
      for (const { debit: before } of payer.debits) keys.forget(before.keyId);
      keys.forget(debit.keyId);
    } else if (payer === undefined) {
      const { capsVersion } = key;
      const placed = [{ debit, key, position }];
      payers.set(accountId, { accountId, walletId, capsVersion, debits: placed, first: 0, amount, firstId: requestId });
    } else {
      payer.debits.push({ debit, key, position });
      payer.amount += amount;
      if (requestId < payer.firstId) payer.firstId = requestId;
    }
  }
  const known = [...payers.values()].filter(({ accountId }) => !strangers.has(accountId));
  let first = 1;
  for (const payer of known) {
    payer.first = first;
    first += payer.debits.length;
  }
  return known;
}

/**
 * A receipt's lines as the ledger keeps them: `user profile hit 1 500;user.tweets tweet miss 20 1000`, without a path that
 * is the operation's name: ` profile hit 1 500`. The function `receipt_lines` of the database reads them. Throws a
 * RangeError for a path that is not made of the schema's names.
 */
export const receiptText = ({ lines, operation }: Pick<Debit, 'lines' | 'operation'>): string =>
  lines
    .map(({ path, unit, cache, items, unitPrice }) => {
      if (/[\s;]|^$/.test(path))
        throw new RangeError(`a receipt's path is made of names, unlike ${JSON.stringify(path)}`);
      return `${path === operation ? '' : path} ${unit} ${cache} ${items} ${unitPrice}`;
    })
    .join(';');

/** Ids and numbers need no quotes. */
const arrayLiteral = (values: readonly (string | number)[]): string => `{${values.join()}}`;

const walletColumns = (payers: readonly Payer[]): string[] => [
  arrayLiteral(payers.map(({ accountId }) => accountId)),
  arrayLiteral(payers.map(({ walletId }) => walletId)),
  arrayLiteral(payers.map(({ capsVersion }) => capsVersion)),
  arrayLiteral(payers.map(({ amount }) => amount)),
  arrayLiteral(payers.map(({ debits }) => debits.length)),
  arrayLiteral(payers.map(({ first }) => first)),
  arrayLiteral(payers.map(({ firstId }) => firstId)),
];

/**
 * The debits, payer by payer: ids, what the payer's take up to this one, keys, and which receipt; then the receipts,
 * each once, as most debits of a moment have the same.
 */
function debitColumns(payers: readonly Payer[]): (string | string[])[] {
  const [ids, amountsTo, keyNumbers, kinds] = [[] as string[], [] as number[], [] as number[], [] as number[]];
  const kindByReceipt = new Map<string, number>();
  const [amounts, items, hits] = [[] as number[], [] as number[], [] as number[]];
  const [operations, texts] = [[] as string[], [] as string[]];
  for (const payer of payers) {
    let amountTo = 0;
    for (const { debit, key } of payer.debits) {
      amountTo += debit.amount;
      ids.push(debit.requestId);
      amountsTo.push(amountTo);
      keyNumbers.push(key.keyNumber);
      const text = receiptText(debit);
      const receipt = `${debit.amount} ${debit.items} ${debit.cacheHits} ${text}\n${debit.operation}`;
      let kind = kindByReceipt.get(receipt);
      if (kind === undefined) {
        kind = kindByReceipt.size + 1;
        kindByReceipt.set(receipt, kind);
        amounts.push(debit.amount);
        items.push(debit.items);
        hits.push(debit.cacheHits);
        operations.push(debit.operation);
        texts.push(text);
      }
      kinds.push(kind);
    }
  }
  return [...[ids, amountsTo, keyNumbers, kinds, amounts, items, hits].map(arrayLiteral), operations, texts];
}
