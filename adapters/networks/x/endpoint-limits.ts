import { setTimeout as wait } from 'node:timers/promises';
import { ServiceError } from '../../../src/domain/errors.js';
import { isDuring } from '../../../src/lib/durations.js';
import type { Clock } from '../../../src/ports/clock.js';
import { type CallsLeft, FINDS_OUT_WITHIN_MS, type Taken } from '../../../src/ports/rate-limiter.js';
import type { Limit } from '../upstream/refusal.js';

/** A path with its ids replaced: X counts the calls of each such endpoint separately, per token. */
export const endpointPattern = (path: string): string => path.replace(/(?<=.)\/\d+(?=\/)/, '/:id');

/** Endpoints that look up single objects. A list may need one of them in addition to its own endpoint. */
const LOOKUPS: ReadonlySet<string> = new Set(['/2/users', '/2/users/by', '/2/tweets']);

export const isLookup = (endpoint: string): boolean => LOOKUPS.has(endpoint);

/** The calls of one endpoint with one token. */
interface Calls {
  /** Calls left, by the latest answer. The answer's window lasts from `fromMs` to `untilMs`, Unix milliseconds. */
  remaining: number;
  fromMs: number;
  untilMs: number;
  /** Sent and not answered yet. */
  inFlight: number;
  /** Woken by the next answer, and when one of them leaves. */
  waiting: (() => void)[];
}

/** Two answers whose windows end this close to each other are of one window, since X gives whole seconds. */
const SAME_WINDOW_MS = 2000;

/** Assumed for a while if an answer says nothing of its endpoint's limit: calls need not wait for one another then. */
const UNLIMITED: Limit = { remaining: 1_000_000_000, resetsInSeconds: 60 };

/** How often a process checks whether another one has found out how many calls are left. */
const LOOK_EVERY_MS = 50;

/** Ends a call, with the limit that its answer gave for the endpoint, if any. */
export type Leave = (limit: Limit | undefined) => Promise<void>;

/** How many calls endpoints have left, by X's own rate headers. Any call beyond that would only be refused (L21). */
export class EndpointLimits {
  readonly #clock: Clock;
  readonly #shared: CallsLeft | undefined;
  /** By session and endpoint. */
  readonly #calls = new Map<string, Calls>();

  /** `shared`: what all processes know together; sessions have the same names in all of them. */
  constructor(clock: Clock, shared?: CallsLeft) {
    this.#clock = clock;
    this.#shared = shared;
  }

  /**
   * Resolves when a call may be sent. If as many calls are in flight as are left, it waits until one of them is
   * answered. While the limit is unknown, one call is sent, and the others wait for its answer, but not for long.
   * Throws a refusal if no call is left, and the signal's reason.
   */
  async enter(session: string, endpoint: string, signal: AbortSignal): Promise<Leave> {
    const calls = this.#of(session, endpoint);
    let isOverdue = false;
    const overdue = setTimeout(() => {
      isOverdue = true;
      wakeAll(calls);
    }, FINDS_OUT_WITHIN_MS);
    const leaves = (): void => wakeAll(calls);
    signal.addEventListener('abort', leaves, { once: true });
    try {
      for (;;) {
        // A signal that has already fired would not wake this call.
        signal.throwIfAborted();
        this.#requireOwn(calls, endpoint);
        if (this.#isKnown(calls) ? calls.inFlight < calls.remaining : calls.inFlight < 1 || isOverdue) break;
        await new Promise<void>((resolve) => void calls.waiting.push(resolve));
      }
    } finally {
      clearTimeout(overdue);
      signal.removeEventListener('abort', leaves);
    }
    calls.inFlight += 1;
    const leave = (): void => {
      calls.inFlight -= 1;
      wakeAll(calls);
    };
    const bucket = sessionBucket(session, endpoint);
    const taken = await this.#take(bucket, endpoint, signal).catch((refusal: unknown) => {
      leave();
      throw refusal;
    });
    return async (reported) => {
      const limit = reported !== undefined && reported.resetsInSeconds > 0 ? reported : undefined;
      // An aborted call has no answer; the next call finds out.
      const assumed = signal.aborted ? undefined : UNLIMITED;
      const own = limit ?? (this.#isKnown(calls) ? undefined : assumed);
      if (own) this.#note(calls, own);
      leave();
      const learned = limit ?? (taken === 'first' && own === assumed ? assumed : undefined);
      if (learned) await this.#shared?.note(bucket, learned.remaining, learned.resetsInSeconds * 1000);
      else if (taken !== 'unknown') await this.#shared?.giveBack(bucket);
    };
  }

  /** Throws while no call may be made. */
  async require(session: string, endpoint: string): Promise<void> {
    this.#requireOwn(this.#of(session, endpoint), endpoint);
    await this.#takeShared(sessionBucket(session, endpoint), endpoint, 0);
  }

  /** Takes one of the calls that all processes share, as soon as it is known how many are left. */
  async #take(bucket: string, endpoint: string, signal: AbortSignal): Promise<Taken['is']> {
    for (let waitedMs = 0; ; waitedMs += LOOK_EVERY_MS) {
      const is = await this.#takeShared(bucket, endpoint, 1);
      if (is !== 'awaited') return is;
      if (waitedMs >= FINDS_OUT_WITHIN_MS) return 'unknown';
      await wait(LOOK_EVERY_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }

  async #takeShared(bucket: string, endpoint: string, calls: 0 | 1): Promise<Taken['is']> {
    const taken: Taken = (await this.#shared?.take(bucket, calls)) ?? { is: 'unknown' };
    if (taken.is === 'empty') throw usedUp(endpoint, taken.waitMs);
    return taken.is;
  }

  #note(calls: Calls, { remaining, resetsInSeconds }: Limit): void {
    const fromMs = this.#clock.now();
    const untilMs = fromMs + resetsInSeconds * 1000;
    // Answers of one window may arrive in any order.
    const isSame = this.#isKnown(calls) && Math.abs(calls.untilMs - untilMs) < SAME_WINDOW_MS;
    const left = isSame ? Math.min(calls.remaining, remaining) : remaining;
    Object.assign(calls, { remaining: left, fromMs, untilMs });
  }

  #requireOwn(calls: Calls, endpoint: string): void {
    if (this.#isKnown(calls) && calls.remaining === 0) throw usedUp(endpoint, calls.untilMs - this.#clock.now());
  }

  /** Whether the current window is known. */
  #isKnown(calls: Calls): boolean {
    return isDuring(calls, this.#clock.now());
  }

  #of(session: string, endpoint: string): Calls {
    const key = sessionBucket(session, endpoint);
    const calls = this.#calls.get(key) ?? { remaining: 0, fromMs: 0, untilMs: 0, inFlight: 0, waiting: [] };
    this.#calls.set(key, calls);
    return calls;
  }
}

function wakeAll({ waiting }: Calls): void {
  for (const wake of waiting.splice(0)) wake();
}

const sessionBucket = (session: string, endpoint: string): string => `${session} ${endpoint}`;

function usedUp(endpoint: string, waitMs: number): ServiceError {
  const retryAfter = Math.ceil(waitMs / 1000);
  const message = `X's rate limit for GET ${endpoint} is used up; it resets in ${retryAfter} s. Nothing was sent, and nothing was charged.`;
  return new ServiceError('upstream_rate_limited', message, { retryAfter });
}
