import { createHmac, randomBytes } from 'node:crypto';

export interface Customer {
  /** The customer's number, from 0 on, in the order of the keys. */
  readonly nth: number;
  tokens: number;
  atMs: number;
}

/** More than any round sends, so requests are counted but never refused. */
const TOKENS = 10_000;
const TOKENS_PER_MS = 1;

const REFUSED = { invalid_key: 401, rate_limited: 429 } as const;
export type Refusal = keyof typeof REFUSED;
export const statusOf = (refusal: Refusal): number => REFUSED[refusal];

/** Finds the customer of a key by its HMAC and takes one request from their rate, or says why it is refused. */
export function openDoor(keys: readonly string[]): (key: string) => Customer | Refusal {
  const pepper = randomBytes(32);
  const hashOf = (key: string): string => createHmac('sha256', pepper).update(key).digest('base64');
  const customers = new Map(
    keys.map((key, nth): [string, Customer] => [hashOf(key), { nth, tokens: TOKENS, atMs: 0 }]),
  );
  // Only valid keys are stored, so there are no more entries than customers.
  const known = new Map<string, Customer>();
  return (key) => {
    let customer = known.get(key);
    if (customer === undefined) {
      customer = customers.get(hashOf(key));
      if (customer === undefined) return 'invalid_key';
      known.set(key, customer);
    }
    const now = performance.now();
    customer.tokens = Math.min(TOKENS, customer.tokens + (now - customer.atMs) * TOKENS_PER_MS);
    customer.atMs = now;
    if (customer.tokens < 1) return 'rate_limited';
    customer.tokens -= 1;
    return customer;
  };
}
