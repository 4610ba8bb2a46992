import type { Shares } from '../adapters/http/limits/overload.js';
import { WATCH_FORM } from '../adapters/rest/watch-form.js';
import { schema } from '../schema/index.js';
import { hashedTexts, publishedOperations, readLiveOperations, readOperations } from '../schema/operations.js';
import { type Admit, createAdmit } from '../src/access/admit.js';
import { createIdentify } from '../src/access/identify.js';
import { ProcessorTime } from '../src/access/processor-time.js';
import { WorkSlots } from '../src/access/work-slots.js';
import type { Billing } from '../src/billing/billing.js';
import type { Config } from '../src/config/config.js';
import { Documents, type Persisted, preparePersisted } from '../src/documents/documents.js';
import { ServiceError } from '../src/domain/errors.js';
import type { Family } from '../src/domain/model.js';
import type { CostBook } from '../src/figures/cost-book.js';
import type { Memories } from '../src/lib/memories.js';
import { backgroundTimers, monotonic, processorClock, processTime } from '../src/lib/monotonic.js';
import { Live, type LiveOptions } from '../src/live/live.js';
import { OperationNames } from '../src/metering/operation-names.js';
import { WalletCache } from '../src/metering/wallet-cache.js';
import type { Clock, Time } from '../src/ports/clock.js';
import type { Network, Push } from '../src/ports/network.js';
import type { Tracing } from '../src/ports/tracing.js';
import type { CallerWatches } from '../src/ports/watches.js';
import type { Pool } from '../src/read/pool/pool.js';
import { createServe, type Serve } from '../src/serve/serve.js';
import { Watches, type WatchesOptions } from '../src/watches/watches.js';
import type { Lifecycle } from './lifecycle.js';
import type { Shared } from './shared.js';
import { createSide } from './sides.js';
import type { Stores } from './stores.js';
import { createTestSide } from './test-mode/test-side.js';

/** Everything that interfaces are mounted on. */
export interface Engine {
  readonly serve: Serve;
  readonly live: Live;
  /** Null if this program has none. */
  readonly watches: Watches | null;
  readonly admit: Admit;
  readonly pool: Pool;
  readonly library: Library;
}

export interface EngineOptions {
  readonly config: Config;
  readonly stores: Pick<Stores, 'ledger' | 'secrets'> & {
    readonly accounts: Pick<Stores['accounts'], 'findKeys' | 'onKeyChange'>;
  };
  readonly shared: Omit<Shared, 'redis'>;
  readonly network: Network;
  /** The network that test keys read; called at most once, by the first of them. */
  readonly openInvented: () => Promise<Network>;
  readonly clock: Clock;
  /** The process's own by default. */
  readonly time?: Time;
  readonly tracing: Tracing;
  readonly customers: {
    readonly billing: Pick<Billing, 'forCaller'>;
    /** Leave out to have no watches. */
    readonly watching?: WatchParts;
    spent(accountId: string): void;
  };
  readonly costs?: CostBook;
  /** Announces new items of followed lists, if the network does that. */
  readonly push?: Push | null;
  /** Called when a watch must be followed at once. */
  readonly wake?: WatchesOptions['wake'];
  /** Work slots and processor time, shared with the pages; created here by default. */
  readonly shares?: Shares;
}

/** Everything that watches need in addition to the engine. */
export type WatchParts = Pick<WatchesOptions, 'book' | 'keyByPrefix' | 'webhooks' | 'deliveries' | 'secret'>;

/** The persisted operations: their texts by name, the texts published to clients, and the compiled operations. */
export interface Library {
  readonly operations: Readonly<Record<string, string>>;
  /** The operations that follow lists. */
  readonly live: Readonly<Record<string, string>>;
  readonly published: Readonly<Record<string, string>>;
  readonly persisted: Persisted;
}

let library: Library | undefined;

/** Read and compiled once per process: it takes as long as the rest of a start, and does not depend on an engine. */
function openLibrary(): Library {
  if (library !== undefined) return library;
  const operations = readOperations();
  const published = publishedOperations(operations);
  const live = readLiveOperations();
  library = {
    operations,
    live,
    published,
    persisted: preparePersisted(schema, { ...operations, ...live }, hashedTexts(published)),
  };
  return library;
}

export const createShares = (
  { overload, deadlineMs }: Config,
  memories: Memories,
  sharesBy: Clock = monotonic,
): Shares => ({
  slots: new WorkSlots({ total: overload.maxInFlight, deadlineMs, monotonic }),
  processor: new ProcessorTime({ monotonic: sharesBy, used: processorClock, memories }),
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
  const opened = openLibrary();
  // The default timers do not keep the process alive; its sockets do.
  const { monotonic, timers } = options.time ?? { ...processTime, timers: undefined };
  const identify = await lifecycle.open(
    'changes of keys',
    () => createIdentify({ accounts, limiter, monotonic, timers, pepper: secrets.pepper, memories }),
    (following) => following.close(),
  );
  const admit = createAdmit({ limiter });
  let watches: Watches | null = null;
  const serve = createServe({
    ...(options.shares ?? createShares(config, memories)),
    identify,
    admit,
    documents: new Documents(schema, opened.persisted, memories),
    sides: { live: side, test: createTestSide(options) },
    walletCache: new WalletCache(ledger, monotonic, memories),
    names: new OperationNames(ledger, clock, memories, undefined, timers),
    ledger,
    clock,
    monotonic,
    timers,
    defaultBudget: config.maxOperationThousandths,
    deadlineMs: config.deadlineMs,
    billing: customers.billing,
    watches: { forCaller: (...call) => watches?.forCaller(...call) ?? NO_WATCHES },
    tracing: options.tracing,
  });
  const live = new Live({
    serve,
    push: options.push ?? null,
    clock,
    timers: timers ?? backgroundTimers,
    pace: shared.pace,
    perSecond: totalPace(config, options.network),
    places: config.overload.maxInFlight,
    secret: secrets.cursor,
  });
  if (customers.watching !== undefined) {
    const { wake = () => {} } = options;
    watches = new Watches({ ...customers.watching, form: WATCH_FORM, live, serve, limiter, clock, wake });
  }
  return { serve, live, watches, admit, pool, library: opened };
}

/** For an engine embedded in another program, where nothing follows watches. */
const none = () => Promise.reject(new ServiceError('not_found', 'This service has no watches.'));
const NO_WATCHES: CallerWatches = {
  ...{ list: none, get: none, add: none, change: none, deliveries: none, sendAgain: none },
};

/** Upstream calls per second, of all network sessions together. */
function totalPace({ pace }: Config, network: Network): LiveOptions['perSecond'] {
  const total = (family: Family): number | null => {
    const perSession = pace[family] ?? network.pace[family];
    return perSession === null ? null : perSession * network.sessions.length;
  };
  return { fast: total('fast'), slow: total('slow') };
}
