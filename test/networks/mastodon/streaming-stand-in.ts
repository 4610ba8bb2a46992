import type { AddressInfo } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';

export type StreamingStandIn = Awaited<ReturnType<typeof openStreaming>>;

/** Mastodon's streaming API over a WebSocket: the public timeline, for clients with a token. */
export async function openStreaming(token: string) {
  const requests: string[] = [];
  const state = { isDisabled: false };
  const server = new WebSocketServer({
    host: '127.0.0.1',
    port: 0,
    verifyClient: ({ req }, answer) => {
      requests.push(req.url ?? '');
      const isKnown = req.headers.authorization === `Bearer ${token}`;
      answer(isKnown && req.url?.startsWith('/api/v1/streaming?') === true, 401, 'Unauthorized');
    },
  });
  const subscribed = new Set<WebSocket>();
  server.on('connection', (socket, request) => {
    socket.on('error', () => {});
    socket.on('close', () => subscribed.delete(socket));
    const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
    if (searchParams.get('stream') !== 'public') {
      socket.send(JSON.stringify({ error: 'Unknown stream type', status: 400 }));
    } else if (state.isDisabled) {
      socket.send(JSON.stringify({ error: 'Access token does not have the required scopes', status: 401 }));
    } else subscribed.add(socket);
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const send = (text: string): void => {
    for (const socket of subscribed) socket.send(text);
  };
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    subscribed,
    state,
    send,
    /** Payloads are JSON in a text; that of a deletion is an id. */
    announce(event: string, payload: string | object) {
      const text = typeof payload === 'string' ? payload : JSON.stringify(payload);
      send(JSON.stringify({ stream: ['public'], event, payload: text }));
    },
    async close() {
      for (const socket of server.clients) socket.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
