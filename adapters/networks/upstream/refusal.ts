import type { Headers } from 'undici';

/** What an upstream's headers say about the remaining calls of these credentials. */
export interface Limit {
  readonly remaining: number;
  /** Seconds until more are available. */
  readonly resetsInSeconds: number;
}

/** An unsuccessful answer, as far as it could be read. */
export interface UpstreamRefusal {
  readonly status: number;
  readonly headers: Headers;
  /** The body if it is JSON, otherwise undefined. */
  readonly json: unknown;
  /** The beginning of the body. */
  readonly text: string;
  readonly limit: Limit | undefined;
}
