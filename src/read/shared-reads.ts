import { ServiceError } from '../core/errors.js';
import type { SingleFlight } from '../ports/single-flight.js';
import { abortable } from './abortable.js';
import type { CallContext } from './call-context.js';
import { Waiters } from './waiters.js';

/** How often a read that its leader gave up on is begun anew by who still waits. */
const TRIES = 3;

const ABANDONED = 'abandoned';

/** A read that nobody waited for any more. Somebody may have come in that moment, so it is tried again for them. */
export const abandoned = (): ServiceError =>
  new ServiceError('upstream_error', 'The read was cancelled because nobody was waiting for it.', {
    reason: ABANDONED,
  });

const TOO_LATE = 'too_late';

/** The time of those who waited was over. Whoever joined later has more of it, and may try again. */
export const tooLate = (cause: unknown): ServiceError =>
  new ServiceError('upstream_error', 'The network did not respond in time.', { reason: TOO_LATE, cause });

export const isTooLate = ({ detail }: ServiceError): boolean => detail.reason === TOO_LATE;

const isOthers = (error: unknown): boolean =>
  error instanceof ServiceError && [ABANDONED, TOO_LATE].includes(error.detail.reason ?? '');

/** Reads that wait for each other under one key (M7), and who waits for which. */
export class SharedReads {
  readonly #flights: SingleFlight;
  readonly #waiters = new Map<string, Waiters>();

  constructor(flights: SingleFlight) {
    this.#flights = flights;
  }

  /** `led` tells whether this caller's own `read` was run. Everyone leaves at their own signal; the read goes on for the rest. */
  async join<T>(
    key: string,
    callContext: CallContext,
    read: (waiters: Waiters) => Promise<T>,
  ): Promise<{ value: T; led: boolean }> {
    callContext.toNetwork();
    for (let tries = 1; ; tries += 1) {
      const waiters = this.#join(key, callContext);
      try {
        return await abortable(
          callContext.signal,
          this.#flights.join(key, () => read(waiters)),
        );
      } catch (error) {
        if (!isOthers(error) || callContext.signal.aborted || tries === TRIES) throw error;
      } finally {
        waiters.leave(callContext);
        if (waiters.isEmpty && this.#waiters.get(key) === waiters) this.#waiters.delete(key);
      }
    }
  }

  /** Alone: `fresh` shares with nobody (M8). */
  async alone<T>(callContext: CallContext, read: (waiters: Waiters) => Promise<T>): Promise<T> {
    callContext.toNetwork();
    const waiters = new Waiters(callContext);
    try {
      return await abortable(callContext.signal, read(waiters));
    } finally {
      waiters.leave(callContext);
    }
  }

  #join(key: string, callContext: CallContext): Waiters {
    const waiters = this.#waiters.get(key) ?? new Waiters();
    this.#waiters.set(key, waiters);
    waiters.join(callContext);
    return waiters;
  }
}
