import type { Config } from '../../../src/config.js';
import { VERSION } from '../../../src/core/version.js';
import type { Running } from '../../../src/main.js';
import { openStores, type Stores } from '../../../src/stores.js';
import { configOfProcess } from '../environment.js';
import { Failure } from '../failure.js';
import { closeOnInterrupt } from '../interrupts.js';
import { note, print } from '../print.js';

/** Longest that something forgotten may keep a stopped service from ending. */
const LINGER_MS = 1000;

/** Serves until it is asked to stop. Exit code 0 when it stopped as asked. */
export async function serve(): Promise<void> {
  const config = configOfProcess();
  note(`Perch ${VERSION} is starting, with its data in ${config.home}`);
  // The database starts while the rest is loaded.
  const opening = openStores(config, note);
  const loading = Promise.all([import('../../../src/main.js'), import('../demo.js'), import('../welcome.js')]);
  loading.catch(() => {});
  const release = closeOnInterrupt(opening);
  const running = await startOn(await opening, config, loading).finally(release);
  await running.stopped;
  note('Perch has stopped');
  setTimeout(() => process.exit(), LINGER_MS).unref();
}

type Loading = Promise<
  [typeof import('../../../src/main.js'), typeof import('../demo.js'), typeof import('../welcome.js')]
>;

async function startOn(stores: Stores, config: Config, loading: Loading): Promise<Running> {
  try {
    const [{ start }, { prepareDemo }, { welcome }] = await loading;
    const { createLog } = await import('../log.js');
    const demo = await prepareDemo(stores, config);
    const running = await start(config, stores, { log: createLog(config.log), demoKey: demo?.key ?? null });
    print(welcome(running.url, config, demo));
    return running;
  } catch (error) {
    await stores.close();
    throw listenFailure(error, config);
  }
}

/** An address that can't be listened on, in words. */
function listenFailure(error: unknown, { host, port }: Config): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error;
  if (code === 'EADDRINUSE') {
    return new Failure(`port ${port} of ${host} is taken: stop what listens there, or set PORT (0 picks a free one)`);
  }
  return new Failure(`can't listen on HOST ${host}, PORT ${port} (${code}): set them to an address of this machine`);
}
