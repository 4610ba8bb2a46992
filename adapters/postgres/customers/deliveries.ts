import type { Thousandths } from '../../../src/domain/credits.js';
import { isUuid } from '../../../src/lib/uuid.js';
import type {
  Delivery,
  DeliveryRecord,
  DeliveryStore,
  DueWebhook,
  NewDelivery,
  UndeliveredWatch,
  WebhookId,
} from '../../../src/ports/deliveries.js';
import type { Sql, Transaction } from '../sql.js';

/** Writes notices down, in the transaction that marks what they tell of. */
export async function writeDeliveries(
  tx: Sql | Transaction,
  of: { readonly accountId: string; readonly alertId: string | null; readonly watchId?: string },
  notices: readonly NewDelivery[],
): Promise<void> {
  for (const { channel, target, subject, body, dueAt } of notices) {
    await tx`
      insert into deliveries (account_id, alert_id, watch_id, channel, target, subject, body, created_at, due_at)
      values (${of.accountId}, ${of.alertId}, ${of.watchId ?? null}, ${channel}, ${target}, ${subject}, ${body},
        ${new Date(dueAt)}, ${new Date(dueAt)})`;
  }
}

interface WatchId {
  readonly accountId: string;
  readonly watchId: string;
}

/** New items of a watch. */
export interface NewItems extends WatchId {
  /** The id of the request that they were charged for. */
  readonly deliveryId: string;
  readonly number: number;
  readonly items: number;
  readonly charged: Thousandths;
  readonly body: string;
  readonly at: number;
}

/**
 * Writes new items down, of each watch once, to be sent to its address when those before them are. In the transaction that
 * moved the watches' positions: it has their rows locked.
 */
export async function writeItems(tx: Transaction, all: readonly NewItems[]): Promise<void> {
  const column = (of: (items: NewItems) => string | number) => all.map(of);
  await tx`
    insert into deliveries (account_id, watch_id, delivery_id, number, items, charged_thousandths, channel, target, body,
      created_at, due_at, in_turn)
    select account_id, watch_id, n.delivery_id, n.number, n.items, n.charged, 'webhook', webhook_url, n.body, n.at, n.at,
      reason is distinct from 'undelivered' and not exists (
        select from deliveries d where d.watch_id = w.watch_id and d.number is not null and d.due_at is not null)
    from unnest(
      ${column(({ accountId }) => accountId)}::uuid[], ${column(({ watchId }) => watchId)}::uuid[],
      ${column(({ deliveryId }) => deliveryId)}::uuid[], ${column(({ number }) => number)}::bigint[],
      ${column(({ items }) => items)}::integer[], ${column(({ charged }) => charged)}::bigint[],
      ${column(({ body }) => body)}::text[], ${column(({ at }) => new Date(at).toISOString())}::timestamptz[]
    ) n (account_id, watch_id, delivery_id, number, items, charged, body, at)
      join watches w using (account_id, watch_id)`;
}

/**
 * What a watch did not deliver is due again, the oldest first. In the transaction that resumes a watch which was paused
 * because nothing was taken (`undelivered`): it has the watch's row locked.
 */
export async function resumeItems(tx: Transaction, { accountId, watchId }: WatchId, at: number): Promise<void> {
  await tx`
    update deliveries set due_at = ${new Date(at)}, tries = 0, in_turn = number = (
      select min(number) from deliveries
      where account_id = ${accountId} and watch_id = ${watchId} and number is not null and delivered_at is null)
    where account_id = ${accountId} and watch_id = ${watchId} and number is not null and delivered_at is null`;
}

const lockWatch = (tx: Transaction, { accountId, watchId }: WatchId) => tx`
  select from watches where account_id = ${accountId} and watch_id = ${watchId} for no key update`;

/** One that is sent again by hand is before those that wait, and they go on waiting. */
const passTurn = (tx: Transaction, { accountId, watchId }: WatchId, at: Date) => tx`
  update deliveries d set in_turn = true, due_at = ${at}
  where account_id = ${accountId} and watch_id = ${watchId} and not in_turn and due_at is not null and number = (
      select min(number) from deliveries
      where watch_id = ${watchId} and number is not null and due_at is not null)
    and not exists (
      select from watches w where w.account_id = d.account_id and w.watch_id = d.watch_id and reason = 'undelivered')`;

/** Pauses a watch whose webhook takes nothing, where that can be said: otherwise undefined. */
async function pauseUndelivered(
  tx: Transaction,
  { accountId, watchId }: WatchId,
  at: Date,
): Promise<UndeliveredWatch | undefined> {
  const [paused] = await tx<UndeliveredWatch[]>`
    update watches w set state = 'paused', reason = 'undelivered', state_at = ${at}, due_at = null
    where account_id = ${accountId} and watch_id = ${watchId} and state <> 'ended'
      and reason is distinct from 'undelivered'
    returning account_id as "accountId", watch_id as "watchId", kind, subject, webhook_url as "webhookUrl",
      (select email from account_owners o where o.account_id = w.account_id) as email`;
  return paused;
}

/** Of a watch's items, which are sent one after the other. */
const isOrdered = (delivery: Delivery | DueWebhook): delivery is DueWebhook & { readonly watchId: string } =>
  'number' in delivery && delivery.number !== null && delivery.watchId !== null;

type Dates = 'triedAt' | 'deliveredAt' | 'dueAt';
type DatedRow = Omit<DeliveryRecord, Dates | 'createdAt'> & Record<Dates, Date | null> & { readonly createdAt: Date };

/** Notices on their way, in Postgres. */
export const createDeliveries = (sql: Sql): DeliveryStore => ({
  async list(accountId, limit) {
    const rows = await sql<DatedRow[]>`
      select delivery_id as "deliveryId", alert_id as "alertId", channel, target, subject, body, tries, status, excerpt, fault,
        created_at as "createdAt", tried_at as "triedAt", delivered_at as "deliveredAt", due_at as "dueAt"
      from deliveries where account_id = ${accountId} and alert_id is not null
      order by created_at desc, delivery_id limit ${limit}`;
    return rows.map(({ createdAt, triedAt, deliveredAt, dueAt, ...row }) => ({
      ...row,
      createdAt: createdAt.toISOString(),
      triedAt: triedAt?.toISOString() ?? null,
      deliveredAt: deliveredAt?.toISOString() ?? null,
      dueAt: dueAt?.toISOString() ?? null,
    }));
  },

  async sendAgain(accountId, deliveryId, nowMs) {
    if (!isUuid(deliveryId)) return false;
    const due = await sql`
      update deliveries set due_at = ${new Date(nowMs)}, delivered_at = null
      where account_id = ${accountId} and delivery_id = ${deliveryId} and alert_id is not null`;
    return due.count > 0;
  },

  async sendItemsAgain(accountId, watchId, deliveryId, nowMs) {
    if (!isUuid(watchId) || !isUuid(deliveryId)) return false;
    const due = await sql`
      update deliveries set due_at = ${new Date(nowMs)}, in_turn = in_turn or due_at is null
      where account_id = ${accountId} and delivery_id = ${deliveryId} and watch_id = ${watchId} and number is not null`;
    return due.count > 0;
  },

  async takeMails(nowMs, leasedTo, limit) {
    return sql<Delivery[]>`
      with due as (
        select account_id, delivery_id from deliveries
        where channel = 'mail' and due_at <= ${new Date(nowMs)}
        order by tries, due_at limit ${limit} for update skip locked
      )
      update deliveries d set tries = tries + 1, tried_at = ${new Date(nowMs)}, due_at = ${new Date(leasedTo)} from due
      where d.account_id = due.account_id and d.delivery_id = due.delivery_id
      returning d.account_id as "accountId", d.delivery_id as "deliveryId", alert_id as "alertId",
        channel, target, subject, body, tries`;
  },

  dueWebhooks: (nowMs, after, accounts, each) => sql<WebhookId[]>`
    with recursive found as (
      (
        select account_id from deliveries
        where channel = 'webhook' and in_turn and due_at <= ${new Date(nowMs)}
          and account_id > ${after ?? NO_ACCOUNT}
        order by account_id limit 1
      )
      union all
      select next.account_id from found cross join lateral (
        select account_id from deliveries
        where channel = 'webhook' and in_turn and due_at <= ${new Date(nowMs)} and account_id > found.account_id
        order by account_id limit 1
      ) next
    )
    select account_id as "accountId", delivery_id as "deliveryId", is_silent as "isSilent"
    from (select account_id from found limit ${accounts}) turn cross join lateral (
      select delivery_id, due_at, tries > 0 and status is null as is_silent,
        row_number() over (order by due_at, delivery_id) as nth
      from deliveries d
      where channel = 'webhook' and in_turn and due_at <= ${new Date(nowMs)} and d.account_id = turn.account_id
      order by due_at, delivery_id limit ${each}
    ) due
    order by nth, due_at`,

  claim: (due, nowMs, leasedTo) => sql<DueWebhook[]>`
    with due as (
      select account_id, delivery_id from deliveries
      where (account_id, delivery_id) in (
          select * from unnest(${due.map(({ accountId }) => accountId)}::uuid[],
            ${due.map(({ deliveryId }) => deliveryId)}::uuid[]))
        and in_turn and due_at <= ${new Date(nowMs)}
      for update skip locked
    )
    update deliveries d set tries = tries + 1, tried_at = ${new Date(nowMs)}, due_at = ${new Date(leasedTo)} from due
    where d.account_id = due.account_id and d.delivery_id = due.delivery_id
    returning d.account_id as "accountId", d.delivery_id as "deliveryId", alert_id as "alertId", watch_id as "watchId",
      number, channel, target, subject, body, tries, delivered_at is not null as "isRepeat"`,

  async delivered(delivery, nowMs, { status, excerpt }) {
    const { accountId, deliveryId } = delivery;
    const mark = (tx: Sql | Transaction) => tx`
      update deliveries set due_at = null, delivered_at = ${new Date(nowMs)}, status = ${status}, excerpt = ${excerpt},
        fault = null
      where account_id = ${accountId} and delivery_id = ${deliveryId}`;
    if (!isOrdered(delivery)) {
      await mark(sql);
      return;
    }
    await sql.begin(async (tx) => {
      await lockWatch(tx, delivery);
      await mark(tx);
      await passTurn(tx, delivery, new Date(nowMs));
    });
  },

  async failed(delivery, nowMs, result, dueAt) {
    if (dueAt !== null || !isOrdered(delivery)) {
      await markFailed(sql, delivery, result, dueAt);
      return;
    }
    await sql.begin(async (tx) => {
      await lockWatch(tx, delivery);
      const marked = await markFailed(tx, delivery, result, null);
      if (marked.count > 0) await passTurn(tx, delivery, new Date(nowMs));
    });
  },

  async giveUp(delivery, nowMs, result, tell) {
    if (!isOrdered(delivery)) return;
    await sql.begin(async (tx) => {
      await lockWatch(tx, delivery);
      const marked = await markFailed(tx, delivery, result, null);
      const paused = marked.count > 0 ? await pauseUndelivered(tx, delivery, new Date(nowMs)) : undefined;
      if (paused !== undefined) await writeDeliveries(tx, { ...paused, alertId: null }, tell(paused));
    });
  },

  async forget(madeBefore, takenBefore, limit) {
    const old = await sql`
      delete from deliveries where (account_id, delivery_id) in (
        select account_id, delivery_id from deliveries where created_at < ${new Date(madeBefore)}
        limit ${limit} for update skip locked)`;
    const taken = await sql`
      delete from deliveries where (account_id, delivery_id) in (
        select account_id, delivery_id from deliveries
        where watch_id is not null and delivered_at < ${new Date(takenBefore)} and due_at is null
        limit ${limit} for update skip locked)`;
    return old.count + taken.count;
  },
});

/** Less than the id of any account. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';

// A try that was slower than its lease changes nothing of the next one's, nor of one that was delivered.
const markFailed = (
  tx: Sql | Transaction,
  { accountId, deliveryId, tries }: Delivery,
  { status, excerpt, fault }: DeliveryResultRow,
  dueAt: number | null,
) => tx`
  update deliveries set due_at = ${dueAt === null ? null : new Date(dueAt)}, status = ${status}, excerpt = ${excerpt},
    fault = ${fault}
  where account_id = ${accountId} and delivery_id = ${deliveryId} and tries = ${tries} and due_at is not null`;

type DeliveryResultRow = Pick<DeliveryRecord, 'status' | 'excerpt' | 'fault'>;
