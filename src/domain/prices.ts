import type { Thousandths } from './credits.js';

/** The units in which items are sold; one row each, full price in thousandths of a credit. */
export const UNITS = {
  profile: { price: 1000, item: 'profile', items: 'profiles' },
  tweet: { price: 1000, item: 'tweet', items: 'tweets' },
  edge_profile: { price: 100, item: 'follower or following profile', items: 'follower or following profiles' },
  follower_id: { price: 20, item: 'follower id', items: 'follower ids' },
  retweeter: { price: 500, item: 'retweeter profile', items: 'retweeter profiles' },
} as const satisfies Record<string, { price: Thousandths; item: string; items: string }>;

export type Unit = keyof typeof UNITS;

/**
 * How one item was obtained: read from the network, cached, or read fresh because the caller asked for it (section 1).
 */
export type ItemCache = 'miss' | 'hit' | 'bypass';

/**
 * The price of one item: half if cached, double if `fresh` (section 1). Every full price is even, so halves are exact.
 */
export function itemPrice(unit: Unit, cache: ItemCache): Thousandths {
  const full = UNITS[unit].price;
  if (cache === 'hit') return full / 2;
  return cache === 'bypass' ? full * 2 : full;
}
