import { digestOf } from '../lib/digest.js';
import type { Memories } from '../lib/memories.js';
import { hashKey, isWellFormedKey, KEY_CHARS } from './key.js';

/**
 * The hash of a key in hex, or null for a text that cannot be one. Checksum and HMAC are computed once for
 * keys used lately. Keys themselves are not kept: they are remembered by their SHA-256, which reveals nothing of 155
 * random bits.
 */
export function createKeyHashes(pepper: string | Uint8Array, memories: Memories): (key: string) => string | null {
  const known = memories.map<string>('key_hashes');
  return (key) => {
    if (key.length !== KEY_CHARS) return null;
    const digest = digestOf(key);
    const hash = known.get(digest);
    if (hash !== undefined) return hash;
    if (!isWellFormedKey(key)) return null;
    const computed = hashKey(key, pepper).toString('hex');
    known.set(digest, computed);
    return computed;
  };
}
