import DataLoader from 'dataloader';
import type {
  Delivery,
  DeliveryResult,
  DeliveryStore,
  DueWebhook,
  UndeliveredWatch,
} from '../../../src/ports/deliveries.js';
import type { WatchId } from '../../../src/ports/watches.js';
import type { Sql, Transaction } from '../sql.js';
import { giveUpItems, stopMailId, writeDeliveries } from './new-deliveries.js';

/** The most outcomes that are written together, and how long the first of them waits for others, in milliseconds. */
const MOST_OUTCOMES = 100;
const TOGETHER_MS = 5;

/** The outcome of one try. */
interface Outcome {
  readonly delivery: Delivery | DueWebhook;
  readonly result: DeliveryResult;
  readonly at: number;
  /** When the delivery is tried again; null: never. */
  readonly dueAt: number | null;
}

type Results = Pick<DeliveryStore, 'delivered' | 'failed' | 'giveUp'>;

/** Writes the outcomes of tries to Postgres. */
export function createDeliveryResults(sql: Sql): Results {
  // A new item of a list with many watches is accepted by their receivers at about the same time.
  const options = {
    cache: false,
    maxBatchSize: MOST_OUTCOMES,
    batchScheduleFn: (dispatch: () => void) => void setTimeout(dispatch, TOGETHER_MS),
  };
  const delivered = new DataLoader<Outcome, true>((all) => writeAll(sql, all, writeDelivered), options);
  const failed = new DataLoader<Outcome, true>((all) => writeAll(sql, all, writeFailed), options);
  return {
    async delivered(delivery, at, result) {
      await delivered.load({ delivery, at, result, dueAt: null });
    },

    async failed(delivery, at, result, dueAt) {
      await failed.load({ delivery, at, result, dueAt });
    },

    async giveUp(delivery, nowMs, result, noticesOf) {
      if (!isOrdered(delivery)) return;
      await sql.begin(async (tx) => {
        await lockWatches(tx, [delivery], false);
        const marked = await markFailed(tx, [{ delivery, result, at: nowMs, dueAt: null }]);
        if (marked.length === 0) return;
        const paused = await pauseUndelivered(tx, delivery, new Date(nowMs));
        if (paused !== undefined) {
          const mailId = stopMailId(paused.keyId, 'undelivered', nowMs);
          await writeDeliveries(tx, { ...paused, alertId: null, mailId }, noticesOf(paused));
        }
        // An ended watch cannot be resumed.
        else if (await isEnded(tx, delivery)) await giveUpItems(tx, delivery);
      });
    },
  };
}

/** Writes outcomes, and returns those that were written. `skipsLocked`: leaves out those of watches that are locked. */
type Write = (tx: Transaction, outcomes: readonly Outcome[], skipsLocked: boolean) => Promise<readonly Outcome[]>;

/**
 * Writes outcomes together, in a transaction that waits for no watch, so that it cannot take part in a deadlock.
 * Outcomes of watches that another transaction has locked are then written one by one; so are all of them if the
 * transaction fails.
 */
async function writeAll(sql: Sql, outcomes: readonly Outcome[], write: Write): Promise<(true | Error)[]> {
  const together = new Map(outcomes.map((one) => [nameOf(one), one]));
  const tried = together.size < 2 ? [] : sql.begin((tx) => write(tx, [...together.values()], true)).catch(() => []);
  const written = new Set(await tried);
  return Promise.all(
    outcomes.map(async (one) => {
      if (written.has(one)) return true;
      const alone = sql.begin((tx) => write(tx, [one], false));
      return alone.then(() => true as const).catch((error: Error) => error);
    }),
  );
}

/**
 * Only one outcome of each watch is written together, since the turn passes from one delivery of a watch to the next.
 */
const nameOf = ({ delivery }: Outcome): string => (isOrdered(delivery) ? delivery.watchId : delivery.deliveryId);

/** Marks deliveries as received; the next delivery of each watch is then in turn. */
async function writeDelivered(tx: Transaction, outcomes: readonly Outcome[], skipsLocked: boolean) {
  const free = await lockWatches(tx, outcomes.map(({ delivery }) => delivery).filter(isOrdered), skipsLocked);
  const written = outcomes.filter(({ delivery }) => !isOrdered(delivery) || free.has(delivery.watchId));
  const column = columnOf(written);
  await tx`
    update deliveries d set due_at = null, delivered_at = n.at, status = n.status, excerpt = n.excerpt, fault = null
    from unnest(
      ${column(({ delivery }) => delivery.accountId)}::uuid[], ${column(({ delivery }) => delivery.deliveryId)}::uuid[],
      ${column(({ at }) => new Date(at).toISOString())}::timestamptz[], ${column(({ result }) => result.status)}::integer[],
      ${column(({ result }) => result.excerpt)}::text[]
    ) n (account_id, delivery_id, at, status, excerpt)
    where d.account_id = n.account_id and d.delivery_id = n.delivery_id`;
  await passTurns(tx, written);
  return written;
}

async function writeFailed(tx: Transaction, outcomes: readonly Outcome[], skipsLocked: boolean) {
  const ending = outcomes.filter(({ delivery, dueAt }) => dueAt === null && isOrdered(delivery));
  const free = await lockWatches(tx, ending.map(({ delivery }) => delivery).filter(isOrdered), skipsLocked);
  const isFree = ({ delivery }: Outcome): boolean => isOrdered(delivery) && free.has(delivery.watchId);
  const written = outcomes.filter((one) => !ending.includes(one) || isFree(one));
  const marked = new Set(await markFailed(tx, written));
  await passTurns(
    tx,
    ending.filter((one) => isFree(one) && marked.has(one.delivery.deliveryId)),
  );
  return written;
}

const columnOf =
  (outcomes: readonly Outcome[]) =>
  (of: (outcome: Outcome) => string | number | null): (string | number | null)[] =>
    outcomes.map(of);

/** Locks watches; returns those that it could lock. */
async function lockWatches(tx: Transaction, of: readonly WatchId[], skipsLocked: boolean): Promise<Set<string>> {
  if (of.length === 0) return new Set();
  const locked = await tx<{ watchId: string }[]>`
    select watch_id as "watchId" from watches
    where (account_id, watch_id) in (
      select * from unnest(${of.map(({ accountId }) => accountId)}::uuid[], ${of.map(({ watchId }) => watchId)}::uuid[]))
    for no key update ${skipsLocked ? tx`skip locked` : tx``}`;
  return new Set(locked.map(({ watchId }) => watchId));
}

/**
 * Passes each watch's turn to its first waiting delivery. One that is sent again by hand comes first, and the others
 * keep waiting.
 */
async function passTurns(tx: Transaction, outcomes: readonly Outcome[]): Promise<void> {
  const ordered = outcomes.filter(({ delivery }) => isOrdered(delivery));
  if (ordered.length === 0) return;
  const column = columnOf(ordered);
  await tx`
    with next as (
      select w.account_id, w.watch_id, waiting.number, n.at
      from unnest(
          ${column(({ delivery }) => delivery.accountId)}::uuid[],
          ${column(({ delivery }) => (isOrdered(delivery) ? delivery.watchId : null))}::uuid[],
          ${column(({ at }) => new Date(at).toISOString())}::timestamptz[]
        ) n (account_id, watch_id, at)
        join watches w using (account_id, watch_id)
        cross join lateral (
          select number from deliveries
          where watch_id = w.watch_id and number is not null and due_at is not null
          order by number limit 1
        ) waiting
      where w.reason is distinct from 'undelivered'
    )
    update deliveries d set in_turn = true, due_at = next.at from next
    where d.account_id = next.account_id and d.watch_id = next.watch_id and d.number = next.number
      and not d.in_turn and d.due_at is not null`;
}

/** Pauses a watch whose webhook accepts nothing; undefined: it has ended, or is already paused for that. */
async function pauseUndelivered(
  tx: Transaction,
  { accountId, watchId }: WatchId,
  at: Date,
): Promise<(UndeliveredWatch & { readonly keyId: string }) | undefined> {
  const [paused] = await tx<(UndeliveredWatch & { readonly keyId: string })[]>`
    update watches w set state = 'paused', reason = 'undelivered', state_at = ${at}, due_at = null
    where account_id = ${accountId} and watch_id = ${watchId} and state <> 'ended'
      and reason is distinct from 'undelivered'
    returning account_id as "accountId", watch_id as "watchId", key_id as "keyId", kind, subject, webhook_url as "webhookUrl",
      (select email from account_owners o where o.account_id = w.account_id) as email`;
  return paused;
}

async function isEnded(tx: Transaction, { accountId, watchId }: WatchId): Promise<boolean> {
  const ended = await tx`
    select from watches where account_id = ${accountId} and watch_id = ${watchId} and state = 'ended'`;
  return ended.length > 0;
}

/** Whether a delivery is one of a watch's items, which are sent one after the other. */
const isOrdered = (delivery: Delivery | DueWebhook): delivery is DueWebhook & { readonly watchId: string } =>
  'number' in delivery && delivery.number !== null && delivery.watchId !== null;

/**
 * Returns the ids of those marked. A try that outlasted its lease changes neither the next try nor a delivered notice.
 */
async function markFailed(tx: Transaction, outcomes: readonly Outcome[]): Promise<string[]> {
  const column = columnOf(outcomes);
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const marked = await tx<{ deliveryId: string }[]>`
    update deliveries d set due_at = n.due_at, status = n.status, excerpt = n.excerpt, fault = n.fault
    from unnest(
      ${column(({ delivery }) => delivery.accountId)}::uuid[], ${column(({ delivery }) => delivery.deliveryId)}::uuid[],
      ${column(({ delivery }) => delivery.tries)}::integer[], ${column(({ dueAt }) => iso(dueAt))}::timestamptz[],
      ${column(({ result }) => result.status)}::integer[], ${column(({ result }) => result.excerpt)}::text[],
      ${column(({ result }) => result.fault)}::text[]
    ) n (account_id, delivery_id, tries, due_at, status, excerpt, fault)
    where d.account_id = n.account_id and d.delivery_id = n.delivery_id and d.tries = n.tries and d.due_at is not null
    returning d.delivery_id as "deliveryId"`;
  return marked.map(({ deliveryId }) => deliveryId);
}
