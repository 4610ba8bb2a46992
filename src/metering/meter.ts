import type { Thousandths } from '../domain/credits.js';
import { ServiceError } from '../domain/errors.js';
import { formatCredits } from '../domain/figures.js';
import { type ItemCache, itemPrice, UNITS, type Unit } from '../domain/prices.js';
import { timers as processTimers } from '../lib/monotonic.js';
import type { Timers } from '../ports/clock.js';
import type { PaidItems } from './paid-items.js';
import { Receipt } from './receipt.js';
import type { Shortage, SpendingLimit } from './spending-limit.js';

interface Waiting {
  readonly rank: number;
  readonly run: () => Promise<void>;
}

/**
 * Runs paid fields one at a time in document order, however they arrive; a field's children run before its
 * sibling.
 */
export class FieldSequencer {
  readonly #ranks: ReadonlyMap<string, number>;
  readonly #timers: Timers;
  readonly #waiting: Waiting[] = [];
  #running = false;

  /** `ranks`: the position of each paid field in the document, by its path. */
  constructor(ranks: ReadonlyMap<string, number>, timers: Timers = processTimers) {
    this.#ranks = ranks;
    this.#timers = timers;
  }

  take<T>(path: string, work: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const rank = this.#ranks.get(path) ?? 0;
      this.#waiting.push({ rank, run: () => Promise.resolve().then(work).then(resolve, reject) });
      if (this.#running) return;
      this.#running = true;
      void this.#run();
    });
  }

  async #run(): Promise<void> {
    for (;;) {
      // Wait a tick: the children of a finished field start within it.
      await new Promise<void>((resolve) => void this.#timers.after(0, resolve));
      const next = this.#takeFirst();
      if (!next) break;
      await next.run();
    }
    this.#running = false;
  }

  #takeFirst(): Waiting | undefined {
    let first = 0;
    for (const [index, { rank }] of this.#waiting.entries()) {
      if (rank < (this.#waiting[first]?.rank ?? 0)) first = index;
    }
    return this.#waiting.splice(first, 1)[0];
  }
}

/** One item to be charged: what it is, where in the operation, and whether it was cached. */
export interface Item {
  readonly path: string;
  readonly unit: Unit;
  readonly cache: ItemCache;
  /** Identity within the operation: the same object is charged once (G3). */
  readonly object: string;
}

/** An item that a field delivers, and its price there: zero while another field is charged for the same object. */
export interface Sold extends Item {
  readonly price: Thousandths;
}

type Priced = { -readonly [K in keyof Sold]: Sold[K] };

/** The field that an object is charged to, and other fields that deliver it: if it fails, the first of them pays. */
interface Payer {
  tab: Tab;
  sold: Priced;
  readonly heirs: { readonly tab: Tab; readonly sold: Priced }[];
}

/** Meters one operation: reads ask it what is affordable and report the items they deliver. */
export class Meter {
  readonly receipt = new Receipt();
  readonly #limit: SpendingLimit;
  readonly #sequencer: FieldSequencer | null;
  readonly #paidItems: PaidItems | null;
  /** By object. */
  readonly #payers = new Map<string, Payer>();

  /**
   * `worst` is the most that the operation can cost. If the limit covers it, no field has to wait for its turn. `ranks`
   * contains the position of each paid field in the document, by its path. `paidItems`: the answer was paid for before,
   * and contains no more than these.
   */
  constructor(
    limit: SpendingLimit,
    worst: Thousandths,
    ranks: ReadonlyMap<string, number>,
    timers?: Timers,
    paidItems: PaidItems | null = null,
  ) {
    this.#paidItems = paidItems;
    this.#limit = limit;
    this.#sequencer = limit.left < worst ? new FieldSequencer(ranks, timers) : null;
  }

  /** Whether the money may run out, so that fields have to be charged one after the other. */
  get isTight(): boolean {
    return this.#sequencer !== null;
  }

  /** Runs a paid field in the document's order when money is tight, and at once when it is not. */
  turn<T>(path: string, work: () => Promise<T>): Promise<T> {
    return this.#sequencer ? this.#sequencer.take(path, work) : work();
  }

  covers(unit: Unit, cache: ItemCache): boolean {
    return this.#limit.left >= itemPrice(unit, cache) && this.#paidItems?.has(unit) !== false;
  }

  get left(): Thousandths {
    return this.#limit.left;
  }

  get shortage(): Shortage {
    return this.#limit.shortage;
  }

  /** The item's price now: zero if it was charged already. */
  costOf(item: Pick<Item, 'unit' | 'cache' | 'object'>): Thousandths {
    return this.receipt.has(item.object) ? 0 : itemPrice(item.unit, item.cache);
  }

  /** Opens a tab for a field that delivers items. Until the tab is closed, the field may fail. */
  open(): Tab {
    return new Tab(this);
  }

  /** For tabs: adds the item to the receipt, unless its object is on it. Null if it cannot be paid for. */
  take(item: Item, tab: Tab): Sold | null {
    const payer = this.#payers.get(item.object);
    const sold = { ...item, price: 0 };
    if (payer) {
      if (payer.tab !== tab && payer.tab.isOpen) payer.heirs.push({ tab, sold });
      return sold;
    }
    if (!this.covers(item.unit, item.cache)) return null;
    this.#payers.set(item.object, { tab, sold, heirs: [] });
    this.#charge(sold);
    return sold;
  }

  /** For tabs: the field has failed. What it took is free, unless another field delivers it, which then pays (M32). */
  giveBack(tab: Tab, taken: readonly Sold[]): void {
    for (const { path, unit, cache, object } of taken) {
      const payer = this.#payers.get(object);
      if (payer?.tab !== tab) continue;
      this.receipt.remove(path, unit, cache, object);
      this.#paidItems?.add(unit, 1);
      this.#limit.giveBack(itemPrice(unit, cache));
      const heir = payer.heirs.find((one) => !one.tab.hasFailed);
      if (heir === undefined) {
        this.#payers.delete(object);
        continue;
      }
      // What was given back covers at least the price that the failed field paid.
      const isCovered = this.covers(heir.sold.unit, heir.sold.cache);
      if (!isCovered) Object.assign(heir.sold, { unit, cache });
      this.#charge(heir.sold);
      Object.assign(payer, heir);
    }
  }

  /** For tabs: the field that pays for an object and may still fail. */
  openPayerOf(object: string): Tab | undefined {
    const tab = this.#payers.get(object)?.tab;
    return tab?.isOpen ? tab : undefined;
  }

  #charge(sold: Priced): void {
    sold.price = itemPrice(sold.unit, sold.cache);
    this.#limit.take(sold.price);
    this.#paidItems?.add(sold.unit, -1);
    this.receipt.add(sold.path, sold.unit, sold.cache, sold.object);
  }

  /** The failure of a read that cannot pay for a single item (M2). */
  noCredits(unit: Unit, cache: ItemCache): ServiceError {
    if (this.#paidItems !== null) {
      const message = 'This answer was paid for before. It is sent again free, with as many items as then and no more.';
      return new ServiceError('no_credits', message, { reason: 'max_credits' });
    }
    const price = formatCredits(itemPrice(unit, cache));
    return shortageError(this.shortage, `This read costs ${price} per ${UNITS[unit].item}`, this.left);
  }
}

/** The items that one field delivers. They stay on the receipt once the field can no longer fail. */
export class Tab {
  readonly #meter: Meter;
  readonly #taken: Sold[] = [];
  #state: 'open' | 'closed' | 'failed' = 'open';
  #end = (): void => {};
  readonly #ended = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(meter: Meter) {
    this.#meter = meter;
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get hasFailed(): boolean {
    return this.#state === 'failed';
  }

  /** The item with its price, which may change until `close` resolves; null if it cannot be paid for. */
  take(item: Item): Sold | null {
    const sold = this.#meter.take(item, this);
    if (sold !== null) this.#taken.push(sold);
    return sold;
  }

  /** The field has failed: what it took is free. */
  giveBack(): void {
    this.#state = 'failed';
    this.#meter.giveBack(this, this.#taken);
    this.#end();
  }

  /**
   * The field has succeeded. Resolves with its charge once that is certain: fields that share objects with it may have
   * to end first.
   */
  async close(): Promise<Thousandths> {
    this.#state = 'closed';
    this.#end();
    for (const { object, price } of this.#taken) {
      if (price > 0) continue;
      for (let other = this.#meter.openPayerOf(object); other; other = this.#meter.openPayerOf(object))
        await other.#ended;
    }
    return this.#taken.reduce((sum, { price }) => sum + price, 0);
  }
}

/** A 402, never a 429, that says which limit was reached and how to raise it (U1). */
export function shortageError(shortage: Shortage, price: string, left: Thousandths): ServiceError {
  const has = formatCredits(Math.max(0, left));
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
