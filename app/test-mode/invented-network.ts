import type { Sql } from '../../adapters/postgres/sql.js';
import { withoutTimeLimits } from '../../adapters/postgres/time-limits.js';
import type { Network } from '../../src/ports/network.js';

const FILL_LOCK = 0x696e76;

/**
 * The network that test keys read, whatever network the service reads. When it is first opened on a database, its
 * tables are filled, which takes a few seconds. When a version of Perch with a different index first opens it, the
 * tables are indexed again. Other processes wait meanwhile.
 */
export async function openInventedNetwork(sql: Sql): Promise<Network> {
  await fillInventedNetwork(sql);
  const [{ createCorpusNetwork }, { withFailingHandles }] = await Promise.all([
    import('../../adapters/networks/corpus/network.js'),
    import('../../demo/handles/failing-handles.js'),
  ]);
  return withFailingHandles(createCorpusNetwork(sql, 'invented'));
}

/** Fills and indexes the tables; does nothing if that is done already. */
export async function fillInventedNetwork(sql: Sql): Promise<void> {
  const { indexCorpus } = await import('../../adapters/networks/corpus/import/index-corpus.js');
  await indexCorpus(sql, { tables: 'invented' });
  if (await isFilled(sql)) return;
  await sql.begin(async (turn) => {
    await withoutTimeLimits(turn);
    await turn`select pg_advisory_xact_lock(${FILL_LOCK})`;
    if (await isFilled(sql)) return;
    const [{ demoNetwork }, { DEMO_SEED }, { loadCorpus }] = await Promise.all([
      import('../../demo/demo-network.js'),
      import('../../demo/entry-points.js'),
      import('../../adapters/networks/corpus/import/load.js'),
    ]);
    await loadCorpus(sql, demoNetwork({ seed: DEMO_SEED, now: Date.now() }), { tables: 'invented' });
  });
}

async function isFilled(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ filled: boolean }[]>`select exists (select from invented_users) as filled`;
  return found?.filled === true;
}
