import { toCredits } from '../../../src/domain/credits.js';
import { itemPrice, UNITS, type Unit } from '../../../src/domain/prices.js';
import { PACKS, tierQps, usdPer1000 } from '../../../src/domain/tiers.js';

export interface LandingModel {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly version: string;
  /** The network in use: `corpus`, `bluesky`, … */
  readonly network: string;
  /** Whether this service reads the invented demo network. */
  readonly demo: boolean;
  /** The handle that the example names; null: the network has no account yet. */
  readonly sample?: string | null;
  /** What the page's own example uses; null: the example is text. A page with a key in it must not be cached. */
  readonly live: { readonly key: string; readonly handles: readonly string[] } | null;
  /** The dashboard's first page, in both colour schemes. */
  readonly pictures: { readonly light: Picture; readonly dark: Picture };
}

/** A picture that a page shows. Pixels. */
export interface Picture {
  readonly path: string;
  readonly width: number;
  readonly height: number;
}

/** Credits per item, by how it was obtained. */
export interface PriceRow {
  readonly unit: Unit;
  readonly items: string;
  readonly miss: number;
  readonly hit: number;
  readonly bypass: number;
}

export const priceRows = (): PriceRow[] =>
  (Object.keys(UNITS) as Unit[]).map((unit) => ({
    unit,
    items: UNITS[unit].items,
    miss: toCredits(itemPrice(unit, 'miss')),
    hit: toCredits(itemPrice(unit, 'hit')),
    bypass: toCredits(itemPrice(unit, 'bypass')),
  }));

export const packRows = (): { name: string; usd: number; credits: number; usdPer1000: number; qps: number }[] =>
  PACKS.map((pack) => ({
    name: pack.name,
    usd: pack.usd,
    credits: pack.credits,
    usdPer1000: usdPer1000(pack),
    qps: tierQps(pack.usd),
  }));

/** Days of a month, and the share of its reads that others, or the same caller, had read shortly before. */
const DAYS = 30;
const CACHED = 0.25;

/** What people build, and what they read for it on a day. */
const USES: readonly { readonly what: string; readonly items: Partial<Record<Unit, number>> }[] = [
  { what: 'Watch 10 accounts: profile and 20 newest tweets, every six hours', items: { profile: 40, tweet: 800 } },
  { what: 'Search for a name every hour, 20 results each', items: { tweet: 480 } },
  { what: 'List 100,000 followers once a month, ids only', items: { follower_id: 100_000 / DAYS } },
];

export interface MonthRow {
  readonly what: string;
  readonly credits: number;
  /** US dollars, with the smallest pack that has as many credits, or else the largest. */
  readonly usd: number;
}

/** What a month of some uses costs, a quarter of the items cached. */
export const monthRows = (): MonthRow[] =>
  USES.map(({ what, items }) => {
    const units = Object.entries(items) as [Unit, number][];
    const thousandths = units.reduce(
      (sum, [unit, count]) =>
        sum + DAYS * count * ((1 - CACHED) * itemPrice(unit, 'miss') + CACHED * itemPrice(unit, 'hit')),
      0,
    );
    const credits = Math.round(toCredits(thousandths));
    const pack = PACKS.find((each) => each.credits >= credits) ?? PACKS[PACKS.length - 1] ?? PACKS[0];
    return { what, credits, usd: (credits * pack.usd) / pack.credits };
  });

/** `GET /` for a program. */
export function landingFacts({ baseUrl, version, network, demo }: LandingModel) {
  return {
    name: 'Perch',
    version,
    network,
    demo,
    endpoints: { graphql: `${baseUrl}/graphql`, rest: `${baseUrl}/v1`, mcp: `${baseUrl}/mcp` },
    links: {
      graphql: `${baseUrl}/graphql`,
      docs: `${baseUrl}/docs`,
      openapi: `${baseUrl}/openapi.yaml`,
      status: `${baseUrl}/status`,
      problems: `${baseUrl}/problems`,
    },
    prices: priceRows(),
  };
}
