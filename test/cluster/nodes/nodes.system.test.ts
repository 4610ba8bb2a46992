/** Three processes, one Postgres, one Redis: one service. Every promise is shown as a count. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { toThousandths } from '../../../src/domain/credits.js';
import { describeOnRedis } from '../../kit/redis/redis.js';
import { whileRedisIsUp } from '../failover/load.js';
import { type Answer, get, inParallel, untilRefused } from './client.js';
import { fillPeople, handleOf, tweetOf } from './network.js';
import { type Fleet, openFleet } from './nodes.js';

const SLOW_MS = 120_000;

/** A node's status. Without a key an address has ten requests a second over all nodes, and these tests send more. */
const statusOf = (url: string): Promise<Answer> =>
  vi.waitFor(
    async () => {
      const answer = await get(`${url}/status`);
      expect(answer.status).toBe(200);
      return answer;
    },
    { interval: 300, timeout: 20_000 },
  );

/** Upstream calls of a family on all nodes so far. */
async function upstreamCalls(fleet: Fleet, family: 'fast' | 'slow'): Promise<number> {
  const answers = await Promise.all(fleet.nodes.map(({ url }) => statusOf(url)));
  return answers.reduce((sum, { body }) => {
    const found = (body.families as { name: string; upstreamCalls: number }[]).find(({ name }) => name === family);
    return sum + (found?.upstreamCalls ?? Number.NaN);
  }, 0);
}

const answersOf = (results: readonly PromiseSettledResult<Answer>[]): Answer[] =>
  results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });

const sumOf = (answers: readonly Answer[]): number =>
  answers.reduce((sum, { body }) => sum + toThousandths(body.credits_charged ?? 0), 0) / 1000;

describeOnRedis('three nodes', (redis) => {
  const PACE = 5;
  let fleet: Fleet;
  beforeAll(async () => {
    fleet = await openFleet({
      redisUrl: redis().urls[0] ?? '',
      env: { PERCH_PACE_FAST: String(PACE), PERCH_PACE_SLOW: String(PACE) },
      prepare: fillPeople,
    });
  }, SLOW_MS);
  afterAll(() => fleet?.close());

  /** The same of each node in turn. */
  const onNode = (n: number, path: string): string => `${fleet.nodes[n % fleet.nodes.length]?.url}${path}`;
  const balanceOf = async (key: string): Promise<number> =>
    (await get(onNode(0, '/v1/me'), key)).body.balance_remaining;

  /** The answers to so many requests, the upstream calls that they took, and the time. */
  async function callsFor(
    family: 'fast' | 'slow',
    width: number,
    length: number,
    request: (n: number) => Promise<Answer>,
  ) {
    const before = await upstreamCalls(fleet, family);
    const startedAt = performance.now();
    const requests = Array.from({ length }, (_, n) => () => request(n));
    const answers = answersOf(await inParallel(width, requests));
    const seconds = (performance.now() - startedAt) / 1000;
    return { answers, calls: (await upstreamCalls(fleet, family)) - before, seconds };
  }

  it('make one upstream call for 1,000 identical cold reads: one full price, the others hits (M7)', {
    timeout: SLOW_MS,
  }, async () => {
    const { key, answers, calls } = await whileRedisIsUp(fleet, async (nth) => {
      const { key } = await fleet.account();
      const path = `/v1/users/${handleOf(1400 + nth)}`;
      return { key, ...(await callsFor('fast', 300, 1000, (n) => get(onNode(n, path), key))) };
    });
    expect(answers.map(({ status }) => status)).toEqual(Array(1000).fill(200));
    expect(calls).toBe(1);
    const labels = answers.map(({ body }) => body.cache);
    expect(labels.filter((label) => label === 'miss')).toHaveLength(1);
    expect(sumOf(answers)).toBe(1 + 999 / 2);
    expect(await balanceOf(key)).toBe(100_000 - sumOf(answers));
  });

  it('read 300 distinct cold profiles, at five calls a second, in six calls at most (8.1.7)', {
    timeout: SLOW_MS,
  }, async () => {
    const { key } = await fleet.account();
    let fewest = Number.POSITIVE_INFINITY;
    // On a busy machine, requests may arrive over more than the second in which these calls are made.
    for (const first of [100, 400, 900]) {
      const read = (n: number) => get(onNode(n, `/v1/users/${handleOf(first + n)}`), key);
      const { answers, calls } = await callsFor('fast', 300, 300, read);
      expect(answers.map(({ status }) => status)).toEqual(Array(300).fill(200));
      fewest = Math.min(fewest, calls);
      if (fewest <= 6) break;
    }
    expect(fewest).toBeLessThanOrEqual(6);
  });

  it('keep one pace: however many nodes ask, no more calls than it has places for (8.1.7)', {
    timeout: SLOW_MS,
  }, async () => {
    const { key } = await fleet.account();
    const { answers, calls, seconds } = await whileRedisIsUp(fleet, (nth) =>
      callsFor('slow', 24, 24, (n) => get(onNode(n, `/v1/tweets/search?q=word${100 * nth + n + 1}`), key)),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(24).fill(200));
    expect(calls).toBe(24);
    // 24 places lie 23 intervals apart, less what is caught up.
    expect(seconds).toBeGreaterThan((23 / PACE) * 0.95 - 0.1);
  });

  it('answer the same 404, free, on every node (M7, M24)', { timeout: SLOW_MS }, async () => {
    const { key } = await fleet.account();
    const { answers, calls } = await whileRedisIsUp(fleet, (nth) =>
      callsFor('fast', 30, 30, (n) => get(onNode(n, `/v1/users/nobody_${nth}`), key)),
    );
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.error.code} ${body.error.message}`)).size).toBe(
      1,
    );
    expect(answers[0]).toMatchObject({ status: 404, body: { error: { code: 'not_found' }, credits_charged: 0 } });
    expect(calls).toBe(1);
  });

  it('hold together: what one has read is a hit on all, at half the price', { timeout: SLOW_MS }, async () => {
    const { key } = await fleet.account();
    const charged = await whileRedisIsUp(fleet, async (nth) => {
      const all = [];
      for (const n of [0, 1, 2, 0]) {
        all.push((await get(onNode(n, `/v1/tweets/${tweetOf(700 + nth)}`), key)).body.credits_charged);
      }
      return all;
    });
    expect(charged).toEqual([1, 0.5, 0.5, 0.5]);
  });

  it('have one rate limit per account: the bucket is not one per node (L3)', { timeout: SLOW_MS }, async () => {
    const QPS = 20;
    const { answers, seconds } = await whileRedisIsUp(fleet, async () => {
      const { key } = await fleet.account({ qps: QPS });
      return callsFor('fast', 60, 300, (n) => get(onNode(n, '/v1/me'), key));
    });
    const allowed = answers.filter(({ status }) => status === 200).length;
    expect(allowed).toBeGreaterThanOrEqual(QPS);
    expect(allowed).toBeLessThanOrEqual(QPS + Math.ceil(seconds * QPS));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  });

  it('never overspend a wallet that all draw on at once (M5, M17)', { timeout: SLOW_MS }, async () => {
    const { key, walletId } = await fleet.account({ credits: 60 });
    await get(onNode(0, `/v1/users/${handleOf(2)}`), (await fleet.account()).key);
    const reads = Array.from({ length: 400 }, (_, n) => () => get(onNode(n, `/v1/users/${handleOf(2)}`), key));
    const answers = answersOf(await inParallel(100, reads));
    const delivered = answers.filter(({ status }) => status === 200);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 402]));
    expect(sumOf(delivered)).toBe(60);
    const [row] = await fleet.database.sql<{ balance: number }[]>`
      select balance_thousandths as balance from wallets where wallet_id = ${walletId}`;
    expect(Number(row?.balance)).toBe(0);
    expect(await fleet.ledgerCheck()).toMatchObject({ ok: true });
  });

  const refusedEverywhere = (key: string): Promise<number> =>
    untilRefused(
      fleet.nodes.map(({ url }) => url),
      key,
    );

  it('refuse a key that was revoked on one within five seconds (A9)', { timeout: SLOW_MS }, async () => {
    const { key } = await fleet.account();
    await Promise.all([0, 1, 2].map((n) => get(onNode(n, '/v1/me'), key)));
    await fleet.cli('key', 'revoke', key.slice(0, 17));
    expect(await refusedEverywhere(key)).toBeLessThan(5000);
  });

  it('refuse it in that time also when the message is lost (A9)', { timeout: SLOW_MS }, async () => {
    const { key, accountId } = await fleet.account();
    await Promise.all([0, 1, 2].map((n) => get(onNode(n, '/v1/me'), key)));
    // Triggers tell the nodes; a replica's session fires none.
    await fleet.database.sql.begin(async (quiet) => {
      await quiet`set local session_replication_role = replica`;
      await quiet`update keys set revoked_at = now() where account_id = ${accountId}`;
    });
    expect(await refusedEverywhere(key)).toBeLessThan(5000);
  });

  it('hide what one of them found withdrawn (M25)', { timeout: SLOW_MS }, async () => {
    const { key } = await fleet.account();
    const timeline = '/v1/users/800/tweets';
    for (const n of [0, 1, 2]) expect((await get(onNode(n, timeline), key)).body.data).toHaveLength(1);
    await fleet.database.sql`delete from corpus_tweets where id = ${tweetOf(800)}`;
    expect((await get(onNode(0, `/v1/tweets/${tweetOf(800)}?fresh=true`), key)).status).toBe(404);
    await vi.waitFor(
      async () => {
        for (const n of [0, 1, 2]) {
          expect((await get(onNode(n, timeline), key)).body.data).toEqual([]);
          expect((await get(onNode(n, `/v1/tweets/${tweetOf(800)}`), key)).status).toBe(404);
        }
      },
      { timeout: 3000, interval: 100 },
    );
  });

  it('let a light account pass a heavy one that fills the queues of all (L7)', { timeout: SLOW_MS }, async () => {
    const heavy = await fleet.account();
    const light = await fleet.account();
    const searches = Array.from(
      { length: 60 },
      (_, n) => () => get(onNode(n, `/v1/tweets/search?q=word${n + 900}`), heavy.key),
    );
    const all = inParallel(60, searches);
    const queued = async () => (await get(onNode(1, '/status'))).body.families[1].queueLength;
    await vi.waitFor(async () => expect(await queued()).toBeGreaterThan(5), { timeout: 10_000 });
    const startedAt = performance.now();
    expect((await get(onNode(1, '/v1/tweets/search?q=word899'), light.key)).status).toBe(200);
    // 60 searches take 12 s at this pace; a place goes to each node in turn.
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(answersOf(await all).map(({ status }) => status)).toEqual(Array(60).fill(200));
  });
});
