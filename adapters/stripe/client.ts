import type { Stripe } from 'stripe';

export interface StripeOptions {
  readonly secretKey: string;
  /** Replaces Stripe's own host; null: no replacement. */
  readonly baseUrl: string | null;
}

/** Milliseconds for one attempt. */
const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/** The library is large, and is loaded for the first payment. */
export async function createStripe({ secretKey, baseUrl }: StripeOptions): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(baseUrl !== null && hostOf(new URL(baseUrl))),
  });
}

const hostOf = ({ hostname, port, protocol }: URL) => ({
  // An IPv6 address in a URL has brackets, which a socket does not accept.
  host: hostname.replace(/^\[|\]$/g, ''),
  protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
  port: port || (protocol === 'http:' ? '80' : '443'),
});
