import type { Sql } from '../../adapters/postgres/sql.js';
import type { Network } from '../../src/ports/network.js';

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
  const [{ demoNetwork }, { DEMO_SEED }, { loadCorpus }] = await Promise.all([
    import('../../demo/demo-network.js'),
    import('../../demo/entry-points.js'),
    import('../../adapters/networks/corpus/import/load.js'),
  ]);
  const rows = demoNetwork({ seed: DEMO_SEED, now: Date.now() });
  await loadCorpus(sql, rows, { tables: 'invented', onlyIfEmpty: true });
}

async function isFilled(sql: Sql): Promise<boolean> {
  const [found] = await sql<{ filled: boolean }[]>`select exists (select from invented_users) as filled`;
  return found?.filled === true;
}
