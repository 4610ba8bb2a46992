import type { Caller } from '../../../src/ports/accounts.js';
import type { Ledger, Posted } from '../../../src/ports/ledger.js';
import { caller } from '../access/key-store.js';

type Books = Pick<Ledger, 'balance' | 'post'>;

/** A ledger whose posts are written at once, and confirmed when the test says so. */
export function lateLedger(credits: number) {
  let balance = credits;
  let seq = 1;
  const unconfirmed: (() => void)[] = [];
  const ledger: Books = {
    balance: async () => ({ balance, seq, keySpent: 0 }),
    post: ({ amount }) => {
      const isCovered = amount <= balance;
      if (isCovered) {
        balance -= amount;
        seq += 1;
      }
      const posted: Posted = isCovered ? { ok: true, balance, seq, amount } : { ok: false, reason: 'balance' };
      return new Promise((resolve) => unconfirmed.push(() => resolve(posted)));
    },
  };
  return {
    ledger: ledger as Ledger,
    /** Changes the balance from outside, like another node or a grant. */
    move(amount: number) {
      balance += amount;
      seq += 1;
    },
    get balance() {
      return balance;
    },
    get unconfirmed() {
      return unconfirmed.length;
    },
    /** Confirms one post, by default the oldest. */
    confirm(nth = 0) {
      unconfirmed.splice(nth, 1)[0]?.();
    },
  };
}

export const payer: Caller = caller();
export const clock = { now: () => 0 };
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve));
export const debitOf = (amount: number) => ({
  ...payer,
  requestId: '',
  operation: '',
  amount,
  items: 1,
  cacheHits: 0,
  lines: [],
});
