import { createHash, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashKey, isWellFormedKey, keyPrefix, mintKey, modeOfKey } from '../../../src/access/key.js';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const minted = bytes(64).map((seed) => {
  // Bytes from one seed, different for each call.
  let call = 0;
  return mintKey((length) => {
    call += 1;
    const hash = createHash('shake256', { outputLength: length });
    return hash.update(seed).update(`${call}`).digest();
  });
});

describe('a key', () => {
  it('is perch_live_ followed by 32 letters and digits, well formed (A6)', () => {
    fc.assert(
      fc.property(minted, (key) => {
        expect(key).toMatch(/^perch_live_[0-9A-Za-z]{32}$/);
        expect(isWellFormedKey(key)).toBe(true);
      }),
    );
  });

  it('ends in a checksum that is the same everywhere: CRC-32 of the rest, base 62, six digits', () => {
    expect(mintKey((length) => new Uint8Array(length))).toBe(`perch_live_${'0'.repeat(26)}3MjmpO`);
    expect(mintKey((length) => new Uint8Array(length).fill(61))).toBe(`perch_live_${'z'.repeat(26)}3GUyP9`);
  });

  it('is recognised as mistyped if any one character differs (A6)', () => {
    const position = fc.integer({ min: 11, max: 42 });
    const other = fc.constantFrom(...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');
    fc.assert(
      fc.property(minted, position, other, (key, at, character) => {
        fc.pre(key[at] !== character);
        expect(isWellFormedKey(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
      }),
    );
  });

  it('is recognised as invalid when cut, padded, of another kind, or anything else', () => {
    const key = mintKey(randomBytes);
    for (const text of [
      key.slice(0, -1),
      `${key}0`,
      ` ${key}`,
      `${key}\n`,
      key.toUpperCase(),
      key.replace('live', 'test'),
    ])
      expect(isWellFormedKey(text)).toBe(false);
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (other) => !isWellFormedKey(other)));
  });

  it('has every character equally often, because a byte that favours some is drawn again', () => {
    const drawn = [255, 250, 248, 247, 0];
    const key = mintKey((length) => Uint8Array.from({ length }, () => drawn.shift() ?? 1));
    expect(key.slice(11, 14)).toBe('z01');
  });

  it('has one mode, which its text states and its checksum covers', () => {
    const key = mintKey(randomBytes, 'test');
    expect(key).toMatch(/^perch_test_[0-9A-Za-z]{32}$/);
    expect([isWellFormedKey(key), modeOfKey(key), modeOfKey(mintKey(randomBytes))]).toEqual([true, 'test', 'live']);
    expect(isWellFormedKey(key.replace('perch_test_', 'perch_live_'))).toBe(false);
  });

  it('is shown as perch_live_ and six characters (A11)', () => {
    expect(keyPrefix(`perch_live_${'abcdefgh'.repeat(4)}`)).toBe('perch_live_abcdef');
  });

  it('is stored as 32 bytes that depend on the whole key and on the pepper (A11)', () => {
    const key = mintKey(randomBytes);
    const other = mintKey(randomBytes);
    expect(hashKey(key, 'pepper')).toHaveLength(32);
    expect(hashKey(key, 'pepper').equals(hashKey(key, Buffer.from('pepper')))).toBe(true);
    expect(hashKey(key, 'pepper').equals(hashKey(key, 'salt'))).toBe(false);
    expect(hashKey(key, 'pepper').equals(hashKey(other, 'pepper'))).toBe(false);
  });
});
