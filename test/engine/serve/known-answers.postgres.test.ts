import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { post } from '../../interfaces/graphql/client.js';
import { type Service, startService, TIMELINE } from '../../interfaces/graphql/service.js';
import { type Client, createClient, idsOf } from '../../kit/client.js';

const PATH = '/v1/users/1/tweets?count=5';

/** Answers made only of cached values are sent again without being made again. No caller may notice a difference. */
describe('an answer that is given again', () => {
  let service: Service;
  let client: Client;
  let account: Awaited<ReturnType<Service['perch']['account']>>;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());
  beforeEach(async () => {
    service.clock.forget();
    account = await service.perch.account({ credits: 100 });
    client = createClient(service.perch.url, account.key);
  });

  it('is the same except for its own request id, balance and age', async () => {
    await client.get(PATH);
    const replies = [];
    for (let i = 0; i < 3; i += 1) replies.push(await client.get(PATH));
    const [first, ...others] = replies.map(({ body }) => body);
    for (const other of others) {
      expect({ ...other, request_id: '', balance_remaining: 0 }).toEqual({
        ...first,
        request_id: '',
        balance_remaining: 0,
      });
    }
    expect(new Set(replies.map(({ body }) => body.request_id)).size).toBe(3);
    expect(replies.map(({ body }) => body.balance_remaining)).toEqual([92.5, 90, 87.5]);
    service.clock.advance(30_000);
    const later = await client.get(PATH);
    expect([later.headers.get('age'), later.body.cache]).toEqual(['30', 'hit']);
    expect(await service.perch.balance(account)).toBe(85);
  });

  it('is written to the ledger like any other, with its lines', async () => {
    for (let i = 0; i < 3; i += 1) await client.get(PATH);
    const { body } = await client.get(PATH);
    const receipt = await client.get(`/v1/usage/${body.request_id}`);
    expect(receipt.body.data).toMatchObject({
      operation: 'user-tweets',
      credits: 2.5,
      items: 5,
      cache_hits: 5,
      lines: [{ unit: 'tweet', cache: 'hit', items: 5, unit_price: 0.5, credits: 2.5 }],
    });
  });

  it('is a miss once, if the next page was read to look ahead, and a hit from then on (M6)', async () => {
    service.net.list('timeline', '7', TIMELINE.slice(40, 60), { pageSize: 5 });
    await client.get('/v1/users/7/tweets?count=4');
    const labels = [];
    for (let i = 0; i < 4; i += 1) labels.push((await client.get('/v1/users/7/tweets?count=5')).body.cache);
    expect(labels).toEqual(['miss', 'hit', 'hit', 'hit']);
  });

  it('is not served once a part was read again, has expired or was withdrawn (M9, M11, M25)', async () => {
    const path = '/v1/users/8/tweets?count=3';
    const first = async () => idsOf(await client.get(path))[0];
    const ids = TIMELINE.slice(60, 70);
    service.net.list('timeline', '8', ids);
    for (let i = 0; i < 3; i += 1) expect(await first()).toBe(ids[0]);
    service.net.list('timeline', '8', ids.slice(1));
    expect(await first()).toBe(ids[0]);
    await client.get(`${path}&fresh=true`);
    for (let i = 0; i < 3; i += 1) expect(await first()).toBe(ids[1]);
    service.net.remove(ids[1] ?? '');
    await client.get(`/v1/tweets/${ids[1]}?fresh=true`);
    for (let i = 0; i < 3; i += 1) expect(await first()).toBe(ids[2]);
    service.clock.advance(2 * 60_000);
    expect((await client.get(path)).body.cache).toBe('miss');
  });

  it('is not given again once a part was found deleted, even during its charge (M25)', async () => {
    const path = '/v1/users/9/tweets?count=3';
    const ids = TIMELINE.slice(70, 80);
    service.net.list('timeline', '9', ids);
    await client.get(path);
    service.net.remove(ids[0] ?? '');
    const { ledger } = service.perch.stores;
    const post = ledger.post.bind(ledger);
    const spied = vi.spyOn(ledger, 'post').mockImplementationOnce(async (...debit) => {
      await client.get(`/v1/tweets/${ids[0]}?fresh=true`);
      return post(...debit);
    });
    expect(idsOf(await client.get(path))).toEqual(ids.slice(0, 3));
    spied.mockRestore();
    expect(idsOf(await client.get(path))).toEqual(ids.slice(1, 4));
  });

  it('is trimmed for a caller that cannot afford it, and whole again for the next (M1, M26)', async () => {
    for (let i = 0; i < 3; i += 1) await client.get(PATH);
    const poor = createClient(service.perch.url, (await service.perch.account({ credits: 1.7 })).key);
    const trimmed = await poor.get(PATH);
    expect([trimmed.body.items, trimmed.body.truncated, trimmed.body.balance_remaining]).toEqual([
      3,
      'no_credits',
      0.2,
    ]);
    const careful = await client.get(`${PATH}&max_credits=1`);
    expect([careful.body.items, careful.body.truncated]).toEqual([2, 'max_credits']);
    expect((await client.get(PATH)).body.items).toBe(5);
  });

  it('is a different one for each selection, set of variables, product and interface', async () => {
    const text = (fields: string) => `query ($n: Int) { timeline(user: "1", first: $n) { nodes { ${fields} } } }`;
    const query = async (fields: string, n: number) =>
      (await post(service.perch, account, { query: text(fields), variables: { n } })).body.data;
    for (let i = 0; i < 3; i += 1) {
      expect(await query('id', 1)).toEqual({ timeline: { nodes: [{ id: '200' }] } });
      expect(await query('text', 1)).toEqual({ timeline: { nodes: [{ text: 'tweet 200' }] } });
      expect(await query('id', 2)).toEqual({ timeline: { nodes: [{ id: '200' }, { id: '199' }] } });
      expect(idsOf(await client.get('/v1/users/1/tweets?count=1'))).toEqual(['200']);
    }
  });

  it("never holds anything of the caller's own", async () => {
    const query = '{ me { balance customerId } tweet(id: "150") { id } }';
    const other = await service.perch.account({ credits: 7 });
    for (const { accountId, ...own } of [account, other, account, other]) {
      const { body } = await post(service.perch, own, query);
      expect(body.data).toMatchObject({ me: { customerId: accountId } });
    }
  });
});
