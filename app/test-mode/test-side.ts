import { createHmac } from 'node:crypto';
import { v7 } from 'uuid';
import { lazily } from '../../src/lib/lazily.js';
import { PlayCredits } from '../../src/metering/play-credits.js';
import type { Network } from '../../src/ports/network.js';
import type { Side, TestSide } from '../../src/serve/side.js';
import type { Shared } from '../shared.js';
import { createSide, type ReadingOptions } from '../sides.js';
import type { Stores } from '../stores.js';

interface TestSideOptions extends Pick<ReadingOptions, 'config' | 'network' | 'clock' | 'tracing'> {
  readonly stores: Pick<Stores, 'ledger'> & ReadingOptions['stores'];
  readonly shared: Pick<Shared, 'pace' | 'testMode'>;
  /** The network that test keys read; called at most once, by the first of them. */
  readonly openInvented: () => Promise<Network>;
}

/** Test mode. Nothing is opened before the first call with a test key, so it costs no memory until then. */
export function createTestSide(options: TestSideOptions): TestSide {
  const { stores, shared, clock } = options;
  const { memories } = shared.testMode;
  const credits = new PlayCredits({ ledger: stores.ledger, clock, newId: v7, memories });
  const opened = lazily(() => openSide(options));
  return {
    async ready(accountId) {
      const [side] = await Promise.all([opened.get(), credits.refill(accountId)]);
      return side;
    },
  };
}

/** Opens a side like the live one, with its own network, cache, flights and cursors. */
async function openSide(options: TestSideOptions): Promise<Side> {
  const { config, stores, shared, network: live, clock, tracing } = options;
  const { memories, cache, flights } = shared.testMode;
  const network = await options.openInvented();
  const { side } = createSide({
    config: { lifetimes: config.lifetimes, pace: { fast: null, slow: null } },
    stores: { secrets: { cursor: createHmac('sha256', stores.secrets.cursor).update('test mode').digest() } },
    shared: {
      ...{ cache, unpaid: cache, flights, memories, pace: shared.pace },
      // The invented network deletes nothing, so nodes have no tombstones to share.
      tombstoneLog: { add: async () => {}, follow: async () => async () => {} },
    },
    network: asLive(network, live),
    clock,
    tracing,
    spent() {},
  });
  return side;
}

/** Refuses everything that the live network refuses, so that a client that works in test mode also works live. */
const asLive = (invented: Network, live: Network): Network => ({
  ...invented,
  products: live.products,
  lists: live.lists,
  checkQuery(query, product) {
    live.checkQuery?.(query, product);
    invented.checkQuery?.(query, product);
  },
});
