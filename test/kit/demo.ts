import { demoNetwork } from '../../adapters/networks/corpus/demo/demo-network.js';
import { DEMO_SEED } from '../../adapters/networks/corpus/demo/entry-points.js';
import { loadCorpus } from '../../adapters/networks/corpus/import/load.js';
import type { FreshDatabase } from './postgres/database.js';

/** The network that `npm start` makes, made now (some seconds). */
export async function fillDemo({ sql }: FreshDatabase): Promise<void> {
  await loadCorpus(sql, [...demoNetwork({ seed: DEMO_SEED, now: Date.now() })]);
}
