import type { Sql, TransactionSql } from './sql.js';

/** A transaction that takes its time: the limits of its pool are those of requests. */
export const atLeisure = <T>(sql: Sql, work: (sql: TransactionSql) => Promise<T>): Promise<T> =>
  sql.begin(async (transaction) => {
    await transaction`select set_config('lock_timeout', '0', true), set_config('statement_timeout', '0', true),
      set_config('idle_in_transaction_session_timeout', '0', true)`;
    return work(transaction);
  }) as Promise<T>;

/** Outside of a transaction, where it can't run: the limit is one of a connection of its own, and reset afterwards. */
export async function vacuum(sql: Sql, table: string): Promise<void> {
  const own = await sql.reserve();
  try {
    await own`set statement_timeout = 0`;
    await own.unsafe(`vacuum (analyze) ${table}`);
  } finally {
    await own`reset statement_timeout`.catch(() => {});
    own.release();
  }
}
