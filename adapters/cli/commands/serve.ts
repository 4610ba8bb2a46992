import cluster from 'node:cluster';
import type { Command } from 'commander';
import { Lifecycle } from '../../../app/lifecycle.js';
import type { Serving } from '../../../app/listening.js';
import type { Stores } from '../../../app/stores.js';
import type { Config } from '../../../src/config/config.js';
import { VERSION } from '../../../src/domain/version.js';
import { newSignInLink } from '../accounts.js';
import { examples } from '../command-line.js';
import { configOfProcess } from '../environment.js';
import { Failure } from '../failure.js';
import { note, print } from '../print.js';
import { tuneGarbageCollection } from '../serve/garbage-collection.js';
import {
  closeOnInterrupt,
  drainMsFor,
  exitCodeFor,
  listenForShutdown,
  type ShutdownSignals,
} from '../shutdown-signals.js';

/** serve. */
export function serveCommand(program: Command): void {
  program
    .command('serve', { isDefault: false })
    .description('start the service; Ctrl-C finishes requests in flight and stops it')
    .addHelpText(
      'after',
      `
The service is configured by environment variables; \`perch doctor --all\` lists them.
${examples('perch serve', 'PORT=0 perch serve', 'PERCH_DEMO=off PERCH_HOME=/var/lib/perch perch serve')}`,
    )
    .action(serve);
}

/** The longest that leftover work may delay the exit of a stopped service. */
const LINGER_MS = 1000;

/**
 * Serves until it is asked to stop. Exit code 0 if it stopped as asked, even if something could not be closed in time.
 */
async function serve(): Promise<void> {
  tuneGarbageCollection();
  // The service does not end with the reader of its welcome, such as `head`.
  process.stdout.removeAllListeners('error').on('error', () => {});
  if (cluster.isWorker) return (await import('../workers/worker.js')).work();
  const config = configOfProcess();
  note(`Perch ${VERSION} is starting with its data in ${config.home}`);
  const lifecycle = new Lifecycle({ warn: note });
  const release = closeOnInterrupt(lifecycle);
  const { shutdown, serving } = await lifecycle
    .start(() => startOn(lifecycle, config))
    .catch((error: unknown) => {
      throw listenFailure(error, config);
    })
    .finally(release);
  void shutdown.second.then((signal) => endNow(lifecycle, serving, exitCodeFor(signal)));
  await serving.drain(drainMsFor(await shutdown.first, config));
  await lifecycle.close().catch((error: Error) => note(`perch: ${error.message}`));
  note('Perch has stopped');
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

type Service = Serving & { kill?(): void };

/** Serves from this process, or from several that it starts. */
type StartService = (lifecycle: Lifecycle, stores: Stores, config: Config, demoKey: string | null) => Promise<Service>;

async function load({ workers }: Config) {
  const [{ prepareDemo }, { welcome }, { createLog }, service] = await Promise.all([
    import('../serve/demo.js'),
    import('../serve/welcome.js'),
    import('../serve/log.js'),
    workers === 1 ? import('../../../app/compose.js') : import('../workers/supervisor.js'),
  ]);
  const start: StartService = (lifecycle, stores, config, demoKey) => {
    const log = createLog(config.log);
    return 'compose' in service
      ? service.compose(lifecycle, config, stores, { log, demoKey })
      : service.startSupervisor(lifecycle, { config, demoKey, log });
  };
  return { prepareDemo, welcome, start };
}

async function startOn(lifecycle: Lifecycle, config: Config): Promise<{ shutdown: ShutdownSignals; serving: Service }> {
  const { openStores } = await import('../../../app/stores.js');
  // The database starts while the rest is loaded.
  const loading = load(config);
  loading.catch(() => {});
  const stores = await openStores(lifecycle, config, { onProgress: note });
  const { prepareDemo, welcome, start } = await loading;
  const demo = await lifecycle.open('demo', () => prepareDemo(stores, config));
  const serving = await start(lifecycle, stores, config, demo?.key ?? null);
  const shutdown = listenForShutdown();
  const where = config.authUrl ?? serving.url;
  const signIn = demo ? await newSignInLink(stores, demo.accountId, where) : null;
  print(welcome(serving.url, config, demo, signIn));
  return { shutdown, serving };
}

/** Ends without waiting for requests; only the embedded database is stopped, so that it is not left running. */
function endNow(lifecycle: Lifecycle, serving: Service, exitCode: number): void {
  const end = (): never => process.exit(exitCode);
  serving.kill?.();
  setTimeout(end, LINGER_MS);
  void lifecycle.hurry().then(end, end);
}

/** Turns a failure to listen on an address into a message; returns any other error unchanged. */
function listenFailure(error: unknown, { host, port }: Config): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  if (code === 'EADDRINUSE') {
    return new Failure(
      `port ${port} on ${host} is already in use: stop the process that uses it, or set PORT (0 picks a free port)`,
    );
  }
  return new Failure(`cannot listen on HOST ${host}, PORT ${port} (${code}): set them to an address of this machine`);
}
