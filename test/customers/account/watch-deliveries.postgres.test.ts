/** Deliveries of watches: in order, tried for three days, by one process at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { Deliveries } from '../../../src/account/deliveries.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { DeliveryResult } from '../../../src/ports/deliveries.js';
import type { Message } from '../../../src/ports/mail.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';
import { until } from '../../kit/time/until.js';
import { type Watched, watched, watchingAccount } from './watched.js';

const HOUR_MS = 3_600_000;
const URL = 'https://hooks.example/watch';
const OK: DeliveryResult = { status: 200, excerpt: null, fault: null };

interface Sent {
  readonly id: string;
  readonly body: string;
  readonly atMs: number;
}

type Answer = (sent: Sent) => DeliveryResult | Promise<DeliveryResult>;

interface Sender {
  readonly deliveries: Deliveries;
  readonly sent: Sent[];
  readonly mails: Message[];
  /** The receiver, from now on. */
  answer: Answer;
  /** Numbers of what was sent. */
  numbers(): number[];
}

let database: FreshDatabase;
let clock: ManualClock;
const failures: unknown[] = [];

beforeAll(async () => {
  database = await freshDatabase();
});
beforeEach(() => {
  clock = manualClock();
});
afterAll(async () => {
  expect(failures).toEqual([]);
  await database?.drop();
});

/** One process, with a receiver that answers as it is told. */
function open(answer: Answer = () => OK): Sender {
  const sent: Sent[] = [];
  const mails: Message[] = [];
  const sender: Sender = {
    ...{ sent, mails, answer },
    numbers: () => sent.map(({ body }) => (JSON.parse(body) as { number: number }).number),
    deliveries: new Deliveries({
      store: createDeliveries(database.sql),
      clock,
      time: processTime,
      secret: Buffer.alloc(32, 7),
      mail: { send: async (message) => void mails.push(message) },
      webhooks: {
        send: async (_url, headers, body) => {
          const one = { id: headers['webhook-id'] ?? '', body, atMs: clock.now() };
          sent.push(one);
          return sender.answer(one);
        },
      },
      authUrl: () => 'https://perch.example',
      onFailure: (error) => void failures.push(error),
    }),
  };
  return sender;
}

const watch = async (): Promise<Watched> => watched(database.sql, await watchingAccount(database.sql), URL);

describe('the deliveries of a watch', () => {
  it('are sent one after the other at once, each after the one before it was taken', async () => {
    const [one, sender] = [await watch(), open(() => sleep(20, OK))];
    for (let nth = 0; nth < 5; nth++) await one.write(clock.now());
    sender.deliveries.wake();
    await until('all are sent', async () => (await one.rows()).every(({ deliveredAt }) => deliveredAt !== null));
    expect(sender.numbers()).toEqual([1, 2, 3, 4, 5]);
  });

  it('wait while one fails, which is tried 15 times in three days, then pause the watch with a mail', async () => {
    const [one, sender] = [await watch(), open(() => ({ status: 500, excerpt: 'broken', fault: null }))];
    const beganMs = clock.now();
    await one.write(beganMs);
    await one.write(beganMs);
    for (let atMs = 0; atMs <= 80 * HOUR_MS; atMs += atMs < HOUR_MS ? 5_000 : 300_000) {
      await sender.deliveries.run();
      clock.advance(atMs < HOUR_MS ? 5_000 : 300_000);
    }
    expect(new Set(sender.numbers())).toEqual(new Set([1]));
    const hours = sender.sent.map(({ atMs }) => Math.floor((atMs - beganMs) / HOUR_MS));
    expect(hours).toEqual([0, 0, 0, 0, 0, 0, 1, 3, 7, 15, 27, 39, 51, 63, 71]);
    expect(await one.state()).toEqual({ state: 'paused', reason: 'undelivered' });
    expect(await one.rows()).toMatchObject([
      { number: 1, tries: 15, dueAt: null, deliveredAt: null, status: 500 },
      { number: 2, tries: 0, deliveredAt: null },
    ]);
    await sender.deliveries.run();
    expect(sender.mails.map(({ subject }) => subject)).toEqual(['Perch: a watch was paused']);
    expect(sender.mails[0]?.text).toContain(`https://perch.example/dashboard/watches/${one.watchId}`);
    // What was charged meanwhile waits too; all of it comes, in order, once the watch is resumed.
    await one.write(clock.now());
    sender.sent.length = 0;
    await sender.deliveries.run();
    expect(sender.sent).toEqual([]);
    sender.answer = () => OK;
    await one.resume(clock.now());
    sender.deliveries.wake();
    await until('all are sent', async () => (await one.rows()).every(({ deliveredAt }) => deliveredAt !== null));
    expect(sender.numbers()).toEqual([1, 2, 3]);
  }, 60_000);
});
