import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { PATIENCE, type Patience } from '../../../adapters/http/limits/connections.js';
import type { Capacity, Shares } from '../../../adapters/http/limits/overload.js';
import { createServer } from '../../../adapters/http/server.js';
import type { Memories } from '../../../src/lib/memories.js';

/**
 * A server with only the two mounts that never refuse, some that answer when the test says so, and those a test adds.
 */
export interface BareServer {
  readonly app: FastifyInstance;
  readonly url: string;
  /** Answers all requests at `/v1/wait`, from now on. */
  release(): void;
  close(): Promise<void>;
}

const ANSWER_150_KB = 'x'.repeat(150_000);

export async function startBareServer(
  options: {
    capacity?: Partial<Capacity>;
    patience?: Partial<Patience>;
    trustedProxies?: readonly string[];
    shares?: Shares;
    memories?: Memories;
    versionHeaders?: Readonly<Record<string, string>>;
    mount?: (app: FastifyInstance) => void;
    log?: FastifyBaseLogger;
    isOwnMachine?: boolean;
  } = {},
): Promise<BareServer> {
  const app = await createServer({
    ids: { requestId: () => v7() },
    log: options.log ?? pino({ level: 'silent' }),
    versionHeaders: options.versionHeaders ?? {},
    trustedProxies: options.trustedProxies ?? [],
    capacity: { maxInFlight: 1000, maxRssBytes: null, processes: 1, ...options.capacity },
    patience: { ...PATIENCE, ...options.patience },
    ...(options.shares && { shares: options.shares }),
    memories: options.memories,
    isOwnMachine: options.isOwnMachine ?? false,
  });
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/status', async () => ({}));
  app.get('/v1/wait', async () => released.then(() => ({})));
  app.get('/v1/callers', { config: { sharedBy: 'caller' } }, async () => released.then(() => ({})));
  app.get('/v1/soon', async () => sleep(5, {}));
  app.get('/v1/later', async () => sleep(100, {}));
  app.get('/v1/sleep', async () => sleep(1500, {}));
  app.get('/v1/long', async (_request, reply) => reply.type('text/plain').send(ANSWER_150_KB));
  app.get('/v1/huge', async (_request, reply) => reply.type('text/plain').send(ANSWER_150_KB.repeat(200)));
  app.post('/v1/length', async ({ body }) => ({ bytes: (body as Buffer | undefined)?.length ?? 0 }));
  options.mount?.(app);
  const url = await app.listen({ host: '127.0.0.1', port: 0, backlog: 4096 });
  return { app, url, release, close: () => app.close() };
}
