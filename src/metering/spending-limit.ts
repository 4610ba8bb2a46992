import type { Thousandths } from '../core/credits.js';
import type { Clock } from '../ports/clock.js';
import type { Posted } from '../ports/ledger.js';
import type { Wallet } from './wallet.js';

export type Shortage = 'no_credits' | 'max_credits' | 'key_cap';

/** What one call may spend: the wallet, the key's cap and the caller's own budget, whichever is least. */
export class SpendingLimit {
  #taken: Thousandths = 0;
  #closed = false;
  readonly #wallet: Wallet;
  readonly #keyLeft: Thousandths;
  readonly #budget: Thousandths;

  constructor(wallet: Wallet, keyLeft: Thousandths, budget: Thousandths) {
    this.#wallet = wallet;
    this.#keyLeft = keyLeft;
    this.#budget = budget;
  }

  /** Nothing once it is closed: a read that outlives its call neither spends nor goes to the network. */
  get left(): Thousandths {
    if (this.#closed) return 0;
    return Math.min(this.#wallet.left, this.#keyLeft - this.#taken, this.#budget - this.#taken);
  }

  /** Which of the three limits is the tightest now. */
  get shortage(): Shortage {
    const left = this.left;
    if (this.#budget - this.#taken === left) return 'max_credits';
    return this.#keyLeft - this.#taken === left ? 'key_cap' : 'no_credits';
  }

  take(amount: Thousandths): void {
    if (this.#closed) return;
    this.#taken += amount;
    this.#wallet.plan(amount);
  }

  /** A part of the call failed: it is not about to spend this after all. */
  giveBack(amount: Thousandths): void {
    if (!this.#closed) this.take(-amount);
  }

  /** The call spends no more: what it was about to spend is being posted as `amount`, which the ledger will answer. */
  post(posting: Promise<Posted>, amount: Thousandths, clock: Clock): void {
    this.#wallet.post(posting, this.#taken, amount, clock);
    this.#taken = 0;
    this.#closed = true;
  }

  /** The call is over: what it was about to spend, and did not post, is free again. */
  close(): void {
    this.#wallet.plan(-this.#taken);
    this.#taken = 0;
    this.#closed = true;
  }
}
