import type { PerchDocument } from './document.js';
import { type PerchError, parsed, toError } from './errors.js';
import { type CallControl, type Fetch, headOf, retryAfterOf } from './send.js';

export interface QueryOptions extends CallControl {
  /** The most credits that the operation may cost: lists are trimmed to fit. At most three decimals. */
  readonly maxCredits?: number;
}

/** A number of items at one price. */
export interface CreditLine {
  readonly path: string;
  readonly items: number;
  readonly unit: number;
  readonly cache: string;
  readonly charged: number;
}

/** The lists at one path that were cut because the credits did not cover more. */
export interface TruncatedList {
  readonly path: string;
  /** `max_credits`, `no_credits` or `key_cap`. */
  readonly reason: string;
  readonly items: number;
  /** The number of items requested from the lists, which may have had fewer. */
  readonly requested: number;
}

export interface QueryResult<Data> {
  readonly data: Data;
  /** Fields that failed: null in `data`, and free. They do not throw, since the other fields were charged. */
  readonly errors: readonly PerchError[];
  readonly credits: {
    readonly charged: number;
    /** The wallet's balance after the operation; null without a key. */
    readonly remaining: number | null;
    readonly cache: string;
    readonly breakdown: readonly CreditLine[];
    /** The lists that the budget, the wallet or the key's cap cut; absent if the credits covered all of them. */
    readonly truncated?: readonly TruncatedList[];
  };
  readonly requestId: string;
}

/** The price of an operation before anything is read. */
export interface QueryEstimate {
  readonly max_items: number;
  readonly max_credits: number;
  /** Present if the operation itself would be refused before anything is read. */
  readonly refused?: { readonly code: string; readonly message: string };
}

interface GraphqlError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { code?: string; reason?: string; param?: string; retry_after?: number; doc_url?: string };
}

interface GraphqlAnswer {
  readonly data?: unknown;
  readonly errors?: readonly GraphqlError[];
  readonly error?: object;
  readonly request_id?: string;
  readonly extensions?: {
    readonly credits?: QueryResult<unknown>['credits'];
    readonly estimate?: QueryEstimate;
    readonly request_id?: string;
  };
}

/** The rest parameters of a query: variables may be left out if none is required. */
export type QueryInput<Variables, Options> =
  Partial<Variables> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options];

export interface GraphqlPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: PerchDocument<unknown, never>;
  readonly variables: unknown;
  readonly extensions: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal | undefined;
}

/** One POST to `/graphql`. Throws if there is no data, in which case nothing was charged. */
export async function postGraphql(
  send: Fetch,
  post: GraphqlPost,
): Promise<QueryResult<unknown> & { readonly estimate: QueryEstimate | undefined }> {
  const { url, headers, document, variables, extensions, signal } = post;
  const response = await send(
    new Request(url, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify({ query: document.text, variables: variables ?? {}, extensions }),
      ...(signal && { signal }),
    }),
  );
  const head = headOf(response);
  const retryAfter = retryAfterOf(response.headers);
  const answer: GraphqlAnswer = parsed(await response.text(), head);
  const requestId = answer.extensions?.request_id ?? answer.request_id ?? head.requestId;
  const errors = (answer.errors ?? []).map(({ message, path, extensions: said }) =>
    toError({ ...said, message }, { ...head, requestId, path }),
  );
  const { credits, estimate } = answer.extensions ?? {};
  if (requestId === undefined || credits === undefined || (answer.data == null && estimate === undefined)) {
    throw errors[0] ?? toError(answer.error, { ...head, requestId, retryAfter });
  }
  return { data: answer.data, errors, credits, estimate, requestId };
}
