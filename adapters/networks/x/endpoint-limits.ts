import { ServiceError } from '../../../src/core/errors.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Limit } from '../upstream/refusal.js';

/** A path without the ids in it: X counts the calls of each such endpoint on their own, per token. */
export const endpointOf = (path: string): string => path.replace(/(?<=.)\/\d+(?=\/)/, '/:id');

/** Endpoints that look up single objects: a list may need one of them beside its own. */
const LOOKUPS: ReadonlySet<string> = new Set(['/2/users', '/2/users/by', '/2/tweets']);

export const isLookup = (endpoint: string): boolean => LOOKUPS.has(endpoint);

/**
 * Which endpoints have no calls left, by X's own rate headers: one call more would only be refused. Of one process:
 * another learns it from its own answers.
 */
export class EndpointLimits {
  readonly #clock: Clock;
  /** By session and endpoint; Unix milliseconds. */
  readonly #empty = new Map<string, { readonly fromMs: number; readonly untilMs: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(session: string, endpoint: string, { remaining, resetsInSeconds }: Limit): void {
    if (remaining > 0 || resetsInSeconds <= 0) return;
    const fromMs = this.#clock.now();
    this.#empty.set(keyOf(session, endpoint), { fromMs, untilMs: fromMs + resetsInSeconds * 1000 });
  }

  /** Why no call may be made now, and when one may again. A clock that was set back doesn't lengthen that. */
  refusal(session: string, endpoint: string): ServiceError | undefined {
    const key = keyOf(session, endpoint);
    const empty = this.#empty.get(key);
    const now = this.#clock.now();
    if (empty !== undefined && empty.fromMs <= now && now < empty.untilMs) {
      return usedUp(endpoint, Math.ceil((empty.untilMs - now) / 1000));
    }
    this.#empty.delete(key);
    return undefined;
  }
}

const keyOf = (session: string, endpoint: string): string => `${session} ${endpoint}`;

function usedUp(endpoint: string, retryAfter: number): ServiceError {
  const message = `X's rate limit for GET ${endpoint} is used up; it resets in ${retryAfter} s. Nothing was sent, and nothing was charged.`;
  return new ServiceError('upstream_rate_limited', message, { retryAfter });
}
