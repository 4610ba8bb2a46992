/** Answers written to the socket itself, without a route, even for clients that never close their side. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { stopwatch } from '../../kit/time/stalls.js';
import { get, post, type RawClient, rawClient } from './raw.js';
import { type BareServer, startBareServer } from './server.js';

const SUNSET = 'Sun, 01 Aug 2027 00:00:00 GMT';
/** A second, plus what a busy machine adds. */
const SOON_MS = 2000;

let server: BareServer;
let worked = 0;
const begin = async (): Promise<BareServer> =>
  startBareServer({
    patience: { headMs: 300, requestMs: 600, lookMs: 50 },
    capacity: { maxConnections: 40 },
    versionHeaders: { Sunset: SUNSET },
    mount: (app) =>
      app.addHook('onRequest', async () => {
        worked += 1;
      }),
  });
beforeAll(async () => {
  server = await begin();
});
afterAll(() => server?.close());

/** A client that never closes its side, and the server's end of its connection. */
async function stubborn(text: string): Promise<RawClient & { readonly ours: Socket }> {
  const opened = once(server.app.server, 'connection') as Promise<[Socket]>;
  const client = rawClient(server.url, text, { closes: false });
  return { ...client, ours: (await opened)[0] };
}

const PROBLEM = 'Accept: application/problem+json\r\n';
const HALF_A_HEAD = 'GET /v1/soon HTTP/1.1\r\nHost: perch\r\n';

const REFUSED: readonly (readonly [status: number, what: string, text: string])[] = [
  [408, 'a head that never ends', HALF_A_HEAD],
  [408, 'a body that never comes', post('/v1/length', `${PROBLEM}Content-Length: 9\r\n`, '{')],
  [400, 'no HTTP at all', `GET / HTTP/9.9\r\n${PROBLEM}\r\n`],
  [400, 'a chunk of no length', post('/v1/length', `${PROBLEM}Transfer-Encoding: chunked\r\n`, 'zz\r\n')],
  [431, 'headers of 30 KiB', get('/v1/soon', `${PROBLEM}X-Long: ${'a'.repeat(30_000)}\r\n`)],
  [400, 'CONNECT', `CONNECT perch:443 HTTP/1.1\r\nHost: perch:443\r\n${PROBLEM}\r\n`],
];

describe('a connection that is refused', () => {
  it.each(REFUSED)(
    'is destroyed within a second of its %i, though the client never closes: %s',
    async (status, _what, text) => {
      const { ours, received, socket } = await stubborn(text);
      await vi.waitFor(() => expect(received()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `)), { timeout: 20_000 });
      const elapsedMs = stopwatch();
      if (!ours.destroyed) await once(ours, 'close');
      expect(elapsedMs()).toBeLessThan(SOON_MS);
      socket.destroy();
    },
  );

  it.each(REFUSED)(
    'has the headers of every failure, and is problem+json for a client that accepts it: %i, %s',
    async (status, _what, text) => {
      const whole = await rawClient(server.url, text).closed;
      const [head = '', body = ''] = whole.split('\r\n\r\n');
      expect(head).toMatch(/^X-Credits-Charged: 0\r?$/m);
      expect(head).toContain(`\r\nSunset: ${SUNSET}\r\n`);
      expect(head).toMatch(/^RateLimit-Policy: account; q=1; w=1\r?$/m);
      const answer = JSON.parse(body);
      expect(answer).toMatchObject({ error: { code: 'bad_request' }, credits_charged: 0 });
      if (text === HALF_A_HEAD) return expect(head).toContain('\r\nContent-Type: application/json; charset=utf-8\r\n');
      expect(head).toContain('\r\nContent-Type: application/problem+json; charset=utf-8\r\n');
      expect(answer).toMatchObject({ status, code: 'bad_request', detail: answer.error.message });
    },
  );

  it('is destroyed within a second of its 503 for too many connections, though the client never closes', async () => {
    const clients = Array.from({ length: 20 }, () => rawClient(server.url, '', { closes: false }));
    const { connections } = server.app.pressure;
    await expect.poll(() => clients.filter(({ received }) => received().includes(' 503 '))).toHaveLength(10);
    const response = clients.map(({ received }) => received()).find((text) => text.includes(' 503 ')) ?? '';
    expect(response).toMatch(/^X-Credits-Charged: 0\r?$/m);
    expect(response).toContain(`\r\nSunset: ${SUNSET}\r\n`);
    await vi.waitFor(() => expect(connections?.open).toBe(0), { timeout: 5000 });
    for (const { socket } of clients) socket.destroy();
  });

  it('runs nothing if its request is completed after the refusal', async () => {
    const { received, socket, ours } = await stubborn(HALF_A_HEAD);
    await vi.waitFor(() => expect(received()).toContain(' 408 '), { timeout: 20_000 });
    const before = worked;
    socket.write('\r\n');
    if (!ours.destroyed) await once(ours, 'close');
    expect(worked).toBe(before);
    expect(received().match(/HTTP\/1\.1 /g)).toHaveLength(1);
    socket.destroy();
  });

  it('is closed without an answer if an earlier answer is still due', async () => {
    const { closed } = rawClient(server.url, `${get('/v1/later')}BAD\r\n\r\n`);
    expect(await closed).toBe('');
  });

  it('does not delay a stop', async () => {
    const own = server;
    server = await begin();
    const { received, socket } = await stubborn(HALF_A_HEAD);
    await vi.waitFor(() => expect(received()).toContain(' 408 '), { timeout: 20_000 });
    const stopping = server;
    server = own;
    const elapsedMs = stopwatch();
    await Promise.race([stopping.close(), sleep(20_000)]);
    expect(elapsedMs()).toBeLessThan(SOON_MS);
    socket.destroy();
  });
});
