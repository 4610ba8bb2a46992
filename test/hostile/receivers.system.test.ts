/** Customers' servers that are slow, silent or broken, and how soon the deliveries of others arrive. */
import type { RequestListener } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDeliveries } from '../../adapters/postgres/customers/deliveries.js';
import { Deliveries } from '../../src/account/deliveries.js';
import { processTime } from '../../src/lib/monotonic.js';
import { watched, watchingAccount } from '../customers/account/watched.js';
import { startWebhookHost, type WebhookHost } from '../customers/account/webhook-host.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { watchStalls } from '../kit/time/stalls.js';

const SLOW_MS = 120_000;
const POLL_MS = 3_000;

/** What a bad receiver does with a request that it has read. All of them share a host with the good ones. */
const BAD: Readonly<Record<string, RequestListener>> = {
  'answers after 9.9 s': (_request, response) => void setTimeout(() => response.writeHead(204).end(), 9_900),
  'never answers': () => undefined,
  'trickles the head of its answer': ({ socket }) => {
    socket.write('HTTP/1.1 200 OK\r\nx-slow: ');
    const drip = setInterval(() => socket.write('x'), 200);
    socket.on('close', () => clearInterval(drip));
  },
  'trickles an endless answer': (_request, response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('x'), 200);
    response.on('close', () => clearInterval(drip));
  },
  'floods with an endless answer': (_request, response) => {
    const flood = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', flood);
    flood();
  },
  'closes the connection instead': ({ socket }) => void socket.destroy(),
  'asks for a day of patience': (_request, response) => void response.writeHead(503, { 'retry-after': '86400' }).end(),
};
const KINDS = Object.keys(BAD);

/** How far the test has moved its time forward. */
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };
const monotonic = { now: () => performance.now() + aheadMs };

let database: FreshDatabase;
let host: WebhookHost;
/** Servers that accept connections and never begin TLS, or reset them. */
const [mute, resetting] = [createServer(() => undefined), createServer((socket) => void socket.resetAndDestroy())];
const arrived = new Map<string, number>();
const failures: unknown[] = [];
const processes: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  database = await freshDatabase();
  host = await startWebhookHost();
  host.answer = (request, response) => {
    const [, kind = '', id = ''] = (request.url ?? '').split('/');
    const bad = BAD[KINDS[Number(kind)] ?? ''];
    if (bad !== undefined) return bad(request, response);
    arrived.set(id, performance.now());
    return response.writeHead(204).end();
  };
  for (const each of [mute, resetting])
    await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', () => resolve()));
}, SLOW_MS);
afterEach(async () => {
  await Promise.all(processes.splice(0).map((each) => each.close()));
});
afterAll(async () => {
  await host?.close();
  for (const each of [mute, resetting]) each.close();
  await database?.drop();
  expect(failures).toEqual([]);
}, SLOW_MS);

/** One process, as the service runs it. */
function open(): Deliveries {
  const deliveries = new Deliveries({
    store: createDeliveries(database.sql),
    ...{ clock, time: { ...processTime, monotonic }, webhooks: host.webhooks, mail: null },
    ...{ secret: Buffer.alloc(32, 7), authUrl: () => 'https://perch.example' },
    onFailure: (error) => void failures.push(error),
  });
  const poll = setInterval(() => void deliveries.poll(), POLL_MS);
  processes.push({
    close: async () => {
      clearInterval(poll);
      await deliveries.close();
    },
  });
  return deliveries;
}

/** An account whose watches all have something to deliver to a bad receiver. */
async function bad(address: string, watches: number): Promise<void> {
  const account = await watchingAccount(database.sql);
  for (let nth = 0; nth < watches; nth++) {
    const one = await watched(database.sql, account, address);
    await one.write(clock.now());
    await one.write(clock.now());
  }
}

/** How long deliveries take for ten accounts that each write one every half second, less the stalls of this process. */
async function tookMs(deliveries: Deliveries, forMs: number): Promise<number[]> {
  const watches = await Promise.all(
    Array.from({ length: 10 }, async (_, nth) =>
      watched(database.sql, await watchingAccount(database.sql), `${host.origin}/good/${nth}`),
    ),
  );
  const endMs = performance.now() + forMs;
  const took: number[] = [];
  await Promise.all(
    watches.map(async (one, nth) => {
      while (performance.now() < endMs) {
        await one.write(clock.now());
        deliveries.wake();
        const stalls = watchStalls();
        const beganMs = performance.now();
        arrived.delete(String(nth));
        while (!arrived.has(String(nth))) await sleep(5);
        took.push((arrived.get(String(nth)) ?? 0) - beganMs - stalls.ms());
        stalls.stop();
        await sleep(500);
      }
    }),
  );
  return took;
}

/** The slowest except for one in twenty, which a busy machine may delay. */
const slowOf = (took: readonly number[]): number =>
  [...took].sort((one, other) => one - other)[Math.floor(took.length * 0.95)] ?? Number.POSITIVE_INFINITY;

describe('a receiver that', () => {
  let usualMs: number;
  beforeAll(async () => {
    usualMs = slowOf(await tookMs(open(), 4_000));
  }, SLOW_MS);

  it(
    'answers 200 watches of one account after 9.9 s delays the deliveries of others by less than a second',
    async () => {
      await bad(`${host.origin}/0/`, 200);
      const [one, two] = [open(), open()];
      one.wake();
      two.wake();
      await sleep(100);
      // First before it is known to be slow, then afterwards.
      expect(slowOf(await tookMs(one, 1_000))).toBeLessThan(usualMs + 1_000);
      const took = await tookMs(one, 15_000);
      expect(took.length).toBeGreaterThan(50);
      expect(slowOf(took)).toBeLessThan(usualMs + 1_000);
      // It still gets deliveries.
      expect(host.received.filter(({ url }) => url === '/0/').length).toBeGreaterThan(40);
    },
    SLOW_MS,
  );

  it(
    'misbehaves in any way, for many accounts at once, delays others by less than a second once it is known',
    async () => {
      for (const [kind] of KINDS.entries()) await bad(`${host.origin}/${kind}/`, 50);
      for (const each of [mute, resetting])
        await bad(`https://hooks.test:${(each.address() as AddressInfo).port}/`, 50);
      // More accounts than are sent to at once.
      for (let nth = 0; nth < 90; nth++) await bad(`${host.origin}/${nth % KINDS.length}/`, 2);
      const [one, two] = [open(), open()];
      one.wake();
      two.wake();
      expect(Math.max(...(await tookMs(one, 4_000)))).toBeLessThan(usualMs + 5_000);
      const took = await tookMs(one, 20_000);
      expect(took.length).toBeGreaterThan(50);
      expect(slowOf(took)).toBeLessThan(usualMs + 1_000);
      // All failed deliveries are tried again at the same time, and it is forgotten which accounts were slow.
      aheadMs += 13 * 3_600_000;
      one.wake();
      two.wake();
      expect(slowOf(await tookMs(one, 8_000))).toBeLessThan(usualMs + 2_000);
    },
    SLOW_MS,
  );
});
