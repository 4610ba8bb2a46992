import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { createIdentify } from '../../../src/access/identify.js';
import { hashKey, mintKey } from '../../../src/access/key.js';
import type { KeyLookup } from '../../../src/ports/accounts.js';
import { caller, createKeyStore, standingClock } from './key-store.js';

const PEPPER = 'pepper';
const HOME = '192.0.2.1';

async function setUp() {
  const store = createKeyStore();
  const clock = standingClock();
  const limiter = createMemoryRateLimiter({ clock });
  const { known, identify, close } = await createIdentify({
    accounts: store.accounts,
    limiter,
    monotonic: clock,
    pepper: PEPPER,
  });
  const add = (lookup: KeyLookup) => {
    const key = mintKey(randomBytes);
    const hash = hashKey(key, PEPPER).toString('hex');
    store.rows.set(hash, lookup);
    return { key, hash };
  };
  const codes = async (keys: readonly string[], address = HOME) => {
    const results = await Promise.allSettled(keys.map((key) => identify(key, address)));
    return results.map((result) => (result.status === 'fulfilled' ? 'ok' : result.reason.code));
  };
  return { store, clock, known, identify, close, add, codes };
}

const live: KeyLookup = { state: 'live', caller: caller() };
const unknownKeys = (count: number) => Array.from({ length: count }, () => mintKey(randomBytes));

describe('identify', () => {
  it('returns the caller of a live key', async () => {
    const { identify, add } = await setUp();
    expect(await identify(add(live).key, HOME)).toEqual(caller());
  });

  it('refuses a malformed key without asking the store (A6)', async () => {
    const { identify, add, store } = await setUp();
    const { key } = add(live);
    for (const text of ['nonsense', `${key}x`, key.replace(/.$/, (last) => (last === '0' ? '1' : '0'))]) {
      await expect(identify(text, HOME)).rejects.toMatchObject({
        code: 'invalid_key',
        detail: { reason: 'malformed' },
      });
    }
    expect(store.reads()).toBe(0);
  });

  it('refuses an unknown key', async () => {
    const { identify } = await setUp();
    const attempt = identify(mintKey(randomBytes), HOME);
    await expect(attempt).rejects.toMatchObject({ code: 'invalid_key', status: 401, detail: { reason: 'unknown' } });
  });

  it('says when a revoked key was revoked (A5), and why a frozen one is frozen (W8)', async () => {
    const { identify, add } = await setUp();
    const revoked = add({ state: 'revoked', revokedAt: '2026-03-01T12:00:00.000Z' });
    await expect(identify(revoked.key, HOME)).rejects.toMatchObject({
      code: 'invalid_key',
      message: expect.stringContaining('2026-03-01T12:00:00.000Z'),
    });
    await expect(identify(add({ state: 'frozen' }).key, HOME)).rejects.toMatchObject({
      code: 'invalid_key',
      message: expect.stringContaining('disputed'),
    });
  });

  it('refuses a key whose text and row differ in mode, so a test key cannot spend credits', async () => {
    const { identify, add } = await setUp();
    const { key } = add({ state: 'live', caller: { ...caller(), mode: 'test' } });
    await expect(identify(key, HOME)).rejects.toMatchObject({ code: 'invalid_key', detail: { reason: 'unknown' } });
  });

  it('names the account before it waits, and only if it waits', async () => {
    const { identify, add, clock } = await setUp();
    const reported: (string | null)[] = [];
    const identifyKey = (key: string) => identify(key, HOME, (accountId) => reported.push(accountId)).catch(() => {});
    const { key } = add(live);
    await identifyKey(key);
    expect(reported).toEqual([null]);
    await identifyKey(key);
    expect(reported).toEqual([null]);
    clock.pass(3000);
    await identifyKey(key);
    expect(reported).toEqual([null, caller().accountId]);
    await identifyKey('nonsense');
    expect(reported).toEqual([null, caller().accountId, null]);
  });

  it('does not call the store for a call that is refused before it waits', async () => {
    const { identify, add, store } = await setUp();
    const full = () => {
      throw new Error('no slot is free');
    };
    await expect(identify(add(live).key, HOME, full)).rejects.toThrow('no slot is free');
    expect(store.reads()).toBe(0);
  });

  it('answers from the memory for a key that was looked up lately, and for no other', async () => {
    const { known, identify, add, store, clock } = await setUp();
    const [{ key }, other] = [add(live), add({ state: 'live', caller: { ...caller(), mode: 'test' } })];
    expect(known(key)).toBeUndefined();
    expect(store.reads()).toBe(0);
    expect(await identify(key, HOME)).toEqual(caller());
    await expect(identify(other.key, HOME)).rejects.toMatchObject({ code: 'invalid_key' });
    expect(known(key)).toEqual(caller());
    for (const text of [other.key, 'nonsense']) expect(known(text)).toBeUndefined();
    clock.pass(3000);
    expect(known(key)).toBeUndefined();
    expect(store.reads()).toBe(2);
  });

  it('returns the caller of a hash, whatever its mode, and refuses a key that no longer works', async () => {
    const { known, identify, add, store } = await setUp();
    const reported: (string | null)[] = [];
    const identifyHash = (keyHash: string) => identify({ keyHash }, HOME, (accountId) => reported.push(accountId));
    const test = { ...caller(), mode: 'test' as const };
    const [one, other] = [add(live), add({ state: 'live', caller: test })];
    const revoked = add({ state: 'revoked', revokedAt: '2026-03-01T12:00:00.000Z' });
    expect(await identifyHash(one.hash)).toEqual(caller());
    expect(await identifyHash(other.hash)).toEqual(test);
    expect(known({ keyHash: other.hash })).toEqual(test);
    await expect(identifyHash(revoked.hash)).rejects.toMatchObject({
      code: 'invalid_key',
      detail: { reason: 'revoked' },
    });
    expect(known({ keyHash: revoked.hash })).toBeUndefined();
    await expect(identifyHash('00'.repeat(32))).rejects.toMatchObject({
      code: 'invalid_key',
      detail: { reason: 'unknown' },
    });
    expect(reported).toEqual([]);
    expect(store.reads()).toBe(4);
  });

  it('counts failures of hashes against no address', async () => {
    const { identify, codes } = await setUp();
    for (let nth = 0; nth < 200; nth += 1) {
      await expect(identify({ keyHash: `${nth}`.padStart(64, '0') }, HOME)).rejects.toMatchObject({
        code: 'invalid_key',
      });
    }
    expect(await codes(unknownKeys(1))).toEqual(['invalid_key']);
  });

  it('never repeats a key in a message', async () => {
    const { identify } = await setUp();
    const [key = ''] = unknownKeys(1);
    for (const text of [key, `${key}x`]) {
      await expect(identify(text, HOME)).rejects.toMatchObject({ message: expect.not.stringContaining(key.slice(11)) });
    }
  });
});

describe('a key that was looked up before', () => {
  it('is read from the store once in three seconds', async () => {
    const { identify, add, store, clock } = await setUp();
    const { key } = add(live);
    for (let n = 0; n < 5; n += 1) await identify(key, HOME);
    clock.pass(2999);
    await identify(key, HOME);
    expect(store.reads()).toBe(1);
    clock.pass(1);
    await identify(key, HOME);
    expect(store.reads()).toBe(2);
  });

  it('is never older than five seconds, so a revocation takes effect even if its notification is lost (A9)', async () => {
    const { identify, add, store, clock } = await setUp();
    const { key, hash } = add(live);
    await identify(key, HOME);
    store.rows.set(hash, { state: 'revoked', revokedAt: 'then' });
    clock.pass(4999);
    await expect(identify(key, HOME)).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('counts its age from before a slow read (A9)', async () => {
    const { identify, add, store, clock } = await setUp();
    const { key } = add(live);
    store.hold();
    const first = identify(key, HOME);
    await expect.poll(store.reads).toBe(1);
    clock.pass(3000);
    store.release();
    await first;
    clock.pass(1000);
    await identify(key, HOME);
    expect(store.reads()).toBe(2);
  });

  it('is read again at once when the store reports a change (A9)', async () => {
    const { identify, add, store } = await setUp();
    const { key, hash } = add(live);
    await identify(key, HOME);
    store.rows.set(hash, { state: 'revoked', revokedAt: 'now' });
    store.notify(hash);
    await expect(identify(key, HOME)).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('is not kept if a change arrives while it is read (A9)', async () => {
    const { identify, add, store } = await setUp();
    const { key, hash } = add(live);
    store.hold();
    const early = identify(key, HOME);
    await expect.poll(store.reads).toBe(1);
    store.rows.set(hash, { state: 'revoked', revokedAt: 'now' });
    store.notify(hash);
    const late = identify(key, HOME);
    await expect.poll(store.reads).toBe(2);
    store.release();
    const [first, second] = await Promise.allSettled([early, late]);
    expect(first).toMatchObject({ status: 'fulfilled', value: caller() });
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'invalid_key' } });
    await expect(identify(key, HOME)).rejects.toMatchObject({ code: 'invalid_key' });
  });

  it('is read once for all calls that need it at the same time', async () => {
    const { codes, add, store } = await setUp();
    const { key } = add(live);
    store.hold();
    const all = codes(Array.from({ length: 20 }, () => key));
    await expect.poll(store.reads).toBeGreaterThan(0);
    store.release();
    expect(new Set(await all)).toEqual(new Set(['ok']));
    expect(store.reads()).toBe(1);
  });

  it('accepts a new key at once, even if it was refused before it existed', async () => {
    const { identify, store } = await setUp();
    const key = mintKey(randomBytes);
    await expect(identify(key, HOME)).rejects.toMatchObject({ code: 'invalid_key' });
    store.rows.set(hashKey(key, PEPPER).toString('hex'), live);
    expect(await identify(key, HOME)).toEqual(caller());
  });

  it('is not kept from a failed read: the error passes, and the next call reads again', async () => {
    const { identify, add, store } = await setUp();
    const { key } = add(live);
    const { findKeys } = store.accounts;
    store.accounts.findKeys = () => Promise.reject(new Error('connection lost'));
    await expect(identify(key, HOME)).rejects.toThrow('connection lost');
    store.accounts.findKeys = findKeys;
    expect(await identify(key, HOME)).toEqual(caller());
  });

  it('leaves no listener behind', async () => {
    const { store, close } = await setUp();
    expect(store.listeners()).toBe(1);
    await close();
    expect(store.listeners()).toBe(0);
  });
});

describe('guessing keys (A8)', () => {
  it('gets 429 under the public policy after 60 failures a minute from one address', async () => {
    const { codes, identify } = await setUp();
    expect(new Set(await codes(Array.from({ length: 60 }, () => 'guess')))).toEqual(new Set(['invalid_key']));
    await expect(identify('guess', HOME)).rejects.toMatchObject({
      code: 'rate_limited',
      status: 429,
      retryAfter: 1,
      detail: { reason: 'failed_keys' },
    });
  });

  it('is counted for each address, however the address is written', async () => {
    const { codes } = await setUp();
    await codes(Array.from({ length: 60 }, () => 'guess'));
    expect(await codes(['guess'], '192.0.2.2')).toEqual(['invalid_key']);
    expect(await codes(['guess'], `::ffff:${HOME}`)).toEqual(['rate_limited']);
  });

  it('forgives one failure a second', async () => {
    const { codes, clock } = await setUp();
    await codes(Array.from({ length: 80 }, () => 'guess'));
    clock.pass(1000);
    expect(await codes(['guess', 'guess'])).toEqual(['invalid_key', 'rate_limited']);
  });

  it('is never counted for a good key', async () => {
    const { codes, add } = await setUp();
    const { key } = add(live);
    expect(new Set(await codes(Array.from({ length: 200 }, () => key)))).toEqual(new Set(['ok']));
    expect(await codes(['guess'])).toEqual(['invalid_key']);
  });

  it('does not stop a good key from the same address', async () => {
    const { codes, add, clock } = await setUp();
    const [used, unseen] = [add(live).key, add(live).key];
    await codes([used]);
    await codes([...Array.from({ length: 80 }, () => 'guess')]);
    expect(await codes([used, unseen])).toEqual(['ok', 'ok']);
    clock.pass(10_000);
    await codes(unknownKeys(40));
    expect(await codes([used, unseen])).toEqual(['ok', 'ok']);
  });

  it('makes one query at a time for the unknown keys of noisy addresses', async () => {
    const { codes, store } = await setUp();
    await codes(Array.from({ length: 61 }, () => 'guess'));
    await codes(
      Array.from({ length: 61 }, () => 'guess'),
      '192.0.2.2',
    );
    store.hold();
    const first = codes(unknownKeys(1));
    await expect.poll(store.queries).toBe(1);
    const others = [codes(unknownKeys(150)), codes(unknownKeys(49), '192.0.2.2')];
    await sleep(50);
    expect(store.queries()).toBe(1);
    store.release();
    expect(new Set((await Promise.all([first, ...others])).flat())).toEqual(new Set(['rate_limited']));
    expect(store.queries()).toBe(3);
  });

  it('accepts a valid key that was never seen, however many others its address guesses (A33)', async () => {
    const { codes, add } = await setUp();
    await codes(Array.from({ length: 61 }, () => 'guess'));
    const guesses = codes(unknownKeys(1000));
    expect(await codes([add(live).key])).toEqual(['ok']);
    expect(new Set(await guesses)).toEqual(new Set(['rate_limited']));
  });

  it.each([
    [59_999, 1],
    [60_000, 2],
  ])('limits queries until a minute after the last guess: after %i ms, %i queries at a time', async (ms, queries) => {
    const { codes, store, clock } = await setUp();
    await codes(Array.from({ length: 61 }, () => 'guess'));
    clock.pass(ms);
    store.hold();
    const first = codes(unknownKeys(1));
    await expect.poll(store.queries).toBe(1);
    const second = codes(unknownKeys(1));
    await sleep(50);
    expect(store.queries()).toBe(queries);
    store.release();
    await Promise.all([first, second]);
  });
});
