import type { FastifyBaseLogger } from 'fastify';
import { type ComposeOptions, compose, type Perch } from './compose.js';
import type { Config } from './config.js';
import type { Stores } from './stores.js';

/** How long what is in flight may take once the process is asked to stop. */
const DRAIN_MS = 10_000;

export interface Running extends Perch {
  readonly url: string;
  /** Resolves when the service was asked to stop and everything is closed. */
  readonly stopped: Promise<void>;
}

/** Serves until SIGTERM or SIGINT: then accepts no more, finishes what is in flight, and closes the stores. */
export async function start(config: Config, stores: Stores, options: ComposeOptions): Promise<Running> {
  const perch = await compose(config, stores, options);
  const url = await perch.listen();
  const stopped = asked().then(async (signal) => {
    options.log.info({ signal }, 'stopping: finishing what is in flight');
    await drained(perch, options.log);
    await stores.close();
  });
  return { ...perch, url, stopped };
}

function asked(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
}

async function drained(perch: Perch, log: FastifyBaseLogger): Promise<void> {
  let late: NodeJS.Timeout | undefined;
  const timeout = new Promise<void>((resolve) => {
    late = setTimeout(() => {
      log.warn(`some requests took longer than ${DRAIN_MS} ms and were cut off`);
      perch.app.server.closeAllConnections();
      resolve();
    }, DRAIN_MS);
  });
  await Promise.race([perch.close(), timeout]);
  clearTimeout(late);
}
