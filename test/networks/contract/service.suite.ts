import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, type Customers, customersOf } from '../../kit/customers.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import type { StandIn } from './harness.js';

/** The whole service over the adapter: every `/v1` read, the same prices, and the first query of the README. */
export function serviceSuite(name: string, open: () => Promise<StandIn>): void {
  describe(`${name}: the whole service over it`, () => {
    let at: StandIn;
    let perch: TestPerch;
    let customers: Customers;
    beforeAll(async () => {
      at = await open();
      perch = await startPerch({ network: at.network, env: { PERCH_PACE_FAST: '1000', PERCH_PACE_SLOW: '1000' } });
      customers = customersOf(perch);
    });
    afterAll(async () => {
      await customers?.settle();
      await perch?.close();
      await at?.close();
    });

    const reads = (): [path: string, items: number][] => {
      const [harbor, question] = [at.userId('harbor'), at.tweetId('question')];
      const handles = [at.handle('ada'), at.handle('ben'), at.nobody.handle].join(',');
      const ids = [at.tweetId('answer'), at.tweetId('rich'), at.nobody.tweetId].join(',');
      return [
        [`/v1/users/${at.handle('harbor')}`, 1],
        [`/v1/users/batch?handles=${handles}`, 2],
        [`/v1/tweets/${at.tweetId('rich')}`, 1],
        [`/v1/tweets/batch?ids=${ids}`, 2],
        [`/v1/users/${harbor}/tweets?count=30`, 30],
        [`/v1/users/${harbor}/followers?count=30`, 30],
        [`/v1/users/${harbor}/followers/ids?count=30`, 30],
        [`/v1/users/${at.userId('ben')}/following?count=20`, 1],
        [`/v1/tweets/${question}/thread?count=10`, 4],
        [`/v1/tweets/${question}/replies?count=10`, 2],
        [`/v1/tweets/${question}/retweeters?count=10`, 1],
      ];
    };

    it('answers every read at the same price as on any network (section 1)', async () => {
      const reader: Customer = await customers.customer();
      for (const [path, items] of reads()) {
        const { status, body } = await reader.get(`${path}${path.includes('?') ? '&' : '?'}fresh=true`);
        expect([path, status, body.error?.message, body.items]).toEqual([path, 200, undefined, items]);
      }
    });

    it('answers each again as a hit at half the price', async () => {
      const reader = await customers.customer();
      for (const [path] of reads()) await reader.get(path);
      for (const [path, items] of reads()) {
        const { body } = await reader.get(path);
        expect([path, body.cache, body.items]).toEqual([path, 'hit', items]);
      }
    });

    it('answers a profile and its timeline in one query, for one credit each', async () => {
      const account = await perch.account();
      const query = `{ user(handle: "${at.handle('harbor')}") {
        name followersCount tweets(first: 20) { nodes { text createdAt author { handle } } pageInfo { hasNextPage } }
      } }`;
      const response = await fetch(`${perch.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': account.key },
        body: JSON.stringify({ query }),
      });
      const { data, errors, extensions } = (await response.json()) as {
        data: { user: { tweets: { nodes: unknown[]; pageInfo: unknown } } };
        errors?: unknown;
        extensions: { credits: { charged: number; breakdown: { items: number }[] } };
      };
      expect(errors).toBeUndefined();
      expect(data.user.tweets.nodes).toHaveLength(20);
      expect(data.user.tweets.pageInfo).toEqual({ hasNextPage: true });
      expect(extensions.credits.breakdown.reduce((sum, { items }) => sum + items, 0)).toBe(21);
    });

    it('answers a failing upstream free, with its code', async () => {
      const reader = await customers.customer();
      at.misbehave({ does: 'status', status: 503 });
      const { status, body } = await reader
        .get(`/v1/users/${at.handle('cleo')}?fresh=true`)
        .finally(() => at.misbehave(null));
      expect([status, body.error.code, body.credits_charged]).toEqual([503, 'upstream_error', 0]);
      expect(await reader.balance()).toBe(1000);
    });
  });
}
