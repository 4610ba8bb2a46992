import cluster from 'node:cluster';
import { Lifecycle } from '../../../app/lifecycle.js';
import type { Serving } from '../../../app/listening.js';
import { openStores, type Stores } from '../../../app/stores.js';
import type { Config } from '../../../src/config/config.js';
import { VERSION } from '../../../src/domain/version.js';
import { configOfProcess } from '../environment.js';
import { Failure } from '../failure.js';
import { tuneGarbageCollection } from '../garbage-collection.js';
import { closeOnInterrupt } from '../interrupts.js';
import { note, print } from '../print.js';
import { drainMsOf, exitCodeOf, listenForShutdown, type ShutdownSignals } from '../workers/shutdown-signals.js';

/** The longest that leftover work may keep a stopped service from ending. */
const LINGER_MS = 1000;

/**
 * Serves until it is asked to stop. Exit code 0 if it stopped as asked, even if something could not be closed in time.
 */
export async function serve(): Promise<void> {
  tuneGarbageCollection();
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
  void shutdown.second.then((signal) => endNow(lifecycle, serving, exitCodeOf(signal)));
  await serving.drain(drainMsOf(await shutdown.first, config));
  await lifecycle.close().catch((error: Error) => note(`perch: ${error.message}`));
  note('Perch has stopped');
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

type Service = Serving & { kill?(): void };

/** Serves from this process, or from several that it starts. */
type StartService = (lifecycle: Lifecycle, stores: Stores, config: Config, demoKey: string | null) => Promise<Service>;

async function load({ workers }: Config) {
  const [{ prepareDemo }, { newSignInLink }, { welcome }, { createLog }, service] = await Promise.all([
    import('../demo.js'),
    import('../sign-in-link.js'),
    import('../welcome.js'),
    import('../log.js'),
    workers === 1 ? import('../../../app/compose.js') : import('../workers/supervisor.js'),
  ]);
  const start: StartService = (lifecycle, stores, config, demoKey) => {
    const log = createLog(config.log);
    return 'compose' in service
      ? service.compose(lifecycle, config, stores, { log, demoKey })
      : service.startSupervisor(lifecycle, { config, demoKey, log });
  };
  return { prepareDemo, newSignInLink, welcome, start };
}

async function startOn(lifecycle: Lifecycle, config: Config): Promise<{ shutdown: ShutdownSignals; serving: Service }> {
  // The database starts while the rest is loaded.
  const loading = load(config);
  loading.catch(() => {});
  const stores = await openStores(lifecycle, config, { onProgress: note });
  const { prepareDemo, newSignInLink, welcome, start } = await loading;
  const demo = await lifecycle.open('demo', () => prepareDemo(stores, config));
  const serving = await start(lifecycle, stores, config, demo?.key ?? null);
  const shutdown = listenForShutdown();
  const where = config.authUrl ?? serving.url;
  const signIn = demo ? await newSignInLink(stores, demo.accountId, where) : null;
  print(welcome(serving.url, config, demo, signIn));
  return { shutdown, serving };
}

/** Waits for nothing; only the embedded database must not be left running. */
function endNow(lifecycle: Lifecycle, serving: Service, exitCode: number): void {
  const end = (): never => process.exit(exitCode);
  serving.kill?.();
  setTimeout(end, LINGER_MS);
  void lifecycle.hurry().then(end, end);
}

/** The failure to listen on an address, as a message. */
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
