import { withoutTimeLimits } from '../../../postgres/time-limits.js';
import type { Sql, TransactionSql } from './sql.js';

/** Runs a transaction without time limits. */
export const atLeisure = <T>(sql: Sql, work: (sql: TransactionSql) => Promise<T>): Promise<T> =>
  sql.begin(async (transaction) => {
    await withoutTimeLimits(transaction);
    return work(transaction);
  }) as Promise<T>;

/** Vacuums outside of a transaction, as it must, on a reserved connection whose time limit is reset afterwards. */
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
