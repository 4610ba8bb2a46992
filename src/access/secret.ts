import { createHash } from 'node:crypto';

export type RandomBytes = (length: number) => Uint8Array;

const BYTES = 32;

/** A new bearer secret: 32 random bytes as base64url, 43 characters. */
export const newSecret = (randomBytes: RandomBytes): string => Buffer.from(randomBytes(BYTES)).toString('base64url');

/** The stored form: SHA-256, 32 bytes. A secret of 256 random bits needs no slow hash and no pepper. */
export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
