import { LRUCache } from 'lru-cache';
import type { Thousandths } from '../core/credits.js';
import type { Clock } from '../ports/clock.js';
import type { Caller, Ledger } from '../ports/truth.js';

/** What this process knows of one wallet: the ledger's last word, and what calls in flight here are about to spend (M5). */
interface Wallet {
  balance: Thousandths;
  knownAt: number;
  inFlight: Thousandths;
  /** Counts the ledger's answers, so that a slower, older reading never overwrites a newer one. */
  answers: number;
}

/** A figure is trusted to let a call go ahead only this long, and only while it covers the call's worst case many times. */
const TRUST_MS = 2000;
const TRUST_FACTOR = 20;
const WALLETS_KEPT = 50_000;

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
    const wallet = this.#wallet.balance - this.#wallet.inFlight;
    return Math.min(wallet, this.#keyLeft - this.#taken, this.#budget - this.#taken);
  }

  /** Which of the three limits is the tightest now. */
  get shortage(): Shortage {
    const left = this.left;
    if (this.#budget - this.#taken === left) return 'max_credits';
    return this.#keyLeft - this.#taken === left ? 'key_cap' : 'no_credits';
  }

  get balance(): Thousandths {
    return this.#wallet.balance;
  }

  take(amount: Thousandths): void {
    if (this.#closed) return;
    this.#taken += amount;
    this.#wallet.inFlight += amount;
  }

  /** A part of the call failed: it is not about to spend this after all. */
  giveBack(amount: Thousandths): void {
    if (!this.#closed) this.take(-amount);
  }

  /** The call is over: what it was about to spend is spent, with the ledger's new balance, or is free again. */
  close(balance?: Thousandths, now?: number): void {
    this.#wallet.inFlight -= this.#taken;
    this.#taken = 0;
    this.#closed = true;
    if (balance === undefined || now === undefined) return;
    this.#wallet.balance = balance;
    this.#wallet.knownAt = now;
    this.#wallet.answers += 1;
  }

  /** The ledger refused what this figure allowed: read it anew next time. */
  distrust(): void {
    this.#wallet.knownAt = 0;
  }
}

export class Purses {
  readonly #wallets = new LRUCache<string, Wallet>({ max: WALLETS_KEPT });
  readonly #ledger: Ledger;
  readonly #clock: Clock;

  constructor(ledger: Ledger, clock: Clock) {
    this.#ledger = ledger;
    this.#clock = clock;
  }

  /** Opens the purse for one call. `worst` is the most it can cost; `budget` the caller's own ceiling (M26), or Infinity. */
  async open(caller: Caller, worst: Thousandths, budget: Thousandths): Promise<Purse> {
    const wallet = this.#wallet(caller.walletId);
    if (caller.capThousandths === null && this.#covers(wallet, Math.min(worst, budget))) {
      return new Purse(wallet, Number.POSITIVE_INFINITY, budget);
    }
    const answers = wallet.answers;
    const now = await this.#ledger.balance(caller.walletId, caller.keyId);
    if (wallet.answers === answers) {
      wallet.balance = now.balance;
      wallet.knownAt = this.#clock.now();
    }
    const keyLeft = caller.capThousandths === null ? Number.POSITIVE_INFINITY : caller.capThousandths - now.keySpent;
    return new Purse(wallet, keyLeft, budget);
  }

  #covers(wallet: Wallet, worst: Thousandths): boolean {
    if (this.#clock.now() - wallet.knownAt > TRUST_MS) return false;
    return wallet.balance - wallet.inFlight > worst * TRUST_FACTOR;
  }

  #wallet(id: string): Wallet {
    let wallet = this.#wallets.get(id);
    if (!wallet) {
      wallet = { balance: 0, knownAt: 0, inFlight: 0, answers: 0 };
      this.#wallets.set(id, wallet);
    }
    return wallet;
  }
}
