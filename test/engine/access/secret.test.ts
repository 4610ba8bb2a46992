import { describe, expect, it } from 'vitest';
import { hashSecret, newSecret } from '../../../src/access/secret.js';

describe('a bearer secret', () => {
  it('is 32 random bytes as base64url', () => {
    expect(newSecret((length) => new Uint8Array(length).fill(0xfb))).toBe(`${'-_v7'.repeat(10)}-_s`);
  });

  it('is stored as its SHA-256', () => {
    // The first example of FIPS 180-2.
    expect(hashSecret('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
