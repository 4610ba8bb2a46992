import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeOnRedis } from '../kit/redis/redis.js';
import { isDatabaseDown, newKey, type Service, SLOW_MS, serve, until } from './support/service.js';
import { Cli } from './support/support.js';

let cli: Cli;
let service: Service | undefined;
beforeEach(async () => {
  cli = await Cli.open();
});
afterEach(async () => {
  service?.started.process.kill('SIGKILL');
  await service?.started.end;
  service = undefined;
  await cli.close();
});

interface Seen {
  readonly status: number | string;
  readonly closes: boolean;
}

/** A client that reads over one kept-alive connection until `goes` says that it should leave. */
async function hammer(url: string, key: string, goes: () => boolean, seen: Seen[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (!goes()) seen.push(await read(url, key, agent).catch(({ code }) => ({ status: String(code), closes: false })));
  agent.destroy();
}

async function read(url: string, key: string, agent: Agent): Promise<Seen> {
  const [response] = (await once(get(`${url}/v1/me`, { agent, headers: { 'x-api-key': key } }), 'response')) as [
    IncomingMessage,
  ];
  await response.resume().toArray();
  return { status: response.statusCode ?? 0, closes: response.headers.connection === 'close' };
}

/** Acts as a balancer: checks the health regularly, and calls `leave` once the service is not healthy. */
async function balance(url: string, leave: (status: number, body: unknown) => void): Promise<void> {
  for (;;) {
    const answer = await fetch(`${url}/healthz`, { headers: { connection: 'close' } });
    const body = await answer.json();
    if (answer.status !== 200) return leave(answer.status, body);
    await sleep(200);
  }
}

async function stopUnderLoad(env: Readonly<Record<string, string>>): Promise<void> {
  service = await serve(cli, { ...env, LOG_LEVEL: 'warn', PERCH_DRAIN_MS: '3000' });
  const { url, started } = service;
  const key = await newKey(cli);
  const seen: Seen[] = [];
  let health: unknown;
  const clients = Array.from({ length: 6 }, () => hammer(url, key, () => health !== undefined, seen));
  const balancer = balance(url, (status, body) => {
    health = { status, body };
  });
  await until(() => seen.length > 50, 'there is load', started);
  const signalledAt = performance.now();
  started.process.kill('SIGTERM');
  await Promise.all([...clients, balancer]);
  expect((await started.end).code).toBe(0);
  // A timer may be a little early.
  expect(performance.now() - signalledAt).toBeGreaterThan(2_900);
  const error = { code: 'upstream_rate_limited', message: expect.stringContaining('shutting down'), retry_after: 5 };
  expect(health).toMatchObject({ status: 503, body: { status: 'stopping', error, request_id: expect.any(String) } });
  expect(seen.filter(({ status }) => status !== 200)).toEqual([]);
  expect(seen.some(({ closes }) => closes)).toBe(true);
  expect(seen[0]?.closes).toBe(false);
  expect(await isDatabaseDown(cli)).toBe(true);
}

test('fails no request of a client that leaves once /healthz reports the shutdown', { timeout: SLOW_MS }, () =>
  stopUnderLoad({}),
);

describeOnRedis('with several workers', (redis) => {
  test('fails no request of a client that leaves once a worker reports the shutdown', { timeout: SLOW_MS }, () =>
    stopUnderLoad({ WORKERS: '2', REDIS_URL: redis().urls.join() }),
  );
});

/** A request without the last line of its head, so its connection is not idle. */
const UNFINISHED_HEAD = 'GET /v1/me HTTP/1.1\r\nHost: perch\r\n';
/** A request whose body is still missing. */
const NO_BODY_YET =
  'POST /graphql HTTP/1.1\r\nHost: perch\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n';

async function beginRequest(url: string, text: string): Promise<{ finish(): Promise<string> }> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  socket.write(text);
  return {
    async finish() {
      socket.write('\r\n');
      await once(socket, 'close');
      return answer;
    },
  };
}

const isRefused = (url: string): Promise<boolean> =>
  fetch(`${url}/healthz`).then(
    () => false,
    () => true,
  );

test('serves the last request on an open connection while closing', {
  timeout: SLOW_MS,
}, async () => {
  service = await serve(cli);
  const { url, started } = service;
  const begun = await beginRequest(url, UNFINISHED_HEAD);
  // An answer to another request shows that the server has read the beginning of the first one.
  await (await fetch(`${url}/healthz`)).text();
  started.process.kill('SIGTERM');
  await until(() => isRefused(url), 'connections are refused', started);
  const answer = await begun.finish();
  expect(answer).toMatch(/^HTTP\/1.1 401 /);
  expect(answer).toMatch(/\r\nconnection: close\r\n/i);
  expect(answer).toContain('missing_key');
  expect((await started.end).code).toBe(0);
});

test('stops at once on a second signal and leaves no database running', { timeout: SLOW_MS }, async () => {
  service = await serve(cli, { PERCH_DRAIN_MS: '60000' });
  const { url, started } = service;
  await beginRequest(url, NO_BODY_YET);
  await (await fetch(`${url}/healthz`)).text();
  const signalledAt = performance.now();
  // On Ctrl-C there is no balancer to wait for, so the service refuses connections at once.
  started.process.kill('SIGINT');
  await until(() => isRefused(url), 'connections are refused', started);
  await until(() => performance.now() - signalledAt > 700, 'the next one counts as another');
  started.process.kill('SIGINT');
  expect((await started.end).code).toBe(130);
  expect(performance.now() - signalledAt).toBeLessThan(9_000);
  await until(() => isDatabaseDown(cli), 'the database is down');
});

test('makes streams reconnect at spread times, and does not wait for them', { timeout: SLOW_MS }, async () => {
  service = await serve(cli, { PERCH_DRAIN_MS: '0' });
  const { url, started } = service;
  const headers = { 'x-api-key': await newKey(cli) };
  const streams = await Promise.all(
    Array.from({ length: 5 }, (_, nth) => fetch(`${url}/v1/live?q=word${nth}`, { headers })),
  );
  expect(streams.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  const signalledAt = performance.now();
  started.process.kill('SIGTERM');
  const said = await Promise.all(streams.map((stream) => stream.text()));
  expect((await started.end).code).toBe(0);
  expect(performance.now() - signalledAt).toBeLessThan(5_000);
  // The clients do not all return at once.
  const retries = said.map((text) => Number(/retry: (\d+)\n\n$/.exec(text)?.[1]));
  for (const retry of retries) {
    expect(retry).toBeGreaterThanOrEqual(3_000);
    expect(retry).toBeLessThanOrEqual(13_000);
  }
  expect(new Set(retries).size).toBeGreaterThan(1);
});
