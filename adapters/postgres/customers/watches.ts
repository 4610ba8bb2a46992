import type { Actor, AuditKind } from '../../../src/domain/audit.js';
import { utcDay } from '../../../src/lib/durations.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type { NewWatch, WatchBook, WatchDelivery, WatchRecord } from '../../../src/ports/watches.js';
import { record } from '../accounts/audit.js';
import { QueryLimiter } from '../ledger/query-limiter.js';
import { lockingTransaction } from '../locking-transaction.js';
import type { Sql, Transaction } from '../sql.js';
import { giveUpItems, resumeItems } from './new-deliveries.js';

type Dated<Row, Names extends keyof Row> = Omit<Row, Names> & {
  readonly [Name in Names]: Row[Name] extends string ? Date : Date | null;
};

type WatchRow = Dated<WatchRecord, 'stateAt' | 'dueAt' | 'createdAt' | 'newestAt' | 'checkedAt'>;
type DeliveryRow = Dated<WatchDelivery, 'createdAt' | 'triedAt' | 'deliveredAt' | 'dueAt'>;

/** The most ended watches in a list: an account may end hundreds in a day, and each is kept for 30 days. */
const MOST_ENDED = 100;

/** Watches as their accounts see them, in Postgres. `queries` reads what may be large: pages of deliveries. */
export const createWatchBook = (sql: Sql, queries = new QueryLimiter(sql)): WatchBook => ({
  async list(accountId, nowMs, mostEnded = MOST_ENDED) {
    const rows = await sql<WatchRow[]>`
      ${select(sql, accountId, nowMs)} and w.watch_id in (
          select watch_id from watches where account_id = ${accountId} and state <> 'ended'
          union all
          (select watch_id from watches where account_id = ${accountId} and state = 'ended'
            order by state_at desc limit ${mostEnded})
        )
      order by w.state = 'ended', w.created_at desc, w.watch_id`;
    return rows.map(toRecord);
  },

  get: (accountId, watchId, nowMs) => get(sql, accountId, watchId, nowMs),

  add: (watch, most, by) => lockingTransaction(sql, (tx) => add(tx, watch, most, by)),

  async change({ accountId, watchId, keyId }, to, nowMs, by) {
    if (!isUuid(watchId)) return undefined;
    return lockingTransaction(sql, async (tx) => {
      const [before] = await tx<Pick<WatchRecord, 'state' | 'reason'>[]>`
        select state, reason from watches where account_id = ${accountId} and watch_id = ${watchId} for no key update`;
      if (before === undefined) return undefined;
      const mayChange = before.state !== 'ended' && before.state !== to;
      const isAsIs = to === 'paused' && before.state === 'paused';
      if (mayChange && !isAsIs) {
        const payer = to === 'active' && keyId !== undefined ? tx`${keyId}::uuid` : tx`key_id`;
        // If another key pays, the watch loses its holder, so that the key is read again, as after a rotation. If it has
        // no holder when it ends, it is looked at once more, for what was charged and not stored.
        await tx`
          update watches set state = ${to}, reason = ${to === 'paused' ? 'by_hand' : null},
            state_at = ${new Date(nowMs)}, key_id = ${payer},
            due_at = case when ${to === 'ended'} and holder is null then ${new Date(nowMs)}::timestamptz end,
            holder = case when key_id = ${payer} then holder end
          where account_id = ${accountId} and watch_id = ${watchId}`;
        if (before.reason === 'undelivered' && to === 'active') await resumeItems(tx, { accountId, watchId }, nowMs);
        if (before.reason === 'undelivered' && to === 'ended') await giveUpItems(tx, { accountId, watchId });
        await record(tx, accountId, by, CHANGES[to], { watch: watchId });
      }
      return get(tx, accountId, watchId, nowMs);
    });
  },

  async sendsTo(accountId, origin) {
    const found = await sql`
      select from watches where account_id = ${accountId} and state <> 'ended' and starts_with(webhook_url, ${`${origin}/`})
      limit 1`;
    return found.count > 0;
  },

  async keyHash(accountId, keyId) {
    if (!isUuid(keyId)) return undefined;
    const [key] = await sql<{ hash: string }[]>`
      select encode(hash, 'hex') as hash from keys where account_id = ${accountId} and key_id = ${keyId}`;
    return key?.hash;
  },

  async deliveries(accountId, watchId, { below, limit, bytes }, signal) {
    if (!isUuid(watchId)) return { nodes: [], hasMore: false };
    // The length of a body is known without reading it, so only the bodies of the page are read.
    const page = (on: Sql) => on<(DeliveryRow & { found: number })[]>`
      select delivery_id as "deliveryId", number, items, charged_thousandths as charged, target, body, tries, status,
        excerpt, fault, created_at as "createdAt", tried_at as "triedAt", delivered_at as "deliveredAt", due_at as "dueAt",
        found
      from (
        select *, row_number() over newer as place, sum(octet_length(body)) over newer as bytes,
          (count(*) over ())::integer as found
        from (
          select * from deliveries
          where account_id = ${accountId} and watch_id = ${watchId} and number is not null
            and (${below}::bigint is null or number < ${below})
          order by number desc limit ${limit + 1}
        ) d
        window newer as (order by number desc)
      ) d
      where place = 1 or (place <= ${limit} and bytes <= ${Math.floor(bytes)})
      order by number desc`;
    const rows = await queries.find(accountId, page, signal);
    const nodes = rows.map(toDelivery);
    return { nodes, hasMore: nodes.length < (rows[0]?.found ?? 0) };
  },
});

function toDelivery({ found: _, createdAt, triedAt, deliveredAt, dueAt, ...row }: DeliveryRow & { found: number }) {
  return {
    ...row,
    createdAt: createdAt.toISOString(),
    triedAt: triedAt?.toISOString() ?? null,
    deliveredAt: deliveredAt?.toISOString() ?? null,
    dueAt: dueAt?.toISOString() ?? null,
  };
}

const CHANGES = {
  active: 'watch.resumed',
  paused: 'watch.paused',
  ended: 'watch.ended',
} as const satisfies Record<string, AuditKind>;

/** Names the account for both tables, so that only its server is asked where keys are distributed. */
const select = (sql: Sql | Transaction, accountId: string, nowMs: number) => sql`
  select w.account_id as "accountId", w.watch_id as "watchId", w.key_id as "keyId", k.prefix as "keyPrefix", w.kind,
    w.subject, w.product, w.count, w.webhook_url as "webhookUrl", w.daily_thousandths as "dailyLimit", w.state, w.reason,
    w.state_at as "stateAt", case when w.state = 'waiting' then w.due_at end as "dueAt", w.created_at as "createdAt",
    w.number, w.spent_thousandths as spent,
    case when w.spent_on = ${utcDay(nowMs)}::date then w.spent_that_day_thousandths else 0 end as "spentToday",
    w.newest_at as "newestAt", w.checked_at as "checkedAt", w.every_ms as "everyMs", w.failed
  from watches w join keys k on k.account_id = ${accountId} and k.key_id = w.key_id
  where w.account_id = ${accountId}`;

function toRecord({ stateAt, dueAt, createdAt, newestAt, checkedAt, ...row }: WatchRow): WatchRecord {
  return {
    ...row,
    stateAt: stateAt.toISOString(),
    dueAt: dueAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    newestAt: newestAt?.toISOString() ?? null,
    checkedAt: checkedAt?.toISOString() ?? null,
  };
}

async function get(sql: Sql | Transaction, accountId: string, watchId: string, nowMs: number) {
  if (!isUuid(watchId)) return undefined;
  const [row] = await sql<WatchRow[]>`
    ${select(sql, accountId, nowMs)} and w.watch_id = ${watchId}`;
  return row && toRecord(row);
}

async function add(tx: Transaction, watch: NewWatch, most: number, by: Actor): Promise<WatchRecord | null> {
  const { accountId, watchId, keyId, kind, subject, subjectId, product, count, webhookUrl, dailyLimit } = watch;
  // A watch that is added at the same time waits here, and then sees this one.
  await tx`select from accounts where account_id = ${accountId} for no key update`;
  const [same] = await tx<{ watchId: string }[]>`
    select watch_id as "watchId" from watches
    where account_id = ${accountId} and state <> 'ended' and kind = ${kind} and subject_id = ${subjectId}
      and product is not distinct from ${product} and webhook_url = ${webhookUrl}`;
  if (same !== undefined) return (await get(tx, accountId, same.watchId, watch.at)) ?? null;
  const at = new Date(watch.at);
  const added = await tx`
    insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, product, count, webhook_url,
      daily_thousandths, state, state_at, position, created_at)
    select ${accountId}, ${watchId}, ${keyId}, ${kind}, ${subject}, ${subjectId}, ${product}, ${count}, ${webhookUrl},
      ${dailyLimit}, 'active', ${at}, ${watch.position}, ${at}
    where (select count(*) from watches where account_id = ${accountId} and state <> 'ended') < ${most}`;
  if (added.count === 0) return null;
  await record(tx, accountId, by, 'watch.added', { watch: watchId, list: kind, subject, webhook: webhookUrl });
  return (await get(tx, accountId, watchId, watch.at)) ?? null;
}
