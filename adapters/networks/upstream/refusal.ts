import type { Headers } from 'undici';

/** What an upstream's headers say of the calls that are left to these credentials. */
export interface Limit {
  readonly remaining: number;
  /** Seconds until there are more. */
  readonly resetsInSeconds: number;
}

/** An answer that is no success, as far as it could be read. */
export interface Refusal {
  readonly status: number;
  readonly headers: Headers;
  /** The body if it is JSON, else undefined. */
  readonly json: unknown;
  /** Its beginning. */
  readonly text: string;
  readonly limit: Limit | undefined;
}
