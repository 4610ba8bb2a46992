import { isUuid } from '../../../src/lib/uuid.js';
import type { Delivery, DeliveryRecord, DeliveryStore, NewDelivery } from '../../../src/ports/deliveries.js';
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

  async take(channel, nowMs, leasedTo, limit) {
    return sql<Delivery[]>`
      with due as (
        select account_id, delivery_id from deliveries
        where channel = ${channel} and due_at <= ${new Date(nowMs)}
        order by tries, due_at limit ${limit} for update skip locked
      )
      update deliveries d set tries = tries + 1, tried_at = ${new Date(nowMs)}, due_at = ${new Date(leasedTo)} from due
      where d.account_id = due.account_id and d.delivery_id = due.delivery_id
      returning d.account_id as "accountId", d.delivery_id as "deliveryId", alert_id as "alertId",
        channel, target, subject, body, tries`;
  },

  async delivered({ accountId, deliveryId }, nowMs, { status, excerpt }) {
    await sql`
      update deliveries set due_at = null, delivered_at = ${new Date(nowMs)}, status = ${status}, excerpt = ${excerpt},
        fault = null
      where account_id = ${accountId} and delivery_id = ${deliveryId}`;
  },

  // A try that was slower than its lease changes nothing of the next one's, nor of one that was delivered.
  async failed({ accountId, deliveryId, tries }, { status, excerpt, fault }, dueAt) {
    await sql`
      update deliveries set due_at = ${dueAt === null ? null : new Date(dueAt)}, status = ${status}, excerpt = ${excerpt},
        fault = ${fault}
      where account_id = ${accountId} and delivery_id = ${deliveryId} and tries = ${tries} and due_at is not null`;
  },

  async forget(before) {
    await sql`delete from deliveries where created_at < ${new Date(before)}`;
  },
});
