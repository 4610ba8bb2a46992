import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** How long a connection may take for what, in milliseconds. */
export interface Patience {
  /** The head of a request: from its first byte, or from the opening of the connection. */
  readonly headMs: number;
  /** A whole request with its body of at most 64 KiB. */
  readonly requestMs: number;
  /** Between requests. Longer than the 60 s for which balancers keep a connection: who closes first must not be us. */
  readonly idleMs: number;
  /** During which nothing of an answer is read. */
  readonly unreadMs: number;
  /** How often the first two are looked at. */
  readonly lookMs: number;
}

export const PATIENCE: Patience = { headMs: 15_000, requestMs: 30_000, idleMs: 72_000, unreadMs: 60_000, lookMs: 5000 };

/** Sent on one connection and not yet answered. Node reads on until 16 KiB of answers wait; then many are parsed already. */
const MAX_PIPELINED = 32;

/**
 * What the server itself keeps to. No `connectionTimeout`: it would end a read that is still being worked on. No
 * `maxRequestsPerSocket`: what is above it is refused in another shape than ours, and balancers spread by request.
 */
export const serverTimeouts = ({ headMs, requestMs, idleMs, lookMs }: Patience) => ({
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  http: { headersTimeout: headMs, connectionsCheckingInterval: lookMs },
});

/**
 * Bounds what one connection can make the process hold: answers that wait for their turn, or for a client to read on.
 * Call it before any other hook is added: of a flood it is to be the first and only one.
 */
export function boundConnections(app: FastifyInstance, { unreadMs }: Patience): void {
  closeUnused(app);
  const unanswered = new WeakMap<Socket, number>();
  // Not async: all of a flood is parsed before the first promise is looked at.
  app.addHook('onRequest', ({ raw: { socket } }, reply, done) => {
    const open = (unanswered.get(socket) ?? 0) + 1;
    if (open > MAX_PIPELINED) {
      // RFC 9112, 9.3.2: who pipelines expects that the connection may close, and sends again.
      socket.destroy();
      return void reply.hijack();
    }
    unanswered.set(socket, open);
    reply.raw.once('close', () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    done();
  });
  // Node ends this time itself when the answer is out.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.raw.setTimeout(unreadMs);
    done();
  });
}

/** Connections opened in advance, as balancers and browsers do, are not idle to Node: they would hold up the end. */
function closeUnused(app: FastifyInstance): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    done();
  });
}
