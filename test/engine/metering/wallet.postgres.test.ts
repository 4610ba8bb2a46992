import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toThousandths } from '../../../src/domain/credits.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';
import { calls, make } from './calls.js';

describe('a wallet under any mix of simultaneous calls, through both interfaces of two nodes', () => {
  let perch: TestPerch;
  let second: Awaited<ReturnType<TestPerch['another']>>;
  let clock: ManualClock;
  beforeAll(async () => {
    clock = manualClock();
    const net = createScriptedNetwork();
    net.users(range(40));
    for (const id of range(30, 101)) net.tweet({ id: String(id), authorId: '1', quotedId: String(id - 1) });
    const tweets = range(30, 101).reverse().map(String);
    net.list('timeline', '1', tweets, { pageSize: 7 });
    net.list('followers', '1', range(30, 5).map(String), { pageSize: 9 });
    net.list('following', '1', range(3, 5).map(String));
    for (const kind of ['thread', 'replies', 'quotes'] as const) net.list(kind, '120', tweets.slice(3, 17));
    net.list('retweeters', '120', range(9, 5).map(String));
    perch = await startPerch({ clock, network: net.network });
    second = await perch.another();
  });
  afterAll(async () => {
    await second.close();
    await perch.close();
  });

  const rounds = fc.array(fc.array(fc.tuple(calls, fc.boolean()), { minLength: 1, maxLength: 6 }), {
    minLength: 1,
    maxLength: 4,
  });

  it('falls by exactly what the calls were charged, and never below zero (M5, M16, M17)', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.constantFrom(0, 0.5, 3, 12.34, 40, 500), async (some, credits) => {
        clock.forget();
        const account = await perch.account({ credits });
        let spent = 0;
        for (const round of some) {
          const bills = await Promise.all(
            round.map(([call, elsewhere]) => make(call, elsewhere ? second.url : perch.url, account.key)),
          );
          spent += bills.reduce((sum, { charged }) => sum + toThousandths(charged), 0);
          expect(toThousandths(await perch.balance(account))).toBe(toThousandths(credits) - spent);
        }
      }),
      { numRuns: 40 },
    );
    expect((await perch.ledger.check()).faults).toEqual([]);
  });

  it('has keys that stay within their caps, and pays for nothing else (U6)', async () => {
    await fc.assert(
      fc.asyncProperty(rounds, fc.constantFrom(0.5, 3, 12.34), async (some, cap) => {
        clock.forget();
        const account = await perch.account({ credits: 100, cap });
        let spent = 0;
        for (const round of some) {
          const bills = await Promise.all(
            round.map(([call, elsewhere]) => make(call, elsewhere ? second.url : perch.url, account.key)),
          );
          spent += bills.reduce((sum, { charged }) => sum + toThousandths(charged), 0);
        }
        expect(spent).toBeLessThanOrEqual(toThousandths(cap));
        expect(toThousandths(await perch.balance(account))).toBe(toThousandths(100) - spent);
      }),
      { numRuns: 20 },
    );
    expect((await perch.ledger.check()).faults).toEqual([]);
  });

  it('holds nothing back after many simultaneous calls: the rest can be spent to the last thousandth (M5)', async () => {
    clock.forget();
    const account = await perch.account({ credits: 20 });
    const one = (id: number) => make({ rest: `/v1/tweets/${id}`, maxCredits: undefined }, perch.url, account.key);
    const together = await Promise.all(range(30, 101).map(one));
    const paid = together.filter(({ status }) => status === 200);
    // M16: each answer shows the balance of its own row.
    expect(new Set(paid.map(({ remaining }) => remaining)).size).toBe(paid.length);
    clock.forget();
    for (let left = await perch.balance(account); left > 0; left -= 1) expect((await one(100 + left)).charged).toBe(1);
    expect(await perch.balance(account)).toBe(0);
  });

  it('gives the last credit to one of two nodes, and a free 402 to the other (M17)', async () => {
    for (const _ of range(10)) {
      clock.forget();
      const account = await perch.account({ credits: 1 });
      const bills = await Promise.all(
        [perch.url, second.url].map((url) => make({ rest: '/v1/tweets/110', maxCredits: undefined }, url, account.key)),
      );
      expect(bills.map(({ status, charged }) => [status, charged]).sort()).toEqual([
        [200, 1],
        [402, 0],
      ]);
    }
  });
});
