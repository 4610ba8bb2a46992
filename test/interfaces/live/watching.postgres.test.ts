/** Watches over the whole service: new items are charged and delivered while no client is connected. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/durations.js';
import { createCursors } from '../../../src/read/cursor.js';
import { startMailServer } from '../../kit/mail-server.js';
import { createScriptedNetwork, type ScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { addWatch } from './add-watch.js';

interface Sent {
  readonly url: string;
  readonly id: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** What "within seconds" means. */
const SECONDS_MS = 25_000;

describe('a watch', () => {
  let perch: TestPerch;
  let mailServer: Awaited<ReturnType<typeof startMailServer>>;
  let net: ScriptedNetwork;
  let next = 100;
  let account: TestAccount;
  const shown: string[] = [];
  const sent: Sent[] = [];
  const post = (text: string): void => {
    const { id } = net.tweet({ id: String(next), authorId: '7', text, createdAt: new Date().toISOString() });
    next += 1;
    shown.unshift(id);
    net.list('timeline', '7', shown, { pageSize: 40 });
    net.list('search', 'bread', shown, { pageSize: 40, product: 'Latest' });
  };
  const webhooks = {
    check: async (url: string) => url,
    async send(url: string, headers: Readonly<Record<string, string>>, body: string) {
      sent.push({ url, id: headers['webhook-id'] ?? '', body: JSON.parse(body) });
      return { status: 204, excerpt: null, fault: null };
    },
  };
  beforeAll(async () => {
    net = createScriptedNetwork();
    net.user({ id: '7', handle: 'seven' });
    post('the first');
    mailServer = await startMailServer();
    const env = { SMTP_URL: mailServer.url, MAIL_FROM: 'perch@example.org' };
    perch = await startPerch({ network: net.network, webhooks, env });
  });
  beforeEach(async () => {
    account = await perch.account({ credits: 10, email: 'owner@example.org' });
  });
  afterAll(async () => {
    await perch?.close();
    await mailServer?.close();
  });

  /** Where a new watch begins: after everything that the network has now, whatever an earlier test left cached. */
  const since = async (path: string): Promise<string> => {
    const reader = await perch.account();
    const page = new URL(path, perch.url);
    page.searchParams.set('fresh', 'true');
    const answer = await fetch(page, { headers: { 'x-api-key': reader.key } });
    return ((await answer.json()) as { since_cursor: string }).since_cursor;
  };
  const add = async (changes: Partial<Parameters<typeof addWatch>[2]> = {}) => {
    const place = changes.kind === 'search' ? '/v1/tweets/search?q=bread' : '/v1/users/by-id/7/tweets';
    const from = await since(changes.kind === 'search' ? place : '/v1/users/seven/tweets');
    return addWatch(perch.database.sql, perch.stores.secrets.cursor, { ...account, since: from, ...changes });
  };
  const sentBy = ({ watchId }: { readonly watchId: string }): Sent[] =>
    sent.filter(({ body }) => body.data.watch_id === watchId);
  /** Reads, notices and mails follow each other every few seconds; on a busy machine, that adds up. */
  const eventually = (check: () => unknown, timeout = 60_000) => expect.poll(check, { timeout, interval: 50 });
  /** Mails about a watch that reached an address. Sends them now instead of within half a minute. */
  const mailed = async (address: string, { watchId }: { readonly watchId: string }): Promise<string[]> => {
    await perch.customers.deliveries.run();
    return mailServer.received
      .filter(({ to, source }) => to === address && source.includes(`/dashboard/watches/${watchId}`))
      .map(({ source }) => source);
  };
  const read = async ({ watchId }: { readonly watchId: string }) => {
    const [row] = await perch.database.sql`select * from watches where watch_id = ${watchId}`;
    return { ...row };
  };

  it('delivers new items in the envelope of a page, and charges them like one', async () => {
    const [timeline, search] = [await add(), await add({ kind: 'search', subject: 'bread', product: 'Latest' })];
    post('hello');
    await eventually(() => [sentBy(timeline).length, sentBy(search).length]).toEqual([1, 1]);
    const [{ body, id } = { body: null, id: '' }] = sentBy(timeline);
    expect(body).toMatchObject({
      type: 'watch.items',
      data: { watch_id: timeline.watchId, number: 1, user: 'seven', items: 1, data: [{ text: 'hello' }] },
    });
    expect(id).toBe(`msg_${body?.data.request_id}`);
    expect(sentBy(search)[0]?.body.data).toMatchObject({ q: 'bread', data: [{ text: 'hello' }] });
    const charged = [...sentBy(timeline), ...sentBy(search)].map((one) => Number(one.body.data.credits_charged));
    expect(await perch.balance(account)).toBe(10 - (charged[0] ?? 0) - (charged[1] ?? 0));
    const receipt = await fetch(`${perch.url}/v1/usage/${body?.data.request_id}`, {
      headers: { 'x-api-key': account.key },
    });
    expect(receipt.status).toBe(200);
    await sleep(1000);
    expect([sentBy(timeline).length, sentBy(search).length]).toEqual([1, 1]);
  }, 180_000);

  it('resumes where it stopped after more than a month without anything new', async () => {
    const anchor = { known: shown.slice(0, 12), floor: [Date.now(), '0'] } as const;
    const cursors = createCursors(perch.stores.secrets.cursor, 'scripted');
    const quiet = cursors.encodeSince({ kind: 'timeline', subject: '7' }, anchor, Date.now() - 31 * DAY_MS);
    post('after a long silence');
    const reader = await perch.account({ credits: 1000 });
    await fetch(`${perch.url}/v1/users/seven/tweets?fresh=true`, { headers: { 'x-api-key': reader.key } });
    const watch = await add({ since: quiet });
    await eventually(() => sentBy(watch).map(({ body }) => body)).toMatchObject([
      { type: 'watch.items', data: { data: [{ text: 'after a long silence' }] } },
    ]);
  }, 180_000);

  it('waits for credits with one notice, and pauses when its key ends', async () => {
    const watch = await add({ dailyLimit: 1000 });
    post('affordable');
    await eventually(() => sentBy(watch).map(({ body }) => body.type)).toEqual(['watch.items', 'watch.waiting']);
    expect(sentBy(watch)[1]?.body.data).toEqual({
      ...{ watch_id: watch.watchId, user: 'seven', reason: 'daily_limit' },
      resumes_at: new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString(),
    });
    expect(await read(watch)).toMatchObject({ state: 'waiting', reason: 'daily_limit' });
    await eventually(() => mailed('owner@example.org', watch)).toEqual([
      expect.stringMatching(/Subject: Perch: a watch waits.*has reached its daily limit.*user seven/s),
    ]);
    const other = await add();
    await eventually(async () => (await read(other)).holder).not.toBeNull();
    await perch.stores.accounts.revokeKey(account);
    await eventually(() => sentBy(other).map(({ body }) => [body.type, body.data.reason])).toEqual([
      ['watch.paused', 'key'],
    ]);
  }, 180_000);

  it.each([
    [
      'credits',
      { credits: 1 },
      'no credits are left',
      async ({ accountId }: TestAccount) => {
        await perch.ledger.grant({ requestId: v7(), accountId, amount: 5_000, reason: 'top-up' });
      },
    ],
    [
      'key_cap',
      { cap: 1 },
      'its key has reached its spend cap',
      async ({ accountId, keyId }: TestAccount) => {
        await perch.stores.accounts.changeKey({ accountId, keyId }, { cap: { amount: 5_000, period: 'total' } });
      },
    ],
    [
      'frozen',
      {},
      'its account is frozen',
      async ({ accountId }: TestAccount) => {
        await perch.stores.accounts.freeze(accountId, false);
      },
      async ({ accountId }: TestAccount) => {
        await perch.stores.accounts.freeze(accountId, true);
      },
    ],
  ] as const)(
    'waits because of %s with a mail, and resumes within seconds of the end of that',
    async (reason, means, why, give, take?: (from: TestAccount) => Promise<void>) => {
      const email = `${reason}@example.org`;
      account = await perch.account({ ...means, email });
      const watch = await add();
      await eventually(async () => (await read(watch)).checked_at).not.toBeNull();
      await take?.(account);
      while ((await read(watch)).reason !== reason) {
        post('one more');
        await sleep(1000);
      }
      const types = () => sentBy(watch).map(({ body }) => body.type);
      await eventually(types).toContain('watch.waiting');
      await eventually(() => mailed(email, watch)).toEqual([expect.stringContaining(why)]);
      const before = types().length;
      await give(account);
      await eventually(() => types().slice(before), SECONDS_MS).toContain('watch.items');
    },
    180_000,
  );
});
