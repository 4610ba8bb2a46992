import { schema } from '../schema/index.js';
import { readOperations } from '../schema/operations.js';
import { type Admit, createAdmit } from '../src/access/admit.js';
import { createIdentify } from '../src/access/identify.js';
import { ProcessorTime } from '../src/access/processor-time.js';
import { WorkSlots } from '../src/access/work-slots.js';
import type { Config } from '../src/config/config.js';
import type { Memories } from '../src/core/memories.js';
import { monotonic, processorClock } from '../src/core/monotonic.js';
import type { CostBook } from '../src/metering/cost-book.js';
import { OperationNames } from '../src/metering/operation-names.js';
import { WalletCache } from '../src/metering/wallet-cache.js';
import type { Clock } from '../src/ports/clock.js';
import type { Network } from '../src/ports/network.js';
import type { Tracing } from '../src/ports/tracing.js';
import type { Pool } from '../src/read/pool/pool.js';
import { Documents } from '../src/serve/documents.js';
import { createServe, type Serve } from '../src/serve/serve.js';
import type { Customers } from './customers/customers.js';
import type { Lifecycle } from './lifecycle.js';
import type { Shared } from './shared.js';
import { createSide } from './sides.js';
import type { Stores } from './stores.js';
import { createTestSide } from './test-mode/test-side.js';

/** What every interface is mounted on. */
export interface Engine {
  readonly serve: Serve;
  readonly admit: Admit;
  readonly pool: Pool;
  /** The persisted operations' texts, by name. */
  readonly operations: Readonly<Record<string, string>>;
}

export interface EngineOptions {
  readonly config: Config;
  readonly stores: Stores;
  readonly shared: Shared;
  readonly network: Network;
  readonly clock: Clock;
  readonly tracing: Tracing;
  readonly customers: Pick<Customers, 'billing' | 'spent'>;
  readonly costs?: CostBook;
  /** Shared with the pages beside the engine; its own by default. */
  readonly shares?: Shares;
}

/**
 * Resources of this process that callers share fairly: calls of the engine and pages beside it draw on the same ones.
 */
export interface Shares {
  readonly slots: WorkSlots;
  readonly processor: ProcessorTime;
}

export const createShares = ({ overload, deadlineMs }: Config, memories: Memories): Shares => ({
  slots: new WorkSlots({ total: overload.maxInFlight, deadlineMs, monotonic }),
  processor: new ProcessorTime({ monotonic, used: processorClock, memories }),
});

/** The engine for a network and the stores: serves requests, independently of any protocol. */
export async function openEngine(lifecycle: Lifecycle, options: EngineOptions): Promise<Engine> {
  const { config, stores, shared, clock } = options;
  const { ledger, accounts, secrets } = stores;
  const { limiter, memories } = shared;
  const { costs, customers } = options;
  const { side, pool } = createSide({ ...options, costs, spent: (accountId) => customers.spent(accountId) });
  await lifecycle.open(
    'tombstones',
    () => side.sources.tombstones.follow(),
    (unfollow) => unfollow(),
  );
  const operations = readOperations();
  const documents = new Documents(schema, operations, memories);
  const identify = await lifecycle.open(
    'changes of keys',
    () => createIdentify({ accounts, limiter, monotonic, pepper: secrets.pepper, memories }),
    (following) => following.close(),
  );
  const admit = createAdmit({ limiter });
  const serve = createServe({
    ...(options.shares ?? createShares(config, memories)),
    identify,
    admit,
    documents,
    sides: { live: side, test: createTestSide(options) },
    walletCache: new WalletCache(ledger, monotonic, memories),
    names: new OperationNames(ledger, clock, memories),
    ledger,
    clock,
    monotonic,
    defaultBudget: config.maxOperationThousandths,
    deadlineMs: config.deadlineMs,
    billing: customers.billing,
    tracing: options.tracing,
  });
  return { serve, admit, pool, operations };
}
