import { createHmac, createSecretKey, hash } from 'node:crypto';

/** SHA-256 in 43 characters: a key of bounded length for text from callers. */
export const digestText = (text: string): string => hash('sha256', text, 'base64url');

/** HMAC-SHA-256 with a secret that is used often. Node 24 takes five times as long if it gets bytes each time. */
export function hmacWith(secret: Uint8Array): (data: string | Uint8Array) => Buffer {
  const key = createSecretKey(secret);
  return (data) => createHmac('sha256', key).update(data).digest();
}

/** Longer names are digested. Short ones are cheaper to compare than to digest, and people can read them. */
const LONGEST_NAME = 128;

/** A name as a key of bounded length: itself, or its digest if it is long. */
export const shortName = (name: string): string => (name.length <= LONGEST_NAME ? name : `#${digestText(name)}`);
