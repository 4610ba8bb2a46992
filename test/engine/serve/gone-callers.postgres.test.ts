import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { post } from '../../interfaces/graphql/client.js';
import { type Service, startService } from '../../interfaces/graphql/service.js';
import { createClient } from '../../kit/client.js';

describe('callers that do not wait for the answer (M18)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.close());

  it('pay nothing and hold nothing, and what was read for them stays cached', async () => {
    const account = await service.perch.account({ credits: 10 });
    const patient = await service.perch.account();
    const query = JSON.stringify({ query: '{ timeline(user: "1", first: 10) { nodes { id } } }' });
    for (let i = 0; i < 5; i += 1) {
      service.clock.forget();
      const release = service.net.hold();
      const called = service.net.called(service.net.calls.length + 1);
      const gone = new AbortController();
      const pending = fetch(`${service.perch.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': account.key },
        body: query,
        signal: gone.signal,
      });
      await called;
      gone.abort();
      await expect(pending).rejects.toThrow();
      // Once the server answers on another connection, it knows that the first one is closed.
      await fetch(`${service.perch.url}/healthz`);
      release();
      // Another caller gets what was read meanwhile.
      const held = await post(service.perch, patient, '{ timeline(user: "1", first: 10) { nodes { id } } }');
      expect(held.body.extensions.credits.cache).toBe('hit');
    }
    expect(await service.perch.balance(account)).toBe(10);
    const client = createClient(service.perch.url, account.key);
    const { body } = await client.get('/v1/users/1/tweets?count=20');
    expect([body.cache, body.items, body.balance_remaining]).toEqual(['hit', 20, 0]);
  });
});

describe('callers that the deadline sends away (S13)', () => {
  it('get 503 and pay nothing', async () => {
    const service = await startService({ PERCH_DEADLINE_MS: '300' });
    const account = await service.perch.account({ credits: 3 });
    const query = '{ timeline(user: "2", first: 3) { nodes { id } } }';
    const release = service.net.hold();
    const late = await post(service.perch, account, query);
    expect([late.status, late.body.errors[0]?.extensions.code]).toEqual([503, 'upstream_error']);
    expect(late.headers.get('retry-after')).toBe('2');
    expect(await service.perch.balance(account)).toBe(3);
    release();
    await service.close();
  });
});
