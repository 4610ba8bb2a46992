import { type ErrorCode, isUnreadable, ServiceError } from '../../domain/errors.js';
import { isDuring, type TimeSpan } from '../../lib/durations.js';
import type { Clock } from '../../ports/clock.js';
import type { Job } from './job.js';

/** After this many failures in a row the breaker opens for this long. Then one call tests whether reads work again. */
const FAILURES = 10;
const BREAK_MS = 5000;

/** For how much longer no call is made, and the last failure. */
export interface Broken {
  readonly leftMs: number;
  readonly failure: ServiceError;
}

/** Stops calls that keep failing: one breaker for each session and kind of read. */
export class Breaker {
  readonly #monotonic: Clock;
  #failures = 0;
  #last: ServiceError | undefined;
  #untilMs: number | undefined;
  #probedAtMs = Number.NEGATIVE_INFINITY;

  constructor(monotonic: Clock) {
    this.#monotonic = monotonic;
  }

  /** Why no call may be made now. After the break one call may try; without an answer, another after as long. */
  get broken(): Broken | undefined {
    if (this.#untilMs === undefined || this.#last === undefined) return undefined;
    const leftMs = Math.max(this.#untilMs, this.#probedAtMs + BREAK_MS) - this.#monotonic.now();
    return leftMs > 0 ? { leftMs, failure: this.#last } : undefined;
  }

  /** True from its opening until a call is answered. */
  get isOpen(): boolean {
    return this.#untilMs !== undefined;
  }

  /** A call begins. */
  enter(): void {
    if (this.isOpen) this.#probedAtMs = this.#monotonic.now();
  }

  answered(): void {
    this.#failures = 0;
    this.#untilMs = undefined;
    this.#probedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Records a failure. Returns whether the breaker opened with it, or is still open. */
  failed(failure: ServiceError): boolean {
    this.#last = failure;
    this.#failures += 1;
    if (this.#failures < FAILURES) return false;
    this.#untilMs = this.#monotonic.now() + BREAK_MS;
    return true;
  }
}

/** A refusal may be temporary: it is trusted for this long. */
const TRUST_MS = 30 * 60_000;

/**
 * After refusals of this many different subjects in a row, a session may not read the kind. A single odd subject proves
 * nothing (S17).
 */
const REFUSALS = 3;

/** From then on, one read in this time finds out whether it may after all. */
const RETRY_MS = 60_000;

/** Refusals of one kind since the session could last read it. */
interface Refusals {
  /** By subject, the latest last; at most `REFUSALS`. */
  readonly bySubject: Map<string, Closed>;
  triedAtMs: number;
}

/** Why reads of a kind cannot be made with a session now, and until when (Unix milliseconds). */
export interface Closed extends TimeSpan {
  readonly why: 'refused' | 'resting' | 'failing';
  /** The network's answer. */
  readonly failure: ServiceError;
}

export interface SessionHealth {
  readonly name: string;
  /** `ok`, or why all reads, or reads of some kinds, cannot be made. */
  readonly state: 'ok' | 'limited' | 'resting' | 'failing';
  /** Kinds that it may not read at all or not now, and until when (Unix milliseconds). */
  readonly closed: readonly { readonly kind: string; readonly why: Closed['why']; readonly untilMs: number }[];
}

/** How many calls are left, as the network states it. */
export interface SessionLimit {
  readonly remaining: number;
  readonly resetsInSeconds: number;
}

const ALL = '*';

export interface SessionOptions {
  readonly clock: Clock;
  readonly monotonic: Clock;
  /** Whether it is meant for a kind of read at all; by default for every one. */
  readonly isFor?: ((kind: string) => boolean) | undefined;
}

/**
 * Credentials for reading the network: what they may read, when they rest, and what works with them (U32, U34).
 */
export class Session {
  readonly name: string;
  readonly isFor: (kind: string) => boolean;
  readonly #clock: Clock;
  readonly #monotonic: Clock;
  /** By kind, or for all kinds. */
  readonly #closed = new Map<string, Closed>();
  /** By kind. */
  readonly #refusals = new Map<string, Refusals>();
  /** By kind of read: a network that fails for one kind may work for the others. */
  readonly #breakers = new Map<string, Breaker>();
  #closings = 0;

  constructor(name: string, { clock, monotonic, isFor = () => true }: SessionOptions) {
    this.name = name;
    this.isFor = isFor;
    this.#clock = clock;
    this.#monotonic = monotonic;
  }

  /**
   * Makes one upstream call about a subject; its failure shows what the session may still be used for. `isOurs`
   * recognises failures that say nothing about the network.
   */
  async call<T>(
    { kind, subject }: { readonly kind: string; readonly subject: string },
    read: () => Promise<T>,
    isOurs: (failure: ServiceError) => boolean,
  ): Promise<T> {
    const breaker = this.#breakers.get(kind) ?? new Breaker(this.#monotonic);
    this.#breakers.set(kind, breaker);
    breaker.enter();
    const refusals = this.#refusals.get(kind);
    if (refusals !== undefined) refusals.triedAtMs = this.#monotonic.now();
    try {
      const value = await read();
      breaker.answered();
      this.#refusals.delete(kind);
      return value;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      if (!isFailure(error)) breaker.answered();
      else if (!isOurs(error) && breaker.failed(error)) this.#closings += 1;
      this.#learn(kind, subject, error);
      throw error;
    }
  }

  /** How often something was closed, so that callers notice new closings by comparing. */
  get closings(): number {
    return this.#closings;
  }

  /** With no calls left, the session rests until there are more, without waiting for the network to refuse one. */
  observe(kind: string, { remaining, resetsInSeconds }: SessionLimit): void {
    if (remaining > 0 || resetsInSeconds <= 0) return;
    const fromMs = this.#clock.now();
    const message = 'The rate limit of the network for this kind of call is used up for now.';
    const failure = new ServiceError('upstream_rate_limited', message, { retryAfter: resetsInSeconds });
    this.#close(kind, { why: 'resting', fromMs, untilMs: fromMs + resetsInSeconds * 1000, failure });
  }

  mayRead(kind: string): boolean {
    return this.closed(kind) === undefined;
  }

  mayTake(job: Job): boolean {
    return !job.tried.has(this.name);
  }

  /** True if nothing is closed and no breaker is open. */
  get isClear(): boolean {
    return (
      this.#closed.size === 0 && this.#refusals.size === 0 && ![...this.#breakers.values()].some(({ isOpen }) => isOpen)
    );
  }

  /** Why the kind cannot be read now. With a subject: also if this subject was refused. */
  closed(kind: string, subject?: string): Closed | undefined {
    return this.#at(kind) ?? this.#at(ALL) ?? this.#refused(kind, subject) ?? this.#failing(kind);
  }

  hasRefused(kind: string, subject: string): boolean {
    return this.#refusalsOf(kind)?.bySubject.has(subject) ?? false;
  }

  /** Its latest refusal, unless it has read the kind since. Sessions without a refusal are preferred. */
  suspicion(kind: string): Closed | undefined {
    return [...(this.#refusalsOf(kind)?.bySubject.values() ?? [])].at(-1);
  }

  get health(): SessionHealth {
    const known = [...this.#closed.keys(), ...this.#refusals.keys(), ...this.#breakers.keys()];
    const kinds = [...new Set(known)].flatMap((kind) => {
      const closed = this.#at(kind) ?? this.#refusedAll(kind) ?? this.#failing(kind);
      return closed ? [{ kind, why: closed.why, untilMs: closed.untilMs }] : [];
    });
    const state = this.#at(ALL) ? 'resting' : this.#fails ? 'failing' : kinds.length > 0 ? 'limited' : 'ok';
    return { name: this.name, state, closed: kinds };
  }

  /** True if every kind that was tried is failing. */
  get #fails(): boolean {
    return this.#breakers.size > 0 && [...this.#breakers.keys()].every((kind) => this.#failing(kind) !== undefined);
  }

  #learn(kind: string, subject: string, failure: ServiceError): void {
    const now = this.#clock.now();
    // The session could read the kind: that the object does not exist is an answer.
    if (failure.code === 'not_found') this.#refusals.delete(kind);
    if (isRefusal(failure)) this.#noteRefusal(kind, subject, failure);
    const { retryAfter } = failure.detail;
    if (retryAfter === undefined || !RESTS.has(failure.code) || failure.detail.isBeside) return;
    const rest: Closed = { why: 'resting', fromMs: now, untilMs: now + retryAfter * 1000, failure };
    this.#close(failure.code === 'no_account' ? ALL : kind, rest);
  }

  #noteRefusal(kind: string, subject: string, failure: ServiceError): void {
    const now = this.#clock.now();
    const refusals = this.#refusals.get(kind) ?? { bySubject: new Map(), triedAtMs: this.#monotonic.now() };
    this.#refusals.set(kind, refusals);
    const { bySubject } = refusals;
    bySubject.delete(subject);
    bySubject.set(subject, { why: 'refused', fromMs: now, untilMs: now + TRUST_MS, failure });
    const [oldest] = bySubject.keys();
    if (bySubject.size > REFUSALS && oldest !== undefined) bySubject.delete(oldest);
    this.#closings += 1;
  }

  /** The refusals that are still trusted. */
  #refusalsOf(kind: string): Refusals | undefined {
    const refusals = this.#refusals.get(kind);
    if (refusals === undefined) return undefined;
    const { bySubject } = refusals;
    for (const [subject, closed] of bySubject) if (!isDuring(closed, this.#clock.now())) bySubject.delete(subject);
    if (bySubject.size > 0) return refusals;
    this.#refusals.delete(kind);
    return undefined;
  }

  #refused(kind: string, subject: string | undefined): Closed | undefined {
    const own = subject === undefined ? undefined : this.#refusalsOf(kind)?.bySubject.get(subject);
    return own ?? this.#refusedAll(kind);
  }

  #refusedAll(kind: string): Closed | undefined {
    const refusals = this.#refusalsOf(kind);
    if (refusals === undefined || refusals.bySubject.size < REFUSALS) return undefined;
    return this.#monotonic.now() - refusals.triedAtMs < RETRY_MS ? [...refusals.bySubject.values()].at(-1) : undefined;
  }

  /** The network may state several rests for one kind, such as a header and a limit: the longest one counts. */
  #close(kind: string, closed: Closed): void {
    if ((this.#at(kind)?.untilMs ?? 0) >= closed.untilMs) return;
    this.#closed.set(kind, closed);
    this.#closings += 1;
  }

  #at(kind: string): Closed | undefined {
    const closed = this.#closed.get(kind);
    if (closed === undefined || isDuring(closed, this.#clock.now())) return closed;
    this.#closed.delete(kind);
    return undefined;
  }

  #failing(kind: string): Closed | undefined {
    const broken = this.#breakers.get(kind)?.broken;
    if (broken === undefined) return undefined;
    const fromMs = this.#clock.now();
    return { why: 'failing', fromMs, untilMs: fromMs + broken.leftMs, failure: broken.failure };
  }
}

/** The names of the sessions that are not for this kind, or were refused this subject: it is not tried with them. */
export const refusing = (sessions: readonly Session[], kind: string, subject: string): Set<string> =>
  new Set(
    sessions.filter((session) => !session.isFor(kind) || session.hasRefused(kind, subject)).map(({ name }) => name),
  );

/** Whether at least one session may read this kind now and has no standing refusal. The others are then left alone. */
export const isTrusted = (sessions: readonly Session[], kind: string): boolean =>
  sessions.some((session) => session.isFor(kind) && session.mayRead(kind) && session.suspicion(kind) === undefined);

/** The sessions that may read the kind now. */
export function usable(sessions: readonly Session[], kind: string): readonly Session[] {
  const isOneTrusted = isTrusted(sessions, kind);
  return sessions.filter(
    (session) =>
      session.isFor(kind) && session.mayRead(kind) && !(isOneTrusted && session.suspicion(kind) !== undefined),
  );
}

/** The same among the sessions that have not tried the job. */
export const usableFor = (sessions: readonly Session[], job: Job): readonly Session[] =>
  usable(
    sessions.filter((session) => session.mayTake(job)),
    job.spec.kind,
  );

/** Whether the session was refused, and not just one object. Other sessions may be able to read it. */
export const isRefusal = ({ code, detail }: ServiceError): boolean =>
  code === 'product_unavailable' || (code === 'access_denied' && detail.reason === 'session');

/** With these codes the network asks for a rest, usually saying for how long. If not, that counts as a failure. */
const RESTS: ReadonlySet<ErrorCode> = new Set(['upstream_rate_limited', 'no_account']);

/** Whether a failure is the network's. An object that could not be read is not (S21). */
const isFailure = (failure: ServiceError): boolean =>
  failure.code === 'upstream_error'
    ? !isUnreadable(failure)
    : RESTS.has(failure.code) && failure.detail.retryAfter === undefined;
