import { isUuid } from '../../../src/lib/uuid.js';
import type { Delivery, DeliveryRecord, DeliveryStore, DueWebhook, WebhookId } from '../../../src/ports/deliveries.js';
import type { Sql } from '../sql.js';
import { createDeliveryResults } from './delivery-results.js';

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
    if (!isUuid(watchId) || !isUuid(deliveryId)) return undefined;
    const [found] = await sql<{ isDue: boolean }[]>`
      with found as (
        select account_id, delivery_id, in_turn or due_at is null as is_due from deliveries
        where account_id = ${accountId} and delivery_id = ${deliveryId} and watch_id = ${watchId} and number is not null
        for update
      ), due as (
        update deliveries d set due_at = ${new Date(nowMs)}, in_turn = true from found
        where d.account_id = found.account_id and d.delivery_id = found.delivery_id and found.is_due
      )
      select is_due as "isDue" from found`;
    if (found === undefined) return undefined;
    return found.isDue ? 'due' : 'waiting';
  },

  async takeMail(nowMs, leasedTo, { isRetry, after }) {
    const [taken] = await sql<Delivery[]>`
      with due as (
        select account_id, delivery_id from deliveries
        where channel = 'mail' and due_at <= ${new Date(nowMs)} and least(tries, 1) = ${isRetry ? 1 : 0}
          and account_id > ${after ?? NO_ACCOUNT}
        order by account_id, due_at limit 1 for update skip locked
      )
      update deliveries d set tries = tries + 1, tried_at = ${new Date(nowMs)}, due_at = ${new Date(leasedTo)} from due
      where d.account_id = due.account_id and d.delivery_id = due.delivery_id
      returning d.account_id as "accountId", d.delivery_id as "deliveryId", alert_id as "alertId",
        channel, target, subject, body, tries`;
    return taken;
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

  ...createDeliveryResults(sql),

  async forget(madeBefore, takenBefore, limit) {
    const notices = await sql`
      with old as (
        select account_id, delivery_id from deliveries where created_at < ${new Date(madeBefore)} and number is null
        limit ${limit} for update skip locked
      )
      delete from deliveries d using old where (d.account_id, d.delivery_id) = (old.account_id, old.delivery_id)`;
    // Items that are on their way stay: one of them has the turn, and it would be nobody's. The watch is locked, because
    // resuming it gives the turn to one of the others.
    const items = await sql`
      with old as (
        select d.account_id, d.delivery_id from deliveries d join watches w using (account_id, watch_id)
        where d.created_at < ${new Date(madeBefore)} and d.number is not null
          and (d.due_at is null or w.reason = 'undelivered')
        limit ${limit} for update of d skip locked for no key update of w skip locked
      )
      delete from deliveries d using old where (d.account_id, d.delivery_id) = (old.account_id, old.delivery_id)`;
    const taken = await sql`
      with taken as (
        select account_id, delivery_id from deliveries
        where watch_id is not null and delivered_at < ${new Date(takenBefore)} and due_at is null
        limit ${limit} for update skip locked
      )
      delete from deliveries d using taken where (d.account_id, d.delivery_id) = (taken.account_id, taken.delivery_id)`;
    return notices.count + items.count + taken.count;
  },
});

/** Less than the id of any account. */
const NO_ACCOUNT = '00000000-0000-0000-0000-000000000000';
