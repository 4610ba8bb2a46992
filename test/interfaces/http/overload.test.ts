import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { containerShareBytes } from '../../../adapters/http/limits/overload.js';
import { get, post, rawClient } from './raw.js';
import { type BareServer, startBareServer } from './server.js';

const until = (condition: () => void) => vi.waitFor(condition, { timeout: 20_000, interval: 5 });

async function withServer(
  options: Parameters<typeof startBareServer>[0],
  use: (server: BareServer) => Promise<void>,
): Promise<void> {
  const server = await startBareServer(options);
  await use(server).finally(server.close);
}

/** Makes requests that wait in their handlers, until all of them are counted. */
async function occupy({ app, url }: BareServer, count: number): Promise<Promise<Response>[]> {
  const waiting = Array.from({ length: count }, () => fetch(`${url}/v1/wait`));
  await until(() => expect(app.pressure.inFlight).toBe(count));
  return waiting;
}

describe('at capacity', () => {
  it('refuses one more request at once with 503, Retry-After and the common headers; nothing is charged', () =>
    withServer({ capacity: { maxInFlight: 3 } }, async (server) => {
      const waiting = await occupy(server, 3);
      const refused = await fetch(`${server.url}/v1/wait`);
      expect(refused.status).toBe(503);
      const retryAfter = Number(refused.headers.get('retry-after'));
      expect([1, 2, 3]).toContain(retryAfter);
      const requestId = refused.headers.get('x-request-id');
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
      expect(refused.headers.get('ratelimit-policy')).not.toBeNull();
      expect(refused.headers.get('cache-control')).toBe('private, no-store');
      expect(await refused.json()).toMatchObject({
        error: { code: 'upstream_rate_limited', reason: 'overloaded', retry_after: retryAfter },
        request_id: requestId,
        credits_charged: 0,
      });
      expect(server.app.pressure).toMatchObject({ inFlight: 3, shed: 1 });

      server.release();
      for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
      expect((await fetch(`${server.url}/v1/wait`)).status).toBe(200);
      await until(() => expect(server.app.pressure.inFlight).toBe(0));
    }));

  it('still answers monitoring', () =>
    withServer({ capacity: { maxInFlight: 1 } }, async (server) => {
      void (await occupy(server, 1));
      for (const path of ['/healthz', '/healthz/', '/healthz?x=1', '/status']) {
        expect((await fetch(server.url + path)).status, path).toBe(200);
      }
      expect((await fetch(`${server.url}/nothing`)).status).toBe(503);
      server.release();
    }));

  it('spreads Retry-After over one, two and three seconds', () =>
    withServer({ capacity: { maxInFlight: 1 } }, async (server) => {
      void (await occupy(server, 1));
      const refused = await Promise.all(Array.from({ length: 9 }, () => fetch(`${server.url}/v1/wait`)));
      const seconds = refused.map(({ headers }) => headers.get('retry-after')).sort();
      expect(seconds).toEqual(['1', '1', '1', '2', '2', '2', '3', '3', '3']);
      server.release();
    }));

  it('gives no slot to a body still to arrive, or to an answer that is not read', () =>
    withServer({ capacity: { maxInFlight: 1 } }, async ({ app, url }) => {
      let arrived = 0;
      app.server.on('request', () => {
        arrived += 1;
      });
      const clients = [
        rawClient(url, post('/v1/length', 'Content-Length: 9\r\n', '{')),
        rawClient(url, get('/v1/huge'), { read: false }),
      ];
      await until(() => expect(arrived).toBe(2));
      await until(() => expect(app.pressure.inFlight).toBe(0));
      expect((await fetch(`${url}/v1/soon`)).status).toBe(200);
      for (const { socket } of clients) socket.destroy();
    }));
});

describe('resident memory', () => {
  it('refuses all but monitoring above its limit', () =>
    withServer({ capacity: { maxRssBytes: 1 } }, async ({ url }) => {
      await until(async () => expect((await fetch(`${url}/v1/soon`)).status).toBe(503));
      expect((await fetch(`${url}/healthz`)).status).toBe(200);
      expect(await (await fetch(`${url}/v1/soon`)).json()).toMatchObject({ error: { reason: 'overloaded' } });
    }));

  it('is too little from the start: the log says so, and what to change', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    await withServer({ capacity: { maxRssBytes: 1024 ** 2 }, log }, async () => {
      expect(lines).toEqual([expect.stringMatching(/All requests .* its limit is 1 MiB\. Raise PERCH_MAX_RSS_MB/)]);
    });
    lines.length = 0;
    await withServer({ capacity: { maxRssBytes: 2 ** 40 }, log }, async () => expect(lines).toEqual([]));
  });

  it('is limited to nine tenths of what the container has, divided among the processes', () => {
    expect(containerShareBytes(1, 1000)).toBe(900);
    expect(containerShareBytes(4, 1000)).toBe(225);
    // What Node reports without a limit, and if it cannot tell.
    expect(containerShareBytes(4, 2 ** 64)).toBe(0);
    expect(containerShareBytes(4, 0)).toBe(0);
  });
});

describe('the count of requests in flight', () => {
  let server: BareServer;
  beforeAll(async () => {
    const patience = { headMs: 1000, requestMs: 1000, idleMs: 1000, unreadMs: 1000, lookMs: 50 };
    server = await startBareServer({ capacity: { maxInFlight: 8 }, patience });
  });
  afterAll(() => server.close());

  // All of them end at some time, as every read does by its deadline. While answers queue behind one that waits, Node
  // reads nothing from the connection and does not see it close.
  const text = fc.oneof(
    fc.constantFrom(get('/v1/soon'), get('/v1/long'), get('/healthz'), get('/nothing'), get('/v1/later')),
    fc.constantFrom('GET /v1/soon HTTP/1.1\r\nHos', 'nonsense\r\n\r\n', get('/v1/soon', 'Connection: close\r\n')),
    fc.constantFrom('{}', '{').map((body) => post('/v1/length', 'Content-Length: 2\r\n', body)),
  );
  const client = fc.record({
    texts: fc.array(text, { minLength: 1, maxLength: 6 }),
    read: fc.boolean(),
    leavesAfterMs: fc.integer({ min: 0, max: 25 }),
    resets: fc.boolean(),
  });

  it('returns to zero, whenever clients leave', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(client, { minLength: 1, maxLength: 20 }), async (clients) => {
        const gone = clients.map(async ({ texts, read, leavesAfterMs, resets }) => {
          const { socket, closed } = rawClient(server.url, texts.join(''), { read });
          setTimeout(() => (resets ? socket.resetAndDestroy() : socket.destroy()), leavesAfterMs);
          await closed;
        });
        await Promise.all(gone);
        await until(() => expect(server.app.pressure.inFlight).toBe(0));
        const answers = await Promise.all(Array.from({ length: 8 }, () => fetch(`${server.url}/v1/soon`)));
        expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      }),
      { numRuns: 60 },
    );
  }, 120_000);
});
