import { toCredits } from '../../src/core/credits.js';
import { PACKS, usdPer1000 } from '../../src/core/packs.js';
import { priceOf, UNITS, type Unit } from '../../src/core/prices.js';
import { qpsOf } from '../../src/core/tiers.js';

export interface LandingModel {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly version: string;
  /** The network in use: `corpus`, `bluesky`, … */
  readonly network: string;
  /** Whether this service reads the invented demo network. */
  readonly demo: boolean;
  /** What the page's own example uses; null: the example is text. A page with a key in it must not be cached. */
  readonly live: { readonly key: string; readonly handles: readonly string[] } | null;
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
    miss: toCredits(priceOf(unit, 'miss')),
    hit: toCredits(priceOf(unit, 'hit')),
    bypass: toCredits(priceOf(unit, 'bypass')),
  }));

export const packRows = (): { name: string; usd: number; credits: number; usdPer1000: number; qps: number }[] =>
  PACKS.map((pack) => ({
    name: pack.name,
    usd: pack.usd,
    credits: pack.credits,
    usdPer1000: usdPer1000(pack),
    qps: qpsOf(pack.usd),
  }));

/** `GET /` for a program (H10). */
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
