import { HOURLY_DAYS } from '../../../src/domain/usage.js';
import { byShard, type Shards } from '../shards/shards.js';
import type { Sql, Transaction } from '../sql.js';
import { setEverywhere, unlessLocked } from './months.js';

/** Hourly sums are kept for a day longer than they can be queried, for a query at midnight by a different clock. */
const HOURS_KEPT = `${HOURLY_DAYS} days`;

/** The most that one transaction sums up, so that no charge waits long for it: 100 ms on a small machine. */
const WALLETS_AT_ONCE = 500;
const DEBITS_AT_ONCE = 20_000;
/** The most of these debits from one wallet, and the most if it is summed up alone. */
const DEBITS_OF_A_WALLET = 1_000;
const DEBITS_ALONE = 5_000;

/** How long a run waits for the lock of one wallet, in milliseconds. Charges that come later wait behind it. */
const PATIENCE_MS = 200;

/** Seconds. Debits of requests that began this recently may still be posted, so they are left for the next run. */
const SETTLING_S = 60;

/** The first id of requests that began too recently to be summed up, since they may still be posted. */
export async function settledTo(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select first_id_at(now() - ${SETTLING_S} * interval '1 second') as id`;
  return row?.id ?? '';
}

/** Wallets that one statement searches for due ones, by their numbers, so that no run needs an index of due wallets. */
const WALLETS_IN_SIGHT = 50_000;

/** How many wallets a run comes back to; others are left for the next run. */
const MOST_AGAIN = 100_000;

/** Runs one transaction within the time limits of a run; undefined when no time is left, or another node is at work. */
export type RunStep = <T>(step: (tx: Transaction) => Promise<T>) => Promise<T | undefined>;

/** An account with debits to sum up, and how many they are at most. */
interface Due {
  readonly accountId: string;
  readonly debits: number;
}

/**
 * Sums up the debits of all wallets with ids before `settled`: first a thousand of each wallet that no charge has locked,
 * then, one wallet at a time, those that are left. The lock of a busy wallet is hardly ever free, so the run waits for it.
 * Begins at a random wallet, so that time does not always run out for the same ones.
 */
export async function sumAllDebits(
  run: RunStep,
  settled: string,
  shards: Shards | null = null,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const range = await run(rangeOfWallets);
  if (range === undefined) return;
  const again: string[] = [];
  const views = Math.ceil(range.last / WALLETS_IN_SIGHT);
  for (let nth = 0; nth < views; nth += 1) {
    const view = (Math.floor(range.start * views) + nth) % views;
    const due = await run((tx) => dueWallets(tx, view * WALLETS_IN_SIGHT, settled));
    if (due === undefined) return;
    for (const batch of batches(due, shards)) {
      const left = await run((tx) => sumDebits(tx, batch, DEBITS_OF_A_WALLET, false, settled, shards));
      if (left === undefined) return;
      again.push(...left.slice(0, MOST_AGAIN - again.length));
    }
  }
  for (let account = again.shift(); account !== undefined; account = again.shift()) {
    const alone = [account];
    const waiting = run(async (tx) => {
      await setEverywhere(tx, 'lock_timeout', patienceMs);
      return sumDebits(tx, alone, DEBITS_ALONE, true, settled, shards);
    });
    const left = await unlessLocked(waiting, []);
    if (left === undefined) return;
    again.push(...left);
  }
}

/** The work of each transaction: ids of accounts, all of one shard. */
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

/** Sums up at most so many debits of each wallet: usage by hour, and what keys have spent. Returns those that are left. */
async function sumDebits(
  tx: Transaction,
  due: readonly string[],
  most: number,
  waits: boolean,
  settled: string,
  shards: Shards | null,
): Promise<string[]> {
  const shardAccount = shards === null ? null : (due[0] ?? null);
  const [row] = await tx<[{ left: string[] }]>`
    select sum_debits(${shardAccount}::uuid, ${[...due]}::uuid[], ${settled}::uuid, ${most}::int, ${keptFrom(tx)},
      ${waits}) as left`;
  return row.left;
}

/** Hours from here on are not folded into days yet. */
export const keptFrom = (tx: Sql | Transaction) => tx`date_trunc('day', now(), 'UTC') - ${HOURS_KEPT}::interval`;

/** For an upsert: adds the new row's figures to the existing ones. */
export const addedUp = (tx: Transaction) => tx`
  requests = u.requests + excluded.requests, items = u.items + excluded.items,
  cache_hits = u.cache_hits + excluded.cache_hits,
  amount_thousandths = u.amount_thousandths + excluded.amount_thousandths`;
