import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import type { Clock } from '../ports/clock.js';
import type { SessionRecord, SessionStore, SignInMethod } from '../ports/sessions.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** A session ends if it is not used for this long, and every session ends eventually. */
const IDLE_MS = 7 * DAY_MS;
const LONGEST_MS = 30 * DAY_MS;

/** Each use of a session is recorded, but no more often than this: otherwise every page would cost a statement. */
const SEEN_EVERY_MS = MINUTE_MS;

/** How long ended sessions are kept for lookup. */
const KEPT_MS = 30 * DAY_MS;

/** The signed-in user. */
export interface Visitor {
  readonly accountId: string;
  readonly sessionId: string;
  /** When they signed in, in Unix milliseconds; if undefined, treated as long ago. */
  readonly startedAt?: number;
}

/** Where a sign-in comes from, as far as the request shows. */
export interface SessionOrigin {
  readonly userAgent: string | null;
  readonly address: string | null;
}

/** The secret of a session, returned only once: only its hash is stored. `expiresAt` is in Unix milliseconds. */
export interface NewSession {
  readonly token: string;
  readonly expiresAt: number;
}

export interface SessionsOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** Signed-in sessions: valid for at most 30 days, and at most 7 without use. Each sign-in gets a new secret. */
export class Sessions {
  readonly #store: SessionStore;
  readonly #clock: Clock;
  readonly #randomBytes: RandomBytes;

  constructor({ store, clock, randomBytes }: SessionsOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#randomBytes = randomBytes;
  }

  async start(
    accountId: string,
    { method, userAgent, address }: SessionOrigin & { method: SignInMethod },
  ): Promise<NewSession> {
    const token = newSecret(this.#randomBytes);
    const nowMs = this.#clock.now();
    const expiresAt = nowMs + LONGEST_MS;
    await this.#store.start(
      { accountId, hash: hashSecret(token), method, userAgent, address, startedAt: nowMs, expiresAt },
      { who: 'customer', address },
    );
    return { token, expiresAt };
  }

  /** The user with this secret; null if it was never issued, or its session has ended. Counts as a use. */
  async find(token: string): Promise<Visitor | null> {
    const nowMs = this.#clock.now();
    const found = await this.#store.find(hashSecret(token), { at: nowMs, usedSince: nowMs - IDLE_MS });
    if (found === undefined) return null;
    const { accountId, sessionId, startedAt, seenAt } = found;
    if (nowMs - seenAt >= SEEN_EVERY_MS) await this.#store.seen(accountId, sessionId, nowMs);
    return { accountId, sessionId, startedAt };
  }

  /** Those that still work, the most recently used first. */
  list(accountId: string): Promise<SessionRecord[]> {
    const nowMs = this.#clock.now();
    return this.#store.list(accountId, { at: nowMs, usedSince: nowMs - IDLE_MS });
  }

  /** Ends one session of the account; does nothing if it has ended already, or belongs to another account. */
  async end(accountId: string, sessionId: string, by: Actor): Promise<void> {
    await this.#store.end(accountId, { only: sessionId }, this.#clock.now(), by);
  }

  /** Ends all sessions of the account except one. Returns how many there were. */
  endAll(accountId: string, exceptSessionId: string | null, by: Actor): Promise<number> {
    return this.#store.end(accountId, { except: exceptSessionId }, this.#clock.now(), by);
  }

  /** Deletes sessions that ended more than 30 days ago. */
  sweep(): Promise<void> {
    return this.#store.forget(this.#clock.now() - KEPT_MS);
  }
}
