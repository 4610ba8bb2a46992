import type { Config } from '../../../src/config.js';
import { type Running, start } from '../../../src/main.js';
import { openStores } from '../../../src/stores.js';
import { prepareDemo } from '../demo.js';
import { configOfProcess } from '../environment.js';
import { Failure } from '../failure.js';
import { closeOnInterrupt } from '../interrupts.js';
import { createLog } from '../log.js';
import { note, print } from '../print.js';
import { welcome } from '../welcome.js';

/** Longest that something forgotten may keep a stopped service from ending. */
const LINGER_MS = 1000;

/** Serves until it is asked to stop. Exit code 0 when it stopped as asked. */
export async function serve(): Promise<void> {
  const config = configOfProcess();
  const log = createLog(config.log);
  const stores = await openStores(config, note);
  const release = closeOnInterrupt(stores);
  let running: Running;
  try {
    const demo = await prepareDemo(stores, config);
    running = await start(config, stores, { log, demoKey: demo?.key ?? null });
    print(welcome(running.url, config, demo));
  } catch (error) {
    await stores.close();
    throw listenFailure(error, config);
  } finally {
    release();
  }
  await running.stopped;
  note('Perch has stopped');
  setTimeout(() => process.exit(), LINGER_MS).unref();
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
