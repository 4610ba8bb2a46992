import { createMemoryCache } from '../adapters/memory/cache.js';
import { createMemoryFlights } from '../adapters/memory/flights.js';
import { createMemoryLimiter } from '../adapters/memory/limiter.js';
import { createMemoryPace, type MemoryPace } from '../adapters/memory/pace.js';
import { schema } from '../schema/index.js';
import { readOperations } from '../schema/operations.js';
import { type Admit, createAdmit } from './access/admit.js';
import { createIdentify } from './access/identify.js';
import type { Config } from './config.js';
import { PRODUCTS } from './core/model.js';
import { Purses } from './metering/purses.js';
import type { Cache, Clock, Network } from './ports.js';
import { createCursors } from './read/cursor.js';
import { createTweets, createUsers } from './read/entities.js';
import { createGone, type Gone } from './read/gone.js';
import { createPages } from './read/pages.js';
import { createPool, type Pool } from './read/pool.js';
import type { Sources } from './read/reads.js';
import { normaliseQuery } from './read/subjects.js';
import { Answers } from './serve/answers.js';
import { Documents } from './serve/documents.js';
import { createServe, type Serve } from './serve/serve.js';
import type { Stores } from './stores.js';

/** What every interface is mounted on. */
export interface Engine {
  readonly serve: Serve;
  readonly admit: Admit;
  readonly pool: Pool;
  readonly pace: MemoryPace;
  /** The persisted operations' texts, by name. */
  readonly operations: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** The engine over a network and the stores: the way of a request, without any protocol. */
export async function createEngine(config: Config, stores: Stores, network: Network, clock: Clock): Promise<Engine> {
  const { ledger, accounts, secrets } = stores;
  const { sources, cache, gone, pool, pace } = createReading(config, stores, network, clock);
  const limiter = createMemoryLimiter({ clock });
  const operations = readOperations();
  const documents = new Documents(schema, operations, {
    cursor: (cursor) => sources.cursors.check(cursor),
    query(query, product) {
      const known = PRODUCTS.find((name) => name === product) ?? 'Latest';
      const text = normaliseQuery(query);
      network.checkQuery?.(text, known);
    },
  });
  const identify = await createIdentify({ accounts, limiter, clock, pepper: secrets.pepper });
  const admit = createAdmit({ limiter });
  const serve = createServe({
    identify,
    admit,
    documents,
    answers: new Answers(cache, gone),
    purses: new Purses(ledger, clock),
    ledger,
    sources,
    clock,
    ceiling: config.maxOperationThousandths,
    deadlineMs: config.deadlineMs,
    checkoutOpen: false,
  });
  return { serve, admit, pool, pace, operations, close: () => identify.close() };
}

/** What reads need: the paced network, and what is held of it. */
function createReading(
  config: Config,
  { secrets }: Stores,
  network: Network,
  clock: Clock,
): { sources: Sources; cache: Cache; gone: Gone; pool: Pool; pace: MemoryPace } {
  const { lifetimes, deadlineMs } = config;
  const perSecond = { fast: config.pace.fast ?? network.pace.fast, slow: config.pace.slow ?? network.pace.slow };
  const pace = createMemoryPace({ clock, perSecond });
  const pool = createPool({ network, pace, clock, deadlineMs });
  const cache = createMemoryCache({ clock, maxBytes: config.cacheBytes });
  const gone = createGone(clock, lifetimes);
  const shared = { cache, flights: createMemoryFlights(), pool, gone, clock, lifetimes };
  const users = createUsers(shared);
  const tweets = createTweets(shared);
  const pages = createPages({ ...shared, users, tweets });
  const cursors = createCursors(secrets.cursor);
  return { sources: { users, tweets, pages, cursors, gone, clock }, cache, gone, pool, pace };
}
