/** Secrets that work only once, by their hash. Times are Unix milliseconds. */

export type OneTimeKind = 'sign_in' | 'passkey' | 'email_change';

export interface OneTimeTokens {
  /** `subject` is plain JSON: what the secret is for. */
  put(token: { hash: Buffer; kind: OneTimeKind; subject: object; at: number; expiresAt: number }): Promise<void>;
  /** The subject of a token that works; the token stays valid. */
  peek(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** The subject, for the first caller while the token works: undefined for all others, however many ask at once. */
  spend(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** Deletes tokens that expired before `at`, but keeps a spent one until a day after it was spent. */
  forget(at: number): Promise<void>;
}
