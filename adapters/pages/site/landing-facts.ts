import { priceRows } from './pricing-facts.js';

export interface LandingModel {
  /** Without a slash at the end. */
  readonly baseUrl: string;
  readonly version: string;
  /** The network in use: `corpus`, `bluesky`, … */
  readonly network: string;
  /** Whether this service reads the invented demo network. */
  readonly demo: boolean;
  /** The handle in the example; null if the network has no accounts yet. */
  readonly sample?: string | null;
  /** What the page's runnable example uses; null if the example is only text. A page with a key must not be cached. */
  readonly live: {
    readonly key: string;
    readonly handles: readonly string[];
    /** An account that posts every 30 seconds. */
    readonly postsOften: string;
  } | null;
  /** The dashboard's first page, in both colour schemes. */
  readonly pictures: { readonly light: Picture; readonly dark: Picture };
}

/** A picture that a page shows; sizes are in pixels. */
export interface Picture {
  readonly path: string;
  readonly width: number;
  readonly height: number;
}

/** `GET /` for a program. */
export function landingFacts({ baseUrl, version, network, demo }: LandingModel) {
  return {
    name: 'Perch',
    version,
    network,
    demo,
    endpoints: {
      graphql: `${baseUrl}/graphql`,
      rest: `${baseUrl}/v1`,
      mcp: `${baseUrl}/mcp`,
      live: `${baseUrl}/v1/live`,
    },
    links: {
      graphql: `${baseUrl}/graphql`,
      docs: `${baseUrl}/docs`,
      pricing: `${baseUrl}/pricing`,
      openapi: `${baseUrl}/openapi.yaml`,
      status: `${baseUrl}/status`,
      problems: `${baseUrl}/problems`,
    },
    prices: priceRows(),
  };
}
