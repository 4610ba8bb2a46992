import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_LIST } from '../kit/networks/lists.js';
import { type Service, startService } from './support/service.js';

describe('lists that the network does not have (S14)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      network: { lists: { ...EVERY_LIST, following: false } },
      fill: (net) => {
        net.users([1, 2]);
        net.list('followers', '1', ['2']);
        net.list('following', '1', ['2']);
      },
    });
  });
  afterAll(() => service.close());

  it('are refused for a reason of their own, free, before anything is read', async () => {
    const customer = await service.customer({ credits: 10 });
    service.net.calls.length = 0;
    // Not even the handle is resolved.
    const { status, body } = await customer.get('/v1/users/@user1/following');
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'access_denied', reason: 'list_not_served' });
    expect(body.error.message).toContain('following');
    expect(body.error).not.toHaveProperty('retry_after');
    expect(service.net.calls).toEqual([]);
    expect((await customer.get('/v1/me')).body).toMatchObject({ balance: 10 });
  });

  it('do not affect the health of the network, or reads of other lists', async () => {
    const customer = await service.customer({ credits: 10 });
    for (let nth = 0; nth < 12; nth += 1) await customer.get('/v1/users/1/following');
    expect((await customer.get('/v1/users/1/followers')).body).toMatchObject({ items: 1 });
    const { sessions } = (await customer.get('/status')).body as unknown as { sessions: { state: string }[] };
    expect(sessions.map(({ state }) => state)).toEqual(['ok']);
  });

  it.each([0, 0.05])('are refused before the balance is checked, even to a wallet of %d credits', async (credits) => {
    const customer = await service.customer({ credits });
    const { status, body } = await customer.get('/v1/users/1/following');
    expect([status, body.error.reason]).toEqual([403, 'list_not_served']);
  });

  it('have no estimate', async () => {
    const customer = await service.customer({ credits: 10 });
    const { status, body } = await customer.get('/v1/users/1/following?estimate=true');
    expect([status, body.error.reason]).toEqual([403, 'list_not_served']);
    // Faults of the request are reported first (S7).
    expect((await customer.get('/v1/users/1/following?estimate=true&count=0')).status).toBe(400);
  });

  it('make a whole operation fail that requests one of them anywhere, unless it is skipped', async () => {
    const customer = await service.customer({ credits: 10 });
    const query = `query ($skip: Boolean!) {
      me { balance }
      user(handle: "user1") @skip(if: $skip) { following(first: 1) { nodes { id } } }
    }`;
    const refused = await customer.post('/graphql', { query, variables: { skip: false } });
    expect(refused.body).toMatchObject({
      errors: [{ extensions: { code: 'access_denied', reason: 'list_not_served' } }],
    });
    expect(refused.body).not.toHaveProperty('data.me');
    const answered = await customer.post('/graphql', { query, variables: { skip: true } });
    expect(answered.body).toMatchObject({ data: { me: { balance: 10 } } });
  });
});
