/** Secrets that work once and never again, by their hash. Times are Unix milliseconds. */

export type OneTimeKind = 'sign_in' | 'passkey';

export interface OneTimeTokens {
  /** `subject` is plain JSON: what the secret is good for. */
  put(token: { hash: Buffer; kind: OneTimeKind; subject: object; at: number; expiresAt: number }): Promise<void>;
  /** The subject of one that works; it goes on working. */
  peek(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** The subject, for the first who asks while it works: undefined for everybody after, however many ask at once. */
  spend(hash: Buffer, kind: OneTimeKind, at: number): Promise<unknown>;
  /** Deletes what no longer works at `at`; what was spent stays until it was so for a day. */
  forget(at: number): Promise<void>;
}
