import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, idsOf, type Reply } from '../../kit/client.js';
import { refusesAsBad, refusesLikeReads } from './refusals.js';
import { type Service, startService } from './service.js';
import { TWEETS } from './small-corpus.js';

const PATH = '/v1/tweets/batch';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

describe.each([
  [
    'POST',
    (client: Client, ids: readonly string[], query = ''): Promise<Reply> =>
      client.post(`${PATH}${query && `?${query}`}`, { ids }),
  ],
  [
    'GET',
    (client: Client, ids: readonly string[], query = ''): Promise<Reply> =>
      client.get(`${PATH}?ids=${encodeURIComponent(ids.join(','))}${query && `&${query}`}`),
  ],
])('%s /v1/tweets/batch', (_method, batch) => {
  it('200: found tweets in input order; deleted and private ones in errors, free (rule 1)', async () => {
    const reader = await service.customer();
    service.clock.forget();
    const reply = await batch(reader, ['60002', TWEETS.hidden, '60001', '99999', '60002', '007']);
    expect(reply.status).toBe(200);
    expect(idsOf(reply)).toEqual(['60002', '60001']);
    expect(reply.body.errors.map(({ input, code }) => [input, code])).toEqual([
      [TWEETS.hidden, 'not_found'],
      ['99999', 'not_found'],
      ['007', 'bad_request'],
    ]);
    expect(reply.body).toMatchObject({
      items: 2,
      credits_charged: 2,
      balance_remaining: 998,
      cache: 'miss',
      cache_hits: 0,
    });
  });

  it('200: cached tweets at half price, mixed when only some were cached', async () => {
    const reader = await service.customer();
    service.clock.forget();
    const bill: unknown[] = [];
    for (const [ids, query] of [
      [['60100'], ''],
      [['60100', '60101'], ''],
      [['60100', '60101'], ''],
      [['60100', '60101'], 'fresh=1'],
    ] as const) {
      const { body } = await batch(reader, ids, query);
      bill.push([body.cache, body.cache_hits, body.credits_charged]);
    }
    expect(bill).toEqual([
      ['miss', 0, 1],
      ['mixed', 1, 1.5],
      ['hit', 2, 1],
      ['bypass', 0, 4],
    ]);
  });

  it('200: the tail that the balance does not cover is no_credits and is not fetched', async () => {
    const reader = await service.customer({ credits: 1.5 });
    service.clock.forget();
    const before = service.faults.calls.length;
    const reply = await batch(reader, ['50001', '50002', '50003']);
    expect(idsOf(reply)).toEqual(['50001']);
    expect(reply.body.errors.map(({ input, code }) => [input, code])).toEqual([
      ['50002', 'no_credits'],
      ['50003', 'no_credits'],
    ]);
    expect(reply.body).toMatchObject({ credits_charged: 1, balance_remaining: 0.5 });
    expect(service.faults.calls.slice(before).flatMap(({ of }) => of)).toEqual(['50001']);
  });

  it('200 with 100 ids, 400 with 101 and with none (8, size limits)', async () => {
    const reader = await service.customer();
    const ids = Array.from({ length: 101 }, (_, i) => String(50_001 + i));
    expect((await batch(reader, ids.slice(0, 100))).body.items).toBe(100);
    for (const wrong of [ids, []]) {
      const reply = await batch(reader, wrong);
      expect([reply.status, reply.body.error.code, reply.body.error.param]).toEqual([400, 'bad_request', 'ids']);
    }
  });

  refusesLikeReads({ service: () => service, call: (client) => batch(client, ['60001', '60002'], 'fresh=true') });
});

describe('the two forms of /v1/tweets/batch', () => {
  refusesAsBad(
    () => service,
    [
      ['no ids', PATH, 'ids'],
      ['ids of nothing but spaces', `${PATH}?ids=%20,%20`, 'ids'],
      ['fresh is neither true nor false', `${PATH}?ids=1&fresh=`, 'fresh'],
    ],
  );

  it('400 for numbers in the list, with advice to send strings (B5)', async () => {
    const reader = await service.customer();
    const reply = await reader.post(PATH, '{"ids":[1234567890123456789]}');
    expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_request']);
    expect(reply.body.error.message).toMatch(/ids as strings/);
  });
});

it('skips a byte order mark before the JSON, and refuses bytes that are not UTF-8', async () => {
  const reader = await service.customer();
  const marked = await reader.post(PATH, '\ufeff{"ids":["60001"]}');
  expect([marked.status, idsOf(marked)]).toEqual([200, ['60001']]);
  const response = await fetch(service.perch.url + PATH, {
    method: 'POST',
    headers: { 'x-api-key': reader.account.key },
    body: new Uint8Array([...Buffer.from('{"ids":["6'), 0xff, ...Buffer.from('"]}')]),
  });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({
    error: { code: 'bad_request', message: 'The body is not UTF-8.' },
    credits_charged: 0,
  });
});
