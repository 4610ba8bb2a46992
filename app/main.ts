import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../src/config/config.js';
import { type ComposeOptions, compose, type Perch } from './compose.js';
import type { Stores } from './stores.js';

/** How long what is in flight may take once connections are refused. */
export const FINISH_MS = 10_000;

/** A service that listens. */
export interface Serving {
  readonly url: string;
  /**
   * For `drainMs` everything is served as before, while /healthz and `Connection: close` send clients elsewhere. Then
   * connections are refused, and what is in flight finishes or is cut off. The stores stay open. Call it once.
   */
  stop(drainMs: number): Promise<void>;
}

export async function start(config: Config, stores: Stores, options: ComposeOptions): Promise<Serving> {
  const perch = await compose(config, stores, options);
  const url = await perch.listen().catch(async (error: unknown) => {
    await perch.close();
    throw error;
  });
  return { url, stop: (drainMs) => stop(perch, options.log, drainMs) };
}

async function stop(perch: Perch, log: FastifyBaseLogger, drainMs: number): Promise<void> {
  perch.app.stopping = true;
  if (drainMs > 0) {
    log.info(`Shutting down: /healthz reports it, and new connections are refused in ${drainMs} ms`);
    await sleep(drainMs);
  }
  log.info('Shutting down: finishing requests in flight');
  const late = new AbortController();
  await Promise.race([perch.close(), cutOff(perch, log, late.signal)]);
  late.abort();
}

async function cutOff(perch: Perch, log: FastifyBaseLogger, signal: AbortSignal): Promise<void> {
  await sleep(FINISH_MS, undefined, { signal }).catch(() => {});
  if (signal.aborted) return;
  log.warn(`Some requests took longer than ${FINISH_MS} ms and were aborted`);
  perch.app.server.closeAllConnections();
}
