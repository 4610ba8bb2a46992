import { ServiceError } from '../../../src/domain/errors.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Limit } from '../upstream/refusal.js';

/** A path without the ids in it: X counts the calls of each such endpoint on their own, per token. */
export const endpointOf = (path: string): string => path.replace(/(?<=.)\/\d+(?=\/)/, '/:id');

/** Endpoints that look up single objects: a list may need one of them beside its own. */
const LOOKUPS: ReadonlySet<string> = new Set(['/2/users', '/2/users/by', '/2/tweets']);

export const isLookup = (endpoint: string): boolean => LOOKUPS.has(endpoint);

/** The calls of one endpoint with one token. */
interface Calls {
  /** By the latest answer of the window that `untilMs` ends; Unix milliseconds. */
  remaining: number;
  fromMs: number;
  untilMs: number;
  /** Sent and not answered yet. */
  inFlight: number;
  /** Woken by the next answer. */
  waiting: (() => void)[];
}

/** Two answers whose windows end this close to each other are of one window: X says whole seconds. */
const SAME_WINDOW_MS = 2000;

/**
 * How many calls endpoints have left, by X's own rate headers: one call more would only be refused (L21). Of one process:
 * another learns it from its own answers.
 */
export class EndpointLimits {
  readonly #clock: Clock;
  /** By session and endpoint. */
  readonly #calls = new Map<string, Calls>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Resolves when a call may be sent: while as many are under way as are left, it waits for one of them to be answered.
   * Throws the refusal when none is left, and the signal's reason. Each call that was let through has to `leave`.
   */
  async enter(session: string, endpoint: string, signal: AbortSignal): Promise<void> {
    const calls = this.#of(session, endpoint);
    for (;;) {
      const refusal = this.refusal(session, endpoint);
      if (refusal !== undefined) throw refusal;
      if (!this.#isKnown(calls) || calls.inFlight < calls.remaining) break;
      await new Promise<void>((resolve) => {
        calls.waiting.push(resolve);
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      signal.throwIfAborted();
    }
    calls.inFlight += 1;
  }

  leave(session: string, endpoint: string): void {
    const calls = this.#of(session, endpoint);
    calls.inFlight -= 1;
    for (const wake of calls.waiting.splice(0)) wake();
  }

  note(session: string, endpoint: string, { remaining, resetsInSeconds }: Limit): void {
    if (resetsInSeconds <= 0) return;
    const calls = this.#of(session, endpoint);
    const fromMs = this.#clock.now();
    const untilMs = fromMs + resetsInSeconds * 1000;
    // Answers of one window may arrive in any order.
    const isSame = this.#isKnown(calls) && Math.abs(calls.untilMs - untilMs) < SAME_WINDOW_MS;
    const left = isSame ? Math.min(calls.remaining, remaining) : remaining;
    Object.assign(calls, { remaining: left, fromMs, untilMs });
  }

  /** Why no call may be made now, and when one may again. */
  refusal(session: string, endpoint: string): ServiceError | undefined {
    const calls = this.#of(session, endpoint);
    if (!this.#isKnown(calls) || calls.remaining > 0) return undefined;
    return usedUp(endpoint, Math.ceil((calls.untilMs - this.#clock.now()) / 1000));
  }

  /** A clock that was set back doesn't lengthen a window. */
  #isKnown({ fromMs, untilMs }: Calls): boolean {
    const now = this.#clock.now();
    return fromMs <= now && now < untilMs;
  }

  #of(session: string, endpoint: string): Calls {
    const key = `${session} ${endpoint}`;
    const calls = this.#calls.get(key) ?? { remaining: 0, fromMs: 0, untilMs: 0, inFlight: 0, waiting: [] };
    this.#calls.set(key, calls);
    return calls;
  }
}

function usedUp(endpoint: string, retryAfter: number): ServiceError {
  const message = `X's rate limit for GET ${endpoint} is used up; it resets in ${retryAfter} s. Nothing was sent, and nothing was charged.`;
  return new ServiceError('upstream_rate_limited', message, { retryAfter });
}
