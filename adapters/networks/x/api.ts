import type { z } from 'zod';
import { ServiceError } from '../../../src/domain/errors.js';
import { digestText } from '../../../src/lib/digest.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { BilledKind, ReadContext } from '../../../src/ports/network.js';
import type { CallsLeft } from '../../../src/ports/rate-limiter.js';
import { Upstream } from '../upstream/client.js';
import { defaultFailure } from '../upstream/failures.js';
import { limitReader } from '../upstream/rate-headers.js';
import type { Limit } from '../upstream/refusal.js';
import { EndpointLimits, endpointPattern, isLookup } from './endpoint-limits.js';
import { type RequestedInput, refusalFailure } from './problems.js';
import { type TweetsAnswer, tweetsAnswer, type UsersAnswer, usersAnswer } from './schemas.js';
import { type FieldParams, VOCABULARIES, type Vocabulary, type VocabularyName } from './vocabulary.js';

export interface XOptions {
  /** Without a slash at the end. */
  readonly baseUrl?: string;
  /** Bearer tokens of X applications: each is a network session. Never shown. */
  readonly bearerTokens: readonly string[];
  /** Which search they may use: the last seven days, or everything. */
  readonly search: 'recent' | 'archive';
  /** Which of X's two vocabularies requests are written in. */
  readonly vocabulary: VocabularyName;
  readonly userAgent: string;
  readonly clock: Clock;
  /** How many calls all processes together have left; without it, only this process's own calls are counted. */
  readonly callsLeft?: CallsLeft | undefined;
}

/** A read's context. `isList`: the read is of a list, so lookups are made in addition to the list's own endpoint. */
export type XContext = ReadContext & { readonly isList?: boolean };

type Answer = UsersAnswer | TweetsAnswer;

/** What a call returns: the kind of object that X bills, and the schema of the answer. */
interface Expected<T> {
  readonly kind: BilledKind;
  readonly schema: z.ZodType<T>;
}

const NO_TOKEN_S = 3600;
const readLimit = limitReader('x-rate-limit', 'unix seconds');

/** X API v2 over HTTP. Each method makes one call, with the session's token, in one vocabulary. */
export class XApi {
  readonly sessions: readonly string[];
  readonly #baseUrl: string;
  readonly #tokens: ReadonlyMap<string, string>;
  readonly #upstream: Upstream;
  readonly #vocabulary: Vocabulary;
  readonly #limits: EndpointLimits;

  constructor({ baseUrl = 'https://api.x.com', bearerTokens, vocabulary, userAgent, clock, callsLeft }: XOptions) {
    this.#baseUrl = baseUrl;
    this.#tokens = new Map(bearerTokens.map((token, index) => [`token ${index + 1}`, token]));
    this.sessions = bearerTokens.length === 0 ? ['no token'] : [...this.#tokens.keys()];
    this.#vocabulary = VOCABULARIES[vocabulary];
    this.#limits = new EndpointLimits(clock, callsLeft);
    this.#upstream = new Upstream({ baseUrl, userAgent, limitOf: (headers) => readLimit(headers, clock.now()) });
  }

  users(path: string, params: FieldParams, input: RequestedInput, context: XContext): Promise<UsersAnswer> {
    return this.#request(
      path,
      { ...params, ...this.#vocabulary.users },
      input,
      { kind: 'user', schema: usersAnswer },
      context,
    );
  }

  /** Users requested individually: like `users`, with their pinned post. */
  profiles(path: string, params: FieldParams, context: XContext): Promise<UsersAnswer> {
    const all = { ...params, ...this.#vocabulary.profiles };
    return this.#request(path, all, { kind: 'objects' }, { kind: 'user', schema: usersAnswer }, context);
  }

  tweets(path: string, params: FieldParams, input: RequestedInput, context: XContext): Promise<TweetsAnswer> {
    return this.#request(
      path,
      { ...params, ...this.#vocabulary.posts },
      input,
      { kind: 'tweet', schema: tweetsAnswer },
      context,
    );
  }

  /** A name for a question to X, which stays the same while credentials and requests do. It contains a token. */
  questionOf(question: string, context: ReadContext): string {
    return ['x', this.#baseUrl, JSON.stringify(this.#vocabulary), this.#tokenOf(context), question].join('\n');
  }

  /** Throws while the endpoint has no calls left. Used before other calls that would be made only for this endpoint. */
  requireCalls(path: string, context: ReadContext): Promise<void> {
    return this.#limits.require(this.#nameOf(this.#tokenOf(context)), endpointPattern(path));
  }

  close(): Promise<void> {
    return this.#upstream.close();
  }

  async #request<T extends Answer>(
    path: string,
    params: FieldParams,
    input: RequestedInput,
    { kind, schema }: Expected<T>,
    context: XContext,
  ): Promise<T> {
    const token = this.#tokenOf(context);
    const endpoint = endpointPattern(path);
    const isBeside = context.isList === true && isLookup(endpoint);
    const leave = await this.#limits.enter(this.#nameOf(token), endpoint, context.signal).catch((error: unknown) => {
      throw isBeside && error instanceof ServiceError ? beside(error) : error;
    });
    let observed: Limit | undefined;
    const observe = (limit: Limit): void => {
      observed = limit;
      if (!isBeside) context.observe?.(limit);
    };
    const sent = this.#upstream.request({
      path: `${path}?${new URLSearchParams(params)}`,
      headers: { authorization: `Bearer ${token}` },
      schema,
      context: { ...context, observe },
      failureOf(answered) {
        const failure = refusalFailure(answered, input) ?? defaultFailure(answered);
        return isBeside && failure.code === 'upstream_rate_limited' ? beside(failure) : failure;
      },
    });
    const answer = await sent.finally(() => leave(observed));
    if (answer.returned > 0) context.onBilled?.({ kind, items: answer.returned });
    return answer;
  }

  /** A name for the session that is the same in all processes, even if their settings list tokens in another order. */
  #nameOf(token: string): string {
    return digestText(`${this.#baseUrl} ${token}`);
  }

  #tokenOf({ session = this.sessions[0] ?? '' }: ReadContext): string {
    const token = this.#tokens.get(session);
    if (token !== undefined) return token;
    throw new ServiceError(
      'no_account',
      'X cannot be read without a token: set X_BEARER_TOKENS to one or more bearer tokens of your X application (developer.x.com), separated by commas.',
      { retryAfter: NO_TOKEN_S },
    );
  }
}

/** Marks a refusal of another endpoint than the list's own: the next page may not need it, so such reads continue. */
const beside = ({ message, detail }: ServiceError): ServiceError =>
  new ServiceError('upstream_rate_limited', message, { ...detail, isBeside: true });
