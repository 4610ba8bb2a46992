import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Posted } from '../../../../src/ports/ledger.js';
import { addPayerKey, debitOf, grantTo, type LedgerStore, openPayer, type Payer, spentBy } from './ledger.suite.js';

const steps = fc.array(
  fc.record({
    /** Which of two wallets, which of its two keys (the second has a cap), and which node. */
    wallet: fc.constantFrom(0 as const, 1 as const),
    key: fc.constantFrom(0 as const, 1 as const),
    node: fc.constantFrom(0 as const, 1 as const),
    kind: fc.constantFrom('grant', 'debit', 'debit', 'debit', 'repeat'),
    amount: fc.integer({ min: 1, max: 400 }),
  }),
  { minLength: 1, maxLength: 120 },
);

/** What must hold after any mix of concurrent calls, over two nodes on one store. */
export function ledgerProperties(name: string, open: () => Promise<LedgerStore>): void {
  describe(`${name}: ledger, any mix of concurrent calls`, () => {
    let store: LedgerStore;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    test('lowers the balance by exactly the paid amounts, with nothing negative, and keeps every invariant', async () => {
      await fc.assert(
        fc.asyncProperty(steps, fc.integer({ min: 0, max: 3_000 }), async (mix, cap) => {
          const wallets = [await openWallet(store, cap), await openWallet(store, cap)] as const;
          const nodes = [store.ledger, store.other] as const;
          await Promise.all(
            mix.map(async (step) => {
              const node = nodes[step.node];
              const wallet = wallets[step.wallet];
              const key = wallet.keys[step.key];
              if (step.kind === 'grant') {
                expect(await grantTo(node, key.payer, step.amount)).toBeGreaterThanOrEqual(step.amount);
                wallet.granted += step.amount;
                return;
              }
              const debit = debitOf(key.payer, step.amount);
              const posted = await Promise.all(
                (step.kind === 'repeat' ? nodes : [node]).map((each) => each.post(debit)),
              );
              expectOneAnswer(posted);
              if (posted.some((one) => one.ok)) key.paid += step.amount;
            }),
          );
          for (const { granted, keys } of wallets) {
            const left = granted - keys[0].paid - keys[1].paid;
            expect(left).toBeGreaterThanOrEqual(0);
            expect(keys[1].paid).toBeLessThanOrEqual(cap);
            for (const { payer, paid } of keys) {
              expect(await store.ledger.balance(payer)).toMatchObject({ balance: left });
              expect(await spentBy(store.accounts, payer)).toBe(paid);
            }
          }
          expect((await store.ledger.check()).faults).toEqual([]);
        }),
        { numRuns: 15 },
      );
    });

    test('lets two nodes race for the last credits and pays exactly what the wallet covers, to the last one', async () => {
      const payer = await openPayer(store.accounts);
      await grantTo(store.ledger, payer, 100);
      const halves = [store.ledger, store.other].map((node) =>
        Promise.all(Array.from({ length: 150 }, () => node.post(debitOf(payer, 1)))),
      );
      const posted = (await Promise.all(halves)).flat();
      const balances = posted.flatMap((one) => (one.ok ? [one.balance] : []));
      expect(balances.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
      expect(posted.filter((one) => !one.ok && one.reason === 'balance')).toHaveLength(200);
    });

    test('posts small debits sent with a large one that the balance does not cover', async () => {
      const payer = await openPayer(store.accounts);
      await grantTo(store.ledger, payer, 10);
      const posted = await Promise.all([11, 6, 5, 4].map((amount) => store.ledger.post(debitOf(payer, amount))));
      expect(posted.map((one) => one.ok)).toEqual([false, true, false, true]);
    });
  });
}

async function openWallet(store: LedgerStore, cap: number) {
  const payer = await openPayer(store.accounts);
  const capped = { ...payer, ...(await addPayerKey(store.accounts, payer.accountId, cap)) };
  const granted = await grantTo(store.ledger, payer, 500);
  const keys: [PaidKey, PaidKey] = [
    { payer, paid: 0 },
    { payer: capped, paid: 0 },
  ];
  return { granted, keys };
}

/** A key, and the sum of its posted debits. */
interface PaidKey {
  readonly payer: Payer;
  paid: number;
}

/**
 * The same id on both nodes: if both were posted, they are one debit. A refusal writes nothing, so a repeat is a new
 * try, which may succeed after a grant in between.
 */
function expectOneAnswer(posted: readonly Posted[]): void {
  const balances = new Set(posted.flatMap((one) => (one.ok ? [one.balance] : [])));
  expect(balances.size).toBeLessThanOrEqual(1);
}
