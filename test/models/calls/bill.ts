/** What one call has delivered so far: each object once (G3), each item at its price (M6). */
import type { Label, Unit } from './prices.js';
import { priceOf } from './prices.js';
import type { Spending } from './wallets.js';

export type ItemLabel = 'miss' | 'hit' | 'bypass';

export class Bill {
  charged = 0;
  items = 0;
  #readUpstream = false;
  #bypassed = false;
  #oldest = Number.POSITIVE_INFINITY;
  readonly #paid = new Set<string>();
  readonly spending: Spending;

  constructor(spending: Spending) {
    this.spending = spending;
  }

  has(name: string): boolean {
    return this.#paid.has(name);
  }

  /** Whether one more item is covered; an item that is already paid for is free. */
  covers(unit: Unit, label: ItemLabel, name?: string): boolean {
    return (name !== undefined && this.#paid.has(name)) || this.spending.covers(priceOf(unit, label));
  }

  /** Returns false if the item is not covered, and so not delivered. */
  take(unit: Unit, label: ItemLabel, name: string): boolean {
    if (!this.covers(unit, label, name)) return false;
    if (this.#paid.has(name)) return true;
    this.#paid.add(name);
    const price = priceOf(unit, label);
    this.charged += price;
    this.spending.taken += price;
    this.items += 1;
    return true;
  }

  /** A read of the call failed after all, so what it took is free. */
  giveBack(unit: Unit, taken: readonly (readonly [ItemLabel, string])[]): void {
    for (const [label, name] of taken) {
      if (!this.#paid.delete(name)) continue;
      const price = priceOf(unit, label);
      this.charged -= price;
      this.spending.taken -= price;
      this.items -= 1;
    }
  }

  saw(label: ItemLabel, fetchedAt: number): void {
    if (label === 'miss') this.#readUpstream = true;
    if (label === 'bypass') this.#bypassed = true;
    this.#oldest = Math.min(this.#oldest, fetchedAt);
  }

  get label(): Label {
    if (this.#bypassed) return 'bypass';
    return this.#readUpstream || this.#oldest === Number.POSITIVE_INFINITY ? 'miss' : 'hit';
  }

  ageSeconds(nowMs: number): number | null {
    return this.#oldest === Number.POSITIVE_INFINITY ? null : Math.floor((nowMs - this.#oldest) / 1000);
  }
}
