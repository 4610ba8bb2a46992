import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { refusesLikeAll } from './refusals.js';
import { type Service, startService } from './service.js';

const PATH = '/v1/billing/checkout';

describe('POST /v1/billing/checkout', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it.each(['starter', 'builder', 'growth', 'scale'])(
    '503 billing_disabled for %s while card checkout is not open, without Retry-After (S1)',
    async (pack) => {
      const customer = await service.customer({ credits: 0 });
      const reply = await customer.post(PATH, { pack });
      expect([reply.status, reply.body.error.code]).toEqual([503, 'billing_disabled']);
      expect(reply.headers.get('retry-after')).toBeNull();
      expect(reply.headers.get('ratelimit')).not.toBeNull();
    },
  );

  it.each([
    ['an unknown pack', { pack: 'enormous' }],
    ['a pack in another case', { pack: 'Starter' }],
    ['a pack that is no string', { pack: 10 }],
    ['no pack', {}],
    ['a list', ['starter']],
    ['no JSON', 'pack=starter'],
    ['no body', ''],
  ])('400 bad_request: %s', async (_what, body) => {
    const customer = await service.customer();
    const reply = await customer.post(PATH, body);
    expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_request']);
  });

  it('400 for an unknown pack, naming the packs', async () => {
    const customer = await service.customer();
    const { error } = (await customer.post(PATH, { pack: 'enormous' })).body;
    expect(error.message).toContain('starter, builder, growth, scale');
    expect(error.param).toBe('pack');
  });

  it('401 before anything in the body is checked (S7)', async () => {
    const reply = await service.nobody.post(PATH, 'not json');
    expect([reply.status, reply.body.error.code]).toEqual([401, 'missing_key']);
  });

  refusesLikeAll({ service: () => service, call: (client) => client.post(PATH, { pack: 'starter' }) });
});
