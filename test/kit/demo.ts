import { loadCorpus } from '../../adapters/networks/corpus/import/load.js';
import { demoNetwork } from '../../demo/demo-network.js';
import { DEMO_SEED } from '../../demo/entry-points.js';
import type { FreshDatabase } from './postgres/database.js';

/** The network that `npm start` makes, made now (some seconds). */
export async function fillDemo({ sql }: FreshDatabase): Promise<void> {
  await loadCorpus(sql, [...demoNetwork({ seed: DEMO_SEED, now: Date.now() })]);
}
