/** Passkeys: public keys of customers, by the id that the authenticator gave. */
import type { Actor } from '../core/audit.js';

export interface PasskeyRecord {
  /** base64url, as browsers give it. */
  readonly credentialId: string;
  readonly name: string;
  /** How it can be reached (`internal`, `usb`, …), as the browser said. */
  readonly transports: readonly string[];
  /** RFC 3339; `usedAt` is null until somebody signed in with it. */
  readonly createdAt: string;
  readonly usedAt: string | null;
}

/** What a signature is checked against. */
export interface StoredPasskey {
  readonly accountId: string;
  readonly credentialId: string;
  /** COSE. */
  readonly publicKey: Uint8Array;
  /** The authenticator's count of signatures, so far; 0 for those that do not count. */
  readonly counter: number;
}

export interface PasskeyStore {
  /** False when the credential is somebody's already. */
  add(passkey: StoredPasskey & { name: string; transports: readonly string[] }, by: Actor): Promise<boolean>;
  find(credentialId: string): Promise<StoredPasskey | undefined>;
  /** A signature with that count; false when the one kept is as high already, unless both are 0. `at`: Unix milliseconds. */
  used(credentialId: string, counter: number, at: number): Promise<boolean>;
  /** The oldest first. */
  list(accountId: string): Promise<PasskeyRecord[]>;
  /** Nothing happens when the account has no such passkey. */
  remove(accountId: string, credentialId: string, by: Actor): Promise<void>;
}
