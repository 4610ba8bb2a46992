import { ServiceError } from '../../../src/domain/errors.js';
import { isDuring, NEVER, spanFrom } from '../../../src/lib/durations.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Upstream } from '../upstream/client.js';
import type { UpstreamRefusal } from '../upstream/refusal.js';
import { BAD_CREDENTIALS_S, noAccount } from './failures.js';
import { ANSWERS } from './schemas.js';
import { createXrpc, type Xrpc, type XrpcCall } from './xrpc.js';

/** An account is allowed 300 sign-ins a day, so two of them are at least this far apart. */
const SIGN_IN_EVERY_MS = 300_000;
/** The longest that signing in may take, whatever the deadlines of the reads that wait for it. */
const SIGN_IN_MS = 15_000;

interface Tokens {
  readonly accessJwt: string;
  readonly refreshJwt: string;
}

export interface BlueskyAccountOptions {
  /** The account's server, or the entryway that finds it. */
  readonly upstream: Upstream;
  readonly identifier: string;
  readonly appPassword: string;
  readonly clock: Clock;
}

/**
 * An account that signs in when first needed and stays signed in: its session is kept and renewed, not opened for each
 * read.
 */
export class BlueskyAccount {
  readonly #options: BlueskyAccountOptions;
  #tokens: Tokens | undefined;
  /** The tokens of the sign-in or renewal in progress, for which all reads that need tokens wait. */
  #pending: Promise<Tokens> | undefined;
  #pause = NEVER;
  #refused: ServiceError | undefined;

  constructor(options: BlueskyAccountOptions) {
    this.#options = options;
  }

  readonly xrpc: Xrpc = async (call) => {
    const { signal } = call.context;
    const tokens = this.#tokens ?? (await orAborted(this.#renewed(undefined), signal));
    try {
      return await this.#send(call, tokens);
    } catch (error) {
      if (!isRefused(error)) throw error;
      return this.#sendAgain(call, await orAborted(this.#renewed(tokens), signal));
    }
  };

  /** Sends with renewed tokens. If these are refused too, they are dropped, unless another read has replaced them. */
  async #sendAgain<T>(call: XrpcCall<T>, tokens: Tokens): Promise<T> {
    try {
      return await this.#send(call, tokens);
    } catch (error) {
      if (isRefused(error) && this.#tokens === tokens) this.#tokens = undefined;
      throw error;
    }
  }

  #send<T>(call: XrpcCall<T>, { accessJwt }: Tokens): Promise<T> {
    return createXrpc(this.#options.upstream, { authorization: `Bearer ${accessJwt}` })(call);
  }

  /** Tokens other than the stale ones, which another read may already have obtained. */
  async #renewed(stale: Tokens | undefined): Promise<Tokens> {
    if (this.#tokens !== undefined && this.#tokens !== stale) return this.#tokens;
    this.#pending ??= this.#renew(stale).finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #renew(stale: Tokens | undefined): Promise<Tokens> {
    this.#tokens = (stale && (await this.#refresh(stale))) ?? (await this.#signIn());
    return this.#tokens;
  }

  /** Undefined when the session is over. */
  async #refresh({ refreshJwt }: Tokens): Promise<Tokens | undefined> {
    try {
      return await this.#post('refreshSession', { authorization: `Bearer ${refreshJwt}` });
    } catch (error) {
      if (isRefused(error)) return undefined;
      throw error;
    }
  }

  async #signIn(): Promise<Tokens> {
    const { clock, identifier, appPassword: password } = this.#options;
    const nowMs = clock.now();
    if (isDuring(this.#pause, nowMs)) throw this.#later(this.#pause.untilMs - nowMs);
    try {
      const tokens: Tokens = await this.#post('createSession', {}, { identifier, password });
      this.#pause = spanFrom(clock.now(), SIGN_IN_EVERY_MS);
      this.#refused = undefined;
      return tokens;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'no_account') {
        this.#refused = error;
        this.#pause = spanFrom(clock.now(), (error.detail.retryAfter ?? BAD_CREDENTIALS_S) * 1000);
      }
      throw error;
    }
  }

  #later(waitMs: number): ServiceError {
    const message =
      this.#refused?.message ?? 'The Bluesky account signed in moments ago and must wait before signing in again.';
    return new ServiceError('no_account', message, { retryAfter: waitMs / 1000, cause: this.#refused });
  }

  #post(method: 'createSession' | 'refreshSession', headers: Record<string, string>, body?: unknown): Promise<Tokens> {
    return this.#options.upstream.request({
      path: `/xrpc/com.atproto.server.${method}`,
      method: 'POST',
      headers,
      body,
      schema: ANSWERS.session,
      context: { signal: AbortSignal.timeout(SIGN_IN_MS) },
      failureOf: refusedSignIn,
    });
  }
}

/** After too many sign-ins the whole account rests, not only reads of one kind. */
function refusedSignIn(refusal: UpstreamRefusal): ServiceError | undefined {
  const { status, limit } = refusal;
  if (status === 429) return noAccount(refusal, limit?.resetsInSeconds);
  return status >= 400 && status < 500 ? noAccount(refusal) : undefined;
}

/** Whether the token was refused; another one may work. */
const isRefused = (error: unknown): boolean => error instanceof ServiceError && error.code === 'no_account';

/** Stops only this caller's wait when its signal fires; other callers continue to wait for the promise. */
function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
