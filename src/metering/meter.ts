import type { Thousandths } from '../core/credits.js';
import { ServiceError } from '../core/errors.js';
import { creditsOf } from '../core/figures.js';
import { type ItemCache, priceOf, UNITS, type Unit } from '../core/prices.js';
import type { Timers } from '../ports/clock.js';
import { FieldSequencer } from './field-sequencer.js';
import { Receipt } from './receipt.js';
import type { Shortage, SpendingLimit } from './spending-limit.js';

/** One item to be charged: what it is, where in the operation, and whether it was cached. */
export interface Item {
  readonly path: string;
  readonly unit: Unit;
  readonly cache: ItemCache;
  /** Identity within the operation: the same object is charged once (G3). */
  readonly object: string;
}

/** Meters one operation: reads ask it what is affordable and report the items they deliver. */
export class Meter {
  readonly receipt = new Receipt();
  readonly #limit: SpendingLimit;
  readonly #sequencer: FieldSequencer | null;

  /**
   * `worst` is the most the operation can cost: if the limit covers it, no field has to wait for its turn. `ranks`
   * contains the position of each paid field in the document, by its path.
   */
  constructor(limit: SpendingLimit, worst: Thousandths, ranks: ReadonlyMap<string, number>, timers?: Timers) {
    this.#limit = limit;
    this.#sequencer = limit.left < worst ? new FieldSequencer(ranks, timers) : null;
  }

  /** Whether the money may run out, so that fields have to be charged one after the other. */
  get isTight(): boolean {
    return this.#sequencer !== null;
  }

  /** Runs a paid field in the document's order when money is tight, and at once when it is not (G9). */
  turn<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.#sequencer ? this.#sequencer.take(path, work) : work();
  }

  covers(unit: Unit, cache: ItemCache): boolean {
    return this.#limit.left >= priceOf(unit, cache);
  }

  get left(): Thousandths {
    return this.#limit.left;
  }

  get shortage(): Shortage {
    return this.#limit.shortage;
  }

  /** The item's price now: zero if it was charged already (G3). */
  costOf(item: Pick<Item, 'unit' | 'cache' | 'object'>): Thousandths {
    return this.receipt.has(item.object) ? 0 : priceOf(item.unit, item.cache);
  }

  /** Adds the item to the receipt. Returns its price, or null if it cannot be paid for. */
  take(item: Item): Thousandths | null {
    if (this.receipt.has(item.object)) return 0;
    if (!this.covers(item.unit, item.cache)) return null;
    const price = priceOf(item.unit, item.cache);
    this.#limit.take(price);
    this.receipt.add(item.path, item.unit, item.cache, item.object);
    return price;
  }

  /** Removes items from the receipt: their field has failed, so they are free (G5). */
  giveBack(items: readonly Item[]): void {
    for (const { path, unit, cache, object } of items) {
      this.receipt.remove(path, unit, cache, object);
      this.#limit.giveBack(priceOf(unit, cache));
    }
  }

  /** The failure of a read that cannot pay for a single item (M2, M26). */
  noCredits(unit: Unit, cache: ItemCache): ServiceError {
    const price = creditsOf(priceOf(unit, cache));
    return shortOf(this.shortage, `This read costs ${price} per ${UNITS[unit].item}`, this.left);
  }
}

/** 402, never 429, saying which limit it was and how to lift it (U1). */
export function shortOf(shortage: Shortage, price: string, left: Thousandths): ServiceError {
  const has = creditsOf(Math.max(0, left));
  if (shortage === 'max_credits') {
    const message = `${price}; ${has} left in this call's budget. Raise max_credits (or X-Max-Credits).`;
    return new ServiceError('no_credits', message, { reason: 'max_credits', param: 'max_credits' });
  }
  if (shortage === 'key_cap') {
    return new ServiceError(
      'no_credits',
      `${price}; ${has} left under this key's spend cap. Raise the cap or use another key.`,
      {
        reason: 'key_cap',
      },
    );
  }
  return new ServiceError(
    'no_credits',
    `${price}; the wallet holds ${has}. Add credits: GET /v1/billing/packs lists the packs.`,
  );
}
