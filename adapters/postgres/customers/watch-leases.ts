import type { HeldWatch, WatchCheck, WatchId, WatchLeases, WatchStep, WatchStop } from '../../../src/ports/watches.js';
import type { Sql, Transaction } from '../sql.js';
import { writeDeliveries, writeItems } from './deliveries.js';

/** How long the row of a process that is gone is kept, if no watch names it any more. */
const GONE_AFTER_MS = 3_600_000;

const isThis = (sql: Sql | Transaction, { accountId, watchId }: WatchId) =>
  sql`account_id = ${accountId} and watch_id = ${watchId}`;

/** In the transaction that gives an account what its watches wait for: they are taken up again within seconds. */
export const hastenWatches = (sql: Sql | Transaction, accountId: string, reason: 'credits' | 'key_cap') => sql`
  update watches set due_at = least(due_at, now())
  where account_id = ${accountId} and state = 'waiting' and reason = ${reason}`;

/** Who follows which watch, in Postgres. Whatever a holder writes is written only while the watch names it. */
export const createWatchLeases = (sql: Sql): WatchLeases => ({
  renew: (holder, checks, heldTo) => renew(sql, holder, checks, heldTo),
  claim: (holder, nowMs, limit) => claim(sql, holder, nowMs, limit),
  step: (holder, watch, taken) => sql.begin((tx) => step(tx, holder, watch, taken)),
  stop: (holder, watch, why) => sql.begin((tx) => stop(tx, holder, watch, why)),

  async wake(holder, watch, at) {
    await sql`
      update watches set state = 'active', reason = null, state_at = ${new Date(at)}, due_at = null
      where ${isThis(sql, watch)} and holder = ${holder} and state = 'waiting'`;
  },

  async backlog({ watchId }) {
    const [row] = await sql<{ deliveries: number; bytes: number }[]>`
      select count(*) as deliveries, coalesce(sum(octet_length(body)), 0)::bigint as bytes from deliveries
      where watch_id = ${watchId} and number is not null and due_at is not null`;
    return { deliveries: row?.deliveries ?? 0, bytes: row?.bytes ?? 0 };
  },

  async giveUp(holder, watches) {
    await sql`
      update watches w set holder = null
      from unnest(${watches.map(({ accountId }) => accountId)}::uuid[], ${watches.map(({ watchId }) => watchId)}::uuid[])
        given (account_id, watch_id)
      where w.account_id = given.account_id and w.watch_id = given.watch_id and holder = ${holder}`;
  },

  async release(holder, nowMs) {
    await sql`update watch_holders set held_to = ${new Date(nowMs)} where holder = ${holder}`;
  },

  async forget(before, limit) {
    const gone = await sql`
      delete from watches where (account_id, watch_id) in (
        select account_id, watch_id from watches where state = 'ended' and state_at < ${new Date(before)}
        limit ${limit} for update skip locked)`;
    return gone.count;
  },
});

/** A row that somebody changes at this moment is noted the next time. */
const renew = (sql: Sql, holder: string, checks: readonly WatchCheck[], heldTo: number) => sql<WatchId[]>`
    with holding as (
      insert into watch_holders (holder, held_to) values (${holder}, ${new Date(heldTo)})
      on conflict (holder) do update set held_to = excluded.held_to
    ), free as (
      select w.account_id, w.watch_id, c.checked_at, c.every_ms, c.failed
      from unnest(
        ${checks.map(({ accountId }) => accountId)}::uuid[], ${checks.map(({ watchId }) => watchId)}::uuid[],
        ${checks.map(({ checkedAt }) => new Date(checkedAt).toISOString())}::timestamptz[],
        ${checks.map(({ everyMs }) => Math.round(everyMs))}::integer[], ${checks.map(({ failed }) => failed)}::text[]
      ) c (account_id, watch_id, checked_at, every_ms, failed)
        join watches w using (account_id, watch_id)
      where w.holder = ${holder}
      for update of w skip locked
    ), noted as (
      update watches w set checked_at = free.checked_at, every_ms = free.every_ms, failed = free.failed from free
      where w.account_id = free.account_id and w.watch_id = free.watch_id
    )
    select account_id as "accountId", watch_id as "watchId" from watches
    where holder = ${holder} and state in ('active', 'waiting')`;

/** One whose holder was not renewed in time is free; while no row of a holder is there, its watches stay its own. */
async function claim(sql: Sql, holder: string, nowMs: number, limit: number): Promise<HeldWatch[]> {
  const now = new Date(nowMs);
  const gone = await sql<{ holder: string }[]>`select holder from watch_holders where held_to <= ${now}`;
  await sql`
    delete from watch_holders h where held_to <= ${new Date(nowMs - GONE_AFTER_MS)}
      and not exists (select from watches w where w.holder = h.holder)`;
  return sql<HeldWatch[]>`
    with free as (
      select account_id, watch_id from watches
      where (state in ('active', 'waiting') and (due_at is null or due_at <= ${now}) and holder is null)
        or (state in ('active', 'waiting', 'ended') and holder = any(${gone.map((of) => of.holder)}::uuid[]))
      limit ${limit} for update skip locked
    )
    update watches w set holder = ${holder} from free, keys k
    where w.account_id = free.account_id and w.watch_id = free.watch_id
      and k.account_id = w.account_id and k.key_id = w.key_id
      and exists (select from watch_holders where holder = ${holder} and held_to > ${now})
    returning w.account_id as "accountId", w.watch_id as "watchId", w.kind, w.subject, w.product, w.count,
      w.webhook_url as "webhookUrl", w.daily_thousandths as "dailyLimit", w.number, w.position,
      encode(k.hash, 'hex') as "keyHash", w.state, w.reason, w.spent_that_day_thousandths as "spentThatDay",
      to_char(w.spent_on, 'YYYY-MM-DD') as "spentOn"`;
}

async function step(tx: Transaction, holder: string, watch: WatchId, taken: WatchStep): Promise<boolean> {
  const { from, position, requestId, items, charged, day, body } = taken;
  const newestAt = taken.newestAt === null ? null : new Date(taken.newestAt);
  const [moved] = await tx<{ number: number }[]>`
    update watches set position = ${position}, number = number + 1, spent_thousandths = spent_thousandths + ${charged},
      spent_that_day_thousandths = ${charged} + case when spent_on = ${day}::date then spent_that_day_thousandths else 0 end,
      spent_on = ${day}::date, newest_at = greatest(newest_at, ${newestAt}::timestamptz)
    where ${isThis(tx, watch)} and holder = ${holder} and position = ${from}
    returning number`;
  if (moved === undefined) return false;
  await writeItems(tx, { ...watch, deliveryId: requestId, number: moved.number, items, charged, body, at: taken.at });
  return true;
}

async function stop(tx: Transaction, holder: string, watch: WatchId, why: WatchStop): Promise<boolean> {
  const { state, reason, dueAt } = why;
  const at = new Date(why.at);
  const [stopped] = await tx<{ webhookUrl: string; email: string | null }[]>`
    update watches w set state = ${state}, reason = ${reason}, due_at = ${dueAt === null ? null : new Date(dueAt)},
      state_at = case when state = ${state} and reason = ${reason} then state_at else ${at} end, holder = null
    where ${isThis(tx, watch)} and holder = ${holder} and state in ('active', 'waiting')
    returning webhook_url as "webhookUrl",
      (select email from account_owners o where o.account_id = w.account_id) as email`;
  if (stopped === undefined) return false;
  const { webhookUrl, email } = stopped;
  const notices = why.notices.flatMap((notice) => {
    const target = notice.channel === 'mail' ? email : webhookUrl;
    return target === null ? [] : [{ ...notice, target, dueAt: why.at }];
  });
  await writeDeliveries(tx, { ...watch, alertId: null }, notices);
  return true;
}
