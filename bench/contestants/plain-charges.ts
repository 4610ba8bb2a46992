import type { Sql } from '../../adapters/postgres/sql.js';
import type { Debit } from '../../src/ports/ledger.js';

/** Charges durably or rejects. */
export type Charge = (debit: Debit) => Promise<unknown>;

/** The number of connections: with more of them, waiting commits share an fsync here as well. */
export const PLAIN_CONNECTIONS = 32;

/** Thousandths of a credit that no benchmark uses up. */
const CREDITS = 1_000_000_000_000;

/**
 * Straightforward tables: an entry with its receipt as JSON, indexed by wallet, request and time. No triggers, no
 * constraints, and no caps of keys.
 */
export async function openPlainTables(
  sql: Sql,
  wallets: readonly Pick<Debit, 'accountId' | 'walletId'>[],
): Promise<void> {
  await sql`drop table if exists plain_wallets, plain_entries`;
  await sql`
    create table plain_wallets (
      account_id uuid not null, wallet_id uuid not null, balance_thousandths bigint not null, last_seq bigint not null,
      primary key (account_id, wallet_id)
    ) with (fillfactor = 50)`;
  await sql`
    create table plain_entries (
      account_id uuid not null, wallet_id uuid not null, seq bigint not null, request_id uuid not null, kind text not null,
      amount_thousandths bigint not null, balance_after bigint not null, key_id uuid, operation text, items integer,
      cache_hits integer, lines jsonb, reason text, at timestamptz not null default now(),
      primary key (account_id, wallet_id, seq),
      unique (account_id, request_id)
    )`;
  await sql`create index on plain_entries (account_id, at)`;
  for (const { accountId, walletId } of wallets) {
    await sql`insert into plain_wallets values (${accountId}, ${walletId}, ${CREDITS}, 0)`;
  }
}

/** The plain way at its best: one statement in one round trip. Returns the balance after the charge. */
export function chargeInOneStatement(sql: Sql): (debit: Debit) => Promise<number> {
  return async (debit) => {
    const { accountId, walletId, requestId, amount, keyId, operation, items, cacheHits, lines } = debit;
    const [paid] = await sql<{ balance: number }[]>`
      with paid as (
        update plain_wallets set balance_thousandths = balance_thousandths - ${amount}, last_seq = last_seq + 1
        where account_id = ${accountId} and wallet_id = ${walletId} and balance_thousandths >= ${amount}
        returning balance_thousandths, last_seq
      )
      insert into plain_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
        operation, items, cache_hits, lines)
      select ${accountId}, ${walletId}, last_seq, ${requestId}, 'debit', ${amount}, balance_thousandths, ${keyId},
        ${operation}, ${items}, ${cacheHits}, ${JSON.stringify(lines)}::text::jsonb
      from paid returning balance_after as balance`;
    if (!paid) throw new Error('a plain debit was refused');
    return paid.balance;
  };
}

/** The plain way as it is usually written: two statements in a transaction. */
export function chargeInTransaction(sql: Sql): Charge {
  return async (debit) => {
    const { accountId, walletId, requestId, amount, keyId, operation, items, cacheHits, lines } = debit;
    await sql.begin(async (transaction) => {
      const [paid] = await transaction<{ balance: number; seq: number }[]>`
        update plain_wallets set balance_thousandths = balance_thousandths - ${amount}, last_seq = last_seq + 1
        where account_id = ${accountId} and wallet_id = ${walletId} and balance_thousandths >= ${amount}
        returning balance_thousandths as balance, last_seq as seq`;
      if (!paid) throw new Error('a plain debit was refused');
      await transaction`
        insert into plain_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
          operation, items, cache_hits, lines)
        values (${accountId}, ${walletId}, ${paid.seq}, ${requestId}, 'debit', ${amount}, ${paid.balance}, ${keyId},
          ${operation}, ${items}, ${cacheHits}, ${JSON.stringify(lines)}::text::jsonb)`;
    });
  };
}
