/** The tables of docs/pricing.md and of the interface, section 8, written out. Amounts are thousandths of a credit. */

export type Label = 'miss' | 'hit' | 'bypass' | 'mixed';
export type Unit = 'object' | 'edge' | 'id' | 'retweeter';

const UNCACHED: Readonly<Record<Unit, number>> = { object: 1000, edge: 100, id: 20, retweeter: 500 };

/** "Cache hit: half of the price. `fresh=true`: double." */
export function priceOf(unit: Unit, label: 'miss' | 'hit' | 'bypass'): number {
  const full = UNCACHED[unit];
  if (label === 'hit') return full / 2;
  return label === 'bypass' ? 2 * full : full;
}

const MINUTE = 60_000;

/** M11 and M24: how long anything read stays cached. */
export const CACHED_MS = {
  object: 15 * MINUTE,
  firstPage: 2 * MINUTE,
  deeperPage: 60 * MINUTE,
  follows: 360 * MINUTE,
  absent: MINUTE,
} as const;

/** The total paid in US dollars, and the requests a second that it gives. */
export const TIERS = [
  { paidUsd: 0, qps: 1 },
  { paidUsd: 10, qps: 20 },
  { paidUsd: 50, qps: 50 },
  { paidUsd: 200, qps: 100 },
  { paidUsd: 600, qps: 200 },
] as const;
