import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/domain/errors.js';
import { idsOf, type Reply, record } from '../kit/client.js';
import { denied, upstreamFault } from '../kit/networks/faults.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const faults = ({ body }: Reply) => body.errors.map(({ input, code }) => [input, code]);

describe('batches (section 4, B1–B15)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(200));
        net.tweets(range(60, 500), { author: net.user({ id: '9', handle: 'user9' }) });
        net.user({ id: '900', handle: 'batch' });
        net.user({ id: '901', handle: 'MixedCase' });
        net.refuse(net.user({ id: '910', handle: 'stale' }).id, upstreamFault('query_id_stale'));
        net.refuse(net.user({ id: '911', handle: 'broken' }).id, new ServiceError('internal', 'A bug of ours.'));
        net.refuse(net.user({ id: '912', handle: 'limited' }).id, upstreamFault('upstream_rate_limited', 17));
        net.refuse(net.user({ id: '913', handle: 'limited2' }).id, upstreamFault('upstream_rate_limited', 17));
        net.refuse(net.user({ id: '914', handle: 'denied' }).id, denied());
        net.refuse(net.user({ id: '915', handle: 'rejected' }).id, upstreamFault('request_rejected'));
        net.refuse(net.user({ id: '916', handle: 'nosession' }).id, upstreamFault('no_account'));
      },
    });
  });
  afterAll(() => service.close());

  const customer = (credits = 1000) => {
    service.clock.forget();
    return service.customer({ credits });
  };

  it('B1: counts inputs as sent, before duplicates are folded, against the bound of 100', async () => {
    const reader = await customer();
    const calls = service.net.calls.length;
    const { status, body } = await reader.post('/v1/users/batch', { handles: Array(101).fill('user1') });
    expect([status, body.error.param]).toEqual([400, 'handles']);
    expect(service.net.calls).toHaveLength(calls);
    expect((await reader.post('/v1/users/batch', { handles: Array(100).fill('user1') })).body.items).toBe(1);
  });

  it('B2: folds duplicate ids, of which the first keeps its place and is charged once', async () => {
    const reader = await customer();
    const reply = await reader.get('/v1/tweets/batch?ids=503,501,503,502,501');
    expect(idsOf(reply)).toEqual(['503', '501', '502']);
    expect(reply.body).toMatchObject({ items: 3, credits_charged: 3, errors: [] });
  });

  it('B3: treats handles as equal in any case and with one @, and echoes the first spelling as input', async () => {
    const reader = await customer();
    const reply = await reader.post('/v1/users/batch', { handles: ['@mixedcase', 'MIXEDCASE', 'Nobody', '@nobody'] });
    expect(idsOf(reply)).toEqual(['901']);
    expect(faults(reply)).toEqual([['Nobody', 'not_found']]);
    expect(reply.body.credits_charged).toBe(1);
  });

  it('B4, I7: answers bad_request for a malformed input and serves the others', async () => {
    const reader = await customer();
    const ids = ['501', '0501', '+501', ' 501', '5.1', '', 'abc', '502'];
    const reply = await reader.post('/v1/tweets/batch', { ids });
    expect(idsOf(reply)).toEqual(['501', '502']);
    expect(faults(reply)).toEqual(ids.slice(1, -1).map((id) => [id, 'bad_request']));
    const users = await reader.post('/v1/users/batch', { handles: ['user1', 'a b', '@@user2', 'x'.repeat(500)] });
    expect(idsOf(users)).toEqual(['1']);
    expect(users.body.errors.map(({ code }) => code)).toEqual(['bad_request', 'bad_request', 'bad_request']);
  });

  it('B6: answers no_credits from the first input that is not covered, cached ones included', async () => {
    await (await customer()).get('/v1/tweets/batch?ids=501,504');
    const reader = await service.customer({ credits: 2 });
    const reply = await reader.get('/v1/tweets/batch?ids=501,502,503,504');
    expect(idsOf(reply)).toEqual(['501', '502']);
    expect(faults(reply)).toEqual([
      ['503', 'no_credits'],
      ['504', 'no_credits'],
    ]);
    expect(reply.body).toMatchObject({ credits_charged: 1.5, balance_remaining: 0.5, cache: 'mixed', cache_hits: 1 });
  });

  it('B7: uses no credits for inputs that do not exist', async () => {
    const reader = await customer(2);
    const reply = await reader.get('/v1/tweets/batch?ids=9001,9002,501,9003,502,503');
    expect(idsOf(reply)).toEqual(['501', '502']);
    expect(faults(reply)).toEqual([
      ['9001', 'not_found'],
      ['9002', 'not_found'],
      ['9003', 'not_found'],
      ['503', 'no_credits'],
    ]);
    expect(reply.body.balance_remaining).toBe(0);
  });

  it('B8: answers 503 with the code and Retry-After if all inputs failed for the same upstream reason', async () => {
    const reader = await customer();
    const reply = await reader.get('/v1/users/batch?handles=limited,limited2');
    expect([reply.status, reply.body.error.code]).toEqual([503, 'upstream_rate_limited']);
    expect(reply.headers.get('retry-after')).toBe('17');
  });

  it('B8: answers 200 with errors for any mix', async () => {
    const reader = await customer();
    const mixed = await reader.get('/v1/users/batch?handles=limited,rejected');
    expect([mixed.status, faults(mixed)]).toEqual([
      200,
      [
        ['limited', 'upstream_rate_limited'],
        ['rejected', 'request_rejected'],
      ],
    ]);
    expect((await reader.get('/v1/users/batch?handles=limited,user1')).status).toBe(200);
    expect((await reader.get('/v1/users/batch?handles=limited,nobody')).status).toBe(200);
  });

  it('X6, S6: uses only the codes listed for batches, and upstream_error in place of any other', async () => {
    const reader = await customer();
    const reply = await reader.get('/v1/users/batch?handles=stale,broken,denied,nosession,user1');
    expect(faults(reply)).toEqual([
      ['stale', 'upstream_error'],
      ['broken', 'upstream_error'],
      ['denied', 'access_denied'],
      ['nosession', 'no_account'],
    ]);
    expect(reply.body).toMatchObject({ items: 1, credits_charged: 1 });
  });

  it('B8: serves cached objects when the network fails for the rest', async () => {
    const reader = await customer();
    await reader.get('/v1/tweets/501');
    service.net.fail(upstreamFault('upstream_error'));
    const reply = await reader.get('/v1/tweets/batch?ids=501,502').finally(() => service.net.heal());
    expect([reply.status, idsOf(reply), faults(reply)]).toEqual([200, ['501'], [['502', 'upstream_error']]]);
    expect(reply.body).toMatchObject({ cache: 'hit', credits_charged: 0.5 });
  });

  it('B8: fails only the rest if the network fails when few credits are left', async () => {
    const reader = await customer(2);
    service.net.failAfter(1, upstreamFault('upstream_error'));
    const reply = await reader.get('/v1/tweets/batch?ids=9001,501,502').finally(() => service.net.heal());
    expect(reply.status).toBe(200);
    expect(reply.body.credits_charged).toBe(idsOf(reply).length);
  });

  it('answers a free 503 if the network fails as a whole', async () => {
    const reader = await customer();
    service.net.fail(upstreamFault('no_account', 40));
    const reply = await reader.get('/v1/tweets/batch?ids=501,502').finally(() => service.net.heal());
    expect([reply.status, reply.body.error.code, reply.headers.get('retry-after')]).toEqual([503, 'no_account', '40']);
    service.clock.forget();
  });

  it('B10: reports a miss if nothing was found, or a bypass with fresh', async () => {
    const reader = await customer();
    expect((await reader.get('/v1/tweets/batch?ids=9001,9002')).body).toMatchObject({ cache: 'miss', items: 0 });
    expect((await reader.get('/v1/tweets/batch?ids=9001,9002')).body).toMatchObject({ cache: 'miss', items: 0 });
    expect((await reader.get('/v1/tweets/batch?ids=9001&fresh=true')).body).toMatchObject({ cache: 'bypass' });
  });

  it('B11: lists errors in input order, whatever their kind', async () => {
    const reader = await customer(2);
    const reply = await reader.get('/v1/users/batch?handles=a%20b,user1,nobody,user2,!,user3');
    expect(faults(reply)).toEqual([
      ['a b', 'bad_request'],
      ['nobody', 'not_found'],
      ['!', 'bad_request'],
      ['user3', 'no_credits'],
    ]);
  });

  it('B12, P14: takes fresh from the query or the body, and answers 400 if they differ', async () => {
    const reader = await customer();
    const handles = ['user1'];
    const cacheOf = async (query: string, body: object) =>
      (await reader.post(`/v1/users/batch${query}`, { handles, ...body })).body.cache;
    expect(await cacheOf('', { fresh: true })).toBe('bypass');
    expect(await cacheOf('?fresh=true', {})).toBe('bypass');
    expect(await cacheOf('?fresh=1', { fresh: true })).toBe('bypass');
    const { status, body } = await reader.post('/v1/users/batch?fresh=true', { handles, fresh: false });
    expect([status, body.error.param]).toEqual([400, 'fresh']);
    expect((await reader.post('/v1/users/batch', { handles, fresh: 'true' })).status).toBe(400);
  });

  it('B12: takes a budget and an estimate from the query or the body, and answers 400 if they differ', async () => {
    const reader = await customer();
    const post = (query: string, body: object, headers = {}) =>
      reader.post(`/v1/users/batch${query}`, { handles: ['user1', 'user2', 'user3'], ...body }, headers);
    for (const [query, headers] of [
      ['', {}],
      ['?max_credits=2', { 'X-Max-Credits': '2' }],
    ] as const) {
      const reply = await post(query, { max_credits: 2, fresh: true }, headers);
      expect(reply.body).toMatchObject({ items: 1, credits_charged: 2, cache: 'bypass' });
    }
    const spent = 1000 - (await reader.balance());
    for (const query of ['', '?estimate=true'])
      expect((await post(query, { estimate: true })).body).toMatchObject({ estimate: { max_items: 3 } });
    for (const [query, body, param] of [
      ['?max_credits=3', { max_credits: 2 }, 'max_credits'],
      ['', { max_credits: 3 }, 'max_credits'],
      ['', { max_credits: '2' }, 'max_credits'],
      ['', { max_credits: -1 }, 'max_credits'],
      ['', { max_credits: null }, 'max_credits'],
      ['', { estimate: 'true' }, 'estimate'],
      ['?estimate=false', { estimate: true }, 'estimate'],
    ] as const) {
      const refused = await post(query, body, { 'X-Max-Credits': '2' });
      expect([refused.status, refused.body.error?.param], JSON.stringify(body)).toEqual([400, param]);
    }
    expect(1000 - (await reader.balance())).toBe(spent);
  });

  it('P3: lists unknown members of the body in warnings, and answers near misses with 400', async () => {
    const reader = await customer();
    const post = (body: object) => reader.post('/v1/users/batch?colour=green', { handles: ['user1'], ...body });
    for (const _time of ['read', 'held', 'kept']) {
      const { warnings } = (await post({ max_credit: 1 })).body;
      expect(warnings).toEqual([expect.stringContaining('colour'), expect.stringContaining('max_credit ')]);
    }
    const spent = 1000 - (await reader.balance());
    for (const [wrong, right] of [
      ['nocache', 'fresh'],
      ['usernames', 'handles'],
      ['handles[]', 'handles'],
    ] as const) {
      const { status, body } = await post({ [wrong]: ['user1'] });
      expect([status, body.error.param]).toEqual([400, wrong]);
      expect(body.error.message).toContain(`use ${right}`);
    }
    expect(1000 - (await reader.balance())).toBe(spent);
  });

  it('P14: answers 400 for a list in both the query and the body', async () => {
    const reader = await customer();
    const { status, body } = await reader.post('/v1/users/batch?handles=user1', { handles: ['user1'] });
    expect([status, body.error.param]).toEqual([400, 'handles']);
  });

  it('B13: takes commas, spaces around them, empty pieces, and a repeated parameter', async () => {
    const reader = await customer();
    const reply = await reader.get('/v1/tweets/batch?ids=501,%20502%20,,&ids=503&ids=,504');
    expect(idsOf(reply)).toEqual(['501', '502', '503', '504']);
  });

  it.each([
    ['axios writes it', 'ids[]=501&ids[]=502&ids[]=503'],
    ['axios writes it, percent-encoded', 'ids%5B%5D=501&ids%5B%5D=502&ids%5b%5d=503'],
    ['PHP writes it', 'ids[0]=501&ids[1]=502&ids[2]=503'],
    ['PHP writes it, percent-encoded', 'ids%5B0%5D=501&ids%5B1%5D=502&ids%5B2%5D=503'],
    ['indices order it', 'ids[999999999]=503&ids[10]=502&ids[9]=501'],
    ['brackets and commas write it', 'ids[]=501,502&ids[]=,503'],
  ])('B13: takes a list as %s, when read and when cached', async (_who, query) => {
    const reader = await customer();
    for (const cache of ['miss', 'hit', 'hit']) {
      const reply = await reader.get(`/v1/tweets/batch?${query}`);
      expect(idsOf(reply)).toEqual(['501', '502', '503']);
      expect(reply.body.cache).toBe(cache);
      expect(reply.body).not.toHaveProperty('warnings');
    }
  });

  it.each([
    ['two spellings', 'ids=501&ids[]=502', /several ways/],
    ['an index beside none', 'ids[]=501&ids[0]=502', /several ways/],
    ['an index twice', 'ids[0]=501&ids[0]=502', /twice/],
    ['an index of too many digits', 'ids[1000000000]=501', /use ids/],
    ['a name for an index', 'ids[first]=501', /use ids/],
    ['a list in a list', 'ids[0][]=501', /use ids/],
    ['nothing in it', 'ids[]=', /1 to 100/],
  ])('B13: refuses a list with %s', async (_what, query, said) => {
    const reader = await customer();
    const { status, body } = await reader.get(`/v1/tweets/batch?${query}`);
    expect([status, body.error.code]).toEqual([400, 'bad_request']);
    expect(body.error.message).toMatch(said);
  });

  it('P14: refuses a list in brackets beside one in the body', async () => {
    const reader = await customer();
    const { status, body } = await reader.post('/v1/tweets/batch?ids[]=501', { ids: ['501'] });
    expect([status, body.error.param]).toEqual([400, 'ids']);
  });

  it('B14: prefers the static route to a user named batch, who is read as @batch, as the 400 says', async () => {
    const reader = await customer();
    const { status, body } = await reader.get('/v1/users/batch');
    expect([status, body.error.param]).toEqual([400, 'handles']);
    expect(body.error.message).toContain('/v1/users/@batch');
    for (const path of ['/v1/users/@batch', '/v1/users/%40batch']) {
      expect(record(await reader.get(path))).toMatchObject({ id: '900', handle: 'batch' });
    }
  });

  it('B15: does not take search and batch for ids', async () => {
    const reader = await customer();
    expect((await reader.get('/v1/tweets/search')).body.error.param).toBe('q');
    expect((await reader.get('/v1/tweets/batch')).body.error.param).toBe('ids');
  });

  it('8.1.4: counts a batch of 100 as one request', async () => {
    const reader = await service.customer({ qps: 5 });
    const handles = range(100).map((id) => `user${id}`);
    const reply = await reader.post('/v1/users/batch', { handles });
    expect(reply.headers.get('ratelimit')).toBe('limit=5, remaining=4, reset=1');
    expect(reply.body.items).toBe(100);
  });
});
