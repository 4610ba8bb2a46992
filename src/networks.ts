import { createCorpusNetwork } from '../adapters/networks/corpus/network.js';
import type { Sql } from '../adapters/postgres/sql.js';
import type { Config } from './config.js';
import type { Network } from './ports/network.js';

/** The network of the configuration. Throws when it is one that this version cannot read. */
export function openNetwork(config: Config, sql: Sql): Network {
  if (config.network === 'corpus') return createCorpusNetwork(sql);
  throw new Error(`PERCH_NETWORK=${config.network} cannot be read by this version yet: use corpus.`);
}
