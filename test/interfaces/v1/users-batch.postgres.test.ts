import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, idsOf, type Reply } from '../../kit/client.js';
import { refusesAsBad, refusesLikeReads } from './refusals.js';
import { type Service, startService } from './service.js';

const PATH = '/v1/users/batch';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe.each([
  [
    'POST',
    (client: Client, handles: readonly string[], query = ''): Promise<Reply> =>
      client.post(`${PATH}${query && `?${query}`}`, { handles }),
  ],
  [
    'GET',
    (client: Client, handles: readonly string[], query = ''): Promise<Reply> =>
      client.get(`${PATH}?handles=${encodeURIComponent(handles.join(','))}${query && `&${query}`}`),
  ],
])('%s /v1/users/batch', (_method, batch) => {
  it('200: found profiles in input order, the others in errors, 1 credit each found (rules 1 to 3)', async () => {
    const reader = await service.customer();
    service.clock.forget();
    const reply = await batch(reader, ['harbour_ferry', 'nobody_here', 'Aurora_Obs', '@HARBOUR_FERRY', 'no way']);
    expect(reply.status).toBe(200);
    expect(idsOf(reply)).toEqual(['2', '1']);
    expect(reply.body.errors.map(({ input, code }) => [input, code])).toEqual([
      ['nobody_here', 'not_found'],
      ['no way', 'bad_request'],
    ]);
    expect(reply.body).toMatchObject({
      items: 2,
      credits_charged: 2,
      balance_remaining: 998,
      cache: 'miss',
      cache_hits: 0,
    });
  });

  it('200: errors is present and empty if everything was found (section 2, BatchMeta)', async () => {
    const reader = await service.customer();
    expect((await batch(reader, ['Aurora_Obs'], 'fresh=true')).body.errors).toEqual([]);
  });

  it('200: cached profiles at half price, mixed when only some were cached', async () => {
    const reader = await service.customer();
    service.clock.forget();
    const first = await batch(reader, ['town_library']);
    const second = await batch(reader, ['town_library', 'lonely_light']);
    const third = await batch(reader, ['town_library', 'lonely_light']);
    const fourth = await batch(reader, ['town_library', 'lonely_light'], 'fresh=true');
    const bill = [first, second, third, fourth].map(({ body }) => [body.cache, body.cache_hits, body.credits_charged]);
    expect(bill).toEqual([
      ['miss', 0, 1],
      ['mixed', 1, 1.5],
      ['hit', 2, 1],
      ['bypass', 0, 4],
    ]);
  });

  it('200: inputs that the balance does not cover are no_credits and not fetched (rule 4)', async () => {
    const reader = await service.customer({ credits: 2 });
    service.clock.forget();
    const before = service.faults.calls.length;
    const reply = await batch(reader, ['follower1', 'follower2', 'follower3', 'follower4']);
    expect(idsOf(reply)).toEqual(['1001', '1002']);
    expect(reply.body.errors.map(({ input, code }) => [input, code])).toEqual([
      ['follower3', 'no_credits'],
      ['follower4', 'no_credits'],
    ]);
    expect(reply.body).toMatchObject({ credits_charged: 2, balance_remaining: 0 });
    expect(service.faults.calls.slice(before).flatMap(({ of }) => of)).toEqual(['@follower1', '@follower2']);
  });

  it('200 with 100 handles, 400 with 101 and with none (8, size limits)', async () => {
    const reader = await service.customer();
    const handles = Array.from({ length: 101 }, (_, i) => `follower${i + 1}`);
    expect((await batch(reader, handles.slice(0, 100))).body.items).toBe(100);
    for (const wrong of [handles, []]) {
      const reply = await batch(reader, wrong);
      expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([400, 'bad_request', 'handles']);
    }
  });

  refusesLikeReads({
    service: () => service,
    call: (client) => batch(client, ['Aurora_Obs', 'town_library'], 'fresh=true'),
  });
});

describe('the two forms of /v1/users/batch', () => {
  refusesAsBad(
    () => service,
    [
      ['no handles', PATH, 'handles'],
      ['handles of nothing but commas', `${PATH}?handles=,,`, 'handles'],
      ['fresh is neither true nor false', `${PATH}?handles=a&fresh=2`, 'fresh'],
      ['usernames instead of handles (P3)', `${PATH}?usernames=Aurora_Obs`, 'usernames'],
    ],
  );

  it.each([
    ['a list of numbers', { handles: [1] }],
    ['a string instead of a list', { handles: 'Aurora_Obs' }],
    ['a list with null', { handles: [null] }],
    ['no list', {}],
    ['an array', ['Aurora_Obs']],
    ['no JSON', '{handles'],
    ['no body', ''],
  ])('400 bad_request: %s in the body (B5, P12)', async (_what, body) => {
    const reader = await service.customer();
    const reply = await reader.post(PATH, body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_request']);
  });
});
