import type { Thousandths } from '../core/credits.js';
import { type ItemCache, priceOf, type Unit } from '../core/prices.js';
import type { ReceiptLine } from '../ports/truth.js';

export type CacheLabel = ItemCache | 'mixed';

export interface Charge {
  readonly amount: Thousandths;
  readonly items: number;
  readonly cacheHits: number;
  readonly cache: CacheLabel;
  readonly lines: readonly ReceiptLine[];
}

/** A held thing that went into an answer: while the cache gives the same value under the key, the answer stands. */
export interface Dependency {
  readonly key: string;
  readonly value: unknown;
}

/** What one operation delivered: lines folded per path, unit and cache label (G4); an object is on it once (G3). */
export class Receipt {
  readonly #lines = new Map<string, { -readonly [K in keyof ReceiptLine]: ReceiptLine[K] }>();
  readonly #paid = new Set<string>();
  #bypassed = false;
  #readUpstream = false;
  #oldest = Number.POSITIVE_INFINITY;
  readonly #dependencies: Dependency[] = [];
  #repeatable = true;
  amount: Thousandths = 0;

  /** True when this object is on the receipt already; giving it again is free (G3). */
  has(object: string): boolean {
    return this.#paid.has(object);
  }

  add(path: string, unit: Unit, cache: ItemCache, object: string): void {
    this.#paid.add(object);
    const key = `${path} ${unit} ${cache}`;
    const unitPrice = priceOf(unit, cache);
    const line = this.#lines.get(key);
    if (line) line.items += 1;
    else this.#lines.set(key, { path, unit, cache, items: 1, unitPrice });
    this.amount += unitPrice;
  }

  /** Takes back what `add` put on. */
  remove(path: string, unit: Unit, cache: ItemCache, object: string): void {
    const key = `${path} ${unit} ${cache}`;
    const line = this.#lines.get(key);
    if (!line || !this.#paid.delete(object)) return;
    line.items -= 1;
    if (line.items === 0) this.#lines.delete(key);
    this.amount -= line.unitPrice;
  }

  /** Notes how a part of the answer was come by, also where nothing was delivered (B10) or a charge is not due. */
  saw(cache: ItemCache, fetchedAt: number): void {
    if (cache === 'bypass') this.#bypassed = true;
    if (cache === 'miss') this.#readUpstream = true;
    this.#oldest = Math.min(this.#oldest, fetchedAt);
  }

  /** Notes a held thing that the answer was made of. */
  used(key: string, value: unknown): void {
    this.#dependencies.push({ key, value });
  }

  /** Something was absent, refused or trimmed: the same call may be answered otherwise though nothing held has changed. */
  onlyOnce(): void {
    this.#repeatable = false;
  }

  /** What the answer was made of, or null when that does not decide it. */
  get dependencies(): readonly Dependency[] | null {
    return this.#repeatable ? this.#dependencies : null;
  }

  /** When the oldest part of the answer was read from the network (T16), Unix milliseconds; undefined if nothing was. */
  get fetchedAt(): number | undefined {
    return Number.isFinite(this.#oldest) ? this.#oldest : undefined;
  }

  /**
   * The receipt as one charge. `cache` is `hit` only when nothing was read upstream (M6); a batch of held and read
   * objects is `mixed`, and where nothing was found it is `miss`, or `bypass` with `fresh` (B10).
   */
  fold(kind: 'page' | 'batch' = 'page'): Charge {
    const lines = [...this.#lines.values()];
    const items = lines.reduce((sum, line) => sum + line.items, 0);
    const cacheHits = lines.reduce((sum, line) => sum + (line.cache === 'hit' ? line.items : 0), 0);
    return { amount: this.amount, items, cacheHits, lines, cache: this.#label(kind, items, cacheHits) };
  }

  #label(kind: 'page' | 'batch', items: number, cacheHits: number): CacheLabel {
    if (this.#bypassed) return 'bypass';
    if (kind === 'batch') {
      if (items === 0) return 'miss';
      if (cacheHits === items) return 'hit';
      return cacheHits > 0 ? 'mixed' : 'miss';
    }
    return !this.#readUpstream && this.fetchedAt !== undefined ? 'hit' : 'miss';
  }
}
