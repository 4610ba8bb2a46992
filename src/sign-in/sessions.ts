import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../core/audit.js';
import type { Clock } from '../ports/clock.js';
import type { SessionRecord, SessionStore, SignInMethod } from '../ports/sessions.js';

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

/** A session that nobody uses ends by itself, and every one ends some day. */
const IDLE_MS = 7 * DAY_MS;
const LONGEST_MS = 30 * DAY_MS;

/** Each use of a session counts; to write more often than this would cost a statement per page. */
const SEEN_EVERY_MS = MINUTE_MS;

/** How long it can be looked up that there was a session. */
const KEPT_MS = 30 * DAY_MS;

/** Who is signed in. */
export interface Visitor {
  readonly accountId: string;
  readonly sessionId: string;
  /** When they signed in, in Unix milliseconds; where that is not known, it was long ago. */
  readonly startedAt?: number;
}

/** From where somebody signs in, as far as the request tells. */
export interface Origin {
  readonly userAgent: string | null;
  readonly address: string | null;
}

/** The secret of a session, told once: only its hash is kept. `expiresAt` is in Unix milliseconds. */
export interface NewSession {
  readonly token: string;
  readonly expiresAt: number;
}

export interface SessionsOptions {
  readonly store: SessionStore;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** Who is signed in from where: at most 30 days, and at most 7 without use. A new secret at each sign-in. */
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
    { method, userAgent, address }: Origin & { method: SignInMethod },
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

  /** Whose secret it is; null for one that was never given, or that is over. Counts as a use. */
  async find(token: string): Promise<Visitor | null> {
    const nowMs = this.#clock.now();
    const found = await this.#store.find(hashSecret(token), { at: nowMs, usedSince: nowMs - IDLE_MS });
    if (found === undefined) return null;
    const { accountId, sessionId, startedAt, seenAt } = found;
    if (nowMs - seenAt >= SEEN_EVERY_MS) await this.#store.seen(accountId, sessionId, nowMs);
    return { accountId, sessionId, startedAt };
  }

  /** Those that still work, the one used last first. */
  list(accountId: string): Promise<SessionRecord[]> {
    const nowMs = this.#clock.now();
    return this.#store.list(accountId, { at: nowMs, usedSince: nowMs - IDLE_MS });
  }

  /** Ends one session of the account; nothing happens when it is over already, or another's. */
  async end(accountId: string, sessionId: string, by: Actor): Promise<void> {
    await this.#store.end(accountId, { only: sessionId }, this.#clock.now(), by);
  }

  /** Ends all sessions of the account, but for one. Returns how many there were. */
  endAll(accountId: string, exceptSessionId: string | null, by: Actor): Promise<number> {
    return this.#store.end(accountId, { except: exceptSessionId }, this.#clock.now(), by);
  }

  /** Forgets what has been over for 30 days. */
  sweep(): Promise<void> {
    return this.#store.forget(this.#clock.now() - KEPT_MS);
  }
}
