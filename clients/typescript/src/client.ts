import createClient from 'openapi-fetch';
import type { PerchDocument } from './document.js';
import { parsed, toError, unreadable } from './errors.js';
import { Following, type FollowOptions } from './follow.js';
import { Pages } from './pages.js';
import { postGraphql, type QueryEstimate, type QueryInput, type QueryOptions, type QueryResult } from './query.js';
import type { paths } from './rest.gen.js';
import type {
  Answer,
  CallInit,
  Estimate,
  FollowedPath,
  FollowInit,
  Get,
  GetPath,
  Given,
  ItemOf,
  Page,
  PagedPath,
  PageInit,
  Post,
  PostPath,
  PricedPath,
} from './rest.js';
import { type CallControl, type Fetch, headOf, retryAfterOf, sender } from './send.js';
import { checkHeaders, checkSegments, notText, usableKey, usableTimeout, usableUrl } from './usable.js';

export interface PerchOptions {
  /** The service's address, such as `http://127.0.0.1:4000`; a path before `/v1` is part of it. */
  readonly baseUrl: string;
  /** The API key; sent as `x-api-key` and stored nowhere else. */
  readonly key: string;
  /**
   * Milliseconds that a call may take; `Infinity` for no limit. Default 35,000: the service itself gives up after
   * 30,000.
   */
  readonly timeoutMs?: number;
  /** Replaces the runtime's own `fetch`. */
  readonly fetch?: Fetch;
}

export interface Perch {
  /** One read. Throws `PerchError`; returns the answer's body, with `credits_charged` beside `data`. */
  get<P extends GetPath>(path: P, ...init: Given<CallInit<Get<P>>>): Promise<Answer<Get<P>>>;
  /** The same for calls with a body, such as batches and checkout. */
  post<P extends PostPath>(path: P, ...init: Given<CallInit<Post<P>>>): Promise<Answer<Post<P>>>;
  /** What a read can cost at most. Reads nothing and is free. */
  estimate<P extends PricedPath>(path: P, ...init: Given<CallInit<Get<P>>>): Promise<Estimate>;
  /** A list page by page, for at most `maxCredits` in total: `for await (const page of perch.pages(…))`. */
  pages<P extends PagedPath>(path: P, init: PageInit<P>): Pages<Page<P>>;
  /**
   * New items of a list as they appear: `for await (const tweet of perch.follow(…))`. Starts after `query: { since }`
   * if it is given. Otherwise it starts now, and first reads a page of one item, for at most the price of one item.
   */
  follow<P extends FollowedPath>(path: P, init: FollowInit<P>): Following<ItemOf<P>>;
  /** One GraphQL operation, written with `graphql`. Throws `PerchError` if there is no data. */
  query<Data, Variables>(
    document: PerchDocument<Data, Variables>,
    ...input: QueryInput<Variables, QueryOptions>
  ): Promise<QueryResult<Data>>;
  /** What an operation can cost at most. Reads nothing and is free. */
  estimateQuery<Data, Variables>(
    document: PerchDocument<Data, Variables>,
    ...input: QueryInput<Variables, CallControl>
  ): Promise<QueryEstimate>;
}

type AnyInit = CallControl & {
  readonly path?: Record<string, unknown>;
  readonly query?: Record<string, unknown>;
  readonly header?: Record<string, unknown>;
  readonly body?: unknown;
};

/**
 * A client. It has no connection and no state, so create one and share it. Throws a TypeError for an invalid base
 * address, `missing_key` for a key that no service can have issued, and `bad_request` for an invalid `timeoutMs`.
 */
export function createPerch(options: PerchOptions): Perch {
  const headers = { 'x-api-key': usableKey(options.key) };
  const baseUrl = usableUrl(options.baseUrl);
  const rest = createClient<paths>({ baseUrl, headers, querySerializer: { array: { style: 'form', explode: false } } });
  const fetch = options.fetch ?? ((request: Request) => globalThis.fetch(request));
  const usualTimeout = usableTimeout(options.timeoutMs ?? 35_000);
  const sendWith = ({ timeoutMs }: CallControl): Fetch => sender(fetch, usableTimeout(timeoutMs ?? usualTimeout));

  /** One call. Its types are those of the interface `Perch`; repeating them here would add nothing. */
  async function call(method: 'get' | 'post', path: string, init: AnyInit = {}, extra: object = {}): Promise<unknown> {
    const { path: inPath, query, header, body, signal, ...control } = init;
    checkSegments(inPath);
    checkHeaders(header);
    const params = { ...(inPath && { path: inPath }), query: { ...query, ...extra }, ...(header && { header }) };
    const sent = { ...(body !== undefined && { body }), ...(signal && { signal }) };
    const given = { params, fetch: sendWith(control), parseAs: 'text', ...sent };
    const { data, error, response } = await rest
      .request(method as 'get', path as '/v1/me', given as never)
      .catch((fault: unknown) => {
        throw fault instanceof URIError ? notText() : fault;
      });
    const head = headOf(response);
    if (response.ok) return parsed((data as string | undefined) ?? '', head);
    const said = error as unknown as { error?: object; request_id?: string } | undefined;
    const requestId = said?.request_id ?? head.requestId;
    throw toError(said?.error, { ...head, requestId, retryAfter: retryAfterOf(response.headers) });
  }

  const graphqlWith = (document: object, variables: unknown, control: CallControl, extensions: object) =>
    postGraphql(sendWith(control), {
      url: `${baseUrl}/graphql`,
      headers,
      document: document as PerchDocument<unknown, never>,
      variables,
      extensions: { ...extensions },
      signal: control.signal,
    });

  const perch = {
    get: (path: string, init?: AnyInit) => call('get', path, init),
    post: (path: string, init?: AnyInit) => call('post', path, init),
    async estimate(path: string, init?: AnyInit) {
      const { estimate } = (await call('get', path, init, { estimate: true })) as { estimate?: Estimate };
      if (estimate === undefined) throw unreadable({ status: 200 });
      return estimate;
    },
    pages(path: string, { maxCredits, ...init }: AnyInit & { maxCredits: number }) {
      const start = (init.query?.cursor ?? undefined) as string | undefined;
      const read = (cursor: string | undefined, max_credits: number) =>
        call('get', path, init, { max_credits, ...(cursor !== undefined && { cursor }) });
      return new Pages(read as () => Promise<Page<PagedPath>>, { maxCredits, cursor: start, signal: init.signal });
    },
    follow(path: string, { maxCredits, intervalMs, onGap, onRetry, ...init }: AnyInit & FollowOptions) {
      const { since, ...query } = init.query ?? {};
      const read = (given: object) => call('get', path, { ...init, query }, given);
      const chargedFor = async (request_id: string): Promise<number | undefined> => {
        const receipt = await call('get', '/v1/usage/{request_id}', { ...init, path: { request_id }, query: {} });
        return (receipt as { data?: { credits?: number } }).data?.credits;
      };
      return new Following(read as never, chargedFor, {
        maxCredits,
        // Stored as null before there was one.
        since: (since ?? undefined) as string | undefined,
        ...(intervalMs != null && { intervalMs }),
        ...(onGap && { onGap }),
        ...(onRetry && { onRetry }),
        ...(init.signal && { signal: init.signal }),
      });
    },
    async query(document: object, variables?: unknown, { maxCredits, ...control }: QueryOptions = {}) {
      const extensions = { ...(maxCredits !== undefined && { maxCredits }) };
      const { estimate: _, ...result } = await graphqlWith(document, variables, control, extensions);
      return result;
    },
    async estimateQuery(document: object, variables?: unknown, control: CallControl = {}) {
      const { estimate } = await graphqlWith(document, variables, control, { dryRun: true });
      if (estimate === undefined) throw unreadable({ status: 200 });
      return estimate;
    },
  };
  return perch as unknown as Perch;
}
