/**
 * The packs that can be bought (M28). Larger packs cost less per credit. An account that has paid as much as a pack
 * costs, in all, has the rate limit of that pack from then on.
 */
export const PACKS = [
  { name: 'starter', usd: 10, credits: 10_000, requestsPerSecond: 20 },
  { name: 'builder', usd: 50, credits: 55_000, requestsPerSecond: 50 },
  { name: 'growth', usd: 200, credits: 240_000, requestsPerSecond: 100 },
  { name: 'scale', usd: 600, credits: 800_000, requestsPerSecond: 200 },
] as const;

export type Pack = (typeof PACKS)[number];

/** The price of a thousand credits in this pack, US dollars, to the cent (M29). */
export const usdPer1000 = (pack: Pack): number => Math.round((pack.usd / pack.credits) * 100_000) / 100;

export interface Tier {
  /** US dollars, over the account's life. */
  readonly paidUsd: number;
  readonly requestsPerSecond: number;
}

const FIRST_TIER: Tier = { paidUsd: 0, requestsPerSecond: 1 };

/** Rate limits by what an account has paid in all, which only rises (section 8.1.1). */
export const TIERS: readonly [Tier, ...Tier[]] = [
  FIRST_TIER,
  ...PACKS.map(({ usd, requestsPerSecond }) => ({ paidUsd: usd, requestsPerSecond })),
];

/** The rate limit of a new account; quoted on 401. */
export const STARTING_QPS = FIRST_TIER.requestsPerSecond;

/** The rate limit of an account that has paid this much, in requests per second. */
export function tierQps(paidUsd: number): number {
  let qps: number = STARTING_QPS;
  for (const tier of TIERS) if (paidUsd >= tier.paidUsd) qps = tier.requestsPerSecond;
  return qps;
}
