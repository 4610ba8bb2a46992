import type { Thousandths } from '../domain/credits.js';
import type { Clock } from '../ports/clock.js';
import type { Posted } from '../ports/ledger.js';
import { Wallet } from './wallet.js';

export type Shortage = 'no_credits' | 'max_credits' | 'key_cap';

/** What one call may spend: the least of the wallet's balance, what the key's cap leaves, and the caller's budget. */
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

  /** Zero once closed: a read that outlives its call must not spend. */
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

  /** A part of the call failed: releases what it was about to spend. */
  giveBack(amount: Thousandths): void {
    this.take(-amount);
  }

  /** Closes the limit while the ledger posts `amount`. */
  post(posting: Promise<Posted>, amount: Thousandths, clock: Clock): void {
    this.#wallet.post(posting, this.#taken, amount, clock);
    this.#taken = 0;
    this.#closed = true;
  }

  /** Closes the limit and releases what was not posted. */
  close(): void {
    this.#wallet.plan(-this.#taken);
    this.#taken = 0;
    this.#closed = true;
  }
}

/** The limit of a call that was paid for already. */
export const unlimited = (): SpendingLimit =>
  new SpendingLimit(new Wallet(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
