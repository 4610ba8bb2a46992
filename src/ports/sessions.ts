/** Stored sessions, found by the hash of their secret. Times passed in are Unix milliseconds. */
import type { Actor } from '../domain/audit.js';

export type SignInMethod = 'link' | 'passkey';

export interface SessionRecord {
  readonly sessionId: string;
  readonly method: SignInMethod;
  readonly userAgent: string | null;
  readonly address: string | null;
  /** RFC 3339, like the two below. `seenAt` is accurate to a minute. */
  readonly createdAt: string;
  readonly seenAt: string;
  readonly expiresAt: string;
}

/** Which sessions work: those that expire after `at` and were used since `usedSince`. */
export interface ActiveAt {
  readonly at: number;
  readonly usedSince: number;
}

export interface SessionStore {
  start(
    session: {
      personId: string;
      accountId: string | null;
      hash: Buffer;
      method: SignInMethod;
      userAgent: string | null;
      address: string | null;
      startedAt: number;
      expiresAt: number;
    },
    by: Actor,
  ): Promise<void>;
  find(
    hash: Buffer,
    working: ActiveAt,
  ): Promise<
    { personId: string; sessionId: string; accountId: string | null; startedAt: number; seenAt: number } | undefined
  >;
  /** Sets which account the session shows. */
  choose(personId: string, sessionId: string, accountId: string): Promise<void>;
  seen(personId: string, sessionId: string, at: number): Promise<void>;
  /** At most `limit`: `own`, if it is one of the person's, then the most recently used. */
  list(personId: string, working: ActiveAt, limit: number, own: string | null): Promise<SessionRecord[]>;
  count(personId: string, working: ActiveAt): Promise<number>;
  /** Ends one session of the person, or all except one, with their test keys. Returns how many of them were live. */
  end(personId: string, which: { only: string } | { except: string | null }, at: number, by: Actor): Promise<number>;
  /** Deletes sessions that ended before the given time. */
  forget(before: number): Promise<void>;
}
