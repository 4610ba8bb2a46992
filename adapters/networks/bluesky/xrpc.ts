import type { z } from 'zod';
import type { ServiceError } from '../../../src/domain/errors.js';
import type { ReadContext } from '../../../src/ports/network.js';
import type { Upstream } from '../upstream/client.js';
import type { UpstreamRefusal } from '../upstream/refusal.js';
import { xrpcFailure } from './failures.js';

/** Parameters of a method; a list repeats the name. */
export type XrpcParams = Readonly<Record<string, string | number | boolean | readonly string[] | null | undefined>>;

export interface XrpcCall<T> {
  /** For example `app.bsky.feed.getPosts`. */
  readonly method: string;
  readonly params: XrpcParams;
  readonly schema: z.ZodType<T>;
  readonly context: ReadContext;
  readonly failureOf?: (refusal: UpstreamRefusal) => ServiceError | undefined;
}

/** Calls one server, with or without its credentials. */
export type Xrpc = <T>(call: XrpcCall<T>) => Promise<T>;

export const createXrpc =
  (upstream: Upstream, headers: Readonly<Record<string, string>> = {}): Xrpc =>
  (call) =>
    upstream.request({
      path: xrpcPath(call.method, call.params),
      headers,
      schema: call.schema,
      context: call.context,
      failureOf: call.failureOf ?? xrpcFailure,
    });

function xrpcPath(method: string, params: XrpcParams): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each !== null && each !== undefined) query.append(name, String(each));
    }
  }
  return `/xrpc/${method}?${query}`;
}
