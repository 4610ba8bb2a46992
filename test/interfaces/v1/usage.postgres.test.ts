import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rows } from '../../kit/client.js';
import { refusesLikeAll } from './refusals.js';
import { type Service, startService } from './service.js';

const today = (): string => new Date().toISOString().slice(0, 10);

describe('GET /v1/usage', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('200: nothing spent is an empty list, free', async () => {
    const customer = await service.customer({ credits: 0 });
    const { status, body } = await customer.get('/v1/usage');
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], credits_charged: 0, balance_remaining: 0 });
  });

  it('200: paid requests by endpoint and key, with the sums of the receipts (W12)', async () => {
    const customer = await service.customer();
    await customer.get('/v1/users/Aurora_Obs?fresh=true');
    await customer.get('/v1/users/Aurora_Obs');
    await customer.get('/v1/users/Aurora_Obs/tweets?count=3&fresh=true');
    await customer.get('/v1/users/nobody_here');
    const reply = await customer.get('/v1/usage?group=endpoint,key');
    const key_prefix = customer.account.key.slice(0, 17);
    const sorted = rows(reply).toSorted((a, b) => String(a.endpoint).localeCompare(String(b.endpoint)));
    expect(sorted).toEqual([
      { endpoint: 'user', key_prefix, requests: 2, items: 2, cache_hits: 1, credits: 2.5 },
      { endpoint: 'user-tweets', key_prefix, requests: 1, items: 3, cache_hits: 0, credits: 6 },
    ]);
    expect(reply.body.credits_charged).toBe(0);
  });

  it('200: by day by default, within the requested range', async () => {
    const customer = await service.customer();
    const before = today();
    await customer.get('/v1/users/Aurora_Obs?fresh=true');
    const days = rows(await customer.get('/v1/usage'));
    expect(days).toMatchObject([{ requests: 1, items: 1, credits: 2 }]);
    expect([before, today()]).toContain(days[0]?.day);
    expect(rows(await customer.get('/v1/usage?from=2020-01-01&to=2020-12-31'))).toEqual([]);
  });

  it('200: by the hour for the last 8 days, and 400 with the reason for days before', async () => {
    const customer = await service.customer();
    await customer.get('/v1/users/Aurora_Obs?fresh=true');
    const hours = rows(await customer.get('/v1/usage?group=hour,endpoint'));
    expect(hours).toMatchObject([{ hour: expect.stringMatching(/T\d\d:00:00Z$/), endpoint: 'user', requests: 1 }]);
    const { status, body } = await customer.get('/v1/usage?group=hour&from=2026-01-01');
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'from']);
    expect(body.error.message).toMatch(
      /^Hourly usage is kept for 8 days, currently since \d{4}-\d\d-\d\d: .*Group by day/,
    );
  });

  it('200: page by page, each row once, and no cursor on the last page', async () => {
    const customer = await service.customer();
    await customer.get('/v1/users/Aurora_Obs?fresh=true');
    await customer.get('/v1/users/Aurora_Obs/tweets?count=3&fresh=true');
    const first = await customer.get('/v1/usage?group=endpoint&count=1');
    expect(rows(first)).toMatchObject([{ endpoint: 'user' }]);
    const second = await customer.get(`/v1/usage?group=endpoint&count=1&cursor=${first.body.next_cursor}`);
    expect(rows(second)).toMatchObject([{ endpoint: 'user-tweets' }]);
    expect(second.body).not.toHaveProperty('next_cursor');
    const other = await customer.get(`/v1/usage?group=day,endpoint&cursor=${first.body.next_cursor}`);
    expect([other.status, other.body.error.param, other.body.error.reason]).toEqual([
      400,
      'cursor',
      'cursor_other_list',
    ]);
  });

  it('200: nothing of it to another account', async () => {
    const spender = await service.customer();
    await spender.get('/v1/users/Aurora_Obs?fresh=true');
    const other = await service.customer();
    expect(rows(await other.get('/v1/usage'))).toEqual([]);
  });

  it.each([
    ['a from that is no date', 'from=yesterday', 'from'],
    ['a day that does not exist', 'to=2026-02-30', 'to'],
    ['a day beyond the last', 'to=9999-12-31', 'to'],
    ['a day before the first', 'to=0000-01-05', 'to'],
    ['a day with a character that none has', 'from=%00', 'from'],
    ['from after to', 'from=2026-02-02&to=2026-02-01', 'from'],
    ['a group that is none', 'group=week', 'group'],
    ['a parameter twice', 'group=day&group=key', 'group'],
    ['a count of none', 'count=0', 'count'],
    ['a count over the most', 'count=1001', 'count'],
    ['a cursor that is none', 'cursor=nonsense', 'cursor'],
    ['a cursor of something else', `cursor=${Buffer.from('["day","2026-02-30"]').toString('base64url')}`, 'cursor'],
  ])('400 bad_request: %s', async (_what, query, param) => {
    const customer = await service.customer();
    const { status, body } = await customer.get(`/v1/usage?${query}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', param]);
  });

  refusesLikeAll({ service: () => service, call: (client) => client.get('/v1/usage') });
});
