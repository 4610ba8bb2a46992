import type { UncappedKey } from '../../../src/ports/accounts.js';
import type { Debit } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';

/** A debit's number in its wallet, and the balance after it. */
export interface Entry {
  readonly balance: number;
  readonly seq: number;
}

/** Ids from here on do not contain the time of their request, which would be 2100 or later (`unsummed_debits`). */
export const NO_TIME = '03bb2cc3-d800-0000-0000-000000000000';

/**
 * Whether the id can be that of a current request, a UUID of version 7. Sums are made later, in the order of such ids.
 */
export const isTimely = (requestId: string): boolean => requestId.toLowerCase() < NO_TIME;

/**
 * The shard of a batch, as the functions of the database take it: the id of any of its accounts, all of which must
 * belong to that shard; null where there are no shards.
 */
export type ShardOf = (debits: readonly Debit[]) => string | null;

export const NO_SHARDS: ShardOf = () => null;

/**
 * The argument for the shard where there are no shards. It is a subquery, with which Citus runs the function where it
 * is called. Given a plain null, Citus 13.2 crashes, and a process that began before the database was distributed knows
 * of no shards.
 */
export const withoutShard = (argument: string): string => `(select ${argument})`;

/** Reading an array costs more than what is done with it, so each id is sent only once. An account has one wallet. */
const STATEMENT = `
  select paid_firsts, balances, seqs from post_plain_debits($1::uuid, $2::uuid[], $3::int[], $4::bigint[], $5::int[], $6::int[],
    $7::int[], $8::uuid[], $9::bigint[], $10::int[], $11::int[], $12::bigint[], $13::int[], $14::int[], $15::text[], $16::text[])`;
const STATEMENT_WITHOUT_SHARD = STATEMENT.replace('$1::uuid', withoutShard);

/**
 * Posts the debits of those wallets that cover everything that the batch takes from them, as one statement, which is
 * one durable commit; posts no debits of other wallets. Undefined for a debit that was not posted: its wallet is short
 * or unknown, its id has already been passed by the sums, its key has a cap, or a key of the wallet got or lost a cap
 * after its look-up. `postDebits` finds out which. The whole statement fails with a unique violation when one of the
 * request ids is already posted.
 *
 * Wallets are updated in the order of their accounts' ids, as nodes do everywhere.
 */
export async function postPlainDebits(
  sql: Sql,
  debits: readonly Debit[],
  shardOf: ShardOf = NO_SHARDS,
  statement?: string,
): Promise<(Entry | undefined)[]> {
  const entries: (Entry | undefined)[] = debits.map(() => undefined);
  const payers = groupByPayer(debits);
  if (payers.length === 0) return entries;
  const shard = shardOf(debits);
  const text = statement ?? (shard === null ? STATEMENT_WITHOUT_SHARD : STATEMENT);
  const [row] = await sql.unsafe(text, [shard, ...columnsOf(payers)], { prepare: true }).values();
  const [firsts, balances, seqs] = (row as (string | null)[]).map(numbersIn) as [number[], number[], number[]];
  const payerAt = new Map(payers.map((payer) => [payer.first, payer]));
  for (const [nth, first] of firsts.entries()) {
    const { debits: paid } = payerAt.get(first) as Payer;
    let balance = balances[nth] as number;
    let seq = seqs[nth] as number;
    for (const { position, debit } of paid) {
      balance -= debit.amount;
      seq += 1;
      entries[position] = { balance, seq };
    }
  }
  return entries;
}

/** The elements of an array as Postgres writes it; none for null. */
const numbersIn = (array: string | null): number[] => (array === null ? [] : array.slice(1, -1).split(',').map(Number));

interface Placed {
  readonly debit: Debit;
  readonly key: UncappedKey | null;
  /** Its place in the batch. */
  readonly position: number;
}

/** What a batch takes from one wallet. */
interface Payer {
  /** In order of arrival. */
  readonly debits: readonly Placed[];
  readonly capsVersion: number;
  /** The position of its first debit among all that are sent; from 1, as Postgres counts. */
  readonly first: number;
}

/**
 * Groups a batch by wallets, in the order of their accounts' ids. Leaves out wallets with a debit whose key has a cap,
 * or whose keys were looked up partly before and partly after a change of caps.
 */
function groupByPayer(debits: readonly Debit[]): Payer[] {
  const byAccount = new Map<string, Placed[]>();
  for (const [position, debit] of debits.entries()) {
    const placed = { debit, key: debit.uncapped, position };
    const theirs = byAccount.get(debit.accountId);
    if (theirs === undefined) byAccount.set(debit.accountId, [placed]);
    else theirs.push(placed);
  }
  const payers: Payer[] = [];
  let first = 1;
  // Ids compare as Postgres compares them.
  for (const accountId of [...byAccount.keys()].sort()) {
    const theirs = byAccount.get(accountId) as Placed[];
    const { key } = theirs[0] as Placed;
    if (key === null || theirs.some((other) => other.key?.capsVersion !== key.capsVersion)) continue;
    payers.push({ debits: theirs, capsVersion: key.capsVersion, first });
    first += theirs.length;
  }
  return payers;
}

/**
 * A receipt's lines as the ledger keeps them: `user profile hit 1 500;user.tweets tweet miss 20 1000`. A path that
 * equals the operation's name is left out: ` profile hit 1 500`. The database function `receipt_lines` reads them.
 * Throws a RangeError for a path that is not made of the schema's names.
 */
export function receiptText({ lines, operation }: Pick<Debit, 'lines' | 'operation'>): string {
  let text = '';
  for (const { path, unit, cache, items, unitPrice } of lines) {
    if (/[\s;]|^$/.test(path))
      throw new RangeError(`a receipt's path is made of names, unlike ${JSON.stringify(path)}`);
    text += `${text === '' ? '' : ';'}${path === operation ? '' : path} ${unit} ${cache} ${items} ${unitPrice}`;
  }
  return text;
}

/** Ids and numbers need no quotes. */
const arrayLiteral = (values: readonly (string | number)[]): string => `{${values.join()}}`;

/**
 * The parameters of the statement: the wallets; then the debits, payer by payer, with their ids, the payer's sum up to
 * and including each, their keys and their receipts' numbers; then the receipts, each once, as most debits of a moment
 * share one.
 */
function columnsOf(payers: readonly Payer[]): (string | string[])[] {
  const [accounts, versions, sums, counts] = [[] as string[], [] as number[], [] as number[], [] as number[]];
  const [firsts, leasts] = [[] as number[], [] as number[]];
  const [ids, amountsTo, keyNumbers, kinds] = [[] as string[], [] as number[], [] as number[], [] as number[]];
  const receipts = new Receipts();
  for (const { debits, capsVersion, first } of payers) {
    let amountTo = 0;
    let least = first;
    for (const { debit, key } of debits) {
      amountTo += debit.amount;
      ids.push(debit.requestId);
      if (debit.requestId < (ids[least - 1] as string)) least = ids.length;
      amountsTo.push(amountTo);
      keyNumbers.push((key as UncappedKey).keyNumber);
      kinds.push(receipts.kindOf(debit));
    }
    accounts.push((debits[0] as Placed).debit.accountId);
    versions.push(capsVersion);
    sums.push(amountTo);
    counts.push(debits.length);
    firsts.push(first);
    leasts.push(least);
  }
  const wallets = [accounts, versions, sums, counts, firsts, leasts];
  return [...[...wallets, ids, amountsTo, keyNumbers, kinds].map(arrayLiteral), ...receipts.columns()];
}

/** Receipts without their debits, each once. */
class Receipts {
  readonly #kinds = new Map<string, number>();
  readonly #debits: Debit[] = [];
  readonly #texts: string[] = [];
  #last = 0;

  /** The number of the debit's receipt; from 1, as Postgres counts. */
  kindOf(debit: Debit): number {
    const { lines, operation, amount, items, cacheHits } = debit;
    const last = this.#debits[this.#last - 1];
    if (
      last?.lines === lines &&
      last.operation === operation &&
      last.amount === amount &&
      last.items === items &&
      last.cacheHits === cacheHits
    )
      return this.#last;
    const text = receiptText(debit);
    const receipt = `${amount} ${items} ${cacheHits} ${text}\n${operation}`;
    let kind = this.#kinds.get(receipt);
    if (kind === undefined) {
      kind = this.#debits.push(debit);
      this.#texts.push(text);
      this.#kinds.set(receipt, kind);
    }
    this.#last = kind;
    return kind;
  }

  columns(): (string | string[])[] {
    const numbers = (['amount', 'items', 'cacheHits'] as const).map((name) => this.#debits.map((debit) => debit[name]));
    return [...numbers.map(arrayLiteral), this.#debits.map(({ operation }) => operation), this.#texts];
  }
}
