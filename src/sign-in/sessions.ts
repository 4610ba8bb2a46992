import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import { DAY_MS, MINUTE_MS } from '../lib/durations.js';
import type { Clock } from '../ports/clock.js';
import type { SessionRecord, SessionStore, SignInMethod } from '../ports/sessions.js';

/** A session ends if it is not used for this long, and every session ends eventually. */
const IDLE_MS = 7 * DAY_MS;
const LONGEST_MS = 30 * DAY_MS;

/** Uses of a session are recorded at most this often, because otherwise every page would cost a statement. */
const SEEN_EVERY_MS = MINUTE_MS;

/** How long ended sessions are kept for lookup. */
const KEPT_MS = 30 * DAY_MS;

/** Nothing limits the number of a person's sessions. */
const MOST_LISTED = 100;

/** The signed-in user. */
export interface Visitor {
  readonly personId: string;
  readonly sessionId: string;
  /**
   * The account whose pages they chose to see; null until they choose. Whether they may see it is checked elsewhere.
   */
  readonly accountId?: string | null;
  /** When they signed in, in Unix milliseconds; if undefined, treated as long ago. */
  readonly startedAt?: number;
}

/** The origin of a sign-in, as far as the request shows it. */
export interface SessionOrigin {
  readonly userAgent: string | null;
  readonly address: string | null;
  /** Who was signed in there before. */
  readonly previous?: Visitor | null;
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

  /**
   * `accountId`: the account that the session shows initially; null: the one that the person saw before, or their first.
   */
  async start(
    personId: string,
    {
      method,
      userAgent,
      address,
      previous = null,
      accountId: wanted = null,
    }: SessionOrigin & { method: SignInMethod; accountId?: string | null },
  ): Promise<NewSession> {
    const token = newSecret(this.#randomBytes);
    const nowMs = this.#clock.now();
    const expiresAt = nowMs + LONGEST_MS;
    const accountId = wanted ?? (previous?.personId === personId ? (previous.accountId ?? null) : null);
    await this.#store.start(
      { personId, accountId, hash: hashSecret(token), method, userAgent, address, startedAt: nowMs, expiresAt },
      { who: 'customer', address, personId },
    );
    return { token, expiresAt };
  }

  /** The user with this secret; null if it was never issued, or its session has ended. Counts as a use. */
  async find(token: string): Promise<Visitor | null> {
    const nowMs = this.#clock.now();
    const found = await this.#store.find(hashSecret(token), { at: nowMs, usedSince: nowMs - IDLE_MS });
    if (found === undefined) return null;
    const { personId, sessionId, accountId, startedAt, seenAt } = found;
    if (nowMs - seenAt >= SEEN_EVERY_MS) await this.#store.seen(personId, sessionId, nowMs);
    return { personId, sessionId, accountId, startedAt };
  }

  /** Shows another account from now on. */
  choose({ personId, sessionId }: Visitor, accountId: string): Promise<void> {
    return this.#store.choose(personId, sessionId, accountId);
  }

  /** Sessions that still work: `own`, then the most recently used, and how many more there are. */
  async list(personId: string, own: string | null = null): Promise<{ sessions: SessionRecord[]; more: number }> {
    const nowMs = this.#clock.now();
    const working = { at: nowMs, usedSince: nowMs - IDLE_MS };
    const sessions = await this.#store.list(personId, working, MOST_LISTED, own);
    const more = sessions.length < MOST_LISTED ? 0 : (await this.#store.count(personId, working)) - MOST_LISTED;
    return { sessions, more };
  }

  /** Ends one session of the person. False if it has already ended or belongs to another person. */
  async end(personId: string, sessionId: string, by: Actor): Promise<boolean> {
    return (await this.#store.end(personId, { only: sessionId }, this.#clock.now(), by)) > 0;
  }

  /** Ends all sessions of the person except one. Returns how many there were. */
  endAll(personId: string, exceptSessionId: string | null, by: Actor): Promise<number> {
    return this.#store.end(personId, { except: exceptSessionId }, this.#clock.now(), by);
  }

  /** Deletes sessions that ended more than 30 days ago. */
  sweep(): Promise<void> {
    return this.#store.forget(this.#clock.now() - KEPT_MS);
  }
}
