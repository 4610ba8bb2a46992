import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EVERY_LIST } from '../support/lists.js';
import { type Service, startService } from './service.js';

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
    // Not even whom the handle means is looked up.
    const { status, body } = await customer.get('/v1/users/@user1/following');
    expect(status).toBe(403);
    expect(body.error).toMatchObject({ code: 'access_denied', reason: 'list_not_served' });
    expect(body.error.message).toContain('following');
    expect(body.error).not.toHaveProperty('retry_after');
    expect(service.net.calls).toEqual([]);
    expect((await customer.get('/v1/me')).body).toMatchObject({ balance: 10 });
  });

  it('close nothing: however often they are asked for, the network counts as well, and other lists are read', async () => {
    const customer = await service.customer({ credits: 10 });
    for (let asked = 0; asked < 12; asked += 1) await customer.get('/v1/users/1/following');
    expect((await customer.get('/v1/users/1/followers')).body).toMatchObject({ items: 1 });
    const { sessions } = (await customer.get('/status')).body as unknown as { sessions: { state: string }[] };
    expect(sessions.map(({ state }) => state)).toEqual(['ok']);
  });

  it('are refused to a wallet that could not pay, too: nobody pays to be told', async () => {
    const customer = await service.customer({ credits: 0.05 });
    expect((await customer.get('/v1/users/1/following')).body.error.reason).toBe('list_not_served');
  });
});
