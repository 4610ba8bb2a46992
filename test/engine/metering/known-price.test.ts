import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SpendingLimit } from '../../../src/metering/spending-limit.js';
import { WalletCache } from '../../../src/metering/wallet-cache.js';
import { clock, debitOf, lateLedger, payer, settled } from './late-ledger.js';

describe('the balance for a known price', () => {
  it('is not needed for a known price, unless it was too low when it was last read (M17)', async () => {
    const books = lateLedger(250);
    const walletCache = new WalletCache(books.ledger, clock);
    expect(walletCache.openAtPrice(payer, 1_000, Infinity)).toBeDefined();
    await walletCache.open(payer, 1_000, Infinity);
    expect(walletCache.openAtPrice(payer, 251, Infinity)).toBeUndefined();
    const limit = walletCache.openAtPrice(payer, 200, Infinity);
    limit?.take(200);
    expect(walletCache.openAtPrice(payer, 100, Infinity)).toBeUndefined();
    limit?.close();
    expect(walletCache.openAtPrice(payer, 100, Infinity)).toBeDefined();
  });

  it('is read for a key with a cap, and for a budget below the price (U6, M26)', () => {
    const walletCache = new WalletCache(lateLedger(1_000).ledger, clock);
    expect(walletCache.openAtPrice({ ...payer, capThousandths: 1e9 }, 100, Infinity)).toBeUndefined();
    expect(walletCache.openAtPrice(payer, 100, 99)).toBeUndefined();
    expect(walletCache.openAtPrice(payer, 100, 100)).toBeDefined();
  });

  it('equals the ledger’s after any schedule with known prices, less at most what is on its way', async () => {
    const amount = fc.integer({ min: 1, max: 300 });
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('read' as const, 'price' as const), amount }) },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('confirm' as const), amount: fc.nat({ max: 5 }) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('grant' as const), amount }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('rest' as const), amount: fc.constant(0) }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat({ max: 2_000 }), async (steps, credits) => {
        const books = lateLedger(credits);
        const walletCache = new WalletCache(books.ledger, clock);
        let granted = 0;
        let paid = 0;
        let onTheWay = 0;
        const post = async (limit: SpendingLimit, price: number): Promise<boolean> => {
          limit.take(price);
          onTheWay += price;
          const posting = books.ledger.post(debitOf(price));
          limit.post(posting, price, clock);
          const { ok } = await posting;
          onTheWay -= price;
          if (ok) paid += price;
          return ok;
        };
        const read = async (price: number): Promise<void> => {
          const limit = await walletCache.open(payer, price, Infinity);
          expect(limit.left).toBeGreaterThanOrEqual(Math.min(price, books.balance - onTheWay - granted));
          if (limit.left < price) return limit.close();
          await post(limit, price);
        };
        const atPrice = async (price: number): Promise<void> => {
          const limit = walletCache.openAtPrice(payer, price, Infinity);
          if (limit === undefined || !(await post(limit, price))) await read(price);
        };
        const calls: Promise<void>[] = [];
        for (const { kind, amount } of steps) {
          if (kind === 'read') calls.push(read(amount));
          else if (kind === 'price') calls.push(atPrice(amount));
          else if (kind === 'confirm') books.confirm(Math.min(amount, Math.max(books.unconfirmed - 1, 0)));
          else if (kind === 'grant') {
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
        expect(books.balance).toBe(credits + granted - paid);
        expect((await walletCache.open(payer, 1e9, Infinity)).left).toBe(books.balance);
      }),
      { numRuns: 300 },
    );
  });
});
