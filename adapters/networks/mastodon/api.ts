import { domainToASCII } from 'node:url';
import type { z } from 'zod';
import type { ServiceError } from '../../../src/domain/errors.js';
import { Memories } from '../../../src/lib/memories.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { ReadContext } from '../../../src/ports/network.js';
import { Upstream } from '../upstream/client.js';
import { limitReader } from '../upstream/rate-headers.js';
import type { UpstreamRefusal } from '../upstream/refusal.js';
import { mastodonFailure } from './failures.js';
import { nextIn } from './link-header.js';
import { ListOwners } from './list-owners.js';

export interface MastodonOptions {
  /** One server, without a slash at the end. */
  readonly baseUrl: string;
  /** User tokens of that server with `read:accounts`, `read:search` and `read:statuses`; empty: public reads only. */
  readonly tokens: readonly string[];
  /** The server's streaming API, which needs a token, without a slash at the end; null: not used. */
  readonly streamingUrl?: string | null;
  readonly userAgent: string;
  readonly clock: Clock;
  readonly memories?: Memories | undefined;
}

export interface Get<T> {
  readonly path: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly schema: z.ZodType<T>;
  readonly context: ReadContext;
  readonly failureOf?: (refusal: UpstreamRefusal) => ServiceError | undefined;
}

const ANONYMOUS = 'anonymous';

const inAscii = (domain: string): string => domainToASCII(domain) || domain.toLowerCase();

/** One server's client API. */
export class Api {
  readonly sessions: readonly string[];
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #upstream: Upstream;
  /** What lists need to know of the accounts that were just read, by id. */
  readonly owners: ListOwners;
  /** The domain in the full handles of the server's own accounts, once it is known. Its API may be at another one. */
  #domain: string | undefined;

  constructor({ baseUrl, tokens, userAgent, clock, memories = new Memories() }: MastodonOptions) {
    this.owners = new ListOwners(clock, memories);
    this.#tokens = new Map(tokens.map((token, index) => [`token ${index + 1}`, token]));
    this.sessions = tokens.length > 0 ? [...this.#tokens.keys()] : [ANONYMOUS];
    const read = limitReader('x-ratelimit', 'date-time');
    this.#upstream = new Upstream({ baseUrl, userAgent, limitOf: (headers) => read(headers, clock.now()) });
  }

  noteDomain(domain: string): void {
    this.#domain = inAscii(domain);
  }

  /** The server names its own accounts without a domain. */
  canonicalHandle(handle: string): string {
    const at = handle.indexOf('@');
    return at !== -1 && inAscii(handle.slice(at + 1)) === this.#domain ? handle.slice(0, at) : handle;
  }

  hasToken(context: ReadContext): boolean {
    return this.#tokenOf(context) !== undefined;
  }

  async get<T>(get: Get<T>): Promise<T> {
    return (await this.#request(get)).body;
  }

  /** One page of a list that continues by `max_id`, and the next position. */
  async page<T>(get: Get<T>): Promise<{ readonly body: T; readonly next: string | null }> {
    const { body, headers } = await this.#request(get);
    return { body, next: nextIn(headers.get('link'), 'max_id') };
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  #request<T>({ path, query = [], schema, context, failureOf: own }: Get<T>) {
    const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
    const token = this.#tokenOf(context);
    return this.#upstream.requestWithHeaders({
      path: text === '' ? path : `${path}?${text}`,
      schema,
      context,
      ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
      failureOf: (refusal) => own?.(refusal) ?? mastodonFailure(refusal),
    });
  }

  #tokenOf({ session }: ReadContext): string | undefined {
    return this.#tokens.get(session ?? this.sessions[0] ?? ANONYMOUS);
  }
}
