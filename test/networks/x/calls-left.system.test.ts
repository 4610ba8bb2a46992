import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createRedisCallsLeft } from '../../../adapters/redis/calls-left.js';
import { openRedis, type RedisLink } from '../../../adapters/redis/link.js';
import type { Network } from '../../../src/ports/network.js';
import { describeOnBoth, patient } from '../../kit/redis/redis.js';
import { until } from '../../kit/time/until.js';
import { context, post, scripting, user } from './support/scripted.js';

const scripted = scripting();
const clock = { now: Date.now };

describeOnBoth('the calls that X has left, in two processes', (redis) => {
  let links: RedisLink[] = [];
  const openLinks = (deadlineMs = 2000) =>
    Promise.all([1, 2].map(() => openRedis(redis().urls, { ...patient, deadlineMs })));
  beforeAll(async () => {
    links = await openLinks();
  });
  afterAll(() => Promise.all(links.map((link) => link.close())));
  beforeEach(() => redis().flush());

  /**
   * The adapters of two processes over one X. `left` is what its next answer states; undefined: a failure that states
   * nothing.
   */
  async function openTwo(left: () => number | undefined, { resetsInSeconds = 600, over = links } = {}) {
    const resets = String(Math.ceil(Date.now() / 1000) + resetsInSeconds);
    const answer = ({ path }: { path: string }) => {
      const remaining = left();
      if (remaining === undefined) return { status: 500, body: {} };
      const data = path.includes('/users') ? [user('5')] : [post('30')];
      const headers = { 'x-rate-limit-remaining': String(remaining), 'x-rate-limit-reset': resets };
      return { headers, body: { data, meta: { next_token: 'more' } } };
    };
    const options = (n: 0 | 1) => ({ clock, callsLeft: createRedisCallsLeft(over[n] as RedisLink) });
    const one = await scripted(answer, { ...options(0), bearerTokens: ['same', 'other'] });
    const two = await scripted(answer, { ...options(1), baseUrl: one.baseUrl, bearerTokens: ['same'] });
    return { one: one.network, two: two.network, requests: one.requests };
  }
  const search = (network: Network, q = 'a', session = 'token 1') =>
    network.page({ kind: 'search', subject: q, product: 'Latest' }, null, context({ session }));
  const refused = { code: 'upstream_rate_limited' };

  it('are refused to one process after the other has used them up, as is what would need such a call (L21)', async () => {
    const { one, two, requests } = await openTwo(() => 0);
    const followers = { kind: 'followers', subject: '5' } as const;
    await search(one);
    await one.page(followers, 'more', context());
    await expect(search(two)).rejects.toMatchObject(refused);
    await expect(two.page(followers, null, context())).rejects.toMatchObject(refused);
    expect(requests).toHaveLength(2);
    await search(one, 'a', 'token 2');
    expect(requests).toHaveLength(3);
  });

  it('are not exceeded by simultaneous calls of both (L21)', async () => {
    let left = 5;
    const { one, two, requests } = await openTwo(() => {
      left -= 1;
      return Math.max(0, left);
    });
    await search(one);
    const outcomes = await Promise.allSettled(
      [one, two, one, two, one, two].map((network, n) => search(network, `${n}`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
    expect(requests).toHaveLength(5);
  });

  it('are learned from one call at a time while no process knows them (L21)', async () => {
    let left = 3;
    const { one, two, requests } = await openTwo(() => {
      left -= 1;
      return Math.max(0, left);
    });
    const outcomes = await Promise.allSettled(
      [one, two, one, two, one, two].map((network, n) => search(network, `${n}`)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(requests).toHaveLength(3);
  });

  it('are not waited for after an answer that does not state them', async () => {
    const { one, two, requests } = await openTwo(() => undefined);
    const failed = { code: 'upstream_error' };
    await Promise.all(
      [one, two, one, two].map((network, n) => expect(search(network, `${n}`)).rejects.toMatchObject(failed)),
    );
    expect(requests).toHaveLength(4);
  });

  it('are not reduced by a call that X did not count', async () => {
    const answers = [1, undefined, 0];
    const { one, two, requests } = await openTwo(() => answers.shift());
    await search(one);
    await expect(search(two)).rejects.toMatchObject({ code: 'upstream_error' });
    await search(one, 'b');
    await expect(search(two)).rejects.toMatchObject(refused);
    expect(requests).toHaveLength(3);
  });

  it('are unknown again after the reset', async () => {
    const { one, two, requests } = await openTwo(() => 0, { resetsInSeconds: 8 });
    await search(one);
    await expect(search(two)).rejects.toMatchObject(refused);
    await until('it resets', () =>
      search(two).then(
        () => true,
        () => false,
      ),
    );
    expect(requests).toHaveLength(2);
  });

  it('are those that each has learned itself while Redis is away', async () => {
    // A pause as long as the node timeout would make the nodes of a cluster give each other up.
    const over = await openLinks(500);
    const { one, two, requests } = await openTwo(() => 0, { over });
    redis().pause();
    await Promise.all([search(one), search(two)]);
    for (const network of [one, two]) await expect(search(network)).rejects.toMatchObject(refused);
    redis().resume();
    await until('both links are up again', () => over.every((link) => link.state().up));
    await Promise.all(over.map((link) => link.close()));
    expect(requests).toHaveLength(2);
  });
});
