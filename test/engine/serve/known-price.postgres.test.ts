import fc from 'fast-check';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { post } from '../../interfaces/graphql/client.js';
import { type Service, startService } from '../../interfaces/graphql/service.js';
import { createClient, type HeaderFields, type Reply } from '../../kit/client.js';

/** Five tweets of half a credit each, once they are cached. */
const PATH = '/v1/users/1/tweets?count=5';
const PRICE = 2.5;

/** An answer without what is the caller's own. */
const shared = ({ status, headers, body }: Reply) => ({
  status,
  charged: headers.get('x-credits-charged'),
  retryAfter: headers.get('retry-after'),
  body: { ...body, request_id: '', error: body.error && { ...body.error, request_id: '', doc_url: '' } },
});

/** A kept answer has a known price: the ledger is asked to charge it before the balance is read. */
describe('an answer with a known price', () => {
  let service: Service;
  let rich: { readonly key: string };
  const get = (key: string, headers: HeaderFields = {}) => createClient(service.perch.url, key).get(PATH, headers);
  const spies = () => {
    const { ledger } = service.perch.stores;
    return { balance: vi.spyOn(ledger, 'balance'), post: vi.spyOn(ledger, 'post') };
  };
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());
  afterEach(() => vi.restoreAllMocks());
  beforeEach(async () => {
    service.clock.forget();
    rich = await service.perch.account({ credits: 1000 });
    for (let i = 0; i < 3; i += 1) await get(rich.key);
  });

  it('is charged without reading the balance, however long its wallet was idle', async () => {
    const { key } = await service.perch.account({ credits: 10 });
    const { balance, post: posted } = spies();
    const bodies = [await get(key), await get(key)].map(({ body }) => [body.items, body.balance_remaining]);
    expect(bodies).toEqual([
      [5, 7.5],
      [5, 5],
    ]);
    expect([balance.mock.calls.length, posted.mock.calls.length]).toEqual([0, 2]);
  });

  it('is charged once and in whole to the last credit, and never below zero (M2)', async () => {
    const account = await service.perch.account({ credits: 7.7 });
    const replies = await Promise.all(Array.from({ length: 8 }, () => get(account.key)));
    const charged = replies.reduce((sum, { body }) => sum + Math.round(body.credits_charged * 1000), 0);
    const left = await service.perch.balance(account);
    expect(charged).toBe(7_700 - Math.round(left * 1000));
    expect(left).toBeGreaterThanOrEqual(0);
    expect(replies.filter(({ body }) => body.items === 5)).toHaveLength(3);
    for (const { status, body } of replies) expect(status === 200 ? body.items > 0 : status === 402).toBe(true);
  });

  it('has the balance read first if the wallet was too low a moment ago', async () => {
    const { key } = await service.perch.account({ credits: 0.3 });
    const { balance, post: posted } = spies();
    for (let i = 0; i < 4; i += 1) expect((await get(key)).status).toBe(402);
    expect(posted.mock.calls.length).toBe(1);
    expect(balance.mock.calls.length).toBeGreaterThanOrEqual(4);
  });

  it('is given as soon as credits were added', async () => {
    const account = await service.perch.account({ credits: 0.3 });
    expect((await get(account.key)).status).toBe(402);
    const { accountId } = account;
    const requestId = crypto.randomUUID();
    await service.perch.ledger.grant({ requestId, accountId, amount: 50_000, reason: 'test' });
    expect((await get(account.key)).body).toMatchObject({ items: 5, balance_remaining: 50.3 - PRICE });
  });

  it('is refused like any other if another call takes the rest between reading and charging', async () => {
    const { key } = await service.perch.account({ credits: 3 });
    const { post: posted } = spies();
    posted.mockResolvedValue({ ok: false, reason: 'balance' });
    const { status, body, headers } = await get(key);
    expect([status, body.error.code, headers.get('retry-after')]).toEqual([402, 'no_credits', '1']);
    expect(body.error.message).toBe(
      'This call costs 2.5 credits, but another call used up the balance in the meantime. Nothing was charged.',
    );
    expect(new Set(posted.mock.calls.map(([{ requestId }]) => requestId)).size).toBe(1);
  });

  it('is not made again if it is unknown whether it was charged, nor if the ledger fails (M19)', async () => {
    const { key } = await service.perch.account({ credits: 100 });
    const { post: posted } = spies();
    posted.mockRejectedValue(new Error('disk full'));
    expect((await get(key)).body.error.code).toBe('internal');
    expect(posted.mock.calls.length).toBe(1);
  });

  it('obeys a cap to the last thousandth (U6), for which the key’s spending is read', async () => {
    const { key } = await service.perch.account({ credits: 100, cap: 6 });
    const { balance } = spies();
    const replies = [await get(key), await get(key), await get(key), await get(key)];
    expect(replies.map(({ status, body }) => [status, body.items, body.truncated ?? body.error?.reason])).toEqual([
      [200, 5, undefined],
      [200, 5, undefined],
      [200, 2, 'key_cap'],
      [402, undefined, 'key_cap'],
    ]);
    expect(balance.mock.calls.length).toBeGreaterThanOrEqual(4);
  });

  it('gives the same result as with a balance that was read, for any balance and budget', async () => {
    const money = fc.constantFrom(0, 0.3, 0.5, 1.7, 2.4, 2.5, 2.6, 3, 5, 100);
    const budget = fc.constantFrom(undefined, 0, 0.4, 0.5, 1, 2.5, 7);
    const graphql = '{ timeline(user: "1", first: 5) { nodes { id } truncated } }';
    for (let i = 0; i < 3; i += 1) await post(service.perch, rich, { query: graphql });
    await fc.assert(
      fc.asyncProperty(money, fc.array(budget, { minLength: 1, maxLength: 4 }), async (credits, budgets) => {
        // For a key with a cap, the balance is read for each call; this cap is never reached.
        const plain = await service.perch.account({ credits });
        const read = await service.perch.account({ credits, cap: 1_000_000 });
        for (const most of budgets) {
          const headers: HeaderFields = most === undefined ? {} : { 'x-max-credits': String(most) };
          expect(shared(await get(plain.key, headers))).toEqual(shared(await get(read.key, headers)));
          const extensions = most === undefined ? {} : { extensions: { maxCredits: most } };
          const [one, other] = [
            await post(service.perch, plain, { query: graphql, ...extensions }),
            await post(service.perch, read, { query: graphql, ...extensions }),
          ];
          const of = ({ status, body: { data, errors, extensions } }: typeof one) => [
            [status, data, extensions.credits],
            errors?.map(({ message }) => message),
          ];
          expect(of(one)).toEqual(of(other));
        }
        expect(await service.perch.balance(plain)).toBe(await service.perch.balance(read));
      }),
      { numRuns: 40 },
    );
    expect((await service.perch.ledger.check()).faults).toEqual([]);
  });
});
