import { loadCorpus } from '../../adapters/networks/corpus/import/load.js';
import { demoNetwork } from '../../demo/demo-network.js';
import { DEMO_SEED } from '../../demo/entry-points.js';
import { type FreshDatabase, filledDatabase } from './postgres/database.js';

/** A database with the network that `npm start` makes. */
export const demoDatabase = (options: { max?: number } = {}): Promise<FreshDatabase> =>
  filledDatabase(
    'demo',
    async ({ sql }) => void (await loadCorpus(sql, demoNetwork({ seed: DEMO_SEED, now: Date.now() }))),
    options,
  );

/**
 * Gives test keys a network of one user. Otherwise the first test key used would make the invented one, which takes
 * seconds.
 */
export async function fillInvented({ sql }: Pick<FreshDatabase, 'sql'>): Promise<void> {
  const user = { id: '1', handle: 'harbor_obs', name: 'Harbour Observatory' };
  await loadCorpus(sql, [{ kind: 'user', user }], { tables: 'invented' });
}
