import { hkdfSync } from 'node:crypto';
import { hashKey, keyPrefix, mintKey } from '../access/key.js';
import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { TokenPairHashes } from '../ports/grants.js';

/** The secrets that a client receives. Never stored. */
export interface TokenPair {
  readonly key: string;
  readonly refreshToken: string;
}

const REFRESH_PREFIX = 'perch_refresh_';

/** The first pair of a grant or, with bytes derived from a token, its successor. */
export const mintTokenPair = (randomBytes: RandomBytes): TokenPair => ({
  refreshToken: REFRESH_PREFIX + newSecret(randomBytes),
  key: mintKey(randomBytes),
});

/** The pair that replaces a refresh token: always the same one, and unpredictable without the secret. */
export function successorOf(refreshToken: string, secret: Uint8Array): TokenPair {
  let block = 0;
  return mintTokenPair((length) => {
    block += 1;
    return new Uint8Array(hkdfSync('sha256', refreshToken, secret, `perch oauth successor ${block}`, length));
  });
}

export const hashesOf = ({ key, refreshToken }: TokenPair, pepper: string | Uint8Array): TokenPairHashes => ({
  keyHash: hashKey(key, pepper),
  keyPrefix: keyPrefix(key),
  refreshHash: hashSecret(refreshToken),
});
