import type { Thousandths } from '../domain/credits.js';
import { type ItemCache, itemPrice, type Unit } from '../domain/prices.js';
import type { ReceiptLine } from '../ports/ledger.js';
import type { Shortage } from './spending-limit.js';

/** Most bytes of the lines as JSON: a receipt in the ledger is small, whatever the call asked for. */
const MOST_BYTES = 1000;

/** Most characters of a path in the ledger. */
const PATH_LENGTH = 64;

/** The path of lines for which there was no separate room. */
export const ELSEWHERE = 'other';

/** Most lines in an answer, and most characters of a path in it: callers choose aliases, which may be long. */
const MOST_SHOWN = 100;
const SHOWN_PATH_LENGTH = 256;

/**
 * A receipt's lines for the ledger. Paths use the schema's names, to which `fieldPaths` maps response paths. Lines
 * beyond the limit in bytes are folded by unit and cache label under `other`. If that is still too much, profiles and
 * tweets, which cost the same, are counted together as tweets. The sums do not change.
 */
export function ledgerLines(lines: readonly ReceiptLine[], fieldPaths: ReadonlyMap<string, string>): ReceiptLine[] {
  const named = folded(lines, ({ path }) => shortPath(fieldPaths.get(path) ?? ELSEWHERE));
  for (let room = named.length; room >= 0; room = Math.min(room, 13) - 1) {
    const kept = [...named.slice(0, room), ...folded(named.slice(room), () => ELSEWHERE)];
    if (JSON.stringify(kept).length < MOST_BYTES) return kept;
  }
  const likeTweets = named.map((line) => (line.unit === 'profile' ? { ...line, unit: 'tweet' as const } : line));
  return folded(likeTweets, () => ELSEWHERE);
}

const clipped = <Row extends { readonly path: string }>(row: Row): Row =>
  row.path.length <= SHOWN_PATH_LENGTH ? row : { ...row, path: `${row.path.slice(0, SHOWN_PATH_LENGTH - 1)}…` };

/** A receipt's lines for the answer, by response path. They are bounded, whatever aliases the caller chose. */
export function responseLines(lines: readonly ReceiptLine[]): ReceiptLine[] {
  return [...lines.slice(0, MOST_SHOWN).map(clipped), ...folded(lines.slice(MOST_SHOWN), () => ELSEWHERE)];
}

/** One line for each path, unit and cache label, in order of first appearance. */
function folded(lines: readonly ReceiptLine[], pathOf: (line: ReceiptLine) => string): ReceiptLine[] {
  const sums = new Map<string, ReceiptLine>();
  for (const line of lines) {
    const path = pathOf(line);
    const key = `${path} ${line.unit} ${line.cache}`;
    const items = (sums.get(key)?.items ?? 0) + line.items;
    sums.set(key, { ...line, path, items });
  }
  return [...sums.values()];
}

/** The first name, and as many of the last ones as fit: `user...quoted.retweeted`. */
function shortPath(path: string): string {
  if (path.length <= PATH_LENGTH) return path;
  const [first = '', ...names] = path.split('.');
  let end = '';
  for (let name = names.pop(); name !== undefined; name = names.pop()) {
    const longer = end === '' ? name : `${name}.${end}`;
    if (first.length + 3 + longer.length > PATH_LENGTH) break;
    end = longer;
  }
  return `${first}...${end}`;
}

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
  /** For the answer, bounded like its lines; left out if the money was enough for every list. */
  readonly cuts?: readonly Cut[];
}

/** The lists under one path that were cut short because the money ran out. */
export interface Cut {
  /** The path in the response. */
  readonly path: string;
  readonly reason: Shortage;
  /** How many items these lists contain. */
  readonly items: number;
  /** How many items were requested; the lists may have had fewer. */
  readonly requested: number;
}

/** A cached value that an answer was made from. The answer is valid while the cache has this value under the key. */
export interface Dependency {
  readonly key: string;
  readonly value: object;
}

type Line = { -readonly [K in keyof ReceiptLine]: ReceiptLine[K] };

/** The items that one operation delivered: lines folded per path, unit and cache label (G4); each object once. */
export class Receipt {
  /** By path, because lines are looked up for each item and a path may be long. */
  readonly #lines = new Map<string, Line[]>();
  readonly #paid = new Set<string>();
  #bypassed = false;
  #readUpstream = false;
  #oldest = Number.POSITIVE_INFINITY;
  readonly #dependencies: Dependency[] = [];
  #repeatable = true;
  /** By path. */
  readonly #cuts = new Map<string, Cut>();
  amount: Thousandths = 0;

  /** True if this object is on the receipt already; repeating it is free. */
  has(object: string): boolean {
    return this.#paid.has(object);
  }

  add(path: string, unit: Unit, cache: ItemCache, object: string): void {
    this.#paid.add(object);
    const unitPrice = itemPrice(unit, cache);
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

  /** Records a cached value that the answer was made from. */
  noteDependency(key: string, value: object): void {
    this.#dependencies.push({ key, value });
  }

  /** Something was missing, refused or trimmed: the same call may get another answer with the same cached values. */
  markNotRepeatable(): void {
    this.#repeatable = false;
  }

  /** Records a list that was cut short because the money ran out: another call may get more of it. */
  noteCut({ path, reason, items, requested }: Cut): void {
    this.markNotRepeatable();
    const before = this.#cuts.get(path) ?? { items: 0, requested: 0 };
    this.#cuts.set(path, { path, reason, items: before.items + items, requested: before.requested + requested });
  }

  /** What the answer was made from, or null if the answer must not be reused. */
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
   * The receipt as one charge. `cache` is `hit` only if nothing was read upstream (M6). A batch of cached and read
   * objects is `mixed`; a batch in which nothing was found is `miss`, or `bypass` with `fresh` (B10). `fieldPaths`: see
   * `ledgerLines`.
   */
  fold(kind: 'page' | 'batch' = 'page', fieldPaths: ReadonlyMap<string, string> = new Map()): Charge {
    const lines = [...this.#lines.values()].flat().filter((line) => line.items > 0);
    const items = lines.reduce((sum, line) => sum + line.items, 0);
    const cacheHits = lines.reduce((sum, line) => sum + (line.cache === 'hit' ? line.items : 0), 0);
    const said = { lines: responseLines(lines), ledgerLines: ledgerLines(lines, fieldPaths) };
    const cuts = [...this.#cuts.values()].slice(0, MOST_SHOWN).map(clipped);
    const cache = this.#label(kind, items, cacheHits);
    return { amount: this.amount, items, cacheHits, ...said, ...(cuts.length > 0 && { cuts }), cache };
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
