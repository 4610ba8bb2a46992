import { describe, expect, it } from 'vitest';
import { Memories } from '../../../src/lib/memories.js';
import { PlayCredits } from '../../../src/metering/play-credits.js';
import type { Ledger } from '../../../src/ports/ledger.js';

type Refill = Parameters<Ledger['refill']>[0];

function setUp() {
  const clock = { nowMs: Date.UTC(2026, 10, 20, 23, 59), now: () => clock.nowMs };
  const refills: Refill[] = [];
  let fault: Error | null = null;
  const fail = (error: Error | null): void => {
    fault = error;
  };
  let ids = 0;
  const ledger = {
    async refill(refill: Refill) {
      refills.push(refill);
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (fault !== null) throw fault;
    },
  } as Pick<Ledger, 'refill'>;
  const credits = new PlayCredits({
    ledger,
    clock,
    newId: () => {
      ids += 1;
      return `row ${ids}`;
    },
    memories: new Memories(),
  });
  return { clock, credits, refills, fail };
}

describe('play credits', () => {
  it('are requested once per account and UTC day', async () => {
    const { clock, credits, refills } = setUp();
    for (const account of ['a', 'a', 'b', 'a']) await credits.refill(account);
    clock.nowMs += 60_000;
    await credits.refill('a');
    expect(refills).toEqual([
      { accountId: 'a', day: '2026-11-20', upTo: 10_000_000, requestId: 'row 1' },
      { accountId: 'b', day: '2026-11-20', upTo: 10_000_000, requestId: 'row 2' },
      { accountId: 'a', day: '2026-11-21', upTo: 10_000_000, requestId: 'row 3' },
    ]);
  });

  it('are requested once by calls that arrive together', async () => {
    const { credits, refills } = setUp();
    await Promise.all([credits.refill('a'), credits.refill('a'), credits.refill('b')]);
    expect(refills.map(({ accountId }) => accountId)).toEqual(['a', 'b']);
  });

  it('are requested again after the ledger failed every waiting call', async () => {
    const { credits, refills, fail } = setUp();
    fail(new Error('the ledger is away'));
    const waiting = await Promise.allSettled([credits.refill('a'), credits.refill('a')]);
    expect(waiting.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fail(null);
    await credits.refill('a');
    await credits.refill('a');
    expect(refills).toHaveLength(2);
  });
});
