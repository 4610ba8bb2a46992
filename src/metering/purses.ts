import type { BoundedMap } from '../core/bounded-map.js';
import type { Thousandths } from '../core/credits.js';
import { Memories } from '../core/memories.js';
import type { Clock } from '../ports/clock.js';
import type { Caller, Ledger, Posted } from '../ports/truth.js';
import { Wallet } from './wallet.js';

/** A figure is trusted to let a call go ahead only this long, and only while it covers the call's worst case many times. */
const TRUST_MS = 2000;
const TRUST_FACTOR = 20;

/** What a wallet weighs: a few figures, and the posts of its own that are on their way. */
const WALLET_BYTES = 1024;

export type Shortage = 'no_credits' | 'max_credits' | 'key_cap';

/** What one call may spend: the wallet, the key's cap and the caller's own budget, whichever is least. */
export class Purse {
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

export class Purses {
  readonly #wallets: BoundedMap<Wallet>;
  readonly #ledger: Ledger;
  readonly #monotonic: Clock;

  /** `monotonic`: a figure must not seem young because a clock was set back. */
  constructor(ledger: Ledger, monotonic: Clock, memories = new Memories()) {
    this.#wallets = memories.map('wallets', { weigh: () => WALLET_BYTES });
    this.#ledger = ledger;
    this.#monotonic = monotonic;
  }

  /**
   * Opens the purse for one call. `worst` is the most it can cost; `budget` the caller's own ceiling (M26), or Infinity. Where
   * the wallet may not cover that, it is asked for now, and what is being posted here is waited for: nobody is refused, nor
   * anything trimmed, on a figure that the ledger would not confirm. The wait is the caller's to end.
   */
  async open(caller: Caller, worst: Thousandths, budget: Thousandths): Promise<Purse> {
    const { walletId, keyId, capThousandths } = caller;
    const wallet = this.#wallet(walletId);
    const need = Math.min(worst, budget);
    if (capThousandths === null && this.#covers(wallet, need)) {
      return new Purse(wallet, Number.POSITIVE_INFINITY, budget);
    }
    const { keySpent } = await wallet.learn(() => this.#ledger.balance(walletId, keyId), need, this.#monotonic);
    const keyLeft = capThousandths === null ? Number.POSITIVE_INFINITY : capThousandths - keySpent;
    return new Purse(wallet, keyLeft, budget);
  }

  #covers(wallet: Wallet, worst: Thousandths): boolean {
    if (this.#monotonic.now() - wallet.knownAtMs > TRUST_MS) return false;
    return wallet.left > worst * TRUST_FACTOR;
  }

  #wallet(id: string): Wallet {
    let wallet = this.#wallets.get(id);
    if (!wallet) {
      wallet = new Wallet();
      this.#wallets.set(id, wallet);
    }
    return wallet;
  }
}
