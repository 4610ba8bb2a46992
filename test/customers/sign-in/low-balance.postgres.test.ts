/** Notices of a low balance: sent once at 50, 20 and 5 % after each top-up, whichever node sees it. */

import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createAlerts, createNotices } from '../../../adapters/postgres/customers/alerts.js';
import { createDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { Deliveries } from '../../../src/account/deliveries.js';
import { SpendingWatch } from '../../../src/account/spending-watch.js';
import { processTime } from '../../../src/lib/monotonic.js';
import type { Notices } from '../../../src/ports/deliveries.js';
import type { Mail, Message } from '../../../src/ports/mail.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { manualClock } from '../../kit/time/manual-clock.js';

describe('notices of a low balance', () => {
  let database: FreshDatabase;
  const opened: SpendingWatch[] = [];
  const failures: unknown[] = [];
  const clock = manualClock();

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await database.drop();
  });

  const node = (
    sent: Message[],
    send: Mail['send'] = async (message) => void sent.push(message),
    notices: Notices = createNotices(database.sql),
  ): SpendingWatch => {
    const onFailure = (error: unknown) => void failures.push(error);
    const common = { clock, time: processTime, onFailure, authUrl: () => 'https://perch.example' };
    const deliveries = new Deliveries({
      ...common,
      store: createDeliveries(database.sql),
      mail: { send },
      webhooks: { send: () => Promise.reject(new Error('nobody has a webhook')) },
      secret: Buffer.alloc(32),
    });
    const watch = new SpendingWatch({
      ...common,
      notices,
      alerts: createAlerts(database.sql),
      deliveries,
      mail: true,
      everyMs: 3_600_000,
    });
    opened.push(watch);
    return watch;
  };

  let accounts = 0;
  const account = async (credits: number, email: string | null = `a${++accounts}@example.org`) => {
    const { sql } = database;
    const given = { name: 'Ada', email, paidUsd: 0, qpsOverride: null };
    const { accountId } = await createAccounts(sql).create(given);
    const topUp = (amount: number) =>
      createLedger(sql).grant({ requestId: v7(), accountId, amount: amount * 1000, reason: 'test' });
    if (credits > 0) await topUp(credits);
    return {
      accountId,
      topUp,
      /** Sets the balance as the ledger does after a debit. */
      left: async (amount: number) => {
        await sql`update wallets set balance_thousandths = ${amount * 1000} where account_id = ${accountId}`;
      },
    };
  };

  it('are sent at 50, 20 and 5 %, once each, and again after the next top-up', async () => {
    const sent: Message[] = [];
    const watch = node(sent);
    const { accountId, left, topUp } = await account(1000);
    const subjectsAt = async (credits: number) => {
      await left(credits);
      watch.spent(accountId);
      await watch.run();
      return sent.splice(0).map(({ subject }) => subject);
    };
    expect(await subjectsAt(501)).toEqual([]);
    expect(await subjectsAt(500)).toEqual(['Perch: 500 credits left']);
    expect(await subjectsAt(201)).toEqual([]);
    expect(await subjectsAt(199.5)).toEqual(['Perch: 199.5 credits left']);
    expect(await subjectsAt(50)).toEqual(['Perch: 50 credits left']);
    expect(await subjectsAt(0)).toEqual([]);
    await topUp(100);
    expect(await subjectsAt(40)).toEqual(['Perch: 40 credits left']);
    expect(await subjectsAt(0)).toEqual(['You have run out of Perch credits']);
  });

  it('name only the lowest level when a balance falls past several', async () => {
    const sent: Message[] = [];
    const watch = node(sent);
    const { accountId, left } = await account(1000);
    await left(10);
    watch.spent(accountId);
    await watch.run();
    expect(sent).toHaveLength(1);
    const rows = await database.sql`select percent from balance_notices where account_id = ${accountId} order by 1`;
    expect(rows.map(({ percent }) => percent)).toEqual([5, 20, 50]);
  });

  it('say what is left, what it buys, and where to buy more', async () => {
    const sent: Message[] = [];
    const watch = node(sent);
    const { accountId, left } = await account(10_000);
    await left(1234.5);
    watch.spent(accountId);
    await watch.run();
    expect(sent[0]?.text).toContain('down to 1,234.5 credits: 20% or less of the 10,000 it had');
    expect(sent[0]?.text).toContain('1,234 tweets or profiles, or 12,345 profiles from a follower list');
    expect(sent[0]?.text).toContain('\nhttps://perch.example/dashboard/credits\n');
  });

  it('are sent once if ten nodes see the fall at once', async () => {
    const sent: Message[] = [];
    const { accountId, left } = await account(100);
    await left(15);
    const nodes = Array.from({ length: 10 }, () => node(sent));
    for (const each of nodes) each.spent(accountId);
    await Promise.all(nodes.map((each) => each.run()));
    expect(sent).toHaveLength(1);
  });

  it('are not sent without an address, a top-up or any spending', async () => {
    const sent: Message[] = [];
    const watch = node(sent);
    const [silent, poor, idle] = [await account(100, null), await account(0), await account(100)];
    for (const { left } of [silent, idle]) await left(1);
    await database.sql`update wallets set summed_seq = last_seq where account_id = ${idle.accountId}`;
    for (const { accountId } of [silent, poor]) watch.spent(accountId);
    await watch.run();
    expect(sent).toEqual([]);
  });

  it('are retried on the next run when the mail server fails, and the failure is logged', async () => {
    const sent: Message[] = [];
    let down = true;
    const watch = node(sent, async (message) => {
      if (down) throw new Error('421 later');
      sent.push(message);
    });
    const five = await Promise.all(Array.from({ length: 5 }, () => account(100)));
    for (const { accountId, left } of five) {
      await left(10);
      watch.spent(accountId);
    }
    failures.length = 0;
    await watch.run();
    // Three failures, not one for each of a thousand notices.
    expect(failures).toEqual(Array(3).fill(new Error('421 later')));
    down = false;
    clock.advance(30_000);
    await watch.run();
    expect(sent.map(({ to }) => to).sort()).toHaveLength(5);
    await watch.run();
    expect(sent).toHaveLength(5);
  });

  it('reach the others when one address always bounces, and give up on that address', async () => {
    let tries = 0;
    const sent: Message[] = [];
    const { accountId, left } = await account(100, 'bad@example.org');
    const watch = node(sent, async (message) => {
      if (message.to !== 'bad@example.org') return void sent.push(message);
      tries++;
      throw new Error('550 no such user');
    });
    await left(1);
    watch.spent(accountId);
    for (let hour = 0; hour < 30; hour++) {
      await watch.run();
      clock.advance(3_600_000);
    }
    expect(tries).toBe(10);
    clock.advance(30 * 86_400_000);
    await watch.run();
    expect(tries).toBe(10);
    const other = await account(100);
    await other.left(1);
    watch.spent(other.accountId);
    await watch.run();
    expect(sent).toHaveLength(1);
  });

  it('are sent for recent spending on shutdown, and not after it', async () => {
    const sent: Message[] = [];
    const { accountId, left } = await account(100);
    await left(1);
    const watch = node(sent);
    watch.spent(accountId);
    await watch.close();
    expect(sent).toHaveLength(1);
    watch.spent(accountId);
    await watch.close();
    expect(sent).toHaveLength(1);
  });

  it('are not lost when the database fails', async () => {
    const sent: Message[] = [];
    const { accountId, left } = await account(100);
    await left(1);
    const notices = createNotices(database.sql);
    let down = true;
    const failing: Notices = {
      ...notices,
      levels: async (ids) => (down ? Promise.reject(new Error('gone')) : notices.levels(ids)),
    };
    const watch = node(sent, async (message) => void sent.push(message), failing);
    watch.spent(accountId);
    await watch.run();
    down = false;
    await watch.run();
    expect(sent).toHaveLength(1);
  });

  it('are sent by another process if one is killed after it recorded them', async () => {
    const { accountId, left } = await account(100);
    await left(1);
    // The mail server never answers this process.
    const killed = node([], () => new Promise(() => {}));
    killed.spent(accountId);
    void killed.run();
    const written = async () =>
      (await database.sql`select from deliveries where account_id = ${accountId} and tries = 1`).count;
    while ((await written()) === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    const sent: Message[] = [];
    const other = node(sent);
    await other.run();
    expect(sent).toEqual([]);
    clock.advance(120_000);
    await other.run();
    expect(sent.map(({ subject }) => subject)).toEqual(['Perch: 1 credit left']);
  });

  it('are sent by the next process if one is killed before it checks', async () => {
    const { accountId, left } = await account(100);
    await left(1);
    await database.sql`update wallets set last_seq = summed_seq + 1 where account_id = ${accountId}`;
    const sent: Message[] = [];
    await node(sent).run();
    expect(sent).toHaveLength(1);
  });
});
