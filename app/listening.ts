import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Config } from '../src/config/config.js';
import { counted } from '../src/domain/figures.js';
import { localUrl } from '../src/lib/local-url.js';
import type { Lifecycle } from './lifecycle.js';

/** How long requests in flight may take once connections are refused. */
export const FINISH_MS = 10_000;
/** How long the connections that are cut off after that may take to end. */
const CUT_OFF_MS = 2_000;

/** A listening service. */
export interface Serving {
  readonly url: string;
  /**
   * Call once, before closing: for `drainMs` everything is served as before, while /healthz and `Connection: close`
   * send clients elsewhere.
   */
  drain(drainMs: number): Promise<void>;
}

/** Starts to listen. Closing refuses connections, and finishes requests in flight or cuts them off. */
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
    const { inFlight } = app.pressure;
    log.warn(
      `Connections still open after ${FINISH_MS} ms were closed, with ${counted(inFlight, 'request')} in progress`,
    );
    app.server.closeAllConnections();
  }, FINISH_MS);
  await app.close().finally(() => clearTimeout(late));
}
