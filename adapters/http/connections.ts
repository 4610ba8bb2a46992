import type { RequestListener, Server } from 'node:http';
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

/** Bounds what one connection can make the process hold: answers that wait for their turn, or for a client to read on. */
export function boundConnections(app: FastifyInstance, { unreadMs }: Patience): void {
  closeUnused(app);
  boundPipelines(app.server);
  // Node ends this time itself when the answer is out.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.raw.setTimeout(unreadMs);
    done();
  });
}

/**
 * Of one connection one request is worked on at a time: answers go out in order anyway. Those behind it wait before the framework
 * sees them, which takes ten times as long as Node's parser: of a flood, all that comes in one read is parsed at once.
 */
function boundPipelines(server: Server): void {
  const waiting = new WeakMap<Socket, (() => void)[]>();
  const handlers = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  const next = (socket: Socket): void => {
    const begin = waiting.get(socket)?.shift();
    if (begin === undefined) waiting.delete(socket);
    else if (!socket.destroyed) begin();
  };
  server.on('request', (request, response) => {
    const { socket } = request;
    if (socket.destroyed) return;
    const begin = (): void => {
      response.once('close', () => next(socket));
      for (const handle of handlers) handle.call(server, request, response);
    };
    const behind = waiting.get(socket);
    if (behind === undefined) {
      waiting.set(socket, []);
      begin();
    } else if (behind.length < MAX_PIPELINED - 1) behind.push(begin);
    // RFC 9112, 9.3.2: who pipelines expects that the connection may close, and sends again.
    else socket.destroy();
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
