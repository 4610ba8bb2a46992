import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { mountManifest, mountSdl } from '../adapters/graphql/manifest.js';
import { mountMercurius } from '../adapters/graphql/mercurius/mount.js';
import { mountGraphql } from '../adapters/graphql/yoga.js';
import { versionHeaders } from '../adapters/http/headers.js';
import type { Patience } from '../adapters/http/limits/connections.js';
import type { Capacity } from '../adapters/http/limits/overload.js';
import { createServer, type HttpOptions } from '../adapters/http/server.js';
import { mountMcp } from '../adapters/mcp/mount.js';
import { dashboardFailure } from '../adapters/pages/dashboard/frame/refusals.js';
import { mountDocs } from '../adapters/pages/docs/mount.js';
import { dashboardPictures } from '../adapters/pages/docs/sources.js';
import type { ExampleSubjects } from '../adapters/pages/graphiql/examples.js';
import { mountGraphiql } from '../adapters/pages/graphiql/mount.js';
import { sendBusyPage, sendLostPage } from '../adapters/pages/kit/not-found.js';
import { publishPages } from '../adapters/pages/kit/send-page.js';
import { mountSite } from '../adapters/pages/site/mount.js';
import { createCheckMemory } from '../adapters/postgres/figures/network-checks.js';
import { mountDownloads } from '../adapters/rest/downloads/mount.js';
import { mountLive } from '../adapters/rest/live.js';
import { mountRest } from '../adapters/rest/mount.js';
import { describes, mountOpenapi } from '../adapters/rest/openapi/mount.js';
import { COMET_THREAD_ID, DEMO_HANDLES } from '../demo/entry-points.js';
import { withFailingHandles } from '../demo/handles/failing-handles.js';
import { POSTING_HANDLE } from '../demo/handles/posting-handle.js';
import { schema } from '../schema/index.js';
import type { Config } from '../src/config/config.js';
import { VERSION } from '../src/domain/version.js';
import type { StartPoll } from '../src/lib/poll.js';
import { UNTRACED } from '../src/lib/untraced.js';
import type { Clock } from '../src/ports/clock.js';
import type { Network, SampleAccount } from '../src/ports/network.js';
import type { Watching } from '../src/watches/watching.js';
import { isOwnMachine } from './customers/alerts.js';
import { type Customers, openCustomers } from './customers/customers.js';
import type { StandIns } from './customers/options.js';
import { demoWatch, holdsOnlyDemo } from './demo.js';
import { createShares, type Engine, openEngine } from './engine.js';
import { openCosts, openTraffic } from './figures.js';
import { type Lifecycle, loggedPolling } from './lifecycle.js';
import { listen, type Serving } from './listening.js';
import { createSample, openNetwork, openPush, openSelfCheck, sourceOf, withOddObjectsLogged } from './networks.js';
import { observeRequests, openMetrics, openTracing } from './observing.js';
import { createRequestIds } from './request-ids.js';
import { openSearchIndex } from './search-index.js';
import { openShared } from './shared.js';
import { createDatabaseCheck, createStatus } from './status.js';
import { openStatusHistory, type ReadHistory } from './status-history.js';
import type { Stores } from './stores.js';
import { openInventedNetwork } from './test-mode/invented-network.js';
import { openWatching } from './watching.js';

export interface ComposeOptions extends StandIns {
  readonly log: FastifyBaseLogger;
  readonly clock?: Clock;
  /** Replaces the configured network, in tests. */
  readonly network?: Network;
  /** The demo account's key, which pages offer while the network is the demo; null if there is none. */
  readonly demoKey?: string | null;
  /** Starts background polls; uses the machine's clock by default. Replaced by tests. */
  readonly startPoll?: StartPoll;
  /** Replaces all read interfaces, in tests of a protocol. */
  readonly interfaces?: (app: FastifyInstance, engine: Engine) => void;
  /** Whether repeated requests are answered before the framework sees them; by default, unless traces are on. */
  readonly repeated?: boolean;
  /** The GraphQL server: Yoga by default. Both give the same answers. */
  readonly graphql?: 'yoga' | 'mercurius';
  /** Overrides parts of the configured capacity, in tests. */
  readonly capacity?: Pick<Capacity, 'maxLoopDelayMs'>;
  /** How long connections may take; tests use shorter times. */
  readonly patience?: Patience;
  /** The clock whose seconds bring new shares of processor time; monotonic by default. Replaced by tests. */
  readonly sharesBy?: Clock;
}

/** A listening service, with the parts that its caller needs. */
export interface Perch extends Serving {
  readonly customers: Customers;
}

/**
 * Builds the whole service: parts open in the order of this function and close in reverse. It serves once this
 * resolves. The caller owns the stores.
 */
export async function compose(
  lifecycle: Lifecycle,
  config: Config,
  stores: Stores,
  options: ComposeOptions,
): Promise<Perch> {
  const { log, clock = { now: Date.now } } = options;
  const { startPoll = loggedPolling(log) } = options;
  const { limiter } = options;
  const { memories } = stores;
  const sources = { config, sql: () => stores.corpusSql, clock, memories };
  const source = () => sourceOf(sources, options.network);
  const shared = {
    ...(await openShared(lifecycle, { config, clock, log, memories, source })),
    ...(limiter && { limiter }),
  };
  const { callsLeft } = shared;
  stores.replica?.onChange((why) => {
    if (why === null) log.info('History is read from its replica again.');
    else log.warn(`The replica at HISTORY_DATABASE_URL cannot be used: ${why}. History is read at DATABASE_URL.`);
  });
  await openSearchIndex(lifecycle, { config, stores, log, startPoll });
  const opened = withOddObjectsLogged(await openNetwork(lifecycle, { ...sources, callsLeft }, options.network), log);
  const offered = options.demoKey ?? null;
  const mayBeDemo = offered !== null && opened.name === 'corpus';
  const demo = mayBeDemo && (await lifecycle.open('look for the demo', () => holdsOnlyDemo(stores.corpusSql)));
  const network = demo ? withFailingHandles(opened) : opened;
  const telemetry = await openTracing(lifecycle, config, log);
  const shares = createShares(config, memories, options.sharesBy);
  // Off with traces, because a trace begins in the framework.
  const remembers = options.repeated ?? telemetry === null;
  const capacity = { ...config.overload, ...options.capacity };
  const app = await openServer(lifecycle, config, {
    log,
    capacity,
    shares,
    isOwnMachine: offered !== null && isOwnMachine(config),
    memories: remembers ? memories : undefined,
    ...(options.patience && { patience: options.patience }),
  });
  const common = { config, stores, shared, clock, log };
  const customers = await openCustomers(lifecycle, app, { ...common, startPoll, standIns: options });
  const tracing = telemetry?.tracing ?? UNTRACED;
  const costs = await openCosts(lifecycle, { stores, network, clock, log, startPoll });
  const openInvented = () => openInventedNetwork(stores.inventedSql);
  let watching: Watching | undefined;
  const wake: Watching['wake'] = (watch) => watching?.wake(watch);
  const push = await openPush(lifecycle, network, log);
  const read = { config, stores, shared, network, push };
  const parts = { wake, ...read, openInvented, clock, tracing, customers, costs, shares };
  const engine = await openEngine(lifecycle, parts);
  watching = await openWatching(lifecycle, { app, engine, stores, customers, clock, log });
  const health = { pool: engine.pool, databaseAnswers: createDatabaseCheck(stores.sql) };
  const history = await openStatusHistory(lifecycle, { ...health, sql: stores.sql, clock, log, startPoll });
  const findings = await openSelfCheck(lifecycle, network, createCheckMemory(stores.sql), { log, startPoll });
  await observeRequests(app, telemetry);
  await openTraffic(lifecycle, app, { stores, clock, log, startPoll });
  await openMetrics(lifecycle, config, { app, engine, shared, costs, push, stores });
  const status = createStatus({
    ...health,
    network,
    clock,
    startedAt: clock.now(),
    redis: shared.redis,
    findings,
    draining: () => app.stopping,
  });
  const isDemo = demoWatch(stores.corpusSql, clock, demo);
  const sample = createSample(network, clock);
  const pages = { isDemo, sample, offered };
  const shown = { config, network, status, history, ...pages, graphql: options.graphql ?? 'yoga' };
  const { interfaces = mountInterfaces } = options;
  await lifecycle.open('interfaces', () => interfaces(app, engine, shown));
  await lifecycle.open('pages for customers', () =>
    // The owner of the demo's account stays its operator, whatever was imported since.
    customers.mount(engine, { network: network.name, demoKey: offered, status }),
  );
  const serving = await listen(lifecycle, app, config, log);
  watching.start();
  return { ...serving, customers };
}

/** The bare server, not listening yet. Everything mounted on it closes with it. */
const openServer = (
  lifecycle: Lifecycle,
  config: Config,
  own: Pick<HttpOptions, 'log' | 'capacity' | 'shares' | 'isOwnMachine' | 'memories' | 'patience'>,
): Promise<FastifyInstance> =>
  lifecycle.open(
    'server',
    () =>
      createServer({
        ...own,
        ids: createRequestIds(),
        versionHeaders: versionHeaders(config.notice),
        trustedProxies: config.trustedProxies,
        lostPage: sendLostPage,
        failurePage: (...failed) => dashboardFailure(...failed) ?? sendBusyPage(...failed),
      }),
    (app) => app.close(),
  );

interface Shown {
  readonly config: Config;
  readonly network: Network;
  readonly status: ReturnType<typeof createStatus>;
  readonly history: ReadHistory;
  /** The demo account's key, for pages that ask `isDemo` each time. */
  readonly offered: string | null;
  readonly isDemo: () => Promise<boolean>;
  /** The account that samples read; null if the network has none. */
  readonly sample: () => Promise<SampleAccount | null>;
  readonly graphql: NonNullable<ComposeOptions['graphql']>;
}

/** Mounts reads, and the pages about them. */
async function mountInterfaces(app: FastifyInstance, engine: Engine, shown: Shown): Promise<void> {
  const { serve, live, admit } = engine;
  const { operations, published } = engine.library;
  const { config, network, status, history, offered, isDemo } = shown;
  // Pages show the key, so it is offered only while it can read nothing but invented data (M37).
  const demoKey = async () => ((await isDemo()) ? offered : null);
  const pictures = dashboardPictures();
  publishPages(app, { publisher: config.publisher, picture: pictures.light.path });
  mountRest(app, { serve, schema, operations });
  mountLive(app, { live, serve, schema, operations: engine.library.live });
  const { admitPublic, admitCheck, admitStatic } = admit;
  const { handle, otherHandles, postsOften } = DEMO_SUBJECTS;
  const sitePaths = mountSite(app, {
    admitPublic,
    admitCheck,
    status,
    history,
    version: VERSION,
    network: network.name,
    isDemo,
    publisher: config.publisher,
    sells: config.stripe.secretKey !== null,
    pictures,
    sample: async () => (await shown.sample())?.handle ?? null,
    live: offered === null ? null : { key: offered, handles: [handle, ...otherHandles], postsOften },
  });
  const describe = describes(app, { authUrl: config.authUrl, schema, operations });
  mountDocs(app, {
    admitStatic,
    describe,
    schema,
    operations,
    demoKey,
    sitePaths,
    sample: async () => ((await isDemo()) ? undefined : shown.sample()),
  });
  mountOpenapi(app, { admitPublic, describe });
  mountDownloads(app, { admitPublic, describe });
  const samples = async (): Promise<ExampleSubjects | null> => {
    if (await isDemo()) return DEMO_SUBJECTS;
    const sample = await shown.sample();
    return sample && { ...sample, tweetId: null, otherHandles: [] };
  };
  const page = mountGraphiql(app, { demoKey, samples });
  if (shown.graphql === 'yoga') mountGraphql(app, { serve, live, schema }, page);
  else await mountMercurius(app, { serve, live, schema, page });
  mountManifest(app, published);
  mountSdl(app, admitPublic);
  mountMcp(app, { serve, schema, operations });
}

/** Subjects of GraphiQL's examples on the demo network. */
const DEMO_SUBJECTS = {
  handle: DEMO_HANDLES.observatory,
  tweetId: COMET_THREAD_ID,
  otherHandles: [DEMO_HANDLES.ferries, DEMO_HANDLES.library, DEMO_HANDLES.newspaper],
  postsOften: POSTING_HANDLE,
};
