/** Deliveries of watches: in order, tried for three days, by one process at a time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { createWatchBook } from '../../../adapters/postgres/customers/watches.js';
import { Deliveries } from '../../../src/account/deliveries.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { DeliveryResult } from '../../../src/ports/deliveries.js';
import type { Message } from '../../../src/ports/mail.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { holdLocks, untilOneWaits } from '../../kit/postgres/hold-locks.js';
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
  /** How the receiver answers from now on. */
  answer: Answer;
  /** The delivery numbers that were sent. */
  numbers(): number[];
  kill(): void;
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

/** One process, and a receiver whose answers the test sets. */
function open(answer: Answer = () => OK): Sender {
  const sent: Sent[] = [];
  const mails: Message[] = [];
  let isKilled = false;
  const store = createDeliveries(database.sql);
  /** Keeps calls of a killed process from reaching the database. */
  const unlessKilled =
    <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) =>
    (...args: Args): Promise<T> =>
      isKilled ? new Promise<never>(() => {}) : call(...args);
  const sender: Sender = {
    ...{ sent, mails, answer },
    numbers: () => sent.map(({ body }) => (JSON.parse(body) as { number: number }).number),
    kill: () => {
      isKilled = true;
    },
    deliveries: new Deliveries({
      store: {
        ...store,
        dueWebhooks: unlessKilled(store.dueWebhooks),
        claim: unlessKilled(store.claim),
        delivered: unlessKilled(store.delivered),
        failed: unlessKilled(store.failed),
        giveUp: unlessKilled(store.giveUp),
      },
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

/** The mails about this watch only: those of other tests are sent as well. */
const mailsOf = ({ mails }: Sender, { watchId }: Watched): Message[] =>
  mails.filter(({ text }) => text.includes(`https://perch.example/dashboard/watches/${watchId}`));

describe('the deliveries of a watch', () => {
  it('are sent at once, each when the one before it was accepted', async () => {
    const [one, sender] = [await watch(), open(() => sleep(20, OK))];
    for (let nth = 0; nth < 5; nth++) await one.write(clock.now());
    sender.deliveries.wake();
    await until('all are sent', async () => (await one.rows()).every(({ deliveredAt }) => deliveredAt !== null));
    expect(sender.numbers()).toEqual([1, 2, 3, 4, 5]);
  });

  it('are sent if the one before was accepted while they were written', async () => {
    const [one, sender] = [await watch(), open()];
    await one.write(clock.now());
    await one.write(clock.now(), async () => {
      sender.deliveries.wake();
      await until('the first is sent', () => sender.sent.length === 1);
      await sleep(200);
    });
    sender.deliveries.wake();
    await until('both are sent', () => sender.sent.length === 2);
  });

  it('are next if the one before was accepted while they waited for the lock on their watch', async () => {
    const one = await watch();
    await one.write(clock.now());
    const release = await holdLocks(database.sql, async (tx) => {
      await tx`select from watches where watch_id = ${one.watchId} for no key update`;
      await tx`update deliveries set due_at = null, delivered_at = now() where watch_id = ${one.watchId}`;
    });
    const written = one.write(clock.now());
    await untilOneWaits(database.sql);
    await release();
    await written;
    expect(await one.rows()).toMatchObject([
      { number: 1, dueAt: null },
      { number: 2, inTurn: true },
    ]);
    await database.sql`delete from deliveries where watch_id = ${one.watchId}`;
  });

  it('are written while their account is being thawed, without a deadlock', async () => {
    const [accounts, { accountId, watchId }] = [createAccounts(database.sql), await watch()];
    await accounts.freeze(accountId, true);
    await database.sql`
      update watches set state = 'waiting', reason = 'frozen', due_at = now() where watch_id = ${watchId}`;
    let thawed: Promise<boolean> | undefined;
    await database.sql.begin(async (tx) => {
      await tx`update watches set checked_at = now() where watch_id = ${watchId}`;
      thawed = accounts.freeze(accountId, false);
      await untilOneWaits(database.sql);
      await tx`
        insert into deliveries (account_id, watch_id, channel, target, body)
        values (${accountId}, ${watchId}, 'webhook', ${URL}, '{}')`;
    });
    expect(await thawed).toBe(true);
  });

  it('wait while one fails; after 15 tries in three days, the watch is paused with a mail', async () => {
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
    expect(mailsOf(sender, one).map(({ subject }) => subject)).toEqual(['Perch: a watch was paused']);
    // Items charged during the pause wait, too. All of them arrive, in order, once the watch is resumed.
    await one.write(clock.now());
    sender.sent.length = 0;
    await sender.deliveries.run();
    expect(sender.sent).toEqual([]);
    sender.answer = () => OK;
    await one.resume(clock.now());
    sender.deliveries.wake();
    await until('all are sent', async () => (await one.rows()).every(({ deliveredAt }) => deliveredAt !== null));
    expect(sender.numbers()).toEqual([1, 2, 3]);
  });

  it.each([
    [503, 45, 45],
    [429, 86_400, 3_600],
    [500, 1, 5],
    [200, 60, null],
  ])('answered %i with Retry-After %i are tried again after %s s', async (status, retryAfterS, seconds) => {
    const [one, sender] = [await watch(), open(() => ({ status, excerpt: null, fault: null, retryAfterS }))];
    await one.write(clock.now());
    await sender.deliveries.run();
    const [row] = await one.rows();
    expect(row?.dueAt === null ? null : Number(row?.dueAt) - clock.now()).toBe(
      seconds === null ? null : seconds * 1000,
    );
    await one.end();
    await database.sql`delete from deliveries where watch_id = ${one.watchId}`;
  });

  it('answered 410 pause the watch at once, with a mail that says so', async () => {
    const [one, sender] = [await watch(), open(() => ({ status: 410, excerpt: null, fault: null }))];
    await one.write(clock.now());
    await one.write(clock.now());
    await sender.deliveries.run();
    expect(await one.state()).toEqual({ state: 'paused', reason: 'undelivered' });
    await sender.deliveries.run();
    expect(sender.numbers()).toEqual([1]);
    expect(mailsOf(sender, one)).toMatchObject([{ text: expect.stringContaining('answered 410 Gone') }]);
  });

  it('of an ended watch are given up together, without a pause or a mail, and can be sent by hand', async () => {
    const [one, sender] = [await watch(), open(() => ({ status: 410, excerpt: null, fault: null }))];
    for (let nth = 0; nth < 3; nth++) await one.write(clock.now());
    await one.end();
    await sender.deliveries.run();
    await sender.deliveries.run();
    expect(await one.state()).toEqual({ state: 'ended', reason: null });
    const given = { dueAt: null, deliveredAt: null };
    expect(await one.rows()).toMatchObject([given, given, given]);
    expect(mailsOf(sender, one)).toEqual([]);
    sender.answer = () => OK;
    const [, second] = await one.rows();
    await sender.deliveries.itemsAgain(one.accountId, one.watchId, second?.deliveryId ?? '');
    expect(await one.rows()).toMatchObject([given, { dueAt: null, deliveredAt: expect.any(Date) }, given]);
    // Items of a call that was in progress when the watch ended.
    await one.write(clock.now());
    await sender.deliveries.run();
    expect(sender.numbers()).toEqual([1, 2, 4]);
  });

  it('of a watch that ends while its webhook fails are given up', async () => {
    const [one, sender] = [await watch(), open(() => ({ status: 410, excerpt: null, fault: null }))];
    for (let nth = 0; nth < 2; nth++) await one.write(clock.now());
    await sender.deliveries.run();
    expect(await one.state()).toEqual({ state: 'paused', reason: 'undelivered' });
    await createWatchBook(database.sql).change(one, 'ended', clock.now(), OPERATOR);
    const given = { dueAt: null, deliveredAt: null };
    expect(await one.rows()).toMatchObject([given, given]);
  });

  it('can be sent again by hand while another one fails, once, with the same id and body', async () => {
    const [one, sender] = [await watch(), open()];
    const first = await one.write(clock.now());
    await sender.deliveries.run();
    sender.answer = () => ({ status: 500, excerpt: null, fault: null });
    await one.write(clock.now());
    await one.write(clock.now());
    await sender.deliveries.run();
    const again = () => sender.deliveries.itemsAgain(one.accountId, one.watchId, first.deliveryId);
    expect(await again()).toBe('due');
    expect(sender.numbers()).toEqual([1, 2, 1]);
    expect(sender.sent[2]).toMatchObject({ id: sender.sent[0]?.id, body: first.body });
    const [sent, failing, waiting] = await one.rows();
    expect(sent).toMatchObject({ tries: 2, dueAt: null, status: 500, deliveredAt: expect.any(Date) });
    expect([failing, waiting]).toMatchObject([{ inTurn: true }, { inTurn: false, tries: 0 }]);
    expect(await one.state()).toEqual({ state: 'active', reason: null });
    // A delivery that waits for its turn still waits. One that waits for its next try is tried at once.
    expect(await sender.deliveries.itemsAgain(one.accountId, one.watchId, waiting?.deliveryId ?? '')).toBe('waiting');
    expect(sender.numbers()).toEqual([1, 2, 1]);
    sender.answer = () => OK;
    await sender.deliveries.itemsAgain(one.accountId, one.watchId, failing?.deliveryId ?? '');
    await until('all are sent', async () => (await one.rows()).every(({ deliveredAt }) => deliveredAt !== null));
    expect(sender.numbers()).toEqual([1, 2, 1, 2, 3]);
  });

  it('are not sent by hand out of order while the watch is paused because of failed deliveries', async () => {
    const [one, sender] = [await watch(), open(() => ({ status: 410, excerpt: null, fault: null }))];
    for (let nth = 0; nth < 2; nth++) await one.write(clock.now());
    await sender.deliveries.run();
    sender.answer = () => OK;
    const [given, behind] = await one.rows();
    const again = (row = given) => sender.deliveries.itemsAgain(one.accountId, one.watchId, row?.deliveryId ?? '');
    expect(await again(behind)).toBe('waiting');
    expect(await one.rows()).toMatchObject([given, behind]);
    expect(await again(given)).toBe('due');
    expect(sender.numbers()).toEqual([1, 1]);
    await one.resume(clock.now());
    await sender.deliveries.run();
    expect(sender.numbers()).toEqual([1, 1, 2]);
  });

  it("are not sent by hand for another account or watch, nor as an alert's", async () => {
    const [one, other, sender] = [await watch(), await watch(), open()];
    const { deliveryId } = await one.write(clock.now());
    await sender.deliveries.run();
    for (const [accountId, watchId] of [
      [other.accountId, one.watchId],
      [one.accountId, other.watchId],
      [one.accountId, 'nonsense'],
    ] as const)
      expect(await sender.deliveries.itemsAgain(accountId, watchId, deliveryId)).toBeUndefined();
    expect(await sender.deliveries.again(one.accountId, deliveryId)).toBe(false);
    expect(sender.sent).toHaveLength(1);
  });

  it('of a process that is killed are sent by another when their lease is over, with the same id', async () => {
    const one = await watch();
    await one.write(clock.now());
    await one.write(clock.now());
    const killed = open(() => {
      killed.kill();
      return OK;
    });
    killed.deliveries.wake();
    await until('the first is sent', () => killed.sent.length > 0);
    const other = open();
    clock.advance(29_000);
    await other.deliveries.run();
    expect(other.sent).toEqual([]);
    clock.advance(2_000);
    other.deliveries.wake();
    await until('all are sent', async () => (await one.rows()).every(({ deliveredAt }) => deliveredAt !== null));
    expect(other.numbers()).toEqual([1, 2]);
    expect(other.sent[0]?.id).toBe(killed.sent[0]?.id);
  });

  it('are released to another process at once by one that stops while sending', async () => {
    const one = await watch();
    await one.write(clock.now());
    const stopping = open(() => sleep(1_500, { status: null, excerpt: null, fault: 'ended' }));
    stopping.deliveries.wake();
    await until('it is sent', () => stopping.sent.length > 0);
    await stopping.deliveries.close();
    const other = open();
    await other.deliveries.run();
    expect(other.numbers()).toEqual([1]);
  });

  it('are sent once, whichever of two processes sends them', async () => {
    // More than one delivery is sent at once.
    const senders = [open(() => sleep(20, OK)), open(() => sleep(20, OK))];
    const watches = await Promise.all(Array.from({ length: 100 }, watch));
    for (let nth = 0; nth < 3; nth++) {
      await Promise.all(watches.map((one) => one.write(clock.now())));
      for (const { deliveries } of senders) deliveries.wake();
    }
    await until('all are sent', async () => {
      const rows = await Promise.all(watches.map((one) => one.rows()));
      return rows.flat().every(({ deliveredAt }) => deliveredAt !== null);
    });
    const ids = senders.flatMap(({ sent }) => sent.map(({ id }) => id));
    expect([ids.length, new Set(ids).size]).toEqual([300, 300]);
    expect(senders.every(({ sent }) => sent.length > 0)).toBe(true);
  });

  it('are deleted three days after they were accepted, others after 30', async () => {
    const [one, sender] = [await watch(), open(({ body }) => (body.includes('1') ? OK : { ...OK, status: 410 }))];
    const beganMs = clock.now();
    await one.write(beganMs);
    await one.write(beganMs);
    await sender.deliveries.run();
    await until('both are over', async () => (await one.rows()).every(({ dueAt }) => dueAt === null));
    const keptAfter = async (days: number) => {
      clock.advance(beganMs + days * 24 * HOUR_MS - clock.now());
      await sender.deliveries.run();
      return (await one.rows()).map(({ number }) => number);
    };
    expect(await keptAfter(2.9)).toEqual([1, 2]);
    expect(await keptAfter(3.1)).toEqual([2]);
    expect(await keptAfter(29.9)).toEqual([2]);
    expect(await keptAfter(30.1)).toEqual([]);
  });
});
