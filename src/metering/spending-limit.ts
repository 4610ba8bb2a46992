import type { Thousandths } from '../domain/credits.js';
import type { Clock } from '../ports/clock.js';
import type { Posted } from '../ports/ledger.js';
import { Wallet } from './wallet.js';

export type Shortage = 'no_credits' | 'max_credits' | 'key_cap';

/** A budget of several calls that may run at the same time. */
export interface SharedBudget {
  /** Without what calls in progress are about to spend. */
  readonly left: Thousandths;
  /** A call is about to spend this amount; a negative amount takes a plan back. */
  plan(amount: Thousandths): void;
}

/**
 * What one call may spend: the least of the wallet's balance, what the key's cap leaves, and the caller's budget, both
 * for this call and for all calls that share one.
 */
export class SpendingLimit {
  #taken: Thousandths = 0;
  #closed = false;
  readonly #wallet: Wallet;
  readonly #keyLeft: Thousandths;
  readonly #budget: Thousandths;
  readonly #shared: SharedBudget | null;

  constructor(wallet: Wallet, keyLeft: Thousandths, budget: Thousandths, shared: SharedBudget | null = null) {
    this.#wallet = wallet;
    this.#keyLeft = keyLeft;
    this.#budget = budget;
    this.#shared = shared;
  }

  get #budgetLeft(): Thousandths {
    return Math.min(this.#budget - this.#taken, this.#shared?.left ?? Number.POSITIVE_INFINITY);
  }

  /** Zero once closed: a read that outlives its call must not spend. */
  get left(): Thousandths {
    if (this.#closed) return 0;
    return Math.min(this.#wallet.left, this.#keyLeft - this.#taken, this.#budgetLeft);
  }

  /** Which of the three limits is the tightest now. */
  get shortage(): Shortage {
    const left = this.left;
    if (this.#budgetLeft === left) return 'max_credits';
    return this.#keyLeft - this.#taken === left ? 'key_cap' : 'no_credits';
  }

  take(amount: Thousandths): void {
    if (this.#closed) return;
    this.#taken += amount;
    this.#wallet.plan(amount);
    this.#shared?.plan(amount);
  }

  /** A part of the call failed: releases what it was about to spend. */
  giveBack(amount: Thousandths): void {
    this.take(-amount);
  }

  /** Closes the limit while the ledger posts `amount`. It stays planned in a shared budget, whose owner settles it. */
  post(posting: Promise<Posted>, amount: Thousandths, clock: Clock): void {
    this.#wallet.post(posting, this.#taken, amount, clock);
    this.#taken = 0;
    this.#closed = true;
  }

  /** Closes the limit and releases what was not posted. */
  close(): void {
    this.#wallet.plan(-this.#taken);
    this.#shared?.plan(-this.#taken);
    this.#taken = 0;
    this.#closed = true;
  }
}

/** The limit of a call that was paid for already. */
export const unlimited = (): SpendingLimit =>
  new SpendingLimit(new Wallet(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY);
