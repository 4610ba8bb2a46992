/**
 * The lists of `/v1`: a table of them, and the special behaviour of each, over one service. Searches:
 * `search.postgres.test.ts`.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../../kit/client.js';
import { LIST_ENDPOINTS, type ListEndpoint } from './list-endpoints.js';
import { behavesLikeAllLists } from './lists.js';
import { type Service, startService } from './service.js';
import { PEOPLE, TWEETS } from './small-corpus.js';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());

/** The special behaviour of some lists, by their names. */
const MORE: Readonly<Record<ListEndpoint['name'], (list: ListEndpoint) => void>> = {
  'GET /v1/users/{user}/tweets': ({ of, ids }) => {
    it('200: the same list by id and by handle, newest first (rule 5)', async () => {
      const reader = await service.customer();
      const byId = await reader.get(of(PEOPLE.observatory));
      const byHandle = await reader.get(of('@aurora_obs'));
      expect(idsOf(byId)).toEqual(ids.slice(0, 20));
      expect(idsOf(byHandle)).toEqual(idsOf(byId));
      expect(byHandle.body.cache).toBe('hit');
    });
  },

  'GET /v1/users/{user}/followers/ids': ({ of, subject }) => {
    it('200: an IdPage of numeric ids as strings', async () => {
      const reader = await service.customer();
      const { body } = await reader.get(`${of(subject)}?count=3`);
      expect(body.data).toEqual(['1001', '1002', '1003']);
    });

    it('200: a page of followers makes the page of ids a hit, and vice versa (section 1, M15)', async () => {
      const reader = await service.customer();
      service.clock.forget();
      await reader.get('/v1/users/Aurora_Obs/followers?count=50');
      const ids = await reader.get(`${of(subject)}?count=50`);
      expect([ids.body.cache, ids.body.credits_charged]).toEqual(['hit', 0.5]);
      service.clock.forget();
      await reader.get(`${of(subject)}?count=50`);
      const profiles = await reader.get('/v1/users/Aurora_Obs/followers?count=50');
      expect([profiles.body.cache, profiles.body.credits_charged]).toEqual(['hit', 2.5]);
      expect(idsOf(profiles)).toEqual(idsOf(ids));
    });
  },

  'GET /v1/tweets/{id}/replies': ({ of }) => {
    it('200: direct replies only, not the thread above and not nested ones', async () => {
      const reader = await service.customer();
      expect(idsOf(await reader.get(of(TWEETS.answer)))).toEqual([TWEETS.deeper]);
      const all = idsOf(await reader.get(`${of(TWEETS.root)}?count=50`));
      expect(all).toContain(TWEETS.answer);
      expect(all).not.toContain(TWEETS.deeper);
      expect(all).not.toContain(TWEETS.root);
    });
  },

  'GET /v1/tweets/{id}/thread': ({ of }) => {
    it('200: the focal tweet first, then its ancestors from the root, then its descendants (T1)', async () => {
      const reader = await service.customer();
      expect(idsOf(await reader.get(of(TWEETS.answer)))).toEqual(['60002', '60001', '60003']);
      expect(idsOf(await reader.get(of(TWEETS.deeper)))).toEqual(['60003', '60001', '60002']);
    });

    it('200: a tweet without a conversation is a thread of one', async () => {
      const reader = await service.customer();
      const reply = await reader.get(`${of(TWEETS.photo)}?fresh=true`);
      expect(idsOf(reply)).toEqual([TWEETS.photo]);
      expect(reply.body.credits_charged).toBe(2);
    });
  },
};

describe.each(LIST_ENDPOINTS.map((list) => [list.name, list] as const))('%s', (_name, list) => {
  behavesLikeAllLists(() => service, list);
  MORE[list.name]?.(list);
});
