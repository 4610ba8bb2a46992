import { HOURLY_DAYS } from '../../../src/domain/usage.js';
import { byShard, type Shards } from '../shards/shards.js';
import type { Sql, Transaction } from '../sql.js';

/** Hourly sums are kept for a day longer than they can be queried, for a query at midnight by a different clock. */
const HOURS_KEPT = `${HOURLY_DAYS} days`;

/** The most in one transaction, so that no charge waits long for it: 100 ms on a small machine. */
const WALLETS_AT_ONCE = 500;
const DEBITS_AT_ONCE = 20_000;
/** Of those, of one wallet. */
const DEBITS_OF_A_WALLET = 1_000;

/** Requests that began within this time may still be posted: their debits are left for the next time, in seconds. */
const SETTLING_S = 60;

/** The first id of requests that began too lately to be summed up: they may still be posted. */
export async function settledTo(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select first_id_at(now() - ${SETTLING_S} * interval '1 second') as id`;
  return row?.id ?? '';
}

/** Wallets that are looked through for due ones in one statement, by their numbers, so that no run needs an index of them. */
const WALLETS_IN_SIGHT = 50_000;

/** Wallets with more debits than one transaction sums up, which a run comes back to; others are left for the next run. */
const MOST_AGAIN = 100_000;

/** One transaction of a run, which has its time limits; undefined when there is no time left, or another node is at it. */
export type RunStep = <T>(step: (tx: Transaction) => Promise<T>) => Promise<T | undefined>;

/** An account with something to sum up, and how many debits that is at most. */
interface Due {
  readonly accountId: string;
  readonly debits: number;
}

/**
 * Sums up debits with ids before one, of all wallets: first a thousand of each, then the rest of those that have more. It
 * begins anywhere, so that no wallet is always among those for which no time is left.
 */
export async function sumAllDebits(run: RunStep, settled: string, shards: Shards | null = null): Promise<void> {
  const again: Due[] = [];
  const sum = async (due: readonly Due[]): Promise<boolean> => {
    for (const batch of batches(due, shards)) {
      const rest = await run((tx) => sumDebits(tx, batch, settled, shards));
      if (rest === undefined) return false;
      for (const accountId of rest.slice(0, MOST_AGAIN - again.length))
        again.push({ accountId, debits: DEBITS_OF_A_WALLET });
    }
    return true;
  };
  const range = await run(rangeOfWallets);
  if (range === undefined) return;
  const views = Math.ceil(range.last / WALLETS_IN_SIGHT);
  for (let nth = 0; nth < views; nth += 1) {
    const view = (Math.floor(range.start * views) + nth) % views;
    const due = await run((tx) => dueWallets(tx, view * WALLETS_IN_SIGHT, settled));
    if (due === undefined || !(await sum(due))) return;
  }
  while (again.length > 0) if (!(await sum(again.splice(0)))) return;
}

/** What one transaction takes on: ids of accounts, of one shard. */
function* batches(due: readonly Due[], shards: Shards | null): Generator<string[]> {
  for (const ofShard of byShard(due, shards, ({ accountId }) => accountId)) {
    let [batch, debits]: [string[], number] = [[], 0];
    for (const each of ofShard) {
      if (batch.length === WALLETS_AT_ONCE || (batch.length > 0 && debits + each.debits > DEBITS_AT_ONCE)) {
        yield batch;
        [batch, debits] = [[], 0];
      }
      batch.push(each.accountId);
      debits += each.debits;
    }
    if (batch.length > 0) yield batch;
  }
}

async function rangeOfWallets(tx: Transaction): Promise<{ last: number; start: number }> {
  const [row] = await tx<[{ last: number; start: number }]>`
    select coalesce(max(wallet_number), 0) as last, random() as start from wallets`;
  return row;
}

const dueWallets = (tx: Transaction, after: number, settled: string) => tx<Due[]>`
  select account_id as "accountId", least(last_seq - summed_seq, ${DEBITS_OF_A_WALLET}::int)::int as debits from wallets
  where wallet_number > ${after} and wallet_number <= ${after + WALLETS_IN_SIGHT} and last_seq > summed_seq and summed_to < ${settled}
  order by wallet_number`;

/** Sums up at most a thousand debits of each of some wallets: usage by hour, and what keys have spent. Returns those with more. */
async function sumDebits(
  tx: Transaction,
  due: readonly string[],
  settled: string,
  shards: Shards | null,
): Promise<string[]> {
  const shardAccount = shards === null ? null : (due[0] ?? null);
  const [row] = await tx<[{ more: string[] }]>`
    select sum_debits(${shardAccount}::uuid, ${[...due]}::uuid[], ${settled}::uuid, ${DEBITS_OF_A_WALLET}, ${keptFrom(tx)}) as more`;
  return row.more;
}

/** Hours from here on are not folded into days yet. */
export const keptFrom = (tx: Sql | Transaction) => tx`date_trunc('day', now(), 'UTC') - ${HOURS_KEPT}::interval`;

/** In an upsert: adds what comes to what there is. */
export const addedUp = (tx: Transaction) => tx`
  requests = u.requests + excluded.requests, items = u.items + excluded.items,
  cache_hits = u.cache_hits + excluded.cache_hits,
  amount_thousandths = u.amount_thousandths + excluded.amount_thousandths`;
