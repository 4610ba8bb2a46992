import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../../src/domain/errors.js';
import { counted } from '../../../src/domain/figures.js';
import type { Headers } from '../headers.js';
import { setHeaders } from '../headers.js';
import type { Patience } from '../limits/connections.js';

declare module 'fastify' {
  interface FastifyInstance {
    eventStreams: EventStreams;
  }
}

/**
 * How often a stream reports that it is alive, and the state of its lists. Most proxies give up after 60 s without a
 * byte.
 */
export const HEARTBEAT_MS = 15_000;

/** How often streams are checked. */
const TICK_MS = 1000;

/**
 * The most bytes that may wait for a slow reader, besides one event. Beyond it, the stream is closed, and the client
 * can resume it at its position. The same happens when bytes have waited for longer than any answer may.
 */
const MOST_UNREAD = 1024 * 1024;

/** How long a client waits before it reconnects, in milliseconds. */
const RETRY_MS = 3000;
/** When a process stops, its clients reconnect spread over this time. */
const DRAIN_SPREAD_MS = 10_000;

/** How many lists an account may follow at once in a process, for each request per second of its tier. */
const PER_QPS = 5;

export interface ServerSentEvent {
  readonly event?: string;
  readonly id?: string | undefined;
  /** One line. */
  readonly data: string;
}

const ALIVE = ':\n\n';

/**
 * All streams of a process. Bounds how many lists an account follows, sends heartbeats, and ends the streams on
 * shutdown.
 */
export class EventStreams {
  readonly #app: FastifyInstance;
  readonly #patience: Pick<Patience, 'unreadMs'>;
  readonly #open = new Set<EventStream>();
  readonly #places = new Map<string, number>();

  constructor(app: FastifyInstance, patience: Pick<Patience, 'unreadMs'>) {
    this.#app = app;
    this.#patience = patience;
    const tick = setInterval(() => this.#tick(), TICK_MS).unref();
    app.addHook('preClose', (done) => {
      clearInterval(tick);
      for (const stream of this.#open) stream.drain();
      done();
    });
  }

  /** Whether an account can follow one more list. */
  hasPlace(accountId: string, qps: number): boolean {
    return (this.#places.get(accountId) ?? 0) < PER_QPS * qps;
  }

  /** Takes a place for a list that an account follows; throws if it has none left. The result gives the place back. */
  take(accountId: string, qps: number): () => void {
    const most = PER_QPS * qps;
    if (!this.hasPlace(accountId, qps)) {
      throw new ServiceError(
        'rate_limited',
        `This account already follows ${counted(most, 'list')}, the most that its tier allows. End a stream, or pay for a higher tier.`,
        { reason: 'streams', retryAfter: 60 },
      );
    }
    this.#places.set(accountId, (this.#places.get(accountId) ?? 0) + 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const left = (this.#places.get(accountId) ?? 1) - 1;
      if (left > 0) this.#places.set(accountId, left);
      else this.#places.delete(accountId);
    };
  }

  /** Begins a stream as the answer to a request. `beat` makes the event of a heartbeat; null: a comment is sent. */
  open(
    request: FastifyRequest,
    reply: FastifyReply,
    headers: readonly Headers[],
    beat: () => ServerSentEvent | null,
  ): EventStream {
    for (const some of [HEADERS, ...headers]) setHeaders(reply, some);
    reply.hijack();
    const { raw } = reply;
    // A stream does no work while it waits, so it no longer counts as a request in flight.
    this.#app.pressure.leave(request.raw);
    const stream = new EventStream(reply, beat);
    this.#open.add(stream);
    raw.on('close', () => {
      this.#open.delete(stream);
      stream.close();
    });
    return stream;
  }

  #tick(): void {
    for (const stream of this.#open)
      if (this.#app.stopping) stream.drain();
      else stream.beat(this.#patience);
  }
}

const HEADERS: Headers = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store, no-transform',
  // nginx would keep events until its buffer is full.
  'X-Accel-Buffering': 'no',
};

/** One stream of server-sent events, as HTML defines them. */
export class EventStream {
  readonly #reply: FastifyReply;
  readonly #beat: () => ServerSentEvent | null;
  readonly #over = new AbortController();
  #beatAt = performance.now();
  #readAt = performance.now();

  constructor(reply: FastifyReply, beat: () => ServerSentEvent | null) {
    this.#reply = reply;
    this.#beat = beat;
    reply.raw.writeHead(200, reply.getHeaders() as Record<string, string>);
    this.#write(`retry: ${RETRY_MS}\n\n`);
  }

  /** Aborted when the client has left, or the stream was closed. */
  get signal(): AbortSignal {
    return this.#over.signal;
  }

  send({ event, id, data }: ServerSentEvent): void {
    const name = event === undefined ? '' : `event: ${event}\n`;
    this.#write(`${name}${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
  }

  /** Resolves once the client has read what was sent, or the stream is over: nothing more is charged until then. */
  read(): Promise<void> {
    const { raw } = this.#reply;
    if (!raw.writableNeedDrain || this.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        raw.off('drain', end);
        this.signal.removeEventListener('abort', end);
        resolve();
      };
      raw.on('drain', end);
      this.signal.addEventListener('abort', end);
    });
  }

  /** Sends a heartbeat when one is due, and ends the stream if its client does not read. */
  beat({ unreadMs }: Pick<Patience, 'unreadMs'>): void {
    if (this.#reply.raw.writableLength === 0) this.#readAt = performance.now();
    else if (performance.now() - this.#readAt > unreadMs) this.#reply.raw.destroy();
    if (performance.now() - this.#beatAt < HEARTBEAT_MS) return;
    this.#beatAt = performance.now();
    const event = this.#beat();
    if (event === null) this.#write(ALIVE);
    else this.send(event);
  }

  /** Makes the client reconnect to another process, after a random delay so that not all clients come at once. */
  drain(): void {
    this.#write(`retry: ${Math.ceil(RETRY_MS + Math.random() * DRAIN_SPREAD_MS)}\n\n`);
    this.close();
  }

  close(): void {
    if (this.#over.signal.aborted) return;
    this.#over.abort(new DOMException('The stream is over.', 'AbortError'));
    this.#reply.raw.end();
  }

  #write(text: string): void {
    const { raw } = this.#reply;
    if (raw.writableEnded || raw.destroyed) return;
    if (raw.writableLength > MOST_UNREAD) raw.destroy();
    else raw.write(text);
  }
}
