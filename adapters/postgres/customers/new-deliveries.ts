import { v5 } from 'uuid';
import { HOUR_MS } from '../../../src/lib/durations.js';
import type { NewDelivery } from '../../../src/ports/deliveries.js';
import type { WatchId, WatchStep } from '../../../src/ports/watches.js';
import type { Sql, Transaction } from '../sql.js';

/**
 * Writes notices, in the transaction that marks what they tell of. A mail with a `mailId` is written only once for an
 * account.
 */
export async function writeDeliveries(
  tx: Sql | Transaction,
  of: {
    readonly accountId: string;
    readonly alertId: string | null;
    readonly watchId?: string;
    readonly mailId?: string;
  },
  notices: readonly NewDelivery[],
): Promise<void> {
  for (const { channel, target, subject, body, dueAt } of notices) {
    const id = channel === 'mail' ? of.mailId : undefined;
    await tx`
      insert into deliveries (account_id, delivery_id, alert_id, watch_id, channel, target, subject, body, created_at, due_at)
      values (${of.accountId}, ${id ?? tx`gen_random_uuid()`}, ${of.alertId}, ${of.watchId ?? null}, ${channel}, ${target},
        ${subject}, ${body}, ${new Date(dueAt)}, ${new Date(dueAt)})
      on conflict (account_id, delivery_id) do nothing`;
  }
}

/**
 * The id of the mail about watches that stop. All watches of a key that stop for one reason in the same hour share it.
 */
export const stopMailId = (keyId: string, reason: string, at: number): string =>
  v5(`${reason} ${Math.floor(at / HOUR_MS)}`, keyId);

/** New items of a watch, written by the process that holds it. */
export type NewItems = WatchStep & WatchId & { readonly holder: string };

/**
 * Writes new items of several watches, at most once for each watch, and moves the watches' positions behind them. Items
 * are sent to a watch's address after those before them. All are written in one call, which contains each page once,
 * because many watches may have the same. Returns the watches that were moved; with `skipsLocked`, none that is locked.
 */
export async function writeItems(
  sql: Sql | Transaction,
  all: readonly NewItems[],
  skipsLocked: boolean,
): Promise<ReadonlySet<string>> {
  const column = (of: (items: NewItems) => string | number | null) => all.map(of);
  // Counted from 1, like the elements of arrays in Postgres.
  const pages = new Map<string, number>();
  for (const { body } of all) if (!pages.has(body[1])) pages.set(body[1], pages.size + 1);
  const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());
  const [written] = await sql<{ moved: string[] }[]>`
    select step_watches(
      ${column(({ accountId }) => accountId)}::uuid[], ${column(({ watchId }) => watchId)}::uuid[],
      ${column(({ holder }) => holder)}::uuid[], ${column(({ from }) => from)}::text[],
      ${column(({ position }) => position)}::text[], ${column(({ requestId }) => requestId)}::uuid[],
      ${column(({ items }) => items)}::integer[], ${column(({ charged }) => charged)}::bigint[],
      ${column(({ body: [head] }) => head)}::text[], ${[...pages.keys()]}::text[],
      ${column(({ body: [, page] }) => pages.get(page) ?? 0)}::integer[], ${column(({ body: [, , tail] }) => tail)}::text[],
      ${column(({ day }) => day)}::text[]::date[],
      ${column(({ newestAt }) => iso(newestAt))}::timestamptz[], ${column(({ at }) => iso(at))}::timestamptz[],
      ${skipsLocked}
    ) as moved`;
  return new Set(written?.moved);
}

/**
 * Makes the undelivered items of a watch due again, the oldest first. Called in the transaction that resumes a watch
 * which was paused because its address accepted nothing (`undelivered`), and which has the watch's row locked.
 */
export async function resumeItems(tx: Transaction, { accountId, watchId }: WatchId, at: number): Promise<void> {
  await tx`
    update deliveries set due_at = ${new Date(at)}, tries = 0, in_turn = number = (
      select min(number) from deliveries
      where account_id = ${accountId} and watch_id = ${watchId} and number is not null and delivered_at is null)
    where account_id = ${accountId} and watch_id = ${watchId} and number is not null and delivered_at is null`;
}

/**
 * Gives up the undelivered items of an ended watch: they are sent only by hand. The caller has the watch's row locked.
 */
export async function giveUpItems(tx: Transaction, { accountId, watchId }: WatchId): Promise<void> {
  await tx`
    update deliveries set due_at = null
    where account_id = ${accountId} and watch_id = ${watchId} and number is not null and due_at is not null`;
}
