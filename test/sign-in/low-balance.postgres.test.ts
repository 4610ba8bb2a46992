/** Notices of a low balance: once at 50, 20 and 5 % after each top-up, whichever node sees it. */

import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger.js';
import { createNotices } from '../../adapters/postgres/notices.js';
import { LowBalance } from '../../src/account/low-balance.js';
import type { Mail, Message } from '../../src/ports/mail.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';

describe('notices of a low balance', () => {
  let database: FreshDatabase;
  const opened: LowBalance[] = [];
  const failures: unknown[] = [];

  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(async () => {
    await Promise.all(opened.map((each) => each.close()));
    await database.drop();
  });

  const node = (sent: Message[], send: Mail['send'] = async (message) => void sent.push(message)): LowBalance => {
    const lowBalance = new LowBalance({
      notices: createNotices(database.sql),
      mail: { send },
      authUrl: () => 'https://perch.example',
      onFailure: (error) => void failures.push(error),
      everyMs: 3_600_000,
    });
    opened.push(lowBalance);
    return lowBalance;
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
      /** As the ledger leaves it after a debit. */
      left: async (amount: number) => {
        await sql`update wallets set balance_thousandths = ${amount * 1000} where account_id = ${accountId}`;
      },
    };
  };

  it('tells at 50, 20 and 5 %, once each, and again after the next top-up', async () => {
    const sent: Message[] = [];
    const lowBalance = node(sent);
    const { accountId, left, topUp } = await account(1000);
    const told = async (credits: number) => {
      await left(credits);
      lowBalance.spent(accountId);
      await lowBalance.run();
      return sent.splice(0).map(({ subject }) => subject);
    };
    expect(await told(501)).toEqual([]);
    expect(await told(500)).toEqual(['Perch: 500 credits left']);
    expect(await told(201)).toEqual([]);
    expect(await told(199.5)).toEqual(['Perch: 199.5 credits left']);
    expect(await told(50)).toEqual(['Perch: 50 credits left']);
    expect(await told(0)).toEqual([]);
    await topUp(100);
    expect(await told(40)).toEqual(['Perch: 40 credits left']);
    expect(await told(0)).toEqual(['You have run out of Perch credits']);
  });

  it('a fall past several tells of the lowest only', async () => {
    const sent: Message[] = [];
    const lowBalance = node(sent);
    const { accountId, left } = await account(1000);
    await left(10);
    lowBalance.spent(accountId);
    await lowBalance.run();
    expect(sent).toHaveLength(1);
    const rows = await database.sql`select percent from balance_notices where account_id = ${accountId} order by 1`;
    expect(rows.map(({ percent }) => percent)).toEqual([5, 20, 50]);
  });

  it('says what is left, what it buys, and where there is more', async () => {
    const sent: Message[] = [];
    const lowBalance = node(sent);
    const { accountId, left } = await account(10_000);
    await left(1234.5);
    lowBalance.spent(accountId);
    await lowBalance.run();
    expect(sent[0]?.text).toContain('down to 1,234.5 credits: 20% or less of the 10,000 it had');
    expect(sent[0]?.text).toContain('1,234 tweets or profiles, or 12,345 profiles from a follower list');
    expect(sent[0]?.text).toContain('\nhttps://perch.example/dashboard/credits\n');
  });

  it('ten nodes that see it at once send one mail', async () => {
    const sent: Message[] = [];
    const { accountId, left } = await account(100);
    await left(15);
    const nodes = Array.from({ length: 10 }, () => node(sent));
    for (const each of nodes) each.spent(accountId);
    await Promise.all(nodes.map((each) => each.run()));
    expect(sent).toHaveLength(1);
  });

  it('nobody is told who has no address, no top-up, or did not spend', async () => {
    const sent: Message[] = [];
    const lowBalance = node(sent);
    const [silent, poor, idle] = [await account(100, null), await account(0), await account(100)];
    for (const { left } of [silent, idle]) await left(1);
    for (const { accountId } of [silent, poor]) lowBalance.spent(accountId);
    await lowBalance.run();
    expect(sent).toEqual([]);
  });

  it('a mail server that fails is asked again at the next run, and told of', async () => {
    const sent: Message[] = [];
    let down = true;
    const lowBalance = node(sent, async (message) => {
      if (down) throw new Error('421 later');
      sent.push(message);
    });
    const five = await Promise.all(Array.from({ length: 5 }, () => account(100)));
    for (const { accountId, left } of five) {
      await left(10);
      lowBalance.spent(accountId);
    }
    failures.length = 0;
    await lowBalance.run();
    // Not once for each of a thousand.
    expect(failures).toEqual(Array(3).fill(new Error('421 later')));
    down = false;
    await lowBalance.run();
    expect(sent.map(({ to }) => to).sort()).toHaveLength(5);
    await lowBalance.run();
    expect(sent).toHaveLength(5);
  });

  it('one address that no server takes holds up nobody, and is given up some day', async () => {
    let tries = 0;
    const sent: Message[] = [];
    const { accountId, left } = await account(100, 'bad@example.org');
    const lowBalance = node(sent, async (message) => {
      if (message.to !== 'bad@example.org') return void sent.push(message);
      tries++;
      throw new Error('550 no such user');
    });
    await left(1);
    lowBalance.spent(accountId);
    for (let run = 0; run < 30; run++) await lowBalance.run();
    expect(tries).toBe(20);
    const other = await account(100);
    await other.left(1);
    lowBalance.spent(other.accountId);
    await lowBalance.run();
    expect(sent).toHaveLength(1);
  });

  it('a stop tells once more whoever spent just before it, and after it nobody', async () => {
    const sent: Message[] = [];
    const { accountId, left } = await account(100);
    await left(1);
    const lowBalance = node(sent);
    lowBalance.spent(accountId);
    await lowBalance.close();
    expect(sent).toHaveLength(1);
    lowBalance.spent(accountId);
    await lowBalance.close();
    expect(sent).toHaveLength(1);
  });

  it('a database that fails costs no notice', async () => {
    const sent: Message[] = [];
    const { accountId, left } = await account(100);
    await left(1);
    const notices = createNotices(database.sql);
    let down = true;
    const lowBalance = new LowBalance({
      notices: { ...notices, levels: async (ids) => (down ? Promise.reject(new Error('gone')) : notices.levels(ids)) },
      mail: { send: async (message) => void sent.push(message) },
      authUrl: () => 'https://perch.example',
      onFailure: () => {},
      everyMs: 3_600_000,
    });
    opened.push(lowBalance);
    lowBalance.spent(accountId);
    await lowBalance.run();
    down = false;
    await lowBalance.run();
    expect(sent).toHaveLength(1);
  });
});
