import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createKeyHashes } from '../../../src/access/identify.js';
import { hashKey, mintKey } from '../../../src/access/key.js';
import { Memories } from '../../../src/lib/memories.js';

const PEPPER = 'pepper';
const stateOf = (memories: Memories) => memories.states().find(({ name }) => name === 'key_hashes');

describe('hashes of keys', () => {
  it('are the same as in the store, the first time and later (A11)', () => {
    const hashOf = createKeyHashes(PEPPER, new Memories());
    const keys = Array.from({ length: 20 }, () => mintKey(randomBytes));
    for (let time = 0; time < 3; time += 1) {
      for (const key of keys) expect(hashOf(key)).toBe(hashKey(key, PEPPER).toString('hex'));
    }
  });

  it('are computed for well-formed keys only; no other text is remembered (A6)', () => {
    const memories = new Memories();
    const hashOf = createKeyHashes(PEPPER, memories);
    const key = mintKey(randomBytes);
    const mistyped = key.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    for (let time = 0; time < 2; time += 1) {
      for (const text of ['', 'nonsense', `${key}x`, mistyped, key.toUpperCase(), 'x'.repeat(key.length)])
        expect(hashOf(text)).toBeNull();
    }
    expect(stateOf(memories)?.bytes).toBe(0);
  });

  it('take a bounded amount of memory, however many keys are tried', () => {
    const memories = new Memories();
    const hashOf = createKeyHashes(PEPPER, memories);
    for (let key = 0; key < 40_000; key += 1) hashOf(mintKey(randomBytes));
    const state = stateOf(memories);
    expect(state?.evictions).toBeGreaterThan(0);
    expect(state?.bytes).toBeLessThanOrEqual(state?.maxBytes ?? 0);
  });
});
