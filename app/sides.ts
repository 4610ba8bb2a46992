import type { Config } from '../src/config/config.js';
import { PricedVariables } from '../src/documents/priced-variables.js';
import type { Checks } from '../src/documents/rules.js';
import { PRODUCTS } from '../src/domain/model.js';
import { processTime } from '../src/lib/monotonic.js';
import type { Clock, Time } from '../src/ports/clock.js';
import type { Network } from '../src/ports/network.js';
import type { Tracing } from '../src/ports/tracing.js';
import { createCursors } from '../src/read/cursor.js';
import { createTweets, createUsers } from '../src/read/entities.js';
import { createPages } from '../src/read/pages.js';
import { createPool, type Pool } from '../src/read/pool/pool.js';
import type { Sources } from '../src/read/reads.js';
import { SharedReads } from '../src/read/shared-reads.js';
import { impossibleName, normaliseQuery } from '../src/read/subjects.js';
import { createTombstones } from '../src/read/tombstones.js';
import { AnswerCache } from '../src/serve/answer-cache.js';
import type { Side } from '../src/serve/side.js';
import type { Shared } from './shared.js';
import type { Stores } from './stores.js';

export interface SideOptions extends ReadingOptions, Pick<Side, 'costs' | 'spent'> {}

/** Creates the side of one mode: what its calls read, and everything that is cached for them. */
export function createSide(options: SideOptions): { side: Side; pool: Pool } {
  const { network, shared, clock, costs, spent } = options;
  const { sources, pool } = createReading(options);
  const { cursors, tombstones } = sources;
  const checks: Checks = {
    cursor: cursors.check,
    cursorOf: (list, cursor, param) =>
      void (param === 'since' ? cursors.decodeSince : cursors.decode)(list, cursor, clock.now()),
    query(query, product) {
      const known = PRODUCTS.find((name) => name === product) ?? 'Latest';
      const text = normaliseQuery(query);
      network.checkQuery?.(text, known);
    },
    impossible: (kind, text) => impossibleName(kind, text, network.impossible),
    serves: (list) => network.lists[list],
  };
  const pricedVariables = new PricedVariables(checks, shared.memories);
  const answerCache = new AnswerCache(shared.cache, tombstones, shared.memories);
  return { side: { sources, pricedVariables, answerCache, spent, costs }, pool };
}

export interface ReadingOptions {
  readonly network: Network;
  readonly clock: Clock;
  /** The process's own by default. */
  readonly time?: Time;
  readonly tracing: Tracing;
  readonly config: Pick<Config, 'lifetimes' | 'pace'>;
  readonly stores: { readonly secrets: Pick<Stores['secrets'], 'cursor'> };
  readonly shared: Omit<Shared, 'limiter' | 'redis' | 'testMode'>;
}

/** Creates everything that reads need: the paced network and the cache. */
export function createReading(options: ReadingOptions): { sources: Sources; pool: Pool } {
  const { config, stores, shared, network, clock, time = processTime } = options;
  const { lifetimes } = config;
  const { cache, unpaid, pace, tombstoneLog, memories } = shared;
  const perSecond = { fast: config.pace.fast ?? network.pace.fast, slow: config.pace.slow ?? network.pace.slow };
  const pool = createPool({ network, pace, clock, ...time, perSecond, tracing: options.tracing });
  const tombstones = createTombstones({ clock, lifetimes, tombstoneLog, cache, memories });
  const sharedReads = new SharedReads(shared.flights, time);
  const common = { cache, unpaid, shared: sharedReads, pool, tombstones, clock, lifetimes };
  const users = createUsers({ ...common, network });
  const tweets = createTweets(common);
  const pages = createPages({ ...common, users, tweets });
  const cursors = createCursors(stores.secrets.cursor, network.name);
  const { highlighter, impossible } = network;
  return { sources: { users, tweets, pages, cursors, tombstones, clock, highlighter, impossible }, pool };
}
