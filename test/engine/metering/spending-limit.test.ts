/** What one call may spend: the least of wallet, cap and budget. */
import { describe, expect, it } from 'vitest';
import { SpendingLimit } from '../../../src/metering/spending-limit.js';
import { Wallet } from '../../../src/metering/wallet.js';
import type { Posted } from '../../../src/ports/ledger.js';

const clock = { now: () => 0 };
const open = (wallet: number, cap: number, budget: number) => {
  const purse = new Wallet(wallet);
  return { wallet: purse, limit: new SpendingLimit(purse, cap, budget) };
};

it.each([
  { wallet: 5, cap: 9, budget: 9, left: 5, shortage: 'no_credits' },
  { wallet: 9, cap: 5, budget: 9, left: 5, shortage: 'key_cap' },
  { wallet: 9, cap: 9, budget: 5, left: 5, shortage: 'max_credits' },
  // The caller's own budget comes first because they can change it at once; then the cap.
  { wallet: 5, cap: 5, budget: 5, left: 5, shortage: 'max_credits' },
  { wallet: 5, cap: 5, budget: 9, left: 5, shortage: 'key_cap' },
  { wallet: 5, cap: Infinity, budget: Infinity, left: 5, shortage: 'no_credits' },
])('leaves $left of $wallet in the wallet, $cap under the cap and $budget to spend', (given) => {
  const { limit } = open(given.wallet, given.cap, given.budget);
  expect([limit.left, limit.shortage]).toEqual([given.left, given.shortage]);
});

it.each([
  { cap: 1_000, budget: 100, shortage: 'max_credits' },
  { cap: 100, budget: 1_000, shortage: 'key_cap' },
])('names the same limit as reached after an amount was taken: $shortage', ({ cap, budget, shortage }) => {
  const { limit } = open(1_000, cap, budget);
  limit.take(60);
  expect([limit.left, limit.shortage]).toEqual([40, shortage]);
});

it('takes an amount from all three, and gives it back to them', () => {
  for (const [wallet, cap, budget] of [
    [100, 1_000, 1_000],
    [1_000, 100, 1_000],
    [1_000, 1_000, 100],
  ] as const) {
    const { limit } = open(wallet, cap, budget);
    limit.take(30);
    limit.take(20);
    expect(limit.left).toBe(50);
    limit.giveBack(20);
    expect(limit.left).toBe(70);
  }
});

describe('once it is closed', () => {
  it('has nothing left, takes and returns nothing, and the wallet keeps what was not spent', () => {
    const { wallet, limit } = open(100, 1_000, 1_000);
    limit.take(40);
    expect(wallet.left).toBe(60);
    limit.close();
    expect([limit.left, wallet.left]).toEqual([0, 100]);
    limit.take(10);
    expect([limit.left, wallet.left]).toEqual([0, 100]);
    limit.giveBack(25);
    expect([limit.left, wallet.left]).toEqual([0, 100]);
    limit.close();
    expect([limit.left, wallet.left]).toEqual([0, 100]);
  });

  it('counts the planned amount as spent until the ledger has answered, if it was closed by a post', async () => {
    const { wallet, limit } = open(100, 1_000, 1_000);
    limit.take(40);
    let confirm = (_: Posted): void => {};
    const posting = new Promise<Posted>((resolve) => {
      confirm = resolve;
    });
    limit.post(posting, 30, clock);
    expect([limit.left, wallet.left]).toEqual([0, 60]);
    limit.take(10);
    limit.giveBack(10);
    limit.close();
    expect(wallet.left).toBe(60);
    confirm({ ok: true, balance: 70, seq: 1, amount: 30 });
    await posting;
    await Promise.resolve();
    expect(wallet.left).toBe(70);
  });
});

it('leaves what calls that share a budget have not planned, and plans there until its owner settles', () => {
  const shared = {
    left: 8,
    plan(amount: number) {
      this.left -= amount;
    },
  };
  const [one, other] = [9, 9].map((budget) => new SpendingLimit(new Wallet(100), Infinity, budget, shared));
  one?.take(5);
  expect([one?.left, other?.left, other?.shortage]).toEqual([3, 3, 'max_credits']);
  other?.take(2);
  other?.close();
  expect(shared.left).toBe(3);
  one?.post(Promise.resolve({ ok: true, balance: 95, seq: 1, amount: 5 }), 5, clock);
  one?.close();
  expect(shared.left).toBe(3);
});
