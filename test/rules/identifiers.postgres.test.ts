import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, record } from '../support/client.js';
import { type Service, startService } from './service.js';

describe('identifiers (I1–I8)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.user({ id: '1', handle: 'Aurora' });
        net.user({ id: '12345', handle: 'named' });
        net.user({ id: '7', handle: '12345' });
        net.tweets([501, 502]);
        net.list('timeline', '1', ['501']);
        net.list('timeline', '12345', ['501']);
        net.list('timeline', '7', ['502']);
      },
    });
  });
  afterAll(() => service.close());

  it.each(['Aurora', '@Aurora', '%40Aurora', 'aurora', '@AURORA'])('I1, I2: %s is one handle', async (handle) => {
    const reader = await service.customer();
    expect(record(await reader.get(`/v1/users/${handle}`))).toMatchObject({ id: '1', handle: 'Aurora' });
    expect(idsOf(await reader.get(`/v1/users/${handle}/tweets`))).toEqual(['501']);
  });

  it('I2: shares the cache between spellings', async () => {
    const reader = await service.customer();
    await reader.get('/v1/users/Aurora?fresh=true');
    expect((await reader.get('/v1/users/AURORA')).body.cache).toBe('hit');
    expect((await reader.get('/v1/users/@aurora')).body.cache).toBe('hit');
  });

  it('I3: all digits is always the id for {user}; @ forces the handle', async () => {
    const reader = await service.customer();
    expect(idsOf(await reader.get('/v1/users/12345/tweets'))).toEqual(['501']);
    expect(idsOf(await reader.get('/v1/users/@12345/tweets'))).toEqual(['502']);
  });

  it('I3: no fallback from the id to the handle', async () => {
    const reader = await service.customer();
    service.net.user({ id: '8', handle: '777' });
    expect((await reader.get('/v1/users/777/tweets')).status).toBe(404);
  });

  it('I4: all digits is a handle for {handle} and for handles; a 404 there points to the {user} routes', async () => {
    const reader = await service.customer();
    expect(record(await reader.get('/v1/users/12345'))).toMatchObject({ id: '7' });
    expect(idsOf(await reader.get('/v1/users/batch?handles=12345'))).toEqual(['7']);
    const missing = await reader.get('/v1/users/4242');
    expect([missing.status, missing.body.error.code]).toEqual([404, 'not_found']);
    expect(missing.body.error.message).toMatch(/id.*\/v1\/users\/\{user\}\//);
  });

  it.each([
    '/v1/users/a%20b',
    '/v1/users/a.b%21',
    `/v1/users/${'x'.repeat(400)}`,
    '/v1/users/007/tweets',
    '/v1/users/+7/followers',
    '/v1/users/@@Aurora',
    '/v1/users/%2540Aurora',
    '/v1/users/a%2Fb',
    '/v1/tweets/abc',
    '/v1/tweets/0501',
    '/v1/tweets/+501',
    '/v1/tweets/501%20',
    '/v1/tweets/-1/thread',
    `/v1/tweets/${'9'.repeat(701)}`,
    '/v1/tweets/5e2/quotes',
    '/v1/tweets/%00/retweeters',
  ])('I5, I7: %s cannot be: 404 before the balance, free', async (path) => {
    const calls = service.net.calls.length;
    const poor = await service.customer({ credits: 0 });
    const reply = await poor.get(path);
    expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
    expect(reply.body.error.message).toMatch(/handle|id\b/);
    expect(service.net.calls).toHaveLength(calls);
  });

  it('I6: resolves a handle to its current holder', async () => {
    const { net, clock } = service;
    const reader = await service.customer();
    net.user({ id: '20', handle: 'lamp' });
    expect(record(await reader.get('/v1/users/lamp')).id).toBe('20');
    net.user({ id: '20', handle: 'old_lamp' });
    net.user({ id: '21', handle: 'lamp' });
    expect(record(await reader.get('/v1/users/lamp?fresh=true')).id).toBe('21');
    expect(record(await reader.get('/v1/users/lamp')).id).toBe('21');
    clock.forget();
    expect(record(await reader.get('/v1/users/lamp')).id).toBe('21');
  });

  it('I8: a path is decoded once; one slash at the end is ignored; anything else is another path', async () => {
    const reader = await service.customer();
    expect((await reader.get('/v1/users/%41urora')).status).toBe(200);
    expect((await reader.get('/v1/users/Aurora/')).status).toBe(200);
    expect((await reader.get('/v1/users/Aurora/tweets/?count=1')).status).toBe(200);
    for (const path of [
      '/v1/users/Aurora//',
      '/v1//users/Aurora',
      '/v1/users//Aurora',
      '/V1/users/Aurora',
      '/v1/users/%zz',
    ]) {
      const reply = await reader.get(path);
      expect([path, reply.status, reply.body.error.code]).toEqual([path, 404, 'not_found']);
    }
  });
});
