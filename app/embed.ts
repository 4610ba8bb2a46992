import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { mountManifest } from '../adapters/graphql/manifest.js';
import { mountMercurius } from '../adapters/graphql/mercurius/mount.js';
import { schema } from '../schema/index.js';
import { readConfig } from '../src/config/config.js';
import { localUrl } from '../src/core/local-url.js';
import { UNTRACED } from '../src/core/untraced.js';
import type { Network } from '../src/ports/network.js';
import { openBilling } from './customers/billing.js';
import { startTidying } from './customers/tidying.js';
import { createEngine } from './engine.js';
import { openNetwork } from './networks.js';
import { openShared } from './shared.js';
import { openStores } from './stores.js';

export interface EmbedOptions {
  /** The service's own settings (PERCH_HOME, DATABASE_URL, PERCH_NETWORK, …); the process's environment unless told. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where GraphQL is mounted: `/graphql` unless told. */
  readonly path?: string;
  /** Instead of the one that the settings name. */
  readonly network?: Network;
}

/**
 * A Fastify plugin: Perch's GraphQL in an app of one's own, run by Mercurius, on the same accounts, keys, prices and ledger as the
 * service. `app.graphql` is Mercurius's own, for hooks. Closing the app closes Perch. It has no pages, REST, sign-in or checkout:
 * those are the service's, which may run beside it on the same database. The package has it built, for an app on plain Node.
 *
 * Rejects with a TypeError for options that are wrong, a ConfigError for settings that are, and with an Error where mercurius is not
 * installed; what was opened by then is closed. In an app that has a Mercurius already, register it within a plugin of its own.
 */
export async function perchMercurius(app: FastifyInstance, options: EmbedOptions): Promise<void> {
  checkOptions(app, options);
  const closing: (() => Promise<unknown> | undefined)[] = [];
  const close = async (): Promise<void> => {
    for (const each of closing.splice(0).toReversed()) await each();
  };
  app.addHook('onClose', close);
  try {
    await openIn(app, options, closing);
  } catch (error) {
    await close();
    throw error;
  }
}

function checkOptions(app: FastifyInstance, options: EmbedOptions & { readonly prefix?: unknown }): void {
  const { env = {}, path = '/graphql', network, prefix } = options;
  const faults = [
    (typeof env !== 'object' || env === null) && 'env is an object of settings, as process.env is',
    (typeof path !== 'string' || !path.startsWith('/')) && 'path is a path such as /graphql',
    network !== undefined && typeof network?.tweets !== 'function' && 'network is not a Network',
    prefix !== undefined &&
      'prefix is not for a plugin that adds to the app itself: give path, or register it in a plugin with the prefix',
    app.hasDecorator('baseUrl') &&
      'this app has Perch already, or a decorator baseUrl of its own: register it in a plugin of its own',
  ].filter((fault) => fault !== false);
  if (faults.length > 0) throw new TypeError(`perchMercurius: ${faults.join('; ')}`);
}

async function openIn(
  app: FastifyInstance,
  options: EmbedOptions,
  closing: (() => Promise<unknown> | undefined)[],
): Promise<void> {
  const config = readConfig({ env: options.env ?? process.env, cwd: process.cwd(), terminal: false });
  for (const warning of config.warnings) app.log.warn(warning);
  nameAddresses(app, config);
  const [log, clock] = [app.log, { now: Date.now }];
  const stores = await openStores(config, (text) => log.info(text));
  closing.push(() => stores.close());
  const tidying = startTidying(stores.ledger, log);
  closing.push(() => tidying.close());
  const shared = await openShared({ config, clock, log });
  closing.push(() => shared.close());
  const { memories } = shared;
  const network = options.network ?? (await openNetwork({ config, sql: () => stores.corpusSql, clock, memories }));
  closing.push(() => network.close?.());
  // Nothing is sold here: whoever pays comes back to pages that are not here.
  const stripe = { ...config.stripe, secretKey: null };
  const { billing } = openBilling(app, { config: { ...config, stripe }, stores, shared, clock, log });
  const customers = { billing, spent() {} };
  const engine = await createEngine({ config, stores, shared, network, clock, tracing: UNTRACED, customers });
  closing.push(() => engine.close());
  const { path = '/graphql' } = options;
  await mountMercurius(app, { serve: engine.serve, schema, path, requestId: () => v7() });
  mountManifest(app, engine.operations, path);
}

/** Fastify's own mark: what is added is added to the app, not to a scope that the app does not see. */
Object.assign(perchMercurius, { [Symbol.for('skip-override')]: true });

/** Where a caller without a key is sent to get one, and what the answers are told by. */
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
