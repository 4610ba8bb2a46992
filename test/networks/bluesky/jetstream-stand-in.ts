import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';

const MOST_DIDS = 10_000;

const update = z.object({
  type: z.literal('options_update'),
  payload: z.object({ wantedCollections: z.array(z.string()), wantedDids: z.array(z.string()) }),
});

/** A connected client, as the server sees it. */
interface Subscriber {
  readonly query: URLSearchParams;
  readonly userAgent: string;
  /** Each list of accounts that it sent. */
  readonly hellos: (readonly string[])[];
  readonly socket: WebSocket;
  sent: number;
}

interface Event {
  readonly did: string;
  readonly time_us: number;
  readonly kind: string;
  readonly commit?: { readonly collection: string };
}

export type JetstreamStandIn = Awaited<ReturnType<typeof openJetstream>>;

/**
 * Jetstream's `/subscribe`. Accounts and collections are set by message, and with `requireHello` nothing is sent before
 * the first one. A cursor replays what was announced since. A client that names no accounts gets all.
 */
export async function openJetstream() {
  const subscribers: Subscriber[] = [];
  const log: Event[] = [];
  const attempts: number[] = [];
  const state = { refuses: false, isStalled: false };
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    path: '/subscribe',
    autoPong: false,
    verifyClient: (_info, answer) => {
      attempts.push(performance.now());
      answer(!state.refuses, 503, 'Service Unavailable');
    },
  });
  const give = (subscriber: Subscriber, event: Event): void => {
    const wanted = subscriber.hellos.at(-1);
    const options = subscriber.query.get('requireHello') === 'true' ? wanted : (wanted ?? []);
    if (options === undefined || (options.length > 0 && !options.includes(event.did)) || state.isStalled) return;
    subscriber.sent += 1;
    subscriber.socket.send(JSON.stringify(event));
  };
  server.on('connection', (socket, request) => {
    const { searchParams: query } = new URL(request.url ?? '/', 'http://localhost');
    const userAgent = request.headers['user-agent'] ?? '';
    const subscriber: Subscriber = { query, userAgent, hellos: [], socket, sent: 0 };
    subscribers.push(subscriber);
    socket.on('ping', (data) => state.isStalled || socket.pong(data));
    socket.on('error', () => {});
    socket.on('message', (data) => {
      if (state.isStalled) return;
      const { data: sent } = update.safeParse(JSON.parse(String(data)));
      if (sent === undefined) return socket.close(1000, 'failed to unmarshal subscriber sourced message');
      const { wantedDids } = sent.payload;
      if (wantedDids.length > MOST_DIDS) return socket.close(1000, 'too many wanted DIDs');
      subscriber.hellos.push(wantedDids);
      const cursor = query.get('cursor');
      if (subscriber.hellos.length > 1 || cursor === null) return;
      for (const event of log.filter(({ time_us }) => time_us > Number(cursor))) give(subscriber, event);
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const live = (): Subscriber[] => subscribers.filter(({ socket }) => socket.readyState === socket.OPEN);
  const emit = (event: Omit<Event, 'time_us'>): void => {
    const whole = { ...event, time_us: Math.max(Date.now() * 1000, (log.at(-1)?.time_us ?? 0) + 1) };
    log.push(whole);
    for (const subscriber of live()) give(subscriber, whole);
  };
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    subscribers,
    /** The times of attempts to connect, in milliseconds. */
    attempts,
    state,
    emit,
    /** Announces a created record, unless a test says otherwise. */
    commit(
      did: string,
      { collection = 'app.bsky.feed.post', operation = 'create', record = {} as object | null } = {},
    ) {
      const rkey = '3n2rygijlak2c';
      const at = new Date().toISOString();
      const commit = { rev: rkey, operation, collection, rkey, cid: 'bafy' };
      const created = record && { record: { $type: collection, createdAt: at, ...record } };
      emit({ did, kind: 'commit', commit: { ...commit, ...created } });
    },
    /** Sends to all clients, whatever they subscribed to. */
    send(data: string | Buffer) {
      for (const { socket } of live()) socket.send(data);
    },
    async hangUp() {
      for (const { socket } of live()) socket.terminate();
      await sleep(0);
    },
    async close() {
      for (const { socket } of subscribers) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
