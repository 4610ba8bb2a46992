import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  ConsecutiveBreaker,
  circuitBreaker,
  handleWhen,
} from 'cockatiel';
import { type ErrorCode, ServiceError } from '../../core/errors.js';
import type { Clock } from '../../ports/clock.js';
import type { Taker } from './fair-queue.js';
import type { Job } from './job.js';

/** After so many failures in a row the session is left alone for so long; then one call finds out whether it works again. */
const FAILURES = 10;
const BREAK_MS = 5000;

/** A refusal may have been for a while: so long it is taken for granted. */
const TRUST_MS = 30 * 60_000;

/** Why nothing of a kind can be read with a session now, and until when (Unix milliseconds). */
export interface Closed {
  readonly why: 'refused' | 'resting' | 'failing';
  readonly fromMs: number;
  readonly untilMs: number;
  /** What the network said. */
  readonly failure: ServiceError;
}

export interface SessionHealth {
  readonly name: string;
  /** `ok`, or what keeps all of it, or some kinds, from being read. */
  readonly state: 'ok' | 'limited' | 'resting' | 'failing';
  /** Kinds that it may not read, or not now, and until when (Unix milliseconds). */
  readonly closed: readonly { readonly kind: string; readonly why: Closed['why']; readonly untilMs: number }[];
}

/** What the network said of the calls that are left. */
export interface Limit {
  readonly remaining: number;
  readonly resetsInSeconds: number;
}

const ALL = '*';

/** Credentials that the network is read with: what they may read, when they rest, and whether they work (S12, U32, U34). */
export class Session implements Taker {
  readonly name: string;
  readonly #clock: Clock;
  /** By kind, or all. */
  readonly #closed = new Map<string, Closed>();
  readonly #breaker: CircuitBreakerPolicy;
  #broken: Closed | undefined;
  #lastFailure: ServiceError | undefined;

  constructor(name: string, clock: Clock) {
    this.name = name;
    this.#clock = clock;
    this.#breaker = circuitBreaker(handleWhen(isFailure), {
      breaker: new ConsecutiveBreaker(FAILURES),
      halfOpenAfter: BREAK_MS,
    });
    this.#breaker.onBreak(() => {
      const failure = this.#lastFailure ?? new ServiceError('upstream_error', 'The network failed to answer.');
      const fromMs = Date.now();
      this.#broken = { why: 'failing', fromMs, untilMs: fromMs + BREAK_MS, failure };
    });
    this.#breaker.onReset(() => {
      this.#broken = undefined;
    });
  }

  /** One upstream call; what it fails with tells what the session may still be asked for. */
  async call<T>(kind: string, read: () => Promise<T>): Promise<T> {
    try {
      return await this.#breaker.execute(() => read().catch((error) => this.#noted(error)));
    } catch (error) {
      if (error instanceof BrokenCircuitError) throw this.#broken?.failure ?? error;
      if (error instanceof ServiceError) this.#learn(kind, error);
      throw error;
    }
  }

  /** With no calls left it rests until there are more, rather than to be told so by a refusal. */
  observe(kind: string, { remaining, resetsInSeconds }: Limit): void {
    if (remaining > 0 || resetsInSeconds <= 0) return;
    const fromMs = this.#clock.now();
    const message = 'The network allows no more calls of this kind for a while.';
    const failure = new ServiceError('upstream_rate_limited', message, { retryAfter: resetsInSeconds });
    this.#closed.set(kind, { why: 'resting', fromMs, untilMs: fromMs + resetsInSeconds * 1000, failure });
  }

  mayRead(kind: string): boolean {
    return this.closed(kind) === undefined;
  }

  mayTake(job: Job): boolean {
    return !job.tried.has(this.name);
  }

  /** Nothing keeps it from anything. */
  get isClear(): boolean {
    return this.#closed.size === 0 && this.#broken === undefined;
  }

  closed(kind: string): Closed | undefined {
    return this.#at(kind) ?? this.#at(ALL) ?? this.#failing();
  }

  get health(): SessionHealth {
    const kinds = [...this.#closed.keys()].flatMap((kind) => {
      const closed = this.#at(kind);
      return closed ? [{ kind, why: closed.why, untilMs: closed.untilMs }] : [];
    });
    const failing = this.#failing();
    const state = failing ? 'failing' : this.#at(ALL) ? 'resting' : kinds.length > 0 ? 'limited' : 'ok';
    return { name: this.name, state, closed: kinds };
  }

  /** Before the breaker hears of it, so that it can say why it opened. */
  #noted(error: unknown): never {
    if (error instanceof ServiceError) this.#lastFailure = error;
    throw error;
  }

  #learn(kind: string, failure: ServiceError): void {
    const now = this.#clock.now();
    if (isRefusal(failure)) this.#closed.set(kind, { why: 'refused', fromMs: now, untilMs: now + TRUST_MS, failure });
    const { retryAfter } = failure.detail;
    if (retryAfter === undefined || !RESTS.has(failure.code)) return;
    const rest: Closed = { why: 'resting', fromMs: now, untilMs: now + retryAfter * 1000, failure };
    this.#closed.set(failure.code === 'no_account' ? ALL : kind, rest);
  }

  #at(kind: string): Closed | undefined {
    const closed = this.#closed.get(kind);
    if (closed === undefined || isAt(closed, this.#clock.now())) return closed;
    this.#closed.delete(kind);
    return undefined;
  }

  /** By the real clock, as the breaker counts. Once the time is over one call may find out; while it does, no other. */
  #failing(): Closed | undefined {
    if (this.#broken === undefined) return undefined;
    const isProbed = this.#breaker.state === CircuitState.HalfOpen;
    return isProbed || isAt(this.#broken, Date.now()) ? this.#broken : undefined;
  }
}

/** A clock that was set back makes no rest longer. */
const isAt = ({ fromMs, untilMs }: Closed, now: number): boolean => fromMs <= now && now < untilMs;

/** The session's own refusal, not that of an object: others may read it. */
export const isRefusal = ({ code, detail }: ServiceError): boolean =>
  code === 'product_unavailable' || (code === 'access_denied' && detail.reason === 'session');

/** The network asks for a rest, and most often says for how long; where it does not, it counts as a failure. */
const RESTS: ReadonlySet<ErrorCode> = new Set(['upstream_rate_limited', 'no_account']);

const isFailure = (error: Error): boolean =>
  error instanceof ServiceError &&
  (error.code === 'upstream_error' || (RESTS.has(error.code) && error.detail.retryAfter === undefined));
