import type { Thousandths } from '../domain/credits.js';
import { UNITS, type Unit } from '../domain/prices.js';
import type { ReceiptLine } from '../ports/ledger.js';
import { ELSEWHERE } from './receipt.js';

/**
 * What an answer may contain that was paid for before: of the items at one full price, as many as then. Not by path:
 * the same object may be read under another path now, and small receipts fold paths.
 */
export class PaidItems {
  readonly #left = new Map<Thousandths, number>();

  constructor(lines: readonly ReceiptLine[]) {
    for (const { unit, items } of lines) this.add(unit, items);
  }

  has(unit: Unit): boolean {
    return (this.#left.get(UNITS[unit].price) ?? 0) > 0;
  }

  add(unit: Unit, items: number): void {
    const { price } = UNITS[unit];
    this.#left.set(price, (this.#left.get(price) ?? 0) + items);
  }
}

/** How many items a receipt has of the list itself. The fields below it have longer paths, or are folded with others. */
export function itemsOfList(lines: readonly ReceiptLine[]): number {
  const own = lines.filter(({ path }) => !path.includes('.') && path !== ELSEWHERE);
  return (own.length > 0 ? own : lines).reduce((sum, { items }) => sum + items, 0);
}
