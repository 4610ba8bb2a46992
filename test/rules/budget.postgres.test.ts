import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/durations.js';
import { idsOf } from '../kit/client.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const NEWEST_FIRST = range(40, 500).reverse().map(String);
const TIMELINE = '/v1/users/1/tweets';

describe('budgets of a call (M26) and caps of a key (U6)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(9));
        net.tweets(range(40, 500));
        net.list('timeline', '1', NEWEST_FIRST, { pageSize: 10, nextIsCertain: true });
      },
    });
  });
  afterAll(() => service.close());

  const customer = (options?: { credits?: number; cap?: number }) => {
    service.clock.forget();
    return service.customer(options);
  };

  it.each([
    ['the parameter', '&max_credits=3.5', {}],
    ['the header', '', { 'X-Max-Credits': '3.5' }],
    ['both alike', '&max_credits=3.5', { 'X-Max-Credits': '3.500' }],
  ])('trim a list, by %s, as if the wallet had only that much', async (_what, query, headers) => {
    const reader = await customer();
    const reply = await reader.get(`${TIMELINE}?count=10${query}`, headers as Record<string, string>);
    expect(idsOf(reply)).toEqual(NEWEST_FIRST.slice(0, 3));
    expect(reply.body).toMatchObject({ truncated: 'max_credits', credits_charged: 3, balance_remaining: 997 });
    const rest = await reader.get(`${TIMELINE}?count=2&cursor=${reply.body.next_cursor}`);
    expect(idsOf(rest)).toEqual(NEWEST_FIRST.slice(3, 5));
  });

  it('trim an answer that is kept for all for a caller who allows less', async () => {
    const reader = await customer();
    for (const _time of ['read', 'held', 'kept']) await reader.get(`${TIMELINE}?count=10`);
    const reply = await reader.get(`${TIMELINE}?count=10&max_credits=2`);
    expect(reply.body).toMatchObject({ items: 4, cache: 'hit', truncated: 'max_credits', credits_charged: 2 });
    expect((await reader.get(`${TIMELINE}?count=10`)).body).toMatchObject({ items: 10, credits_charged: 5 });
  });

  it('cause a 402 with the reason max_credits if not one item is covered', async () => {
    const reader = await customer();
    for (const path of [
      '/v1/users/user2?max_credits=0.9',
      `${TIMELINE}?max_credits=0.5`,
      '/v1/users/user2?max_credits=0',
    ]) {
      const reply = await reader.get(path);
      expect([reply.status, reply.body.error.code, reply.body.error.reason]).toEqual([
        402,
        'no_credits',
        'max_credits',
      ]);
    }
    expect(await reader.balance()).toBe(1000);
  });

  it('end a batch beyond the budget with no_credits', async () => {
    const reader = await customer();
    const { body } = await reader.get('/v1/users/batch?handles=user2,user3,user4&max_credits=2');
    expect(body).toMatchObject({ items: 2, credits_charged: 2, errors: [{ input: 'user4', code: 'no_credits' }] });
  });

  it('change nothing if the budget is above the balance', async () => {
    const reader = await customer({ credits: 2 });
    const { body } = await reader.get(`${TIMELINE}?count=10&max_credits=500`);
    expect(body).toMatchObject({ items: 2, truncated: 'no_credits', balance_remaining: 0 });
  });

  it.each([
    ['different ones', '?max_credits=3', { 'X-Max-Credits': '4' }],
    ['twice', '?max_credits=3&max_credits=3', {}],
    ['a negative one', '?max_credits=-1', {}],
    ['four decimals', '?max_credits=1.2345', {}],
    ['an exponent', '?max_credits=1e3', {}],
    ['an empty one', '?max_credits=', {}],
    ['a header that is no number', '', { 'X-Max-Credits': 'all' }],
  ])('400: %s', async (_what, query, headers) => {
    const reader = await customer();
    const { status, body } = await reader.get(`${TIMELINE}${query}`, headers as Record<string, string>);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'max_credits']);
  });

  it.each([
    [`${TIMELINE}?count=30`, { max_items: 30, unit: 1, max_credits: 30 }],
    [`${TIMELINE}?count=30&fresh=true`, { max_items: 30, unit: 2, max_credits: 60 }],
    ['/v1/users/user1', { max_items: 1, unit: 1, max_credits: 1 }],
    ['/v1/users/1/followers', { max_items: 50, unit: 0.1, max_credits: 5 }],
    ['/v1/users/1/followers/ids', { max_items: 200, unit: 0.02, max_credits: 4 }],
    ['/v1/tweets/500/retweeters?count=7', { max_items: 7, unit: 0.5, max_credits: 3.5 }],
    ['/v1/users/batch?handles=a,b,c', { max_items: 3, unit: 1, max_credits: 3 }],
    ['/v1/tweets/search?q=x&product=People&count=5', { max_items: 5, unit: 1, max_credits: 5 }],
  ])('are estimated with estimate=true: %s costs at most %j; nothing is read or charged', async (path, estimate) => {
    const reader = await service.customer();
    const calls = service.net.calls.length;
    const { status, body } = await reader.get(`${path}${path.includes('?') ? '&' : '?'}estimate=true`);
    expect(status).toBe(200);
    expect(body).toEqual({
      items: 0,
      credits_charged: 0,
      balance_remaining: 1000,
      cache: 'miss',
      request_id: body.request_id,
      estimate,
    });
    expect(service.net.calls).toHaveLength(calls);
  });

  it('refuse with estimate=true what the call itself would refuse', async () => {
    const reader = await service.customer();
    expect((await reader.get(`${TIMELINE}?count=101&estimate=true`)).status).toBe(400);
    expect((await reader.get('/v1/users/user1?estimate=perhaps')).body.error.param).toBe('estimate');
    expect((await service.nobody.get('/v1/users/user1?estimate=true')).status).toBe(401);
  });

  it('report with estimate=true that a cursor has expired, also one that was valid when it was last estimated', async () => {
    const reader = await customer();
    const { next_cursor, since_cursor } = (await reader.get(`${TIMELINE}?count=5`)).body;
    const estimates = [`cursor=${next_cursor}`, `since=${since_cursor}`].map(
      (given) => async () => (await reader.get(`${TIMELINE}?${given}&estimate=true`)).body.estimate,
    );
    for (const estimate of estimates) expect(await estimate()).toEqual({ max_items: 20, unit: 1, max_credits: 20 });
    service.clock.advance(31 * DAY_MS);
    const message = expect.stringContaining('This cursor has expired.');
    for (const estimate of estimates) {
      expect(await estimate()).toMatchObject({ refused: { code: 'bad_request', message } });
    }
  });

  it('report with estimate=true a refused cursor of another list, over GraphQL as well (C2)', async () => {
    const reader = await service.customer();
    const { next_cursor: cursor } = (await reader.get(`${TIMELINE}?count=5`)).body;
    const calls = service.net.calls.length;
    const refusedOf = async (path: string) => {
      const { status, body } = await reader.get(
        `${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}&estimate=true`,
      );
      expect([status, body.credits_charged]).toEqual([200, 0]);
      return (body.estimate as unknown as { refused?: object }).refused;
    };
    const message = 'This cursor belongs to a different list: use it with the same path and parameters.';
    const refused = { code: 'bad_request', message };
    expect(await refusedOf(TIMELINE)).toBeUndefined();
    for (const path of [
      '/v1/users/2/tweets',
      '/v1/users/1/followers',
      '/v1/tweets/500/quotes',
      '/v1/tweets/search?q=x',
    ])
      expect([path, await refusedOf(path)]).toEqual([path, refused]);
    // Which timeline it is becomes known only when the handle is read.
    expect(await refusedOf('/v1/users/user2/tweets')).toBeUndefined();
    const query = `{ timeline(user: "2", after: "${cursor}") { nodes { id } } }`;
    const poor = await service.customer({ credits: 0 });
    const refusal = await poor.get(`/v1/users/2/tweets?cursor=${cursor}`);
    expect([refusal.status, refusal.body.error.reason]).toEqual([400, 'cursor_other_list']);
    const { text } = await reader.post('/graphql', { query, extensions: { dryRun: true } });
    expect(text).toContain(message);
    expect(service.net.calls).toHaveLength(calls);
  });

  it('trim by the cap of a key like the wallet, then answer 402 with the reason key_cap', async () => {
    const reader = await customer({ cap: 4 });
    const page = await reader.get(`${TIMELINE}?count=10`);
    expect(page.body).toMatchObject({ items: 4, truncated: 'key_cap', balance_remaining: 996 });
    const reply = await reader.get('/v1/users/user2');
    expect([reply.status, reply.body.error.code, reply.body.error.reason]).toEqual([402, 'no_credits', 'key_cap']);
  });
});

describe('the default budget of an operation (G8)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      env: { PERCH_MAX_OPERATION_CREDITS: '30' },
      fill(net) {
        net.tweets(range(40, 500));
        net.list('timeline', '1', NEWEST_FIRST);
      },
    });
  });
  afterAll(() => service.close());

  it('refuses, free of charge, what can cost more, with the amount, unless a budget allows it', async () => {
    const reader = await service.customer();
    const refused = await reader.get(`${TIMELINE}?count=31`);
    expect([refused.status, refused.body.error.code]).toEqual([400, 'bad_request']);
    expect(refused.body.error.message).toMatch(/up to 31 credits, over the default budget of 30\..*max_credits/);
    expect((await reader.get(`${TIMELINE}?count=30`)).body.items).toBe(30);
    expect((await reader.get(`${TIMELINE}?count=16&fresh=true`)).status).toBe(400);
    expect((await reader.get(`${TIMELINE}?count=31&max_credits=31`)).body.items).toBe(31);
    const { estimate } = (await reader.get(`${TIMELINE}?count=31&estimate=true`)).body;
    const { code, message } = refused.body.error;
    expect(estimate).toEqual({ max_items: 31, unit: 1, max_credits: 31, refused: { code, message } });
    const within = (await reader.get(`${TIMELINE}?count=31&estimate=true&max_credits=31`)).body;
    expect(within.estimate).toEqual({ max_items: 31, unit: 1, max_credits: 31 });
  });
});
