import { setTimeout as sleep } from 'node:timers/promises';
import type { Sql, Transaction } from '../../../adapters/postgres/sql.js';

/** Locks rows in a transaction and keeps them locked. Resolves with the function that lets them go. */
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

/** Resolves as soon as a statement in this database waits for a lock. */
export async function untilOneWaits(sql: Sql): Promise<void> {
  const waiting = () => sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await waiting()).length === 0) await sleep(1);
}
