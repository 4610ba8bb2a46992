import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

declare module 'node:http' {
  interface ServerResponse {
    /** Notified once the response is over, however it ends. */
    answering?: { end(): void };
  }
}

/** How long a connection may take for each step, in milliseconds. */
export interface Patience {
  /** The head of a request, from its first byte or from the opening of the connection. */
  readonly headMs: number;
  /** A whole request with its body of at most 64 KiB. */
  readonly requestMs: number;
  /**
   * Between requests. Longer than the 60 s for which load balancers keep a connection, because the server must not
   * close first.
   */
  readonly idleMs: number;
  /** The longest time during which the client reads nothing of an answer. */
  readonly unreadMs: number;
  /** How often the first two are checked. */
  readonly lookMs: number;
}

export const PATIENCE: Patience = { headMs: 15_000, requestMs: 30_000, idleMs: 72_000, unreadMs: 60_000, lookMs: 5000 };

/**
 * Requests sent on one connection and not yet answered. Node keeps reading until 16 KiB of answers wait, and many are
 * parsed by then.
 */
const MAX_PIPELINED = 32;

/** How long the rest of a request's head may take once the server is closing, in milliseconds. */
const LONGEST_LAST_HEAD_MS = 1000;

/**
 * The HTTP server's own limits. No `connectionTimeout`: it would end a read that is still in progress. No
 * `maxRequestsPerSocket`: Node would refuse further requests in another error shape, and load balancers spread by
 * request anyway.
 */
export const serverTimeouts = ({ headMs, requestMs, idleMs, lookMs }: Patience) => ({
  requestTimeout: requestMs,
  keepAliveTimeout: idleMs,
  http: { headersTimeout: headMs, connectionsCheckingInterval: lookMs },
});

/** Bounds what one connection can keep in memory: answers that wait for their turn, or for the client to read them. */
export function boundConnections(app: FastifyInstance, { unreadMs }: Patience): Pipelines {
  const pipelines = boundPipelines();
  closeUnused(app, pipelines);
  // Node clears this timeout itself once the answer is sent.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    reply.raw.setTimeout(unreadMs);
    done();
  });
  return pipelines;
}

/**
 * The same for an answer that was already written; if the operating system took all of it, nothing waits in this
 * process.
 */
export function boundReading(response: ServerResponse, { unreadMs }: Patience): void {
  if (response.socket !== null && response.socket.writableLength > 0) response.setTimeout(unreadMs);
}

/** The requests of each connection, in their order. */
export interface Pipelines {
  /** Works on a request when its turn on its connection comes. */
  begin(request: IncomingMessage, response: ServerResponse, work: RequestListener): void;
  /** Whether a connection has a request that is not answered. */
  isBusy(socket: Socket): boolean;
}

/**
 * Works on one request of a connection at a time, since answers go out in order anyway. It begins one request in each
 * turn of the event loop, so that a chunk full of requests that can be answered immediately does not hold up other
 * connections. The next requests wait before they reach the framework, whose work takes ten times as long as Node's
 * parser: in a flood, all requests in one chunk are parsed at once.
 */
function boundPipelines(): Pipelines {
  const pipelines = new WeakMap<Socket, Pipeline>();
  const next = (socket: Socket, pipeline: Pipeline): void => {
    const begin = pipeline.waiting.shift();
    if (begin === undefined) pipeline.isBusy = false;
    else if (socket.writable) begin();
  };
  /** One listener shared by all responses, so that none needs its own closure. */
  function finish(this: ServerResponse): void {
    this.answering?.end();
    const { socket } = this.req;
    const pipeline = pipelines.get(socket);
    if (pipeline) setImmediate(next, socket, pipeline);
  }
  return {
    begin(request, response, work) {
      const { socket } = request;
      // The connection was refused before this request's head was complete.
      if (!socket.writable) return;
      let pipeline = pipelines.get(socket);
      if (pipeline === undefined) {
        pipeline = { isBusy: false, waiting: [] };
        pipelines.set(socket, pipeline);
      }
      response.on('close', finish);
      if (!pipeline.isBusy) {
        pipeline.isBusy = true;
        work(request, response);
      } else if (pipeline.waiting.length < MAX_PIPELINED - 1) pipeline.waiting.push(() => work(request, response));
      // RFC 9112, 9.3.2: a client that pipelines must expect the connection to close, and send its requests again.
      else hangUp(socket);
    },
    isBusy: (socket) => pipelines.get(socket)?.isBusy === true,
  };
}

/**
 * Closes a connection in the middle of a chunk. Otherwise Node's parser would continue to the end of the chunk, up to
 * 64 KiB of the smallest requests, and make objects for each of them: that blocks the process for 40 ms a connection.
 * The parser stops when its callback returns a number below zero.
 */
function hangUp(socket: ParsedSocket): void {
  if (socket.parser) socket.parser.onIncoming = () => -1;
  socket.destroy();
}

/** Undocumented: the callback of Node's parser for each head. Without it, the chunk is parsed to its end. */
interface ParsedSocket extends Socket {
  readonly parser?: { onIncoming: () => number } | null;
}

/** The requests of one connection. */
interface Pipeline {
  /** One of them is being worked on. */
  isBusy: boolean;
  /** Each begins the work on one of the next requests. */
  readonly waiting: (() => void)[];
}

/**
 * Closes unused connections on shutdown, which they would otherwise delay: Node closes neither connections that load
 * balancers and browsers open in advance, nor those with a part of a request's head, nor those that become idle later.
 */
function closeUnused(app: FastifyInstance, pipelines: Pipelines): void {
  const sockets = new Set<Socket>();
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  app.addHook('preClose', (done) => {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    const closing = setInterval(() => {
      for (const socket of sockets) if (!pipelines.isBusy(socket)) socket.destroy();
    }, LONGEST_LAST_HEAD_MS).unref();
    app.server.once('close', () => clearInterval(closing));
    done();
  });
}
