import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../src/config/config.js';
import { localUrl } from '../src/core/local-url.js';
import type { Lifecycle } from './lifecycle.js';

/** How long what is in flight may take once connections are refused. */
export const FINISH_MS = 10_000;
/** For the connections that are cut off after that to end. */
const CUT_OFF_MS = 2_000;

/** A service that listens. */
export interface Serving {
  readonly url: string;
  /**
   * Before it is closed: for so long everything is served as before, while /healthz and `Connection: close` send clients
   * elsewhere. Call it once.
   */
  drain(drainMs: number): Promise<void>;
}

/** Listens at last. Closing refuses connections, and finishes what is in flight or cuts it off. */
export async function listen(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  { host, port, baseUrl, authUrl }: Config,
  log: FastifyBaseLogger,
): Promise<Serving> {
  await lifecycle.open(
    'listening',
    () => app.listen({ host, port }),
    () => finish(app, log),
    { closeMs: FINISH_MS + CUT_OFF_MS },
  );
  app.baseUrl = baseUrl ?? localUrl(host, (app.server.address() as AddressInfo).port);
  app.authUrl = authUrl ?? app.baseUrl;
  return { url: app.baseUrl, drain: (drainMs) => drain(app, log, drainMs) };
}

async function drain(app: FastifyInstance, log: FastifyBaseLogger, drainMs: number): Promise<void> {
  app.stopping = true;
  if (drainMs <= 0) return;
  log.info(`Shutting down: /healthz reports it, and new connections are refused in ${drainMs} ms`);
  await sleep(drainMs);
}

async function finish(app: FastifyInstance, log: FastifyBaseLogger): Promise<void> {
  log.info('Shutting down: finishing requests in flight');
  const late = setTimeout(() => {
    log.warn(`Some requests took longer than ${FINISH_MS} ms and were aborted`);
    app.server.closeAllConnections();
  }, FINISH_MS);
  await app.close().finally(() => clearTimeout(late));
}
