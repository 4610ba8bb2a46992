import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../adapters/rest/routes.js';
import { schema } from '../../schema/index.js';
import { type Service, startService } from './support/service.js';

/** Every endpoint of docs/rest.md. */
const ENDPOINTS = [
  'GET /v1/me',
  'GET /v1/billing/packs',
  'POST /v1/billing/checkout',
  'GET /v1/users/{handle}',
  'POST /v1/users/batch',
  'GET /v1/users/batch',
  'GET /v1/users/{user}/tweets',
  'GET /v1/users/{user}/followers',
  'GET /v1/users/{user}/followers/ids',
  'GET /v1/users/{user}/following',
  'GET /v1/tweets/search',
  'GET /v1/tweets/{id}',
  'POST /v1/tweets/batch',
  'GET /v1/tweets/batch',
  'GET /v1/tweets/{id}/thread',
  'GET /v1/tweets/{id}/replies',
  'GET /v1/tweets/{id}/quotes',
  'GET /v1/tweets/{id}/retweeters',
];

describe('endpoints and prices (sections 1 and 4)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fill: (net) => void net.users([1]) });
  });
  afterAll(() => service.close());

  it('include every endpoint of section 4, and besides them only usage (W12) and watches (V24)', () => {
    const there = ROUTES.map(({ method, path }) => `${method} ${path}`);
    expect(there.filter((row) => !/ \/v1\/(?:usage|watches)/.test(row)).sort()).toEqual([...ENDPOINTS].sort());
  });

  it('include no writes: only lists to read, checkouts and watches can be posted', () => {
    const posted = ROUTES.filter(({ method, path }) => method !== 'GET' && !path.startsWith('/v1/watches'));
    expect(posted.map(({ path }) => path).sort()).toEqual([
      '/v1/billing/checkout',
      '/v1/tweets/batch',
      '/v1/users/batch',
    ]);
    const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {});
    expect(mutations.sort()).toEqual([
      'checkout',
      'createWatch',
      'endWatch',
      'pauseWatch',
      'resumeWatch',
      'sendDeliveryAgain',
    ]);
  });

  it('never let credits expire', async () => {
    const customer = await service.customer({ credits: 5 });
    service.clock.advance(10 * 365 * 86_400_000);
    expect((await customer.get('/v1/me')).body).toMatchObject({ balance: 5 });
    expect((await customer.get('/v1/users/user1?fresh=true')).body.balance_remaining).toBe(3);
  });

  it('respond with JSON in UTF-8', async () => {
    const reply = await (await service.customer()).get('/v1/users/user1');
    expect(reply.headers.get('content-type')).toBe('application/json; charset=utf-8');
  });
});
