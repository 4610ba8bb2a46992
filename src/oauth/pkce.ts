import { createHash } from 'node:crypto';

/** A SHA-256 in base64url (RFC 7636 4.2). */
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

export const isChallenge = (text: string): boolean => CHALLENGE.test(text);

/** Whether the challenge was made from this verifier; S256 is the only method. */
export const proves = (verifier: string, challenge: string): boolean =>
  VERIFIER.test(verifier) && createHash('sha256').update(verifier).digest('base64url') === challenge;
