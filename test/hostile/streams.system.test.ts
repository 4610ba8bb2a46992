/** Streams that are not read, too many streams, refused streams, and what ends a running one. */
import { get } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENCE } from '../../adapters/http/limits/connections.js';
import { ServiceError } from '../../src/domain/errors.js';
import { type OpenStream, openStream } from '../kit/events.js';
import { type Faults, withFaults } from '../kit/networks/faults.js';
import { createScriptedNetwork, type ScriptedNetwork } from '../kit/networks/scripted-network.js';
import { startPerch, type TestAccount, type TestPerch } from '../kit/perch.js';
import { until } from '../kit/time/until.js';

const SLOW_MS = 120_000;

let perch: TestPerch;
let net: ScriptedNetwork;
let faults: Faults;
let next = 1000;
const shown = new Map<string, string[]>();

/** Adds a tweet of an account to its timeline; returns its id. */
function post(author: string, text: string): string {
  const { id } = net.tweet({ id: String(next), authorId: author, text, createdAt: new Date().toISOString() });
  next += 1;
  const all = [id, ...(shown.get(author) ?? [])];
  shown.set(author, all);
  net.list('timeline', author, all, { pageSize: 40 });
  return id;
}

beforeAll(async () => {
  net = createScriptedNetwork();
  for (let id = 1; id <= 120; id += 1) {
    net.user({ id: String(id), handle: `user${id}` });
    post(String(id), 'the first');
  }
  faults = withFaults(net.network);
  perch = await startPerch({ network: faults.network });
}, SLOW_MS);
afterAll(() => perch?.close());

const open = (query: string, { key }: TestAccount, headers?: Record<string, string>): Promise<OpenStream> =>
  openStream(`${perch.url}/v1/live?${query}`, key, headers);

/** A stream of one list that has begun, and its position. */
async function begun(query: string, account: TestAccount): Promise<{ stream: OpenStream; id: string }> {
  const stream = await open(query, account);
  const { id = '' } = await stream.next('position');
  return { stream, id };
}

const refusalOf = async ({ response }: OpenStream): Promise<object> => ({
  status: response.status,
  ...((await response.json()) as object),
});

describe('a stream that cannot begin', () => {
  it('is refused without a key, and with a wrong one, before anything else is said', async () => {
    const nobody = await fetch(`${perch.url}/v1/live?user=user1&nonsense=1`);
    expect([nobody.status, await nobody.json()]).toMatchObject([401, { error: { code: 'missing_key' } }]);
    const wrong = await openStream(`${perch.url}/v1/live?nonsense=1`, `perch_live_${'a'.repeat(32)}`);
    expect(await refusalOf(wrong)).toMatchObject({ status: 401, error: { code: 'invalid_key' } });
  });

  it.each([
    ['', /Say what to follow/],
    ['user=user1&colour=red', /Unknown parameter colour/],
    [`${Array.from({ length: 101 }, (_, nth) => `user=user${nth}`).join('&')}`, /at most 100 lists, not 101/],
    ['user=user1&count=0', /count/],
    ['user=user1&max_credits=-1', /max_credits/],
    ['user=user1&since=nonsense', /since/],
    ['user=user1&user=user2&since=abc', /since starts a stream of one list/],
    ['q=bread&product=Top', /ordered by time/],
  ])('for ?%s is refused with the reason, free', async (query, message) => {
    const account = await perch.account();
    const refused = await refusalOf(await open(query, account));
    expect(refused).toMatchObject({
      status: 400,
      error: { code: 'bad_request', message: expect.stringMatching(message) },
    });
    expect(await perch.balance(account)).toBe(1000);
  });

  it('is refused with the id of an event of another stream', async () => {
    const account = await perch.account();
    const [one, two] = [await begun('user=user1', account), await begun('user=user2', account)];
    one.stream.leave();
    two.stream.leave();
    const refuse = async (query: string, id: string, by = account) =>
      refusalOf(await open(query, by, { 'last-event-id': id }));
    const malformed = { status: 400, error: { code: 'bad_request', param: 'Last-Event-ID' } };
    expect(await refuse('user=user1', 'x')).toMatchObject(malformed);
    expect(await refuse('user=user1', 'x'.repeat(7000))).toMatchObject(malformed);
    expect(await refuse('user=user1', `${one.id}0`)).toMatchObject(malformed);
    expect(await refuse('user=user1', one.id.replace(/\.(.{8}).{7}/, '.$1zzzzzzz'))).toMatchObject(malformed);
    expect(await refuse('user=user1&user=user2', one.id)).toMatchObject(malformed);
    expect(await refuse('user=user2', one.id)).toMatchObject({ status: 400, error: { reason: 'cursor_other_list' } });
    expect(await perch.balance(account)).toBe(1000);
  });

  it(
    'with the id of an event of another account resumes there, and is charged to its own account',
    async () => {
      const [owner, other] = [await perch.account(), await perch.account()];
      const { stream, id } = await begun('user=user3', owner);
      post('3', 'news');
      await stream.next('items');
      stream.leave();
      const second = await open('user=user3', other, { 'last-event-id': id });
      expect(await second.next('items')).toMatchObject({ data: { items: 1 } });
      second.leave();
      expect(await perch.balance(owner)).toBe(999);
      expect(await perch.balance(other)).toBeLessThan(1000);
    },
    SLOW_MS,
  );
});

describe('an account', () => {
  it(
    'follows as many lists as its tier allows, and has its places back when it leaves',
    async () => {
      const account = await perch.account({ qps: 2 });
      const many = await open(Array.from({ length: 12 }, (_, nth) => `user=user${nth + 1}`).join('&'), account);
      const refused = [await many.next('error'), await many.next('error')];
      for (const { data } of refused)
        expect(data).toMatchObject({ error: { code: 'rate_limited', reason: 'streams' } });
      await until('the account may ask', async () => {
        const full = await open('user=user20', account);
        if (full.response.status !== 429) throw new Error(`an eleventh list: ${full.response.status}`);
        return ((await refusalOf(full)) as { error: { reason?: string } }).error.reason === 'streams';
      });
      many.leave();
      await until('the places are free again', async () => {
        const again = await open('user=user20', account);
        again.leave();
        return again.response.status === 200;
      });
    },
    SLOW_MS,
  );

  it(
    'with 500 streams does not slow the requests of others, and has none of them in progress',
    async () => {
      const [account, other] = [await perch.account(), await perch.account()];
      const streams = await Promise.all(
        Array.from({ length: 500 }, (_, nth) => open(`user=user${(nth % 100) + 1}`, account)),
      );
      expect(streams.filter(({ response }) => response.status !== 200)).toEqual([]);
      const times: number[] = [];
      for (let nth = 0; nth < 50; nth += 1) {
        const began = performance.now();
        const answer = await fetch(`${perch.url}/v1/users/user${nth + 1}`, { headers: { 'x-api-key': other.key } });
        expect(answer.status).toBe(200);
        await answer.json();
        times.push(performance.now() - began);
      }
      expect(times.sort((a, b) => a - b)[25]).toBeLessThan(250);
      // More than one account may have in progress at the same time, if streams counted.
      const more = await Promise.all(
        Array.from({ length: 500 }, (_, nth) => open(`user=user${(nth % 100) + 1}`, account)),
      );
      expect(more.filter(({ response }) => response.status !== 200)).toEqual([]);
      for (const { leave } of [...streams, ...more]) leave();
    },
    SLOW_MS,
  );

  it(
    'that never reads is charged no more than is on its way to it, and gets that again free',
    async () => {
      const account = await perch.account({ credits: 10_000 });
      const { stream, id } = await begun('user=user110&count=50', account);
      stream.leave();
      for (let nth = 0; nth < 350; nth += 1) post('110', `${nth} ${'x'.repeat(40_000)}`);
      const headers = { 'x-api-key': account.key, 'last-event-id': id };
      const request = get(`${perch.url}/v1/live?user=user110&count=50`, { headers });
      const isOver = new Promise((resolve) => request.on('close', resolve));
      request.on('error', () => undefined);
      request.on('response', (response) => response.pause());
      let before = -1;
      await until(
        'nothing more is charged',
        async () => {
          await new Promise((resolve) => setTimeout(resolve, 1500));
          const now = await perch.balance(account);
          const isSame = now === before && now < 10_000;
          before = now;
          return isSame;
        },
        SLOW_MS,
      );
      const charged = 10_000 - before;
      // What the buffers of both sides hold, of 14 MB.
      expect(charged).toBeGreaterThanOrEqual(50);
      expect(charged).toBeLessThanOrEqual(250);
      request.destroy();
      await isOver;
      const again = await open('user=user110&count=50', account, { 'last-event-id': id });
      let items = 0;
      while (items < 350) {
        const { data } = (await again.next('items')) as { data: { items: number; credits_charged: number } };
        items += data.items;
      }
      again.leave();
      expect(items).toBe(350);
      // Cached items cost half; what was already charged is not charged again.
      expect(10_000 - (await perch.balance(account))).toBeLessThanOrEqual(350);
      const [{ count } = { count: 0 }] = await perch.database.sql<{ count: number }[]>`
        select sum(items)::int as count from debits where account_id = ${account.accountId}`;
      expect(count).toBe(350);
    },
    SLOW_MS,
  );
});

describe('a stream that is not read', () => {
  const HOUR_MS = 3_600_000;
  it.each([
    ['for too long', { id: '115', count: 10, unreadMs: 1000 }],
    // Events of 2 MB: the next heartbeat finds more than 1 MiB.
    ['while too much waits for its client', { id: '116', count: 50, unreadMs: HOUR_MS }],
  ])(
    '%s is ended, and gives what was not read when its client comes back',
    async (_when, { id, count, unreadMs }) => {
      const logged: { url?: string }[] = [];
      const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) });
      const impatient = await startPerch({ network: net.network, patience: { ...PATIENCE, unreadMs }, log });
      try {
        const account = await impatient.account({ credits: 10_000 });
        const url = `${impatient.url}/v1/live?user=user${id}&count=${count}`;
        const first = await openStream(url, account.key);
        const position = await first.next('position');
        first.leave();
        const ended = (): number => logged.filter((line) => line.url?.startsWith('/v1/live')).length;
        await until('its end is logged', () => ended() === 1);
        for (let nth = 0; nth < 350; nth += 1) post(id, `${nth} ${'x'.repeat(40_000)}`);
        const headers = { 'x-api-key': account.key, 'last-event-id': position.id ?? '' };
        const unread = get(url, { headers });
        const isOver = new Promise((resolve) => unread.on('close', resolve));
        unread.on('error', () => undefined);
        unread.on('response', (response) => response.pause());
        // Its client is still there.
        await until('the service ends it', () => ended() === 2, SLOW_MS);
        const charged = 10_000 - (await impatient.balance(account));
        expect(charged).toBeGreaterThanOrEqual(count);
        expect(charged).toBeLessThanOrEqual(250);
        unread.destroy();
        await isOver;
        const again = await openStream(url, account.key, headers);
        let items = 0;
        while (items < 350) items += ((await again.next('items')).data as { items: number }).items;
        again.leave();
        const [paid] = await impatient.database.sql<{ items: number }[]>`
          select sum(items)::int as items from debits where account_id = ${account.accountId}`;
        expect([items, paid?.items]).toEqual([350, 350]);
      } finally {
        await impatient.close();
      }
    },
    SLOW_MS,
  );
});

describe('a stream under way', () => {
  it(
    'ends with the reason when its key is revoked',
    async () => {
      const account = await perch.account();
      const { stream } = await begun('user=user111', account);
      await perch.stores.accounts.revokeKey(account);
      expect(await stream.next('error')).toMatchObject({ data: { error: { code: 'invalid_key' } } });
      expect((await stream.events.next()).done).toBe(true);
    },
    SLOW_MS,
  );

  it(
    'ends with the reason when the wallet is empty, and when its budget is spent',
    async () => {
      const [poor, careful] = [await perch.account({ credits: 1 }), await perch.account()];
      const streams = [await begun('user=user112', poor), await begun('user=user112&max_credits=1', careful)];
      for (const text of ['one', 'two', 'three']) post('112', text);
      for (const { stream } of streams) {
        expect(await stream.next('items')).toMatchObject({ data: { credits_charged: 1 } });
        expect(await stream.next('error')).toMatchObject({ data: { error: { code: 'no_credits' } } });
        expect((await stream.events.next()).done).toBe(true);
      }
      expect(await perch.balance(poor)).toBe(0);
    },
    SLOW_MS,
  );

  it(
    'continues when the network fails for a while, and says so in its heartbeats',
    async () => {
      const account = await perch.account();
      const { stream } = await begun('user=user113', account);
      const params = {
        query: 'subscription { timeline(user: "user113") { nodes { text } } }',
        extensions: JSON.stringify({ heartbeats: true }),
      };
      const url = `${perch.url}/graphql?${new URLSearchParams(params)}`;
      const subscription = await openStream(url, account.key, { accept: 'text/event-stream' });
      await subscription.next('next');
      faults.fail(new ServiceError('upstream_error', 'The network is away.'));
      post('113', 'while it was away');
      expect(await stream.next('heartbeat')).toMatchObject({
        data: { heartbeat_seconds: 15, checked: [{ user: 'user113', failed: 'upstream_error' }] },
      });
      expect(await subscription.next('next')).toMatchObject({
        data: { data: { timeline: null }, extensions: { live: { heartbeat_seconds: 15, failed: 'upstream_error' } } },
      });
      faults.heal();
      expect(await stream.next('items')).toMatchObject({ data: { data: [{ text: 'while it was away' }] } });
      type Result = { data: { timeline: { nodes: object[] } | null } };
      let result: Result['data']['timeline'] = null;
      while (result === null) result = ((await subscription.next('next')).data as Result).data.timeline;
      expect(result.nodes).toEqual([{ text: 'while it was away' }]);
      for (const { leave } of [stream, subscription]) leave();
    },
    SLOW_MS,
  );
});
