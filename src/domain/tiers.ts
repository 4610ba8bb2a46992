/** The packs that can be bought (section 2; prices derived from the tiers, M28). Larger packs cost less per credit. */
export const PACKS = [
  { name: 'starter', usd: 10, credits: 10_000 },
  { name: 'builder', usd: 50, credits: 55_000 },
  { name: 'growth', usd: 200, credits: 240_000 },
  { name: 'scale', usd: 600, credits: 800_000 },
] as const;

export type Pack = (typeof PACKS)[number];

/** The price of a thousand credits in this pack, US dollars, to the cent (M29). */
export const usdPer1000 = (pack: Pack): number => Math.round((pack.usd / pack.credits) * 100_000) / 100;

/** Total paid over the account's life in US dollars, mapped to requests per second; it only rises (section 8). */
export const TIERS = [
  { paidUsd: 0, requestsPerSecond: 1 },
  { paidUsd: 10, requestsPerSecond: 20 },
  { paidUsd: 50, requestsPerSecond: 50 },
  { paidUsd: 200, requestsPerSecond: 100 },
  { paidUsd: 600, requestsPerSecond: 200 },
] as const;

/** The rate a new account starts on; quoted on 401. */
export const STARTING_QPS = TIERS[0].requestsPerSecond;

/** The rate limit of an account that has paid this much, in requests per second. */
export function qpsOf(paidUsd: number): number {
  let qps: number = STARTING_QPS;
  for (const tier of TIERS) if (paidUsd >= tier.paidUsd) qps = tier.requestsPerSecond;
  return qps;
}
