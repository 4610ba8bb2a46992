import { ServiceError } from '../core/errors.js';
import type { Flights } from '../ports/shared.js';
import type { Errand } from './errand.js';
import { Party } from './party.js';
import { within } from './within.js';

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
  readonly #flights: Flights;
  readonly #parties = new Map<string, Party>();

  constructor(flights: Flights) {
    this.#flights = flights;
  }

  /** `led` tells whether this caller's own `read` was run. Everyone leaves at their own signal; the read goes on for the rest. */
  async join<T>(key: string, errand: Errand, read: (party: Party) => Promise<T>): Promise<{ value: T; led: boolean }> {
    errand.toNetwork();
    for (let tries = 1; ; tries += 1) {
      const party = this.#join(key, errand);
      try {
        return await within(
          errand.signal,
          this.#flights.join(key, () => read(party)),
        );
      } catch (error) {
        if (!isOthers(error) || errand.signal.aborted || tries === TRIES) throw error;
      } finally {
        party.leave(errand);
        if (party.isEmpty && this.#parties.get(key) === party) this.#parties.delete(key);
      }
    }
  }

  /** Alone: `fresh` shares with nobody (M8). */
  async alone<T>(errand: Errand, read: (party: Party) => Promise<T>): Promise<T> {
    errand.toNetwork();
    const party = new Party(errand);
    try {
      return await within(errand.signal, read(party));
    } finally {
      party.leave(errand);
    }
  }

  #join(key: string, errand: Errand): Party {
    const party = this.#parties.get(key) ?? new Party();
    this.#parties.set(key, party);
    party.join(errand);
    return party;
  }
}
