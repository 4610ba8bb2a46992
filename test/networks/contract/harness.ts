import type { Network } from '../../../src/ports/network.js';
import type { Load } from './load.js';

export type Json = Record<string, unknown>;

/** What an upstream can do wrong; `times`: how many answers, all unless told. */
export type Misbehaviour =
  /** An HTTP status with the error body that the network sends with it. */
  | {
      readonly does: 'status';
      readonly status: 401 | 403 | 404 | 429 | 500 | 502 | 503;
      readonly retryAfterSeconds?: number;
    }
  /** Its front door's page, as proxies send it, with this status. */
  | { readonly does: 'html'; readonly status: 200 | 403 | 502 }
  /** The head promises more bytes than come. */
  | { readonly does: 'truncate' }
  /** Bytes that are no JSON, and JSON that is no object. */
  | { readonly does: 'garbage'; readonly body: string }
  /** A required field is missing, or of another type, in every object. */
  | {
      readonly does: 'mistype';
      readonly field: 'id' | 'createdAt' | 'handle';
      readonly as: 'missing' | 'number' | 'null';
    }
  /** Each object of an answer is what this makes of it. */
  | { readonly does: 'rewrite'; readonly object: (value: Json) => unknown }
  /** Counters beyond 2^53. */
  | { readonly does: 'overflow' }
  /** Takes the request and says nothing. */
  | { readonly does: 'hang' }
  /** The connection is reset. */
  | { readonly does: 'reset' }
  /** Pages with fewer items than asked for, empty ones among them, that go on. */
  | { readonly does: 'shortPages' }
  /** Each page leads to itself. */
  | { readonly does: 'repeatCursor' }
  /** Each page begins with the last items of the one before. */
  | { readonly does: 'overlap' };

/** A body as text; where it is to be rewritten, with other objects. */
export const bodyText = (body: unknown, how: Misbehaviour | null): string =>
  JSON.stringify(body, (_, value) => {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return how?.does === 'rewrite' && isObject ? how.object(value) : value;
  });

/** A stand-in for an upstream: a local server that serves the world in the network's own words. */
export interface StandIn {
  /** The adapter, pointed at the stand-in by the configuration that operators use. */
  readonly network: Network;
  /** How people and posts of the world are called in this network. */
  handle(name: string): string;
  userId(name: string): string;
  tweetId(key: string): string;
  /** What the upstream calls the object with an id of Perch's. */
  upstreamId?(id: string): string;
  /** A well-formed handle, user id and tweet id of nobody and nothing. */
  readonly nobody: { readonly handle: string; readonly userId: string; readonly tweetId: string };
  /** From now on every answer is wrong in this way; null: all well. */
  misbehave(how: Misbehaviour | null): void;
  /** How much it serves: as much as it is asked for, until told. */
  readonly load: Load;
  /** Requests so far: method and path with query. */
  readonly requests: readonly string[];
  /** Headers of the last request. */
  lastHeaders(): Readonly<Record<string, string | string[] | undefined>>;
  /** What this network cannot do, by design: left out of the suite by name. */
  readonly cannot: readonly ('quotes' | 'search' | 'conversationId' | 'suspended' | 'private')[];
  close(): Promise<void>;
}
