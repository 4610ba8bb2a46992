import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { WalletCache } from '../../../src/metering/wallet-cache.js';
import type { Payer } from '../../../src/ports/ledger.js';
import { clock, debitOf, lateLedger, payer, settled } from './late-ledger.js';

describe('the balance as a process knows it', () => {
  it('loses an amount once, even if the balance is read between its commit and its booking', async () => {
    const books = lateLedger(1_000);
    const walletCache = new WalletCache(books.ledger, clock);
    const first = await walletCache.open(payer, 500, Infinity);
    first.take(500);
    first.post(books.ledger.post(debitOf(500)), 500, clock);
    let second: { left: number } | undefined;
    const opening = walletCache.open(payer, 500, Infinity).then((limit) => {
      second = limit;
    });
    await settled();
    // 500 are left and 500 are being posted: whether these are the same cannot be told yet.
    expect(second).toBeUndefined();
    books.confirm();
    await opening;
    expect(second?.left).toBe(500);
  });

  it('does not wait while enough is left, whatever happens to pending posts', async () => {
    const books = lateLedger(10_000);
    const walletCache = new WalletCache(books.ledger, clock);
    const first = await walletCache.open(payer, 9_000, Infinity);
    first.take(1_000);
    first.post(books.ledger.post(debitOf(1_000)), 1_000, clock);
    expect((await walletCache.open(payer, 8_000, Infinity)).left).toBeGreaterThanOrEqual(8_000);
  });

  it.each([
    ['is trusted for two seconds', 2_000, 100, 1],
    ['is read again after that', 2_001, 100, 2],
    ['is read again where it is not above twenty times the worst case', 0, 500, 2],
    ['is trusted where it is above that', 0, 499, 1],
  ])('%s', async (_, ageMs, worst, reads) => {
    const books = lateLedger(10_000);
    const read = vi.spyOn(books.ledger, 'balance');
    const later = { nowMs: 1_000_000, now: () => later.nowMs };
    const walletCache = new WalletCache(books.ledger, later);
    await walletCache.open(payer, 1, Infinity);
    later.nowMs += ageMs;
    await walletCache.open(payer, worst, Infinity);
    expect(read).toHaveBeenCalledTimes(reads);
  });

  it('counts the budget if it is below the worst case, and the cap of a key always', async () => {
    const books = lateLedger(10_000);
    const read = vi.spyOn(books.ledger, 'balance');
    const walletCache = new WalletCache(books.ledger, clock);
    await walletCache.open(payer, 1, Infinity);
    expect((await walletCache.open(payer, 1_000_000, 499)).left).toBe(499);
    expect(read).toHaveBeenCalledTimes(1);
    const capped = { ...payer, capThousandths: 300 };
    expect((await walletCache.open(capped, 1, Infinity)).left).toBe(300);
    expect(read).toHaveBeenCalledTimes(2);
  });

  it('needs no reading for a known price, unless it was too low, the key has a cap, or the budget is less', async () => {
    const books = lateLedger(700);
    const walletCache = new WalletCache(books.ledger, clock);
    // Nothing was read yet, so the ledger decides.
    expect(walletCache.openAtPrice(payer, 1_000, Infinity)?.left).toBeDefined();
    await walletCache.open(payer, 1, Infinity);
    expect(walletCache.openAtPrice(payer, 701, Infinity)).toBeUndefined();
    expect(walletCache.openAtPrice(payer, 700, 700)).toBeDefined();
    expect(walletCache.openAtPrice(payer, 700, 699)).toBeUndefined();
    expect(walletCache.openAtPrice({ ...payer, capThousandths: 5_000 }, 700, Infinity)).toBeUndefined();
  });

  it('takes off what other calls in flight are about to spend (M5)', async () => {
    const books = lateLedger(1_000);
    const walletCache = new WalletCache(books.ledger, clock);
    (await walletCache.open(payer, 700, Infinity)).take(700);
    expect((await walletCache.open(payer, 700, Infinity)).left).toBe(300);
  });

  it('includes a grant even while posts of the wallet hang', async () => {
    const books = lateLedger(500);
    const walletCache = new WalletCache(books.ledger, clock);
    const first = await walletCache.open(payer, 500, Infinity);
    first.take(500);
    first.post(books.ledger.post(debitOf(500)), 500, clock);
    books.move(5_000);
    expect((await walletCache.open(payer, 500, Infinity)).left).toBeGreaterThanOrEqual(500);
  });

  it('never replaces a newer figure with one that came late', async () => {
    const books = lateLedger(1_000);
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    let isSlow = false;
    const slow = {
      ...books.ledger,
      async balance(payer: Payer) {
        const figure = await books.ledger.balance(payer);
        if (isSlow) await held;
        return figure;
      },
    };
    const walletCache = new WalletCache(slow, clock);
    const first = await walletCache.open(payer, 400, Infinity);
    isSlow = true;
    const late = walletCache.open(payer, 400, Infinity);
    first.take(400);
    first.post(books.ledger.post(debitOf(400)), 400, clock);
    books.confirm();
    await settled();
    release();
    expect((await late).left).toBe(600);
  });

  it('is learnt from posts though others are always on their way, so a busy wallet is not read again', async () => {
    const books = lateLedger(100_000);
    const reads = vi.spyOn(books.ledger, 'balance');
    const late = { nowMs: 0, now: () => late.nowMs };
    const walletCache = new WalletCache(books.ledger, late);
    for (let call = 0; call < 50; call += 1) {
      const limit = await walletCache.open(payer, 100, Infinity);
      limit.take(100);
      limit.post(books.ledger.post(debitOf(100)), 100, late);
      // Two are always on their way, and confirmed in any order.
      if (books.unconfirmed > 2) books.confirm(call % 2);
      await settled();
      late.nowMs += 900;
    }
    expect(reads).toHaveBeenCalledTimes(1);
    while (books.unconfirmed > 0) books.confirm();
    await settled();
    expect((await walletCache.open(payer, 1e9, Infinity)).left).toBe(books.balance);
  });

  it('does not lose an amount twice when a later post is confirmed first', async () => {
    const books = lateLedger(1_000);
    const walletCache = new WalletCache(books.ledger, clock);
    const limits = [await walletCache.open(payer, 10, Infinity), await walletCache.open(payer, 10, Infinity)];
    for (const [nth, amount] of [400, 100].entries()) {
      limits[nth]?.take(amount);
      limits[nth]?.post(books.ledger.post(debitOf(amount)), amount, clock);
    }
    const third = await walletCache.open(payer, 10, Infinity);
    books.confirm(1);
    await settled();
    expect(third.left).toBe(500);
    books.confirm();
    await settled();
    expect(third.left).toBe(500);
  });

  it('equals the ledger’s after any schedule, and no call is refused that the ledger would accept', async () => {
    const step = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({ kind: fc.constant('call' as const), amount: fc.integer({ min: 1, max: 300 }) }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('confirm' as const), amount: fc.nat({ max: 5 }) }) },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('move' as const), amount: fc.integer({ min: 1, max: 400 }) }),
      },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('rest' as const), amount: fc.constant(0) }) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 60 }),
        fc.integer({ min: 0, max: 2_000 }),
        async (steps, credits) => {
          const books = lateLedger(credits);
          const walletCache = new WalletCache(books.ledger, clock);
          /** Amounts planned by calls that are not in the ledger. */
          let planned = 0;
          let granted = 0;
          const call = async (amount: number): Promise<void> => {
            const before = granted;
            const limit = await walletCache.open(payer, amount, Infinity);
            // What was there when the call came, and neither spent nor planned; a call that needs no more must not be
            // refused.
            const there = books.balance - (granted - before) - planned;
            expect(limit.left).toBeGreaterThanOrEqual(Math.min(amount, there));
            if (limit.left < amount) return limit.close();
            limit.take(amount);
            planned += amount;
            await settled();
            planned -= amount;
            const posting = books.ledger.post(debitOf(amount));
            limit.post(posting, amount, clock);
            await posting;
          };
          const calls: Promise<void>[] = [];
          for (const { kind, amount } of steps) {
            if (kind === 'call') calls.push(call(amount));
            else if (kind === 'confirm') books.confirm(Math.min(amount, Math.max(books.unconfirmed - 1, 0)));
            else if (kind === 'move') {
              granted += amount;
              books.move(amount);
            } else await settled();
          }
          let isOver = false;
          const all = Promise.all(calls).then(() => {
            isOver = true;
          });
          while (!isOver) {
            books.confirm();
            await Promise.race([all, settled()]);
          }
          const limit = await walletCache.open(payer, 1e9, Infinity);
          expect(limit.left).toBe(books.balance);
        },
      ),
      { numRuns: 100 },
    );
  });
});
