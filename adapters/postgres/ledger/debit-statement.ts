import type { Debit } from '../../../src/ports/ledger.js';
import type { Sql } from '../sql.js';
import type { FlushMode } from './group-commit-options.js';
import { type Entry, NO_SHARDS, receiptText, type ShardOf, withoutShard } from './plain-debits.js';

/**
 * What the statement did with one debit. `retry`: earlier debits of the same statement took what it needed, or its key
 * got a cap meanwhile. `locked`: another transaction has locked its wallet, key or cap, or one of these does not exist; a
 * statement in the mode `waitForLock` finds out which.
 */
export interface DebitRow {
  readonly outcome: 'posted' | 'balance' | 'key_cap' | 'retry' | 'locked' | 'missing';
  readonly seq: number;
  readonly balance_after: number | null;
}

/** What the statement does where a row is locked. */
export type LockMode = Exclude<FlushMode, 'plain'>;

/**
 * Posts a batch of debits as one statement, which is one durable commit; rows in the order of the batch. The whole
 * statement fails with a unique violation when one of the request ids is already posted.
 *
 * A debit that its wallet or cap does not cover on its own takes nothing and leaves room for the others. The rest are
 * posted in order of arrival as far as those before them leave room; at least the first of each wallet is posted.
 *
 * With `skipLocked` it waits for no locked row. With `waitForLock` it waits at most 300 ms for each, then fails
 * (55P03), having done nothing.
 */
export async function postDebits(
  sql: Sql,
  debits: readonly Debit[],
  mode: LockMode,
  shardOf: ShardOf = NO_SHARDS,
): Promise<DebitRow[]> {
  const payers = firstsOf(debits, ({ accountId }) => accountId);
  const keys = firstsOf(debits, ({ keyId, accountId }) => `${keyId} ${accountId}`);
  const [rows] = await sql<[Columns]>`
    select outcomes, seqs, balances from post_any_debits(
      ${shardIn(sql, shardOf(debits))}, ${mode === 'skipLocked'}::boolean,
      ${payers.firsts}::int[], ${keys.firsts}::int[], ${payers.firstOf}::int[], ${keys.firstOf}::int[],
      ${debits.map((debit) => debit.accountId)}::uuid[],
      ${debits.map((debit) => debit.walletId)}::uuid[],
      ${debits.map((debit) => debit.keyId)}::uuid[],
      ${debits.map((debit) => debit.requestId)}::uuid[],
      ${debits.map((debit) => debit.operation)}::text[],
      ${debits.map((debit) => debit.amount)}::bigint[],
      ${debits.map((debit) => debit.items)}::int[],
      ${debits.map((debit) => debit.cacheHits)}::int[],
      ${debits.map((debit) => receiptText(debit))}::text[])`;
  return debits.map((_, nth) => ({
    outcome: rows.outcomes[nth] as DebitRow['outcome'],
    seq: rows.seqs[nth] as number,
    balance_after: rows.balances[nth] as number | null,
  }));
}

const shardIn = (sql: Sql, shard: string | null) =>
  shard === null ? sql.unsafe(withoutShard('null::uuid')) : sql`${shard}::uuid`;

/** An element for each debit. */
interface Columns {
  readonly outcomes: readonly DebitRow['outcome'][];
  readonly seqs: readonly number[];
  readonly balances: readonly (number | null)[];
}

/**
 * Finds debits that share an id. `firstOf`: for each debit, the position of the first one with the same id. `firsts`:
 * these positions, in the order of the ids, which is the order in which all nodes lock. Positions count from 1, as in
 * Postgres.
 */
function firstsOf(debits: readonly Debit[], idOf: (debit: Debit) => string): { firsts: number[]; firstOf: number[] } {
  const byId = new Map<string, number>();
  const firstOf = debits.map((debit, nth) => {
    const id = idOf(debit);
    const first = byId.get(id) ?? nth + 1;
    byId.set(id, first);
    return first;
  });
  const firsts = [...byId.keys()].sort().map((id) => byId.get(id) as number);
  return { firsts, firstOf };
}

/** An entry as it was first posted: a repeat of its id may have another amount. */
export interface PostedEntry extends Entry {
  readonly amount: number;
}

/** The results of those debits that are already posted, by position. */
export async function findPosted(
  sql: Sql,
  debits: readonly Debit[],
  shardOf: ShardOf = NO_SHARDS,
): Promise<(PostedEntry | undefined)[]> {
  const rows = await sql<(PostedEntry & { place: number })[]>`
    select place, balance, seq, amount from find_posted(${shardIn(sql, shardOf(debits))},
      ${debits.map((debit) => debit.accountId)}::uuid[], ${debits.map((debit) => debit.requestId)}::uuid[])`;
  const found: (PostedEntry | undefined)[] = debits.map(() => undefined);
  for (const { place, ...entry } of rows) found[place - 1] = entry;
  return found;
}
