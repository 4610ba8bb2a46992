/** The deliveries of watches, as callers list them and have them sent again. */
import { isDeepStrictEqual } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, type Fields, type Reply, record, rows } from '../../kit/client.js';
import { checkEveryAnswer } from '../../kit/every-answer.js';
import type { TestAccount } from '../../kit/perch.js';
import { untilDayHasAMinute } from '../../kit/time/day.js';
import { until } from '../../kit/time/until.js';
import { at, post } from '../graphql/client.js';
import { type Sent, startWatchService, type WatchService } from './watch-service.js';

const HOOK = 'https://example.com/hook';

describe('deliveries of a watch', () => {
  let service: WatchService;
  let made: Made;
  beforeAll(async () => {
    service = await startWatchService();
    made = await make();
  });
  afterAll(() => service?.close());

  interface Made {
    readonly account: TestAccount;
    readonly client: Client;
    /** The path of its deliveries. */
    readonly path: string;
    readonly secret: string;
  }

  /** Makes a watch that has delivered three tweets, one at a time. */
  async function make(): Promise<Made> {
    const account = await service.perch.account({ credits: 10 });
    const client = createClient(service.perch.url, account.key, checkEveryAnswer);
    const { body } = await client.get('/v1/users/user7/tweets?count=1');
    for (const text of ['one', 'two', 'three']) service.post(text);
    const request = { user: 'user7', count: 1, webhook_url: HOOK, since: body.since_cursor };
    const reply = await client.post('/v1/watches', request);
    const path = `/v1/watches/${record(reply).id}/deliveries`;
    const isDelivered = async () => isDeepStrictEqual(statesOf(await client.get(path)), DELIVERED);
    await until('three tweets were delivered', isDelivered);
    await client.post(`/v1/watches/${record(reply).id}/pause`, {});
    return { account, client, path, secret: String((reply.body as unknown as Fields).webhook_secret) };
  }

  const DELIVERED = [3, 2, 1].map((number) => [number, 'delivered']);
  const statesOf = (reply: Reply) => rows(reply).map(({ number, state }) => [number, state]);
  const sentOf = (id: unknown): Sent[] => service.sent.filter(({ headers }) => headers['webhook-id'] === `msg_${id}`);
  const faultOf = ({ status, body: { error } }: Reply) => [status, error.code, error.param, error.reason];

  it('are listed with their content, cost and reception, newest first', async () => {
    await untilDayHasAMinute();
    const { client, path } = await make();
    const listed = rows(await client.get(path));
    for (const [nth, { id, body, ...delivery }] of listed.entries()) {
      const number = 3 - nth;
      const [sent, ...others] = sentOf(id);
      expect([sent?.url, sent?.body, others]).toEqual([HOOK, body, []]);
      const at = expect.any(String);
      expect(delivery).toEqual({
        ...{ number, items: 1, credits: expect.any(Number), state: 'delivered', tries: 1, status: 204 },
        ...{ excerpt: 'received', created_at: at, tried_at: at, delivered_at: at },
      });
      const said = JSON.parse(String(body));
      expect(said).toMatchObject({
        type: 'watch.items',
        data: { number, user: 'user7', items: 1, credits_charged: delivery.credits, request_id: id },
      });
      expect(said.data.data).toMatchObject([{ text: ['one', 'two', 'three'][number - 1] }]);
    }
    const charged = listed.reduce((sum, { credits }) => sum + Number(credits), 0);
    expect(record(await client.get(path.replace('/deliveries', '')))).toMatchObject({
      ...{ deliveries: 3, credits_spent: charged, credits_spent_today: charged, newest_item_at: expect.any(String) },
    });
  }, 100_000);

  it('are verified by the library of Standard Webhooks with the secret from the watch’s creation', async () => {
    const { client, path, secret } = made;
    const [newest] = rows(await client.get(path));
    const [{ headers, body } = { headers: {}, body: '' }] = sentOf(newest?.id);
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(() => new Webhook(secret).verify(body.replace('user7', 'user8'), headers)).toThrow();
  });

  it('are paged by count and cursor, each once', async () => {
    const { client, path } = made;
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const reply = await client.get(`${path}?count=2${cursor === undefined ? '' : `&cursor=${cursor}`}`);
      expect(rows(reply).length).toBeLessThanOrEqual(2);
      seen.push(...rows(reply).map(({ number }) => number));
      cursor = reply.body.next_cursor;
    } while (cursor !== undefined);
    expect(seen).toEqual([3, 2, 1]);
    expect(rows(await client.get(`${path}?cursor=1`))).toEqual([]);
  });

  describe('with large bodies', () => {
    const page = 'nodes { number body } pageInfo { hasNextPage }';
    let large: Made;
    let id: string | undefined;
    const ask = (query: string) =>
      post(service.perch, large.account, { query: `query ($id: ID!) { ${query} }`, variables: { id } });
    beforeAll(async () => {
      large = await make();
      id = large.path.split('/').at(-2);
      const { sql } = service.perch.database;
      await sql`update deliveries set body = repeat('x', ${1.5 * 2 ** 20}) where watch_id = ${id ?? ''} and number is not null`;
    });

    it('end a page at 4 MiB, and continue on the next one', async () => {
      const { client, path } = large;
      const first = await client.get(path);
      expect(rows(first).map(({ number }) => number)).toEqual([3, 2]);
      const rest = await client.get(`${path}?cursor=${first.body.next_cursor}`);
      expect([rows(rest).map(({ number }) => number), rest.body.next_cursor]).toEqual([[1], undefined]);
    });

    it('end a page earlier if each body is requested several times', async () => {
      const reply = await ask(
        `watchDeliveries(id: $id) { nodes { number body b: body ...on WatchDelivery { c: body } } }`,
      );
      expect(reply.body.errors).toMatchObject([{ extensions: { code: 'bad_request' } }]);
      const twice = await ask('watchDeliveries(id: $id) { nodes { number body b: body } pageInfo { hasNextPage } }');
      expect(at(twice, 'watchDeliveries')).toMatchObject({ nodes: [{ number: 3 }], pageInfo: { hasNextPage: true } });
    });

    it('are refused beyond 4 MiB in all fields of an operation together', async () => {
      const reply = await ask(
        `a: watchDeliveries(id: $id, first: 2) { ${page} } b: watchDeliveries(id: $id, first: 2) { ${page} }`,
      );
      expect(reply.body.errors).toMatchObject([{ extensions: { code: 'bad_request' } }]);
      const small = await ask(
        `a: watchDeliveries(id: $id, first: 1) { ${page} } b: watchDeliveries(id: $id, first: 1) { ${page} }`,
      );
      expect(at(small, 'b', 'nodes')).toMatchObject([{ number: 3 }]);
    });
  });

  it('are the same over GraphQL', async () => {
    const { account, client, path } = made;
    const watchId = path.split('/').at(-2);
    const document = `query ($id: ID!) { watchDeliveries(id: $id, first: 2) {
      nodes { id number items credits state tries status fault excerpt body createdAt triedAt nextTryAt deliveredAt }
      pageInfo { endCursor hasNextPage } } }`;
    const reply = await post(service.perch, account, { query: document, variables: { id: watchId } });
    const { data, next_cursor } = (await client.get(`${path}?count=2`)).body;
    const camel = (name: string) => name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
    const named = (data as Fields[]).map((row) =>
      Object.fromEntries(Object.entries(row).map(([name, value]) => [camel(name), value])),
    );
    expect(at(reply, 'watchDeliveries', 'nodes')).toEqual(
      named.map((row) => ({ ...row, fault: null, nextTryAt: null })),
    );
    expect(at(reply, 'watchDeliveries', 'pageInfo')).toEqual({ endCursor: next_cursor, hasNextPage: true });
  });

  it.each([
    ['cursor=x', 'cursor', 'cursor_malformed'],
    ['cursor=0', 'cursor', 'cursor_malformed'],
    ['cursor=-1', 'cursor', 'cursor_malformed'],
    ['cursor=9999999999999999', 'cursor', 'cursor_malformed'],
    ['count=0', 'count', undefined],
    ['count=101', 'count', undefined],
    ['count=x', 'count', undefined],
  ])('are refused for %s', async (query, param, reason) => {
    const { client, path } = made;
    expect(faultOf(await client.get(`${path}?${query}`))).toEqual([400, 'bad_request', param, reason]);
  });

  it('are sent again unchanged, free, 20 times an hour', async () => {
    const { account, client, path } = await make();
    const [newest] = rows(await client.get(path));
    const balance = await service.perch.balance(account);
    const again = `${path}/${newest?.id}/send`;
    const reply = await client.post(again, {});
    expect(record(reply)).toMatchObject({ id: path.split('/').at(-2), deliveries: 3 });
    await expect.poll(() => sentOf(newest?.id).map(({ body }) => body)).toEqual([newest?.body, newest?.body]);
    for (let nth = 1; nth < 20; nth += 1) expect((await client.post(again, {})).status).toBe(200);
    expect(faultOf(await client.post(again, {})).slice(0, 2)).toEqual([429, 'rate_limited']);
    expect(await service.perch.balance(account)).toBe(balance);
    expect(statesOf(await client.get(path))).toEqual(DELIVERED);
  });

  it('are not sent again for another watch, or if unknown', async () => {
    const { client, path } = made;
    const [newest] = rows(await client.get(path));
    const other = await client.post('/v1/watches', { q: 'bread', webhook_url: HOOK });
    for (const wrong of [
      `/v1/watches/${record(other).id}/deliveries/${newest?.id}/send`,
      `${path}/01900000-0000-7000-8000-000000000000/send`,
      `${path}/x/send`,
    ])
      expect([wrong, ...faultOf(await client.post(wrong, {})).slice(0, 2)]).toEqual([wrong, 404, 'not_found']);
    expect(sentOf(newest?.id)).toHaveLength(1);
  });

  it('are not sent again before earlier ones until the watch is resumed', async () => {
    const { client, path } = await make();
    const watch = path.replace('/deliveries', '');
    service.status = 503;
    for (const text of ['four', 'five']) service.post(text);
    await client.post(`${watch}/resume`, {});
    const watched = async () => record(await client.get(watch));
    await expect.poll(watched, { timeout: 30_000 }).toMatchObject({ deliveries: 5 });
    service.status = 410;
    await expect.poll(watched, { timeout: 40_000 }).toMatchObject({ state: 'paused', reason: 'undelivered' });
    const [newest] = rows(await client.get(`${path}?count=1`));
    const reply = await client.post(`${path}/${newest?.id}/send`, {});
    expect([reply.status, reply.body.error.message]).toEqual([
      400,
      'This delivery is sent once all earlier ones have been received or given up. If the watch is paused, resume it: it then sends them in order.',
    ]);
    service.status = 204;
    await client.post(`${watch}/resume`, {});
    await expect
      .poll(async () => statesOf(await client.get(path)).slice(0, 2), { timeout: 30_000 })
      .toEqual([5, 4].map((number) => [number, 'delivered']));
  });

  it('wait in order while the receiver refuses them, and are kept', async () => {
    const { client, path } = await make();
    await client.post(path.replace('/deliveries', '/resume'), {});
    service.status = 503;
    service.post('four');
    await expect
      .poll(async () => rows(await client.get(`${path}?count=1`)), { timeout: 30_000 })
      .toMatchObject([{ number: 4, state: 'waiting', status: 503, next_try_at: expect.any(String) }]);
    service.status = 204;
    await expect
      .poll(async () => rows(await client.get(`${path}?count=1`)), { timeout: 40_000 })
      .toMatchObject([{ number: 4, state: 'delivered', status: 204 }]);
  });
});
