import type { Sql, Transaction } from '../../../adapters/postgres/sql.js';

/** Locks rows in a transaction, and keeps them locked until the function that it resolves with is called. */
export async function holdLocks(sql: Sql, lock: (tx: Transaction) => Promise<unknown>): Promise<() => Promise<void>> {
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let over: Promise<unknown> = Promise.resolve();
  await new Promise<void>((resolve, reject) => {
    over = sql.begin(async (tx) => {
      await lock(tx);
      resolve();
      await held;
    });
    over.catch(reject);
  });
  return async () => {
    release();
    await over;
  };
}
