import type { Thousandths } from '../domain/credits.js';
import { type ItemCache, priceOf, type Unit } from '../domain/prices.js';
import type { ReceiptLine } from '../ports/ledger.js';
import { ledgerLines, responseLines } from './receipt-lines.js';

export type CacheLabel = ItemCache | 'mixed';

export interface Charge {
  readonly amount: Thousandths;
  readonly items: number;
  readonly cacheHits: number;
  readonly cache: CacheLabel;
  /** For the answer: by response path, bounded. */
  readonly lines: readonly ReceiptLine[];
  /** For the ledger: by the schema's names, and small. The sums are the same. */
  readonly ledgerLines: readonly ReceiptLine[];
}

/** A cached value that an answer was made of. The answer is valid while the cache has the same value under the key. */
export interface Dependency {
  readonly key: string;
  readonly value: object;
}

type Line = { -readonly [K in keyof ReceiptLine]: ReceiptLine[K] };

/** The items that one operation delivered: lines folded per path, unit and cache label (G4); each object once. */
export class Receipt {
  /** By path, for lookup by each item: a path may be long. */
  readonly #lines = new Map<string, Line[]>();
  readonly #paid = new Set<string>();
  #bypassed = false;
  #readUpstream = false;
  #oldest = Number.POSITIVE_INFINITY;
  readonly #dependencies: Dependency[] = [];
  #repeatable = true;
  amount: Thousandths = 0;

  /** True if this object is on the receipt already; repeating it is free. */
  has(object: string): boolean {
    return this.#paid.has(object);
  }

  add(path: string, unit: Unit, cache: ItemCache, object: string): void {
    this.#paid.add(object);
    const unitPrice = priceOf(unit, cache);
    const line = this.#line(path, unit, cache);
    if (line) line.items += 1;
    else this.#lines.set(path, [...(this.#lines.get(path) ?? []), { path, unit, cache, items: 1, unitPrice }]);
    this.amount += unitPrice;
  }

  /** Undoes `add`. */
  remove(path: string, unit: Unit, cache: ItemCache, object: string): void {
    const line = this.#line(path, unit, cache);
    if (!line || !this.#paid.delete(object)) return;
    line.items -= 1;
    this.amount -= line.unitPrice;
  }

  #line(path: string, unit: Unit, cache: ItemCache): Line | undefined {
    return this.#lines.get(path)?.find((line) => line.unit === unit && line.cache === cache);
  }

  /** Records where a part of the answer came from, even if nothing was delivered or charged. */
  noteSource(cache: ItemCache, fetchedAt: number): void {
    if (cache === 'bypass') this.#bypassed = true;
    if (cache === 'miss') this.#readUpstream = true;
    this.#oldest = Math.min(this.#oldest, fetchedAt);
  }

  /** Records a cached value that the answer was made of. */
  noteDependency(key: string, value: object): void {
    this.#dependencies.push({ key, value });
  }

  /**
   * Something was missing, refused or trimmed: the same call may get another answer although nothing cached changed.
   */
  markNotRepeatable(): void {
    this.#repeatable = false;
  }

  /** What the answer was made of, or null if the answer must not be reused. */
  get dependencies(): readonly Dependency[] | null {
    return this.#repeatable ? this.#dependencies : null;
  }

  /**
   * When the oldest part of the answer was read (T16), Unix milliseconds; undefined if nothing came from the network.
   */
  get fetchedAt(): number | undefined {
    return Number.isFinite(this.#oldest) ? this.#oldest : undefined;
  }

  /**
   * The receipt as one charge. `cache` is `hit` only if nothing was read upstream (M6); a batch of cached and read
   * objects is `mixed`, and if nothing was found it is `miss`, or `bypass` with `fresh` (B10). `fieldPaths`: see
   * `ledgerLines`.
   */
  fold(kind: 'page' | 'batch' = 'page', fieldPaths: ReadonlyMap<string, string> = new Map()): Charge {
    const lines = [...this.#lines.values()].flat().filter((line) => line.items > 0);
    const items = lines.reduce((sum, line) => sum + line.items, 0);
    const cacheHits = lines.reduce((sum, line) => sum + (line.cache === 'hit' ? line.items : 0), 0);
    const said = { lines: responseLines(lines), ledgerLines: ledgerLines(lines, fieldPaths) };
    return { amount: this.amount, items, cacheHits, ...said, cache: this.#label(kind, items, cacheHits) };
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
