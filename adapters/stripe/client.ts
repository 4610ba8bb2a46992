import Stripe from 'stripe';

export interface StripeOptions {
  readonly secretKey: string;
  /** Another host than Stripe's own, or null. */
  readonly baseUrl: string | null;
}

/** Milliseconds for one try. */
const TIMEOUT_MS = 10_000;
const RETRIES = 2;

export function createStripe({ secretKey, baseUrl }: StripeOptions): Stripe {
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(baseUrl !== null && hostOf(new URL(baseUrl))),
  });
}

const hostOf = ({ hostname, port, protocol }: URL) => ({
  // An IPv6 address in a URL has brackets, which a socket doesn't know.
  host: hostname.replace(/^\[|\]$/g, ''),
  protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
  port: port || (protocol === 'http:' ? '80' : '443'),
});
