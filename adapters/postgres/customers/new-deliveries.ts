import type { Thousandths } from '../../../src/domain/credits.js';
import type { NewDelivery } from '../../../src/ports/deliveries.js';
import type { WatchId } from '../../../src/ports/watches.js';
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
