import type { Network } from '../../../src/ports/network.js';
import type { Load } from './load.js';

export type Json = Record<string, unknown>;

/** What an upstream can do wrong. `times`: for how many answers; by default for all. */
export type Misbehaviour =
  /** An HTTP status with the error body that the network sends with it. */
  | {
      readonly does: 'status';
      readonly status: 401 | 403 | 404 | 429 | 500 | 502 | 503;
      readonly retryAfterSeconds?: number;
    }
  /** An HTML page of the network's proxies, with this status. */
  | { readonly does: 'html'; readonly status: 200 | 403 | 502 }
  /** The head declares more bytes than arrive. */
  | { readonly does: 'truncate' }
  /** Bytes that are not JSON, or JSON that is not an object. */
  | { readonly does: 'garbage'; readonly body: string }
  /** A required field is missing, or of another type, in every object. */
  | {
      readonly does: 'mistype';
      readonly field: 'id' | 'createdAt' | 'handle';
      readonly as: 'missing' | 'number' | 'null';
    }
  /** Replaces each object of an answer by the result of this function. */
  | { readonly does: 'rewrite'; readonly object: (value: Json) => unknown }
  /** Counters beyond 2^53. */
  | { readonly does: 'overflow' }
  /** Accepts the request and never answers. */
  | { readonly does: 'hang' }
  /** The connection is reset. */
  | { readonly does: 'reset' }
  /** Pages with fewer items than requested, some of them empty, with a next one. */
  | { readonly does: 'shortPages' }
  /** Each page leads to itself. */
  | { readonly does: 'repeatCursor' }
  /** Each page begins with the last items of the page before. */
  | { readonly does: 'overlap' };

/** A body as text, with its objects replaced if it is to be rewritten. */
export const bodyText = (body: unknown, how: Misbehaviour | null): string =>
  JSON.stringify(body, (_, value) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return how?.does === 'rewrite' && isObject ? how.object(value) : value;
  });

/** A stand-in for an upstream: a local server that serves the world in the network's own terms. */
export interface StandIn {
  /** The adapter, pointed at the stand-in by the configuration that operators use. */
  readonly network: Network;
  /** The handle of a person of the world in this network. */
  handle(name: string): string;
  userId(name: string): string;
  tweetId(key: string): string;
  /** The upstream's id of an object with an id of Perch. */
  upstreamId?(id: string): string;
  /** A well-formed handle, user id and tweet id that do not exist. */
  readonly nobody: { readonly handle: string; readonly userId: string; readonly tweetId: string };
  /** Makes every answer wrong in this way; null: all is well. */
  misbehave(how: Misbehaviour | null): void;
  /** How much it serves; unlimited until a test changes it. */
  readonly load: Load;
  /** Requests so far: method and path with query. */
  readonly requests: readonly string[];
  /** Headers of the last request. */
  lastHeaders(): Readonly<Record<string, string | string[] | undefined>>;
  /** What this network cannot do by design. Its tests are left out by name. */
  readonly cannot: readonly ('quotes' | 'search' | 'conversationId' | 'suspended' | 'private')[];
  close(): Promise<void>;
}
