/** How often an account can add and resume watches. */
import { expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { Positions } from '../../../src/live/positions.js';
import { Watches, type WatchesOptions } from '../../../src/watches/watches.js';
import { manualClock } from '../../kit/time/manual-clock.js';

const SECRET = new Uint8Array(32);

/** Watches over a book that stores nothing and a list that can always be read. */
function openWatches() {
  const clock = manualClock();
  const positions = new Positions(SECRET);
  const written: string[] = [];
  const book = {
    sendsTo: async () => true,
    keyHash: async () => 'abcd',
    add: async (watch: object) => {
      written.push('added');
      return { ...watch, state: 'active' };
    },
    change: async (of: object, to: string) => {
      written.push(to);
      return { ...of, state: to };
    },
  };
  async function* follow() {
    const list = { kind: 'timeline', subject: '7' };
    yield { kind: 'begin', position: positions.begin(clock.now(), 'everything'), followed: { list } };
  }
  const watches = new Watches({
    ...{ book, clock, live: { follow, positions }, form: { call: () => ({}) }, webhooks: { check: async () => 'w' } },
    ...{ limiter: createMemoryRateLimiter({ clock }), secret: SECRET, wake: () => {} },
  } as unknown as WatchesOptions);
  const of = (accountId: string, qps = 1) => ({ accountId, watchId: 'w', keyId: 'k', qps });
  const request = { subjects: { user: '7' }, webhookUrl: 'https://example.org/', dailyLimit: null };
  return {
    clock,
    written,
    add: (accountId: string) => watches.add(of(accountId), request, OPERATOR, new AbortController().signal),
    change: (to: 'active' | 'paused' | 'ended', accountId: string, qps?: number) =>
      watches.change(of(accountId, qps), to, OPERATOR),
  };
}

it('adds and resumes watches 200 times an hour together, and pauses and ends them always', async () => {
  const { add, change, clock, written } = openWatches();
  for (let nth = 0; nth < 100; nth += 1) {
    await add('a');
    await change('paused', 'a');
    await change('active', 'a');
  }
  const limited = { code: 'rate_limited', message: expect.stringContaining('200 times an hour'), retryAfter: 18 };
  await expect(change('active', 'a')).rejects.toMatchObject(limited);
  await expect(add('a')).rejects.toMatchObject(limited);
  expect(written).toHaveLength(300);
  for (const to of ['paused', 'ended'] as const) await change(to, 'a');
  await add('b');
  clock.advance(18_000);
  await change('active', 'a');
  await expect(change('active', 'a')).rejects.toMatchObject(limited);
});

it('resumes all watches of an account of a higher tier twice in an hour', async () => {
  const { change } = openWatches();
  for (let nth = 0; nth < 2 * 20 * 50; nth += 1) await change('active', 'a', 50);
  await expect(change('active', 'a', 50)).rejects.toMatchObject({ message: expect.stringContaining('2,000 times') });
});
