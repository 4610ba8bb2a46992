import type { Sql, Transaction } from '../sql.js';
import { NO_TIME } from './plain-debits.js';

/** Pages of 8 KB in one transaction: some five thousand entries, which take about 100 ms on a small machine. */
const PAGES_AT_ONCE = 200;

/** How long nodes of the version before may be kept from posting at the end, in milliseconds. */
const EMPTYING_LOCK_MS = 1_000;

/** How many pages `older_entries` has: none, once everything is moved. */
export async function olderPages(sql: Sql): Promise<number> {
  const [row] = await sql<{ pages: number }[]>`
    select pg_relation_size('older_entries') / current_setting('block_size')::int as pages`;
  return row?.pages ?? 0;
}

/**
 * Moves entries of the version before into the tables of this one, from some pages on: written there and deleted here
 * in one transaction, so that an entry is always in one place, and an interruption loses nothing. Debits that the
 * wallet's sums don't go up to stay until they do: all that is in `older_entries` is in the sums. Returns how many moved.
 */
export async function moveOlder(tx: Transaction, fromPage: number): Promise<number> {
  await tx`select set_config('perch.moving', 'on', true)`;
  const pages = tx`e.ctid >= ${`(${fromPage},0)`}::tid and e.ctid < ${`(${fromPage + PAGES_AT_ONCE},0)`}::tid`;
  await tx`
    select open_month(at) from (
      select distinct date_trunc('month', to_timestamp(('x' || translate(left(request_id::text, 13), '-', ''))::bit(48)::bigint
        / 1000.0), 'UTC') as at
      from older_entries e where ${pages} and kind = 'debit' and substr(request_id::text, 15, 1) = '7'
    ) months where at between '2020-01-01' and now()`;
  const [row] = await tx<{ moved: number }[]>`
    with moved as (
      delete from older_entries e
      where ${pages}
        and not exists (select from usage_unsummed u where u.account_id = e.account_id)
        and (kind <> 'debit' or not exists (
          select from wallets w
          where w.account_id = e.account_id and e.request_id >= w.summed_to and e.request_id < ${NO_TIME}::uuid))
      returning *
    ),
    debit as (
      insert into debits (wallet_number, request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits,
        operation, lines)
      select wallet_number, request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits, operation, (
          select coalesce(string_agg(concat_ws(' ', case when line ->> 'path' = operation then '' else regexp_replace(line ->> 'path', '[\\s;]', '_', 'g') end, line ->> 'unit',
            line ->> 'cache', line ->> 'items', line ->> 'unitPrice'), ';' order by nth), '')
          from jsonb_array_elements(lines) with ordinality as l(line, nth)
        )
      from moved m left join wallets w on w.account_id = m.account_id
        left join keys k on k.account_id = m.account_id and k.key_id = m.key_id
      where kind = 'debit' order by wallet_number, request_id
    ),
    other as (
      insert into statement_entries (account_id, seq, request_id, kind, amount_thousandths, balance_after, reason, at)
      select account_id, seq, request_id, kind, amount_thousandths, balance_after, reason, at from moved where kind <> 'debit'
    )
    select count(*) as moved from moved`;
  return row?.moved ?? 0;
}

/**
 * Gives back the room of `older_entries` once nothing is in it. Nodes of the version before can't post while it is
 * looked through; nobody else is kept from anything but for a moment.
 */
export async function emptyOlder(tx: Transaction): Promise<boolean> {
  await tx`select set_config('lock_timeout', ${String(EMPTYING_LOCK_MS)}, true), set_config('perch.moving', 'on', true)`;
  await tx`lock table older_entries in share row exclusive mode`;
  const left = await tx`select from older_entries limit 1`;
  if (left.length > 0) return false;
  await tx`truncate older_entries`;
  return true;
}

/** The pages at which moving goes on, one transaction each. */
export function* pagesToMove(pages: number): Generator<number> {
  for (let page = 0; page < pages; page += PAGES_AT_ONCE) yield page;
}
