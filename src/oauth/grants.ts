import type { Actor } from '../domain/audit.js';
import { ServiceError } from '../domain/errors.js';
import { DAY_MS } from '../lib/durations.js';
import type { Clock } from '../ports/clock.js';
import type { GrantRecord, GrantStore } from '../ports/grants.js';

/** A registered client without a live grant is deleted after this time. */
const IDLE_DAYS = 30;
/** An ended code or token is kept for this time: if it is used again, that reveals a theft. */
const ENDED_DAYS = 1;

/** Most grants shown. */
const MOST_LISTED = 500;

/** The clients that an account's owner gave consent to. */
export class Grants {
  readonly #store: GrantStore;
  readonly #clock: Clock;

  constructor(options: { store: GrantStore; clock: Clock }) {
    this.#store = options.store;
    this.#clock = options.clock;
  }

  /** Newest first, revoked ones included, of which those that ended long ago may be left out. */
  list(accountId: string, limit = MOST_LISTED): Promise<GrantRecord[]> {
    return this.#store.list(accountId, limit);
  }

  /** Ends a grant and its keys now. Idempotent. Throws `not_found` if the account never had it. */
  async revoke(accountId: string, grantId: string, by: Actor): Promise<void> {
    if (await this.#store.revoke({ accountId, grantId }, by, this.#now())) return;
    throw new ServiceError('not_found', 'This account has no such app.');
  }

  /** Deletes what is no longer needed; call it about once an hour, on any number of nodes. */
  sweep(): Promise<{ clients: number }> {
    const nowMs = this.#clock.now();
    const before = (days: number) => new Date(nowMs - days * DAY_MS);
    return this.#store.sweep({ endedBefore: before(ENDED_DAYS), idleSince: before(IDLE_DAYS) });
  }

  #now(): Date {
    return new Date(this.#clock.now());
  }
}
