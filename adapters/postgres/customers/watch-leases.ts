import DataLoader from 'dataloader';
import type { Backlog, HeldWatch, WatchCheck, WatchId, WatchLeases, WatchStop } from '../../../src/ports/watches.js';
import type { Sql, Transaction } from '../sql.js';
import { type NewItems, stopMailId, writeDeliveries, writeItems } from './new-deliveries.js';

/** How long the row of a process that is gone is kept once no watch names it. */
const GONE_AFTER_MS = 3_600_000;

/** The most steps that are written together, and the most bytes of their bodies, which are pages of a list. */
const MOST_STEPS = 200;
const MOST_STEP_BYTES = 4 * 2 ** 20;
const MOST_COUNTED = 500;

const isThis = (sql: Sql | Transaction, { accountId, watchId }: WatchId) =>
  sql`account_id = ${accountId} and watch_id = ${watchId}`;

const these = (sql: Sql | Transaction, watches: readonly WatchId[]) =>
  sql`unnest(${watches.map((of) => of.accountId)}::uuid[], ${watches.map((of) => of.watchId)}::uuid[])`;

/** Run in the transaction that gives an account what its watches wait for, so that they are resumed within seconds. */
export const hastenWatches = (
  sql: Sql | Transaction,
  accountId: string,
  reason: 'credits' | 'key_cap' | 'frozen',
) => sql`
  update watches set due_at = least(due_at, now())
  where account_id = ${accountId} and ((state = 'waiting' and reason = ${reason})
    ${reason === 'frozen' ? sql`or (state = 'ended' and due_at is not null)` : sql``})`;

/** Which process follows which watch, in Postgres. A holder can write to a watch only while the watch names it. */
export function createWatchLeases(sql: Sql): WatchLeases {
  // Many watches of one list find the same item at the same time.
  const steps = new DataLoader<NewItems, boolean>((taken) => stepAll(sql, taken), {
    ...{ cache: false, maxBatchSize: MOST_STEPS },
  });
  const backlogs = new DataLoader<string, Backlog>((watchIds) => countBacklogs(sql, watchIds), {
    ...{ cache: false, maxBatchSize: MOST_COUNTED },
  });
  return {
    renew: (holder, checks, heldTo) => renew(sql, holder, checks, heldTo),
    claim: (holder, nowMs, limit, only) => claim(sql, holder, nowMs, limit, only),
    count: (nowMs) => count(sql, nowMs),
    step: (holder, { accountId, watchId }, taken) => steps.load({ ...taken, holder, accountId, watchId }),
    stop: (holder, watch, why) => sql.begin((tx) => stop(tx, holder, watch, why)),

    async wake(holder, watch, at) {
      await sql`
      update watches set state = 'active', reason = null, state_at = ${new Date(at)}, due_at = null
      where ${isThis(sql, watch)} and holder = ${holder} and state = 'waiting'`;
    },

    backlog: ({ watchId }) => backlogs.load(watchId),

    async giveUp(holder, watches, againAt) {
      const dueAt = againAt === undefined ? null : new Date(againAt);
      await sql`
      update watches w set holder = null, due_at = case when state = 'ended' then ${dueAt}::timestamptz else due_at end
      from ${these(sql, watches)} given (account_id, watch_id)
      where w.account_id = given.account_id and w.watch_id = given.watch_id and holder = ${holder}`;
    },

    async release(holder, nowMs) {
      await sql`update watch_holders set held_to = ${new Date(nowMs)} where holder = ${holder}`;
    },

    async forget(before, limit) {
      // A CTE, because Postgres may run a subquery more than once, and each run would take `limit` rows.
      const gone = await sql`
      with gone as (
        select account_id, watch_id from watches w where state = 'ended' and state_at < ${new Date(before)}
          and not exists (
            select from deliveries d
            where d.account_id = w.account_id and d.watch_id = w.watch_id and d.number is not null and d.due_at is not null)
        limit ${limit} for update skip locked
      )
      delete from watches w using gone where (w.account_id, w.watch_id) = (gone.account_id, gone.watch_id)`;
      return gone.count;
    },
  };
}

/** Renews a holder's lease, and notes its checks. A row that is locked at this moment is noted the next time. */
const renew = (sql: Sql, holder: string, checks: readonly WatchCheck[], heldTo: number) => sql<
  (WatchId & { isEnded: boolean })[]
>`
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
    select account_id as "accountId", watch_id as "watchId", state = 'ended' as "isEnded" from watches
    where holder = ${holder} and state <> 'paused'`;

/** Claims free watches, and those whose holder was not renewed in time. A holder without a row keeps its watches. */
async function claim(
  sql: Sql,
  holder: string,
  nowMs: number,
  limit: number,
  only: readonly WatchId[] | undefined,
): Promise<HeldWatch[]> {
  const now = new Date(nowMs);
  const gone = await sql<{ holder: string }[]>`select holder from watch_holders where held_to <= ${now}`;
  await sql`
    delete from watch_holders h where held_to <= ${new Date(nowMs - GONE_AFTER_MS)}
      and not exists (select from watches w where w.holder = h.holder)`;
  // Paused watches of such holders get no holder until they are resumed.
  if (gone.length > 0) {
    await sql`
      with paused as (
        select account_id, watch_id from watches
        where state = 'paused' and holder = any(${gone.map((of) => of.holder)}::uuid[])
        limit ${limit} for update skip locked
      )
      update watches w set holder = null from paused
      where w.account_id = paused.account_id and w.watch_id = paused.watch_id`;
  }
  return sql.begin(async (tx): Promise<HeldWatch[]> => {
    const claimed = await tx<(Omit<HeldWatch, 'keyHash'> & { readonly keyId: string })[]>`
      with free as (
        select account_id, watch_id from watches
        where ((state in ('active', 'waiting') and (due_at is null or due_at <= ${now}) and holder is null)
          or (state = 'ended' and due_at <= ${now} and holder is null)
          or (state in ('active', 'waiting', 'ended') and holder = any(${gone.map((of) => of.holder)}::uuid[])))
          ${only === undefined ? tx`` : tx`and (account_id, watch_id) in (select * from ${these(tx, only)} these)`}
        limit ${limit} for update skip locked
      )
      update watches w set holder = ${holder} from free
      where w.account_id = free.account_id and w.watch_id = free.watch_id
        and exists (select from watch_holders where holder = ${holder} and held_to > ${now})
      returning w.account_id as "accountId", w.watch_id as "watchId", w.kind, w.subject, w.product, w.count,
        w.webhook_url as "webhookUrl", w.daily_thousandths as "dailyLimit", w.number, w.position, w.key_id as "keyId",
        w.state, w.reason, w.spent_that_day_thousandths as "spentThatDay", to_char(w.spent_on, 'YYYY-MM-DD') as "spentOn"`;
    return claimed.length === 0 ? [] : withKeyHashes(tx, claimed);
  }) as Promise<HeldWatch[]>;
}

/** Each part reads only an index, except for rows that changed since their table was last vacuumed. */
async function count(sql: Sql, nowMs: number): Promise<{ watches: number; holders: number }> {
  const now = new Date(nowMs);
  const [counted] = await sql<{ watches: number; holders: number }[]>`
    select (select count(*) from watches where holder is not null) + (
        select count(*) from watches
        where state in ('active', 'waiting') and (due_at is null or due_at <= ${now}) and holder is null
      ) + (
        select count(*) from watches where state = 'ended' and due_at <= ${now} and holder is null
      ) as watches,
      (select count(*) from watch_holders where held_to > ${now}) as holders`;
  return { watches: 0, holders: 0, ...counted };
}

/** A separate statement, because a join would read all keys where they are distributed. */
async function withKeyHashes<Row extends { readonly accountId: string; readonly keyId: string }>(
  tx: Transaction,
  rows: readonly Row[],
): Promise<(Omit<Row, 'keyId'> & { keyHash: string })[]> {
  const keys = await tx<{ keyId: string; keyHash: string }[]>`
    select key_id as "keyId", encode(hash, 'hex') as "keyHash" from keys
    where account_id = any(${rows.map(({ accountId }) => accountId)}::uuid[])
      and key_id = any(${rows.map(({ keyId }) => keyId)}::uuid[])`;
  const hashes = new Map(keys.map(({ keyId, keyHash }) => [keyId, keyHash]));
  return rows.map(({ keyId, ...row }) => ({ ...row, keyHash: hashes.get(keyId) ?? '' }));
}

/**
 * Writes steps of different watches together, without waiting for any locked row, so that this cannot take part in a
 * deadlock. Steps of watches that another transaction has locked are then written one by one; so are all if that fails.
 */
async function stepAll(sql: Sql, steps: readonly NewItems[]): Promise<(boolean | Error)[]> {
  const together = new Map(steps.map((taken) => [taken.watchId, taken]));
  const tried = together.size > 1 ? bySize([...together.values()]).map((some) => tryAll(sql, some)) : [];
  const written = new Set((await Promise.all(tried)).flat());
  const alone = async (taken: NewItems): Promise<boolean> => (await writeItems(sql, [taken], false)).has(taken.watchId);
  return Promise.all(steps.map((taken) => written.has(taken) || alone(taken).catch((error: Error) => error)));
}

/** Groups steps so that the bodies of each group stay within the bound. */
function bySize(steps: readonly NewItems[]): NewItems[][] {
  const parts: NewItems[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const taken of steps) {
    const size = taken.body.reduce((sum, { length }) => sum + length, 0);
    bytes += size;
    if (bytes > MOST_STEP_BYTES) {
      parts.push([]);
      bytes = size;
    }
    parts.at(-1)?.push(taken);
  }
  return parts;
}

async function tryAll(sql: Sql, steps: readonly NewItems[]): Promise<readonly NewItems[]> {
  const moved = await writeItems(sql, steps, true).catch(() => new Set());
  return steps.filter(({ watchId }) => moved.has(watchId));
}

async function countBacklogs(sql: Sql, watchIds: readonly string[]): Promise<Backlog[]> {
  const rows = await sql<(Backlog & { watchId: string })[]>`
    select watch_id as "watchId", count(*) as deliveries, sum(octet_length(body))::bigint as bytes from deliveries
    where watch_id = any(${[...watchIds]}::uuid[]) and number is not null and due_at is not null
    group by watch_id`;
  const counted = new Map(rows.map(({ watchId, deliveries, bytes }) => [watchId, { deliveries, bytes }]));
  return watchIds.map((watchId) => counted.get(watchId) ?? { deliveries: 0, bytes: 0 });
}

async function stop(tx: Transaction, holder: string, watch: WatchId, why: WatchStop): Promise<boolean> {
  const { state, reason, dueAt } = why;
  const at = new Date(why.at);
  const [stopped] = await tx<{ keyId: string; webhookUrl: string; email: string | null }[]>`
    update watches w set state = ${state}, reason = ${reason}, due_at = ${dueAt === null ? null : new Date(dueAt)},
      state_at = case when state = ${state} and reason = ${reason} then state_at else ${at} end, holder = null
    where ${isThis(tx, watch)} and holder = ${holder} and state in ('active', 'waiting')
    returning key_id as "keyId", webhook_url as "webhookUrl",
      (select email from account_owners o where o.account_id = w.account_id) as email`;
  if (stopped === undefined) return false;
  const { keyId, webhookUrl, email } = stopped;
  const notices = why.notices.flatMap((notice) => {
    const target = notice.channel === 'mail' ? email : webhookUrl;
    return target === null ? [] : [{ ...notice, target, dueAt: why.at }];
  });
  await writeDeliveries(tx, { ...watch, alertId: null, mailId: stopMailId(keyId, reason, why.at) }, notices);
  return true;
}
