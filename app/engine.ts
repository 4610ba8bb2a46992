import { schema } from '../schema/index.js';
import { readOperations } from '../schema/operations.js';
import { type Admit, createAdmit } from '../src/access/admit.js';
import { createIdentify } from '../src/access/identify.js';
import { ProcessorTime } from '../src/access/processor-time.js';
import { WorkSlots } from '../src/access/work-slots.js';
import type { Billing } from '../src/billing/billing.js';
import type { Config } from '../src/config/config.js';
import type { Memories } from '../src/core/memories.js';
import { PRODUCTS } from '../src/core/model.js';
import { monotonic, processorClock, processTime } from '../src/core/monotonic.js';
import type { CostBook } from '../src/metering/cost-book.js';
import { OperationNames } from '../src/metering/operation-names.js';
import { WalletCache } from '../src/metering/wallet-cache.js';
import type { Clock, Time } from '../src/ports/clock.js';
import type { Network } from '../src/ports/network.js';
import type { Tracing } from '../src/ports/tracing.js';
import { type Cursors, createCursors } from '../src/read/cursor.js';
import { createTweets, createUsers } from '../src/read/entities.js';
import { createPages } from '../src/read/pages.js';
import { createPool, type Pool } from '../src/read/pool/pool.js';
import type { Sources } from '../src/read/reads.js';
import { SharedReads } from '../src/read/shared-reads.js';
import { normaliseQuery } from '../src/read/subjects.js';
import { createTombstones } from '../src/read/tombstones.js';
import { AnswerCache } from '../src/serve/answer-cache.js';
import { Documents } from '../src/serve/documents.js';
import { PricedVariables } from '../src/serve/priced-variables.js';
import type { Checks } from '../src/serve/rules.js';
import { createServe, type Serve } from '../src/serve/serve.js';
import type { Lifecycle } from './lifecycle.js';
import type { Shared } from './shared.js';
import type { Stores } from './stores.js';

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
  readonly stores: Pick<Stores, 'ledger' | 'secrets'> & {
    readonly accounts: Pick<Stores['accounts'], 'findKeys' | 'onKeyChange'>;
  };
  readonly shared: Omit<Shared, 'redis'>;
  readonly network: Network;
  readonly clock: Clock;
  /** The process's own by default. */
  readonly time?: Time;
  readonly tracing: Tracing;
  readonly customers: { readonly billing: Pick<Billing, 'forCaller'>; spent(accountId: string): void };
  readonly costs?: CostBook;
  /** Shared with the pages beside the engine; its own by default. */
  readonly shares?: Shares;
  /** Shared with other engines of the same secrets and network; its own by default. */
  readonly library?: Library;
}

/** The persisted operations: their texts by name, and ready to run. */
export interface Library {
  readonly operations: Readonly<Record<string, string>>;
  readonly documents: Documents;
}

/** Reads and compiles the persisted operations. */
export function openLibrary(cursors: Cursors, network: Network, memories: Memories): Library {
  const operations = readOperations();
  const checks: Checks = {
    cursor: (cursor) => cursors.check(cursor),
    // Whatever its age: what is known of a call is kept.
    cursorOf: (list, cursor) => void cursors.decode(list, cursor, 0),
    query(query, product) {
      const known = PRODUCTS.find((name) => name === product) ?? 'Latest';
      const text = normaliseQuery(query);
      network.checkQuery?.(text, known);
    },
    serves: (list) => network.lists[list],
  };
  return { operations, documents: new Documents(schema, operations, checks, memories) };
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
  const { config, stores, shared, network, clock } = options;
  const { ledger, accounts, secrets } = stores;
  const { cache, limiter, memories } = shared;
  const { sources, pool } = createReading(options);
  await lifecycle.open(
    'tombstones',
    () => sources.tombstones.follow(),
    (unfollow) => unfollow(),
  );
  const { operations, documents } = options.library ?? openLibrary(sources.cursors, network, memories);
  // Its own timers keep no process alive: sockets do.
  const { monotonic, timers } = options.time ?? { ...processTime, timers: undefined };
  const identify = await lifecycle.open(
    'changes of keys',
    () => createIdentify({ accounts, limiter, monotonic, timers, pepper: secrets.pepper, memories }),
    (following) => following.close(),
  );
  const admit = createAdmit({ limiter });
  const serve = createServe({
    ...(options.shares ?? createShares(config, memories)),
    identify,
    admit,
    documents,
    pricedVariables: new PricedVariables(memories),
    answerCache: new AnswerCache(cache, sources.tombstones, memories),
    walletCache: new WalletCache(ledger, monotonic, memories),
    names: new OperationNames(ledger, clock, memories, undefined, timers),
    ledger,
    sources,
    clock,
    monotonic,
    timers,
    defaultBudget: config.maxOperationThousandths,
    deadlineMs: config.deadlineMs,
    billing: options.customers.billing,
    spent: (accountId) => options.customers.spent(accountId),
    tracing: options.tracing,
    costs: options.costs,
  });
  return { serve, admit, pool, operations };
}

export interface ReadingOptions extends Pick<EngineOptions, 'config' | 'network' | 'clock' | 'time' | 'tracing'> {
  readonly stores: { readonly secrets: Pick<Stores['secrets'], 'cursor'> };
  readonly shared: Omit<Shared, 'limiter' | 'redis'>;
}

/** Everything that reads need: the paced network, and the cache. */
export function createReading(options: ReadingOptions): { sources: Sources; pool: Pool } {
  const { config, stores, shared, network, clock, time = processTime } = options;
  const { lifetimes } = config;
  const { cache, unpaid, pace, tombstoneLog, memories } = shared;
  const perSecond = { fast: config.pace.fast ?? network.pace.fast, slow: config.pace.slow ?? network.pace.slow };
  const pool = createPool({ network, pace, clock, ...time, perSecond, tracing: options.tracing });
  const tombstones = createTombstones({ clock, lifetimes, tombstoneLog, cache, memories });
  const common = { cache, unpaid, shared: new SharedReads(shared.flights), pool, tombstones, clock, lifetimes };
  const users = createUsers(common);
  const tweets = createTweets(common);
  const pages = createPages({ ...common, users, tweets });
  const cursors = createCursors(stores.secrets.cursor);
  const { highlighter } = network;
  return { sources: { users, tweets, pages, cursors, tombstones, clock, highlighter }, pool };
}
