import type { Sql } from '../../adapters/postgres/sql.js';
import type { Debit } from '../../src/ports/ledger.js';

/** Charges durably or rejects. */
export type Charge = (debit: Debit) => Promise<void>;

/** Tables with the columns and indexes of ours, but without triggers or constraints of ours, and without caps of keys to look after. */
export async function openPlainTables(sql: Sql, debits: readonly (() => Debit)[]): Promise<void> {
  await sql`create table plain_wallets (like wallets including defaults including indexes) with (fillfactor = 50)`;
  await sql`create table plain_entries (like ledger_entries including defaults including indexes)`;
  for (const debit of debits) {
    await sql`insert into plain_wallets select * from wallets where wallet_id = ${debit().walletId}`;
  }
}

/** The plain way at its best: both in one statement, one round trip. */
export function chargeInOneStatement(sql: Sql): Charge {
  return async (debit) => {
    const { accountId, walletId, requestId, amount, keyId, operation, items, cacheHits, lines } = debit;
    const rows = await sql`
      with paid as (
        update plain_wallets set balance_thousandths = balance_thousandths - ${amount}, last_seq = last_seq + 1
        where account_id = ${accountId} and wallet_id = ${walletId} and balance_thousandths >= ${amount}
        returning balance_thousandths, last_seq
      )
      insert into plain_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
        operation, items, cache_hits, lines)
      select ${accountId}, ${walletId}, last_seq, ${requestId}, 'debit', ${amount}, balance_thousandths, ${keyId},
        ${operation}, ${items}, ${cacheHits}, ${JSON.stringify(lines)}::text::jsonb
      from paid returning balance_after`;
    if (rows.length !== 1) throw new Error('a plain debit was refused');
  };
}

/** As it is most often written: two statements in a transaction. */
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
