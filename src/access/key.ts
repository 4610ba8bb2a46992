import { createHmac } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Mode } from '../domain/mode.js';

/** Of equal length. */
const PREFIXES = { live: 'perch_live_', test: 'perch_test_' } as const satisfies Record<Mode, string>;
const ANY_PREFIX = `(?:${PREFIXES.live}|${PREFIXES.test})`;
const PREFIX_CHARS = PREFIXES.live.length;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const RANDOM_CHARS = 26;
const CHECKSUM_CHARS = 6;
const SHOWN_CHARS = 6;
const SHAPE = new RegExp(`^${ANY_PREFIX}[0-9A-Za-z]{${RANDOM_CHARS + CHECKSUM_CHARS}}$`);

/** Characters of a key. */
export const KEY_CHARS = PREFIX_CHARS + RANDOM_CHARS + CHECKSUM_CHARS;

/** The largest multiple of 62 that a byte can reach: higher bytes would favour the first characters. */
const UNBIASED_BELOW = 248;

/** CRC-32 of the text before the checksum, in base 62, as in GitHub's tokens (A6). */
function checksum(text: string): string {
  let digits = '';
  for (let rest = crc32(text); rest > 0; rest = Math.floor(rest / 62)) digits = ALPHABET.charAt(rest % 62) + digits;
  return digits.padStart(CHECKSUM_CHARS, '0');
}

/**
 * A new key: `perch_live_` or `perch_test_`, 26 random characters (155 bits) and their checksum. Shown once, never
 * stored.
 */
export function mintKey(randomBytes: (length: number) => Uint8Array, mode: Mode = 'live'): string {
  let random = '';
  while (random.length < RANDOM_CHARS) {
    for (const byte of randomBytes(RANDOM_CHARS)) {
      if (byte < UNBIASED_BELOW && random.length < RANDOM_CHARS) random += ALPHABET.charAt(byte % ALPHABET.length);
    }
  }
  const text = PREFIXES[mode] + random;
  return text + checksum(text);
}

/** Whether a text can be a key at all: its shape and its checksum. */
export const isWellFormedKey = (text: string): boolean =>
  SHAPE.test(text) && text.endsWith(checksum(text.slice(0, -CHECKSUM_CHARS)));

/** The mode of a well-formed key, or of its prefix. */
export const modeOfKey = (key: string): Mode => (key.startsWith(PREFIXES.test) ? 'test' : 'live');

/** The form in which the store keeps a key: HMAC-SHA256 of the whole key with the server's pepper, 32 bytes (A11). */
export const hashKey = (key: string, pepper: string | Uint8Array): Buffer =>
  createHmac('sha256', pepper).update(key).digest();

/** The part of a key that may be shown. */
export const keyPrefix = (key: string): string => key.slice(0, PREFIX_CHARS + SHOWN_CHARS);
