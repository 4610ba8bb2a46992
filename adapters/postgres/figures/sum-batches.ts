import type { Sql, Transaction } from '../sql.js';

/** For this many days, a batch that is written again still counts only once. */
const KEPT_DAYS = 7;

/** Writes a batch of sums together with its id, in one transaction. Writes nothing if the id is already there (S22). */
export async function writeOnce(sql: Sql, batchId: string, write: (tx: Transaction) => Promise<void>): Promise<void> {
  await sql.begin(async (tx) => {
    const written = await tx`
      insert into sum_batches (batch_id) values (${batchId}) on conflict do nothing returning 1`;
    if (written.length === 0) return;
    await write(tx);
    await tx`delete from sum_batches where written_at < now() - make_interval(days => ${KEPT_DAYS})`;
  });
}
