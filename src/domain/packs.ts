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
