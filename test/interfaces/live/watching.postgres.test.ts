/** Watches over the whole service: new items are charged and delivered while no client is connected. */
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createWatchBook } from '../../../adapters/postgres/customers/watches.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import { createCursors } from '../../../src/read/cursor.js';
import { startMailServer } from '../../kit/mail-server.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { untilDayHasAMinute } from '../../kit/time/day.js';
import { addWatch } from './add-watch.js';
import { createNews } from './news.js';

interface Sent {
  readonly url: string;
  readonly id: string;
  readonly body: { readonly type: string; readonly timestamp: string; readonly data: Record<string, unknown> };
}

/** What "within seconds" means. */
const SECONDS_MS = 25_000;

describe.concurrent('a watch', () => {
  let perch: TestPerch;
  let mailServer: Awaited<ReturnType<typeof startMailServer>>;
  const { network, author } = createNews();
  const sent: Sent[] = [];
  const webhooks = {
    check: async (url: string) => url,
    async send(url: string, headers: Readonly<Record<string, string>>, body: string) {
      sent.push({ url, id: headers['webhook-id'] ?? '', body: JSON.parse(body) });
      return { status: 204, excerpt: null, fault: null };
    },
  };
  beforeAll(async () => {
    mailServer = await startMailServer();
    const env = { SMTP_URL: mailServer.url, MAIL_FROM: 'perch@example.org' };
    perch = await startPerch({ network, webhooks, env });
  });
  afterAll(async () => {
    await perch?.close();
    await mailServer?.close();
  });

  /** Adds a watch that begins after everything its list has now. */
  const add = async (owner: TestAccount, handle: string, changes: Partial<Parameters<typeof addWatch>[2]> = {}) => {
    const reader = await perch.account();
    const path =
      changes.kind === 'search' ? `/v1/tweets/search?q=${handle}&fresh=true` : `/v1/users/${handle}/tweets?fresh=true`;
    const answer = await fetch(`${perch.url}${path}`, { headers: { 'x-api-key': reader.key } });
    const { since_cursor: since } = (await answer.json()) as { since_cursor: string };
    return addWatch(perch.database.sql, perch.stores.secrets.cursor, { ...owner, subject: handle, since, ...changes });
  };
  const sentBy = ({ watchId }: { readonly watchId: string }): Sent[] =>
    sent.filter(({ body }) => body.data.watch_id === watchId);
  /** Reads, notices and mails follow each other every few seconds; on a busy machine, that adds up. */
  const eventually = (check: () => unknown, timeout = 60_000) => vi.waitFor(check, { timeout, interval: 50 });
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
    const account = await perch.account({ credits: 10 });
    const { post } = author('ada');
    const timeline = await add(account, 'ada');
    const search = await add(account, 'ada', { kind: 'search', product: 'Latest' });
    post('hello');
    await eventually(() => expect([sentBy(timeline).length, sentBy(search).length]).toEqual([1, 1]));
    const [{ body, id } = { body: null, id: '' }] = sentBy(timeline);
    expect(body).toMatchObject({
      type: 'watch.items',
      data: { watch_id: timeline.watchId, number: 1, user: 'ada', items: 1, data: [{ text: 'hello' }] },
    });
    expect(id).toBe(`msg_${body?.data.request_id}`);
    expect(sentBy(search)[0]?.body.data).toMatchObject({ q: 'ada', data: [{ text: 'hello' }] });
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
    const { id: subject, shown, post } = author('grace');
    const anchor = { known: shown.slice(0, 12), floor: [Date.now(), '0'] } as const;
    const cursors = createCursors(perch.stores.secrets.cursor, 'scripted');
    const quiet = cursors.encodeSince({ kind: 'timeline', subject }, anchor, Date.now() - 31 * DAY_MS);
    post('after a long silence');
    const reader = await perch.account({ credits: 1000 });
    await fetch(`${perch.url}/v1/users/grace/tweets?fresh=true`, { headers: { 'x-api-key': reader.key } });
    const watch = await add(await perch.account({ credits: 10 }), 'grace', { since: quiet });
    await eventually(() =>
      expect(sentBy(watch).map(({ body }) => body)).toMatchObject([
        { type: 'watch.items', data: { data: [{ text: 'after a long silence' }] } },
      ]),
    );
  }, 180_000);

  it('is paused when the network is another one (C2)', async () => {
    const anchor = { known: [], floor: [Date.now(), '0'] } as const;
    const cursors = createCursors(perch.stores.secrets.cursor, 'elsewhere');
    const { id: subject } = author('tony');
    const since = cursors.encodeSince({ kind: 'timeline', subject }, anchor, Date.now());
    const watch = await add(await perch.account(), 'tony', { since });
    await eventually(() =>
      expect(sentBy(watch).map(({ body }) => [body.type, body.data.reason])).toEqual([['watch.paused', 'list']]),
    );
  }, 180_000);

  it('waits for credits with one notice, and pauses when its key ends', async () => {
    const account = await perch.account({ credits: 10, email: 'owner@example.org' });
    const { post } = author('barbara');
    await untilDayHasAMinute();
    const watch = await add(account, 'barbara', { dailyLimit: 1000 });
    post('affordable');
    await eventually(() =>
      expect(sentBy(watch).map(({ body }) => body.type)).toEqual(['watch.items', 'watch.waiting']),
    );
    expect(sentBy(watch)[1]?.body.data).toEqual({
      ...{ watch_id: watch.watchId, user: 'barbara', reason: 'daily_limit' },
      resumes_at: new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString(),
    });
    expect(await read(watch)).toMatchObject({ state: 'waiting', reason: 'daily_limit' });
    await eventually(async () =>
      expect(await mailed('owner@example.org', watch)).toEqual([
        expect.stringMatching(/Subject: Perch: a watch waits.*has reached its daily limit.*user barbara/s),
      ]),
    );
    const other = await add(account, 'barbara');
    await eventually(async () => expect((await read(other)).holder).not.toBeNull());
    await perch.stores.accounts.revokeKey(account);
    await eventually(() =>
      expect(sentBy(other).map(({ body }) => [body.type, body.data.reason])).toEqual([['watch.paused', 'key']]),
    );
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
      const account = await perch.account({ ...means, email });
      const { post } = author(reason);
      const watch = await add(account, reason);
      await eventually(async () => expect((await read(watch)).checked_at).not.toBeNull());
      await take?.(account);
      while ((await read(watch)).reason !== reason) {
        post('one more');
        await sleep(1000);
      }
      const types = () => sentBy(watch).map(({ body }) => body.type);
      await eventually(() => expect(types()).toContain('watch.waiting'));
      await eventually(async () => expect(await mailed(email, watch)).toEqual([expect.stringContaining(why)]));
      const before = types().length;
      await give(account);
      await eventually(() => expect(types().slice(before)).toContain('watch.items'), SECONDS_MS);
    },
    180_000,
  );

  it('delivers what was charged before a crash within seconds of a thaw, even if it ended before', async () => {
    const { sql } = perch.database;
    const account = await perch.account({ credits: 10 });
    const { post } = author('edsger');
    const watch = await add(account, 'edsger');
    const { position } = await read(watch);
    post('paid for');
    await eventually(() => expect(sentBy(watch)).toHaveLength(1));
    await perch.stores.accounts.freeze(account.accountId, true);
    const balance = await perch.balance(account);
    while ((await read(watch)).reason !== 'frozen') {
      post('one more');
      await sleep(1000);
    }
    // As if the process had died between charging and storing.
    await sql`delete from deliveries where watch_id = ${watch.watchId} and number is not null`;
    await sql`
      update watches set position = ${position}, number = 0, due_at = now() + interval '1 hour'
      where watch_id = ${watch.watchId}`;
    await createWatchBook(sql).change(watch, 'ended', Date.now(), OPERATOR);
    await eventually(async () => expect(Number((await read(watch)).due_at)).toBeGreaterThan(Date.now() + 120_000));
    await perch.stores.accounts.freeze(account.accountId, false);
    const items = () => sentBy(watch).filter(({ body }) => body.type === 'watch.items');
    await eventually(() => expect(items()).toHaveLength(2), SECONDS_MS);
    expect(new Set(items().map(({ id }) => id)).size).toBe(1);
    await eventually(async () =>
      expect(await read(watch)).toMatchObject({ state: 'ended', holder: null, due_at: null, number: 1 }),
    );
    expect(await perch.balance(account)).toBe(balance);
  }, 180_000);
});
