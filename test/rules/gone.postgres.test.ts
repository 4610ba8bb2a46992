import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../kit/client.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

describe('missing and withdrawn objects (M24, M25, T9)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(9));
        net.tweets(range(30, 500));
        net.list('followers', '1', ['2', '3', '4', '5']);
        for (const [user, first] of [
          ['6', 500],
          ['7', 510],
          ['8', 520],
        ] as const) {
          net.list('timeline', user, range(10, first).reverse().map(String));
        }
      },
    });
  });
  afterAll(() => service.close());

  it('M24: remembers a 404 for a minute, free of charge, unless fresh is set', async () => {
    const { net, clock } = service;
    const reader = await service.customer();
    const calls = net.calls.length;
    const statuses = async (path: string) => (await reader.get(path)).status;
    expect(await statuses('/v1/users/later')).toBe(404);
    clock.advance(59_999);
    expect(await statuses('/v1/users/later')).toBe(404);
    expect(await statuses('/v1/users/LATER')).toBe(404);
    expect(net.calls).toHaveLength(calls + 1);
    net.user({ id: '77', handle: 'later' });
    expect(await statuses('/v1/users/later?fresh=true')).toBe(200);
    expect(await statuses('/v1/users/later')).toBe(200);
    expect(await statuses('/v1/tweets/777')).toBe(404);
    net.tweet({ id: '777' });
    expect(await statuses('/v1/tweets/777')).toBe(404);
    clock.advance(60_000);
    expect(await statuses('/v1/tweets/777')).toBe(200);
  });

  it('M25: removes a deleted tweet at once from the cache, lists included', async () => {
    const reader = await service.customer();
    const before = await reader.get('/v1/users/6/tweets');
    expect(idsOf(before)).toContain('505');
    // From the third time on, the answer itself is cached.
    for (const _time of ['held', 'kept']) expect(idsOf(await reader.get('/v1/users/6/tweets'))).toEqual(idsOf(before));
    service.net.remove('505', 'deleted');
    for (const _time of ['held', 'kept']) expect((await reader.get('/v1/tweets/505')).body.cache).toBe('hit');
    expect((await reader.get('/v1/tweets/505?fresh=true')).status).toBe(404);
    const plain = await reader.get('/v1/tweets/505');
    expect([plain.status, plain.body.error.reason]).toEqual([404, 'deleted']);
    const after = await reader.get('/v1/users/6/tweets');
    expect(after.body.cache).toBe('hit');
    expect(idsOf(after)).toEqual(idsOf(before).filter((id) => id !== '505'));
    expect(after.body.credits_charged).toBe(4.5);
    const batch = await reader.get('/v1/tweets/batch?ids=504,505');
    expect(batch.body.errors).toMatchObject([{ input: '505', code: 'not_found' }]);
  });

  it('M25: removes a withdrawn profile by id, by handle and from lists', async () => {
    const reader = await service.customer();
    for (const _time of ['read', 'held', 'kept']) {
      expect(idsOf(await reader.get('/v1/users/1/followers'))).toEqual(['2', '3', '4', '5']);
    }
    expect((await reader.get('/v1/users/user3')).status).toBe(200);
    service.net.remove('3', 'suspended');
    expect((await reader.get('/v1/users/user3?fresh=true')).status).toBe(404);
    const plain = await reader.get('/v1/users/USER3');
    expect([plain.status, plain.body.error.reason]).toEqual([404, 'suspended']);
    const after = await reader.get('/v1/users/1/followers');
    expect([after.body.cache, idsOf(after)]).toEqual(['hit', ['2', '4', '5']]);
    const ids = await reader.get('/v1/users/1/followers/ids');
    expect([ids.body.cache, idsOf(ids)]).toEqual(['hit', ['2', '4', '5']]);
    const batch = await reader.get('/v1/users/batch?handles=user3,user4');
    expect(batch.body.errors).toMatchObject([{ input: 'user3', code: 'not_found' }]);
  });

  it.each(['suspended', 'deactivated', 'withheld', 'private', 'deleted'])(
    'T9: answers 404 not_found with the reason of the network: %s',
    async (reason) => {
      const { net } = service;
      net.remove(net.user({ id: `9${reason.length}${reason.charCodeAt(0)}`, handle: `was_${reason}` }).id, reason);
      const reader = await service.customer();
      for (const _time of ['read', 'remembered']) {
        const reply = await reader.get(`/v1/users/was_${reason}`);
        expect([reply.status, reply.body.error.code, reply.body.error.reason]).toEqual([404, 'not_found', reason]);
      }
    },
  );
});
