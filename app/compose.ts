import type { AddressInfo } from 'node:net';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { mountGraphiql } from '../adapters/graphql/graphiql/mount.js';
import { mountManifest } from '../adapters/graphql/manifest.js';
import { mountMercurius } from '../adapters/graphql/mercurius/mount.js';
import { mountGraphql } from '../adapters/graphql/yoga.js';
import { createServer } from '../adapters/http/server.js';
import { versionHeaders } from '../adapters/http/version-headers.js';
import { mountMcp } from '../adapters/mcp/mount.js';
import { COMET_THREAD_ID, DEMO_HANDLES } from '../adapters/networks/corpus/demo/entry-points.js';
import { mountRest } from '../adapters/rest/mount.js';
import { mountOpenapi } from '../adapters/rest/openapi/mount.js';
import { mountSite } from '../adapters/site/mount.js';
import { schema } from '../schema/index.js';
import type { Config } from '../src/config/config.js';
import { localUrl } from '../src/core/local-url.js';
import { VERSION } from '../src/core/version.js';
import type { Clock } from '../src/ports/clock.js';
import type { Network, NetworkReport } from '../src/ports/network.js';
import { openCustomers } from './customers/customers.js';
import { createEngine, createShares, type Engine } from './engine.js';
import { openNetwork } from './networks.js';
import { openObserving } from './observing.js';
import { openShared } from './shared.js';
import { createStatus } from './status.js';
import type { Stores } from './stores.js';

const SELF_CHECK_MS = 20_000;

/** Longest that the start waits to see whether it is a demo. */
const DEMO_LOOK_MS = 10_000;

export interface ComposeOptions {
  readonly log: FastifyBaseLogger;
  readonly clock?: Clock;
  /** Instead of the one the configuration names: tests. */
  readonly network?: Network;
  /** The demo account's key, offered by GraphiQL with one click; null where there is none. */
  readonly demoKey?: string | null;
  /** What runs GraphQL: Yoga unless told. Both give the same answers. */
  readonly graphql?: 'yoga' | 'mercurius';
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
  const shared = await openShared({ config, clock, log });
  const { memories } = shared;
  const network = options.network ?? (await openNetwork({ config, sql: () => stores.corpusSql, clock, memories }));
  const observing = await openObserving(config, log);
  const { tracing } = observing;
  const shares = createShares(config, memories);
  const app = await createServer({
    ids: { requestId: () => v7() },
    log,
    versionHeaders: versionHeaders(config.notice),
    capacity: config.overload,
    shares,
    trustedProxies: config.trustedProxies,
  });
  const customers = openCustomers(app, { config, stores, shared, clock, log });
  const engine = await createEngine({ config, stores, shared, network, clock, tracing, customers, shares });
  const { admit, pool } = engine;
  const demo = demoKey !== null && network.name === 'corpus' && (await isDemo(network));
  const status = createStatus({
    network,
    pool,
    sql: stores.sql,
    clock,
    startedAt: clock.now(),
    redis: shared.redis,
    findings: checkNetwork(network, log),
    draining: () => app.stopping,
  });
  await observing.watch(app, engine, shared);
  const { graphql = 'yoga' } = options;
  await mountInterfaces(app, engine, { config, network, status, demoKey, demo, graphql });
  customers.mount(admit, network.name);

  return {
    app,
    async listen() {
      await observing.publish();
      await app.listen({ host: config.host, port: config.port });
      app.baseUrl = config.baseUrl ?? localUrl(config.host, (app.server.address() as AddressInfo).port);
      app.authUrl = config.authUrl ?? app.baseUrl;
      customers.start();
      return app.baseUrl;
    },
    async close() {
      await app.close();
      await engine.close();
      await customers.close();
      await observing.close();
      await shared.close();
      await network.close?.();
    },
  };
}

interface Shown {
  readonly config: Config;
  readonly network: Network;
  readonly status: ReturnType<typeof createStatus>;
  readonly demoKey: string | null;
  readonly demo: boolean;
  readonly graphql: NonNullable<ComposeOptions['graphql']>;
}

/** Reads, and the pages about them. */
async function mountInterfaces(app: FastifyInstance, engine: Engine, shown: Shown): Promise<void> {
  const { serve, admit, operations } = engine;
  const { config, network, status, demoKey, demo } = shown;
  mountRest(app, { serve, schema, operations });
  const { admitPublic } = admit;
  const { handle, otherHandles } = DEMO_SUBJECTS;
  mountSite(app, {
    admitPublic,
    status,
    version: VERSION,
    network: network.name,
    demo,
    live: demo && demoKey !== null ? { key: demoKey, handles: [handle, ...otherHandles] } : null,
  });
  mountOpenapi(app, { admitPublic, authUrl: config.authUrl, schema, operations });
  const page = mountGraphiql(app, { demoKey, subjects: demo ? DEMO_SUBJECTS : null });
  if (shown.graphql === 'yoga') mountGraphql(app, { serve, schema }, page);
  else await mountMercurius(app, { serve, schema, page });
  mountManifest(app, operations);
  mountMcp(app, { serve, schema, operations });
}

/** Asks the network what this configuration can read. Nobody waits for that; it is told to the log, and later to whoever asks. */
function checkNetwork(network: Network, log: FastifyBaseLogger): () => NetworkReport['findings'] {
  let findings: NetworkReport['findings'] = [];
  const checking = network.selfCheck?.({ signal: AbortSignal.timeout(SELF_CHECK_MS) });
  void checking?.then((report) => {
    findings = report.findings;
    for (const { ok, what } of findings) log[ok ? 'info' : 'warn'](what);
  });
  return () => findings;
}

/** What GraphiQL's examples ask for on the demo network. */
const DEMO_SUBJECTS = {
  handle: DEMO_HANDLES.observatory,
  tweetId: COMET_THREAD_ID,
  otherHandles: [DEMO_HANDLES.ferries, DEMO_HANDLES.library, DEMO_HANDLES.newspaper],
};

/** Whether what is read is the invented demo network: it has the demo's own thread. */
async function isDemo(network: Network): Promise<boolean> {
  const [found] = await network.tweets([COMET_THREAD_ID], { signal: AbortSignal.timeout(DEMO_LOOK_MS) });
  return found !== undefined && 'ok' in found;
}
