import type postgres from 'postgres';
import type { Sql, Transaction } from '../sql.js';
import { tablesAt } from './table-servers.js';

/** Accounts with ids from `from` up to, but without, `to`; null: to the end. */
export interface AccountSlice {
  readonly from: string;
  readonly to: string | null;
}

/** How much is copied at a time, so that it fits on the coordinator. */
const ACCOUNTS_AT_ONCE = 20_000;
const ENTRIES_AT_ONCE = 2_000_000;

/**
 * Divides all accounts into slices of about the same size, as ids are random. Counts entries that need not be read,
 * too.
 */
export async function slicesOf(sql: Sql): Promise<AccountSlice[]> {
  const [row] = await sql<[{ wallets: number; entries: number }]>`
    select count(*) as wallets, coalesce(sum(last_seq), 0)::bigint as entries from wallets`;
  const parts = Math.max(1, Math.ceil(row.wallets / ACCOUNTS_AT_ONCE), Math.ceil(row.entries / ENTRIES_AT_ONCE));
  const count = Math.min(parts, Math.max(1, row.wallets));
  const startOf = (nth: number) => {
    const start = Math.floor((nth * 2 ** 32) / count);
    return `${start.toString(16).padStart(8, '0')}-0000-0000-0000-000000000000`;
  };
  return Array.from({ length: count }, (_, nth) => ({
    from: startOf(nth),
    to: nth + 1 === count ? null : startOf(nth + 1),
  }));
}

/** Tables that are on the coordinator, but belong to the accounts' ledger. */
const BESIDE = ['checked_debits', 'checked_usage', 'sales'];
const UNCHECKED = ['operation_names', 'audit_log'];
const VIEWS = ['unsummed_debits', 'ledger_entries'];

/**
 * Copies the ledger of some accounts to the coordinator, because Citus does not take every statement that one Postgres
 * does. The copies are tables and views of the same names, which hide the originals until the transaction ends. Of
 * debits, copies only those that meet the condition.
 */
export async function copyAccounts(
  tx: Transaction,
  { from, to }: AccountSlice,
  debits: postgres.PendingQuery<postgres.Row[]>,
): Promise<void> {
  // One connection to each worker, so that everything read from it is of one moment.
  await tx`select set_config('citus.max_adaptive_executor_pool_size', '1', true)`;
  const views = await tx<{ text: string }[]>`
    select format('create temp view %I as %s', viewname, definition) as text from pg_views
    where schemaname = 'public' and viewname = any(${VIEWS}::text[])`;
  const tables = [...tablesAt('account'), ...BESIDE].filter((table) => !UNCHECKED.includes(table));
  for (const table of tables) {
    await tx`
      create temp table ${tx(table)} on commit drop as
      select * from public.${tx(table)} where account_id >= ${tx.unsafe(`'${from}'`)}
        ${to === null ? tx`` : tx`and account_id < ${tx.unsafe(`'${to}'`)}`} ${table === 'debits' ? tx`and ${debits}` : tx``}`;
    await tx`create index on ${tx(table)} (account_id)`;
    await tx`analyze ${tx(table)}`;
  }
  await tx`create index on debits (account_id, request_id)`;
  for (const { text } of views) await tx.unsafe(text);
}
