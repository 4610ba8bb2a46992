import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { mountManifest } from '../adapters/graphql/manifest.js';
import { mountMercurius } from '../adapters/graphql/mercurius/mount.js';
import { schema } from '../schema/index.js';
import { readConfig } from '../src/config/config.js';
import { localUrl } from '../src/lib/local-url.js';
import { UNTRACED } from '../src/lib/untraced.js';
import type { Network } from '../src/ports/network.js';
import { openBilling } from './customers/billing.js';
import { openMaintenance } from './customers/maintenance.js';
import { openEngine } from './engine.js';
import { Lifecycle, loggedPolling } from './lifecycle.js';
import { openNetwork, sourceOf, withOddObjectsLogged } from './networks.js';
import { createRequestIds } from './request-ids.js';
import { openSearchIndex } from './search-index.js';
import { openShared } from './shared.js';
import { openStores } from './stores.js';
import { openInventedNetwork } from './test-mode/invented-network.js';

export interface EmbedOptions {
  /** The service's own settings (PERCH_HOME, DATABASE_URL, PERCH_NETWORK, …); the process's environment by default. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Path of GraphQL; `/graphql` by default. */
  readonly path?: string;
  /** Replaces the network that the settings name. */
  readonly network?: Network;
}

/**
 * A Fastify plugin: Perch's GraphQL in your own app, run by Mercurius, on the same accounts, keys, prices and ledger as
 * the service. `app.graphql` is Mercurius's own, for hooks. Closing the app closes Perch. It has no pages, REST,
 * sign-in or checkout: those belong to the service, which may run beside it on the same database. The package contains
 * it compiled, for an app on plain Node.
 *
 * Rejects with a TypeError for invalid options, a ConfigError for invalid settings, and an Error if mercurius is not
 * installed; anything opened by then is closed. In an app that already has Mercurius, register it within a plugin of
 * its own.
 */
export async function perchMercurius(app: FastifyInstance, options: EmbedOptions): Promise<void> {
  checkOptions(app, options);
  const lifecycle = new Lifecycle({ warn: (text) => app.log.warn(text) });
  app.addHook('onClose', () => lifecycle.close());
  await lifecycle.start(() => openIn(lifecycle, app, options));
}

function checkOptions(app: FastifyInstance, options: EmbedOptions & { readonly prefix?: unknown }): void {
  const { env = {}, path = '/graphql', network, prefix } = options;
  const faults = [
    (typeof env !== 'object' || env === null) && 'env must be an object of settings, like process.env',
    (typeof path !== 'string' || !path.startsWith('/')) && 'path must be a path such as /graphql',
    network !== undefined && typeof network?.tweets !== 'function' && 'network must implement Network',
    prefix !== undefined &&
      'prefix is not supported by a plugin that adds to the app itself: use path, or register it inside a plugin with the prefix',
    app.hasDecorator('baseUrl') &&
      'this app already has Perch, or a decorator named baseUrl: register Perch inside its own plugin',
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new TypeError(`perchMercurius: ${faults.join('; ')}`);
}

async function openIn(lifecycle: Lifecycle, app: FastifyInstance, options: EmbedOptions): Promise<void> {
  const config = readConfig({ env: options.env ?? process.env, cwd: process.cwd(), terminal: false });
  for (const warning of config.warnings) app.log.warn(warning);
  nameAddresses(app, config);
  const [log, clock] = [app.log, { now: Date.now }];
  const startPoll = loggedPolling(log);
  const stores = await openStores(lifecycle, config, { onProgress: (text) => log.info(text) });
  await openMaintenance(lifecycle, { ledger: stores.ledger, log, startPoll });
  await openSearchIndex(lifecycle, { config, stores, log, startPoll });
  const { memories } = stores;
  const sources = { config, sql: () => stores.corpusSql, clock, memories };
  const source = () => sourceOf(sources, options.network);
  const shared = await openShared(lifecycle, { config, clock, log, memories, source });
  const { callsLeft } = shared;
  const network = withOddObjectsLogged(await openNetwork(lifecycle, { ...sources, callsLeft }, options.network), log);
  // Nothing is sold here: after paying, a customer would be sent back to pages that do not exist.
  const unsold = { ...config, stripe: { ...config.stripe, secretKey: null } };
  const parts = { stores, shared, clock, log, startPoll, standIns: {} };
  const { billing } = await openBilling(lifecycle, app, { config: unsold, ...parts }, () => {});
  const customers = { billing, spent() {} };
  const openInvented = () => openInventedNetwork(stores.inventedSql);
  const reading = { network, openInvented, clock, tracing: UNTRACED };
  const engine = await openEngine(lifecycle, { config, stores, shared, ...reading, customers });
  const { path = '/graphql' } = options;
  await mountMercurius(app, { serve: engine.serve, schema, path, ...createRequestIds() });
  mountManifest(app, engine.library.published, path);
}

/** Fastify's marker for plugins that decorate the app itself and not a scope that the app cannot see. */
Object.assign(perchMercurius, { [Symbol.for('skip-override')]: true });

/** Sets the addresses that a caller without a key is sent to, and declares the outcome on requests. */
function nameAddresses(app: FastifyInstance, { baseUrl, authUrl, host }: ReturnType<typeof readConfig>): void {
  app.decorate('baseUrl', baseUrl ?? '');
  app.decorate('authUrl', authUrl ?? '');
  app.decorateRequest('outcome', null);
  app.addHook('onListen', async () => {
    const own = localUrl(host, (app.server.address() as AddressInfo).port);
    app.baseUrl ||= own;
    app.authUrl ||= own;
  });
}
