import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { mountGraphql } from '../adapters/graphql/yoga.js';
import { createServer } from '../adapters/http/server.js';
import { versionHeaders } from '../adapters/http/version-headers.js';
import { createMemoryCache } from '../adapters/memory/cache.js';
import { createMemoryFlights } from '../adapters/memory/flights.js';
import { createMemoryLimiter } from '../adapters/memory/limiter.js';
import { createMemoryPace } from '../adapters/memory/pace.js';
import { COMET_THREAD_ID, DEMO_HANDLES } from '../adapters/networks/corpus/demo/entry-points.js';
import { mountRest } from '../adapters/rest/mount.js';
import { mountSite } from '../adapters/site/mount.js';
import { schema } from '../schema/index.js';
import { readOperations } from '../schema/operations.js';
import { createAdmit } from './access/admit.js';
import { createIdentify } from './access/identify.js';
import type { Config } from './config.js';
import { PRODUCTS, type Product } from './core/model.js';
import { VERSION } from './core/version.js';
import { Purses } from './metering/purses.js';
import { openNetwork } from './networks.js';
import type { Clock, Network } from './ports.js';
import { createCursors } from './read/cursor.js';
import { createTweets, createUsers } from './read/entities.js';
import { createGone } from './read/gone.js';
import { createPages } from './read/pages.js';
import { createPool } from './read/pool.js';
import { normaliseQuery } from './read/subjects.js';
import { Answers } from './serve/answers.js';
import { Documents } from './serve/documents.js';
import { createServe } from './serve/serve.js';
import { createStatus } from './status.js';
import type { Stores } from './stores.js';

export interface ComposeOptions {
  readonly log: FastifyBaseLogger;
  readonly clock?: Clock;
  /** Instead of the one the configuration names: tests. */
  readonly network?: Network;
  /** The demo account's key, offered by GraphiQL with one click; null where there is none. */
  readonly demoKey?: string | null;
}

export interface Perch {
  readonly app: FastifyInstance;
  /** Listens and gives the address. */
  listen(): Promise<string>;
  /** Accepts no more, finishes what is in flight. The stores stay open. */
  close(): Promise<void>;
}

/** The only place that builds the whole. */
export async function compose(config: Config, stores: Stores, options: ComposeOptions): Promise<Perch> {
  const { log, clock = { now: Date.now }, demoKey = null } = options;
  const network = options.network ?? openNetwork(config, stores.corpusSql);
  const { ledger, accounts, secrets } = stores;
  const cache = createMemoryCache({ clock, maxBytes: config.cacheBytes });
  const flights = createMemoryFlights();
  const limiter = createMemoryLimiter({ clock });
  const perSecond = { fast: config.pace.fast ?? network.pace.fast, slow: config.pace.slow ?? network.pace.slow };
  const pace = createMemoryPace({ clock, perSecond });
  const pool = createPool({ network, pace, clock, deadlineMs: config.deadlineMs });

  const { lifetimes, deadlineMs } = config;
  const gone = createGone(clock, lifetimes);
  const shared = { cache, flights, pool, gone, clock, lifetimes };
  const users = createUsers(shared);
  const tweets = createTweets(shared);
  const pages = createPages({ ...shared, users, tweets });
  const cursors = createCursors(secrets.cursor);

  const operations = readOperations();
  const documents = new Documents(schema, operations, {
    cursor: (cursor) => cursors.check(cursor),
    query: (query, product) => network.checkQuery?.(normaliseQuery(query), productOf(product)),
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
    sources: { users, tweets, pages, cursors, gone, clock },
    clock,
    ceiling: config.maxOperationThousandths,
    deadlineMs,
    checkoutOpen: false,
  });

  const demo = demoKey !== null && network.name === 'corpus';
  const app = await createServer({
    ids: { requestId: () => v7() },
    log,
    versionHeaders: versionHeaders(config.notice),
  });
  const status = createStatus({ network, pool, pace, sql: stores.sql, clock, startedAt: clock.now() });
  mountRest(app, { serve, schema, operations });
  const site = mountSite(app, {
    admit,
    status,
    version: VERSION,
    network: network.name,
    demoKey,
    demo,
    subjects: demo ? DEMO_SUBJECTS : null,
    authUrl: config.authUrl,
    schema,
    operations,
  });
  mountGraphql(app, { serve, schema }, site.graphiql);

  return {
    app,
    async listen() {
      await app.listen({ host: config.host, port: config.port });
      const { port } = app.server.address() as AddressInfo;
      app.baseUrl = config.baseUrl ?? `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
      return app.baseUrl;
    },
    async close() {
      await app.close();
      await identify.close();
    },
  };
}

/** What GraphiQL's examples ask for on the demo network. */
const DEMO_SUBJECTS = {
  handle: DEMO_HANDLES.observatory,
  tweetId: COMET_THREAD_ID,
  otherHandles: [DEMO_HANDLES.ferries, DEMO_HANDLES.library, DEMO_HANDLES.newspaper],
};

const productOf = (name: string): Product => PRODUCTS.find((product) => product === name) ?? 'Latest';
