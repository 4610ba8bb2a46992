import { DAY_MS, HOUR_MS } from '../../../src/lib/durations.js';
import { type NewSale, PAYABLE_FOR_MS, type Sale, type SaleRefusal, type Sales } from '../../../src/ports/sales.js';
import { record } from '../accounts/audit.js';
import { lockingTransaction } from '../locking-transaction.js';
import { retryTransient } from '../retry.js';
import type { Sql, Transaction } from '../sql.js';
import { changeSale } from './sale-change.js';
import { readSales } from './sale-rows.js';

/**
 * A sale whose page is still being opened counts as open for this long; after that, a sale without a page has failed.
 */
const OPENING_MS = 60_000;

/**
 * A sale without a page may get one for as long as its idempotency key finds it, which is a day. The hour more is for
 * clocks that differ, and for a page that is being opened.
 */
const OPENABLE_MS = DAY_MS + HOUR_MS;

/** Sales in Postgres. */
export function createSales(sql: Sql): Sales {
  return {
    begin: (sale) => retryTransient(() => beginSale(sql, sale)),
    opened: (sale, page, nowMs, by) => retryTransient(() => noteOpened(sql, sale, page, nowMs, by)),
    async find(by) {
      const [sale] = await readSales(sql, saleCondition(sql, by));
      return sale;
    },
    list: (accountId, limit) =>
      readSales(
        sql,
        sql`account_id = ${accountId} and session_id is not null order by created_at desc, sale_id limit ${limit}`,
      ),
    async beginLook() {
      const [row] = await sql<{ look: number }[]>`select nextval('payment_looks') as look`;
      if (row === undefined) throw new Error('the sequence payment_looks has no value');
      return row.look;
    },
    change: (session, at, change) => retryTransient(() => changeSale(sql, session, at, change)),
    takeDue: (nowMs, untilMs, limit) => takeDue(sql, new Date(nowMs), untilMs, limit),
    async knowsEvent(eventId) {
      const rows = await sql`select 1 from payment_events where event_id = ${eventId}`;
      return rows.length > 0;
    },
    async noteEvent({ eventId, type, sessionId }) {
      await sql`
        insert into payment_events (event_id, type, session_id) values (${eventId}, ${type}, ${sessionId})
        on conflict do nothing`;
    },
  };
}

function saleCondition(sql: Sql, by: Parameters<Sales['find']>[0]): ReturnType<Sql> {
  if ('sessionId' in by) return sql`session_id = ${by.sessionId}`;
  if ('paymentIntent' in by) return sql`payment_intent = ${by.paymentIntent}`;
  return sql`account_id = ${by.accountId} and sale_id = ${by.saleId}`;
}

async function beginSale(sql: Sql, sale: NewSale): Promise<Sale | SaleRefusal> {
  const { accountId, pack, usd, credits, idempotencyKey, nowMs, keyLastsMs } = sale;
  const at = new Date(nowMs);
  return lockingTransaction(sql, async (tx) => {
    // One at a time for an account, so that the count stays valid. Locks the wallet first, like changes of sales.
    await tx`select from wallets where account_id = ${accountId} for no key update`;
    const [account] = await tx<{ deleted: boolean; frozen: boolean; isTest: boolean }[]>`
      select deleted_at is not null as deleted, frozen_at is not null as frozen, test_of is not null as "isTest"
      from accounts where account_id = ${accountId}`;
    if (account?.deleted) return 'deleted';
    if (account?.isTest) return 'test_mode';
    if (account?.frozen) return 'frozen';
    if (idempotencyKey !== null) {
      await tx`
        update sales set idempotency_key = null
        where account_id = ${accountId} and idempotency_key = ${idempotencyKey}
          and created_at <= ${new Date(nowMs - keyLastsMs)}`;
      const [before] = await readSales(tx, tx`account_id = ${accountId} and idempotency_key = ${idempotencyKey}`);
      if (before !== undefined) return before;
    }
    if (await isFull(tx, sale)) return 'too_many';
    const [made] = await tx<{ saleId: string }[]>`
      insert into sales (account_id, pack, usd, credits_thousandths, idempotency_key, created_at, looked_at)
      values (${accountId}, ${pack}, ${usd}, ${credits}, ${idempotencyKey}, ${at}, ${at})
      returning sale_id as "saleId"`;
    const [found] = await readSales(tx, tx`account_id = ${accountId} and sale_id = ${made?.saleId ?? null}`);
    if (found === undefined) throw new Error(`a sale of account ${accountId} was not written`);
    return found;
  });
}

async function isFull(tx: Transaction, { accountId, nowMs, mostOpen, countedForMs }: NewSale): Promise<boolean> {
  const [row] = await tx<{ open: number }[]>`
    select count(*)::int as open from sales
    where account_id = ${accountId} and state = 'open' and created_at > ${new Date(nowMs - countedForMs)}
      and (session_id is not null or created_at > ${new Date(nowMs - OPENING_MS)})`;
  return (row?.open ?? 0) >= mostOpen;
}

/** Whether a checkout of the account can still be paid. */
export async function hasPayableSale(tx: Transaction, accountId: string): Promise<boolean> {
  const [sale] = await tx`
    select from sales where account_id = ${accountId} and state = 'open'
      and coalesce(
        opened_at > now() - ${PAYABLE_FOR_MS / DAY_MS} * interval '1 day',
        created_at > now() - ${OPENABLE_MS / HOUR_MS} * interval '1 hour'
      ) limit 1`;
  return sale !== undefined;
}

async function noteOpened(sql: Sql, ...[sale, page, nowMs, by]: Parameters<Sales['opened']>): Promise<void> {
  const { accountId, saleId, pack, usd } = sale;
  const { sessionId, url } = page;
  const at = new Date(nowMs);
  await lockingTransaction(sql, async (tx) => {
    const noted = await tx`
      update sales set session_id = ${sessionId}, url = ${url}, opened_at = ${at}, looked_at = ${at}
      where account_id = ${accountId} and sale_id = ${saleId} and url is null`;
    if (noted.count > 0) await record(tx, accountId, by, 'checkout.opened', { pack, usd, sale_id: saleId });
  });
}

/** A check is due once ten seconds, and a twentieth of the page's age, have passed since the last. */
async function takeDue(sql: Sql, now: Date, untilMs: number, limit: number): Promise<string[]> {
  const rows = await sql<{ sessionId: string }[]>`
    update sales set looked_at = ${now}
    where (account_id, sale_id) in (
      select account_id, sale_id from sales
      where state = 'open' and session_id is not null
        and looked_at < opened_at + ${untilMs / DAY_MS} * interval '1 day'
        and ${now} >= looked_at + greatest(interval '10 seconds', (${now} - opened_at) / 20)
      order by looked_at limit ${limit} for update skip locked
    )
    returning session_id as "sessionId"`;
  return rows.map(({ sessionId }) => sessionId);
}
