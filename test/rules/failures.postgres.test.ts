import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upstreamFault } from '../kit/networks/faults.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

/** The data, errors and charge of a GraphQL answer. */
interface Graph {
  readonly data: Record<string, unknown>;
  readonly errors?: readonly { path: string[]; extensions: { code: string } }[];
  readonly extensions: { credits: { charged: number; breakdown: readonly { path: string; items: number }[] } };
}

describe('failed calls are never charged (section 1; section 7; C13, G5)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users([1, 2]);
        net.tweets(range(60, 500));
        net.list('timeline', '1', range(30, 500).reverse().map(String), { pageSize: 10, nextIsCertain: true });
        net.list('timeline', '2', range(30, 530).reverse().map(String), { pageSize: 10, nextIsCertain: true });
      },
    });
  });
  afterAll(() => service.close());

  const customer = () => {
    service.clock.forget();
    return service.customer();
  };

  it('include a page that fails while it is filled, though some of it was read', async () => {
    const reader = await customer();
    service.net.failAfter(2, upstreamFault('upstream_error'));
    const reply = await reader.get('/v1/users/2/tweets?count=30').finally(() => service.net.heal());
    expect(reply.status).toBe(503);
    expect(await reader.balance()).toBe(1000);
  });

  it('T23: serves a tweet without its author when only the author cannot be read', async () => {
    const reader = await customer();
    // The network returns the tweet without its author, who is then read separately.
    service.net.failAfter(1, upstreamFault('upstream_error'));
    const reply = await reader.get('/v1/tweets/501').finally(() => service.net.heal());
    expect([reply.status, reply.body.credits_charged]).toEqual([200, 1]);
    expect(reply.body.data).not.toHaveProperty('author');
    expect((await reader.get('/v1/tweets/501')).body.data).toHaveProperty('author');
  });

  it.each([
    ['upstream_error', 503],
    ['no_account', 503],
    ['upstream_rate_limited', 503],
    ['request_rejected', 503],
    ['query_id_stale', 503],
  ] as const)('%s is free on every kind of read', async (code, status) => {
    const reader = await customer();
    service.net.fail(upstreamFault(code));
    const paths = ['/v1/users/user1', '/v1/tweets/501', '/v1/users/1/tweets', '/v1/users/batch?handles=user1,user2'];
    for (const path of paths) {
      const reply = await reader.get(path);
      expect([path, reply.status, reply.body.error.code]).toEqual([path, status, code]);
    }
    service.net.heal();
    expect(await reader.balance()).toBe(1000);
    // Successful reads, so that the session does not rest because of ten failures in a row.
    expect((await reader.get('/v1/users/user1?fresh=true')).status).toBe(200);
  });

  it('hides the text of an unexpected error and charges nothing', async () => {
    const reader = await customer();
    service.net.fail(new TypeError('password of the upstream is hunter2'));
    const reply = await reader.get('/v1/users/user1').finally(() => service.net.heal());
    expect([reply.status, reply.body.error.code]).toEqual([503, 'upstream_error']);
    expect(reply.text).not.toContain('hunter2');
    expect(await reader.balance()).toBe(1000);
  });

  it('G5: include a field of GraphQL that failed, which is null, while the rest is paid', async () => {
    const { perch, net, clock } = service;
    clock.forget();
    net.pages('timeline', '3', (token) => {
      if (token !== null) throw upstreamFault('upstream_error');
      return { tweets: range(10, 500).map((id) => net.tweet({ id: String(id) })), next: 'more' };
    });
    const account = await perch.account({ credits: 100 });
    const response = await fetch(`${perch.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': account.key },
      body: JSON.stringify({
        query: '{ timeline(user: "3", first: 30) { nodes { id } } user(handle: "user1") { id } }',
      }),
    });
    const { data, errors, extensions } = (await response.json()) as Graph;
    expect(data).toEqual({ timeline: null, user: { id: '1' } });
    expect(errors).toMatchObject([{ path: ['timeline'], extensions: { code: 'upstream_error' } }]);
    expect(extensions.credits.charged).toBe(1);
    expect(extensions.credits.breakdown).toMatchObject([{ path: 'user', items: 1 }]);
    expect(await perch.balance(account)).toBe(99);
  });
});
