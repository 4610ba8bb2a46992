import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { test } from 'vitest';
import { createServer } from '../../../adapters/http/server.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { FINISH_MS, listen } from '../../../app/listening.js';
import type { Config } from '../../../src/config/config.js';
import { get, post, rawClient } from '../../interfaces/http/raw.js';

const CONFIG = { host: '127.0.0.1', port: 0, baseUrl: null, authUrl: null } as unknown as Config;

/** Sends `sent` to a server, stops it, and sends `then` while it stops. */
async function stop(sent: string, then = '') {
  const lines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line) => void lines.push(JSON.parse(line).msg) });
  const app = await createServer({ ids: { requestId: () => 'one' }, log, versionHeaders: {} });
  app.get('/long', async () => sleep(3 * FINISH_MS, {}, { ref: false }));
  app.post('/length', async ({ body }) => ({ bytes: (body as Buffer).length }));
  const lifecycle = new Lifecycle();
  const { url } = await listen(lifecycle, app, CONFIG, log);
  const { socket, closed } = rawClient(url, sent);
  await sleep(200);
  const closedAt = performance.now();
  const stopping = lifecycle.close();
  if (then !== '') {
    // Longer than the time for the rest of a head.
    await sleep(1500);
    socket.write(then);
  }
  await stopping;
  return { lines, received: await closed, ms: performance.now() - closedAt };
}

// Concurrent, because they wait for real time, each with a server of its own.
test.concurrent('says what was in progress when a stop takes too long', {
  timeout: 3 * FINISH_MS,
}, async ({ expect }) => {
  expect(await stop(get('/long'))).toMatchObject({
    received: '',
    lines: [`Connections still open after ${FINISH_MS} ms were closed, with 1 request in progress`],
  });
});

test.concurrent('closes a connection with only a part of a head within a second of a stop', async ({ expect }) => {
  const { ms, ...seen } = await stop('GET /long HTTP/1.1\r\nHost: perch\r\n');
  expect(seen).toEqual({ received: '', lines: [] });
  expect(ms).toBeLessThan(2500);
});

test.concurrent('waits for the body of a request whose head arrived before a stop', async ({ expect }) => {
  const { lines, received, ms } = await stop(post('/length', 'Content-Length: 3\r\n', ''), 'abc');
  expect(received).toMatch(/^HTTP\/1.1 200 /);
  expect(received).toContain('{"bytes":3}');
  expect(lines).toEqual([]);
  // The connection does not delay the stop, although the client keeps it open.
  expect(ms).toBeLessThan(4000);
});
