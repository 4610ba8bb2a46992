import { ServiceError } from '../domain/errors.js';
import { abortable } from '../lib/abort.js';
import { processTime, withTimeout } from '../lib/monotonic.js';
import type { SingleFlight } from '../ports/cache.js';
import type { Time } from '../ports/clock.js';
import type { CallContext } from './call-context.js';
import { Waiters } from './waiters.js';

/** How often a waiter tries if a flight failed only because its leader gave up. */
const TRIES = 3;

const ABANDONED = 'abandoned';

/** The read was dropped because no call was waiting for it any more. A call that joined at that moment tries again. */
export const abandoned = (): ServiceError =>
  new ServiceError('upstream_error', 'The read was cancelled because nobody was waiting for it.', {
    reason: ABANDONED,
  });

const TOO_LATE = 'too_late';

/** The deadline of the waiters passed. A call that joined later has time left and may try again. */
export const tooLate = (cause: unknown): ServiceError =>
  new ServiceError('upstream_error', 'The network did not respond in time.', { reason: TOO_LATE, cause });

export const isTooLate = ({ detail }: ServiceError): boolean => detail.reason === TOO_LATE;

const isOthers = (error: unknown): boolean =>
  error instanceof ServiceError && [ABANDONED, TOO_LATE].includes(error.detail.reason ?? '');

/** Reads shared under one key, with their waiters. */
export class SharedReads {
  readonly #flights: SingleFlight;
  readonly #time: Time;
  readonly #waiters = new Map<string, Waiters>();

  constructor(flights: SingleFlight, time: Time = processTime) {
    this.#flights = flights;
    this.#time = time;
  }

  /**
   * `led`: this call's own `read` was run, for this field or for another one that it joined, so it pays in full.
   * `as`: what is bought. Ids of a page that the call reads for profiles are hits, as through two endpoints.
   * Each waiter leaves at its own signal; the read continues for the others.
   */
  async join<T>(
    key: string,
    callContext: CallContext,
    read: (waiters: Waiters) => Promise<T>,
    as = '',
  ): Promise<{ value: T; led: boolean }> {
    for (let tries = 1; ; tries += 1) {
      const waiters = this.#join(key, callContext);
      try {
        const lead = (): Promise<T> => {
          waiters.lead(callContext, as);
          return read(waiters);
        };
        const { value, led } = await this.#within(callContext, this.#flights.join(key, lead));
        return { value, led: led || waiters.isLedBy(callContext, as) };
      } catch (error) {
        if (!isOthers(error) || callContext.signal.aborted || tries === TRIES) throw error;
      } finally {
        waiters.leave(callContext);
        if (waiters.isEmpty && this.#waiters.get(key) === waiters) this.#waiters.delete(key);
      }
    }
  }

  /** A read that is not shared: a fresh one. */
  async alone<T>(callContext: CallContext, read: (waiters: Waiters) => Promise<T>): Promise<T> {
    callContext.toNetwork();
    const waiters = new Waiters(callContext);
    try {
      return await this.#within(callContext, read(waiters));
    } finally {
      waiters.leave(callContext);
    }
  }

  /**
   * The read may be waited for by calls that have more time, or may wait in the queue longer than estimated: a caller
   * who can do without it leaves at its own deadline.
   */
  async #within<T>({ signal, isSpare, deadlineAtMs }: CallContext, read: Promise<T>): Promise<T> {
    const answer = abortable(signal, read);
    if (!isSpare) return answer;
    const { monotonic, timers } = this.#time;
    const ended = answer.then((value) => ({ value }));
    const got = await withTimeout(deadlineAtMs - monotonic.now(), ended, timers);
    if (got === undefined) throw new ServiceError('upstream_error', 'The network did not respond in time.');
    return got.value;
  }

  #join(key: string, callContext: CallContext): Waiters {
    const waiters = this.#waiters.get(key) ?? new Waiters();
    callContext.toNetwork(waiters.memberOf(callContext.accountId));
    this.#waiters.set(key, waiters);
    waiters.join(callContext);
    return waiters;
  }
}
