import type { Thousandths } from '../domain/credits.js';
import type { BoundedMap } from '../lib/bounded-map.js';
import { Memories } from '../lib/memories.js';
import type { Caller } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { Ledger } from '../ports/ledger.js';
import { type SharedBudget, SpendingLimit } from './spending-limit.js';
import { Wallet } from './wallet.js';

/** A cached balance is trusted only for this long, and only if it covers the call's worst case this many times over. */
const TRUST_MS = 2000;

const TRUST_FACTOR = 20;

/** Estimated memory of a wallet, with its posts in flight. */
const WALLET_BYTES = 1024;

export class WalletCache {
  readonly #wallets: BoundedMap<Wallet>;
  readonly #ledger: Ledger;
  readonly #monotonic: Clock;

  /** `monotonic`: a balance must not seem recent because a clock was set back. */
  constructor(ledger: Ledger, monotonic: Clock, memories = new Memories()) {
    this.#wallets = memories.map('wallets', { weigh: () => WALLET_BYTES });
    this.#ledger = ledger;
    this.#monotonic = monotonic;
  }

  /**
   * The spending limit of one call. `worst` is the most that it can cost; `budget` is the caller's own, or Infinity. If
   * the cached balance may not cover that, asks the ledger and awaits posts in flight, so that no call is refused or
   * trimmed because of a balance that the ledger would not confirm. The caller limits the wait.
   */
  async open(
    caller: Caller,
    worst: Thousandths,
    budget: Thousandths,
    shared: SharedBudget | null = null,
  ): Promise<SpendingLimit> {
    const { capThousandths } = caller;
    const wallet = this.#wallet(caller.walletId);
    const need = Math.min(worst, budget);
    if (capThousandths === null && this.#covers(wallet, need)) {
      return new SpendingLimit(wallet, Number.POSITIVE_INFINITY, budget, shared);
    }
    const { keySpent } = await wallet.learn(() => this.#ledger.balance(caller), need, this.#monotonic);
    const keyLeft = capThousandths === null ? Number.POSITIVE_INFINITY : capThousandths - keySpent;
    return new SpendingLimit(wallet, keyLeft, budget, shared);
  }

  /**
   * The spending limit of a call whose price is known, without checking the balance. The ledger decides; if it refuses,
   * the balance must be read (`open`) to say what can be afforded. Undefined if the balance should be read first,
   * because it was too low when it was last read, the key has a cap, or the budget is less than the price.
   */
  openAtPrice(
    caller: Caller,
    price: Thousandths,
    budget: Thousandths,
    shared: SharedBudget | null = null,
  ): SpendingLimit | undefined {
    if (caller.capThousandths !== null || Math.min(budget, shared?.left ?? budget) < price) return undefined;
    const wallet = this.#wallet(caller.walletId);
    return wallet.isShortOf(price) ? undefined : new SpendingLimit(wallet, Number.POSITIVE_INFINITY, budget, shared);
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
