/** Passkeys: customers' public keys, by the id that the authenticator assigned. */
import type { Actor } from '../domain/audit.js';

export interface PasskeyRecord {
  /** base64url, as browsers send it. */
  readonly credentialId: string;
  readonly name: string;
  /** How it can be reached (`internal`, `usb`, …), as the browser reported. */
  readonly transports: readonly string[];
  /** RFC 3339; `usedAt` is null until it was used to sign in. */
  readonly createdAt: string;
  readonly usedAt: string | null;
}

/** What a signature is verified against. */
export interface StoredPasskey {
  readonly personId: string;
  readonly credentialId: string;
  /** COSE. */
  readonly publicKey: Uint8Array;
  /** The authenticator's signature count so far; 0 for authenticators that do not count. */
  readonly counter: number;
}

export interface PasskeyStore {
  /**
   * `known`: the credential is already registered. `full`: the person has `most` passkeys, which no number of concurrent
   * calls exceeds.
   */
  add(
    passkey: StoredPasskey & { name: string; transports: readonly string[] },
    most: number,
    by: Actor,
  ): Promise<'added' | 'known' | 'full'>;
  find(credentialId: string): Promise<StoredPasskey | undefined>;
  /**
   * Records a signature with that count; false if the stored count is already as high, unless both are 0. `at`: Unix
   * milliseconds.
   */
  used(credentialId: string, counter: number, at: number): Promise<boolean>;
  /** The oldest first. */
  list(personId: string): Promise<PasskeyRecord[]>;
  /** Does nothing if the person has no such passkey. */
  remove(personId: string, credentialId: string, by: Actor): Promise<void>;
}
