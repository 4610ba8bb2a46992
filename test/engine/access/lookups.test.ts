import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lookups } from '../../../src/access/lookups.js';
import type { KeyLookup } from '../../../src/ports/accounts.js';
import { caller } from './key-store.js';

const TTL_MS = 3000;
const KEYS = ['aa', 'bb'];

/** A store that answers when the test says so, with what it held when the query began. */
function slowStore() {
  const rows = new Map<string, number>();
  const listeners = new Set<(hashHex: string) => void>();
  const queries: { readonly hashes: readonly string[]; answer(): void; fail(): void }[] = [];
  const queried: string[][] = [];
  const lookupOf = (version: number | undefined): KeyLookup | undefined =>
    version === undefined ? undefined : { state: 'live', caller: caller({ qps: version }) };
  return {
    rows,
    queries,
    /** The keys of every query so far. */
    queried,
    notify: (hash: string) => listeners.forEach((listener) => void listener(hash)),
    accounts: {
      findKeys(buffers: readonly Buffer[]) {
        const hashes = buffers.map((buffer) => buffer.toString('hex'));
        queried.push(hashes);
        const found = hashes.map((hash) => lookupOf(rows.get(hash)));
        return new Promise<(KeyLookup | undefined)[]>((resolve, reject) => {
          const query = {
            hashes,
            answer: () => resolve(found),
            fail: () => reject(new Error('connection lost')),
          };
          queries.push(query);
        });
      },
      async onKeyChange(listener: (hashHex: string) => void) {
        listeners.add(listener);
        return async () => void listeners.delete(listener);
      },
    },
  };
}

const versionOf = (lookup: KeyLookup | undefined): number | undefined =>
  lookup?.state === 'live' ? lookup.caller.qps : undefined;

describe('look-ups of keys', () => {
  let store: ReturnType<typeof slowStore>;
  let lookups: Lookups;
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
  const answerAll = async () => {
    for (const { answer } of store.queries.splice(0)) answer();
    await pass(0);
  };
  /** Looks the key up, and lets the store answer every query that this causes. */
  const find = async (hash: string) => {
    const found = lookups.find(hash);
    await pass(1);
    await answerAll();
    return versionOf(await found);
  };
  const open = async () => {
    store = slowStore();
    lookups = new Lookups({ accounts: store.accounts, monotonic: { now: () => Date.now() }, ttlMs: TTL_MS });
    await lookups.follow();
  };
  beforeEach(async () => {
    vi.useFakeTimers();
    await open();
  });
  afterEach(() => vi.useRealTimers());

  it('share a query if they begin in one turn of the event loop, up to a hundred keys', async () => {
    const hashes = Array.from({ length: 250 }, (_, nth) => nth.toString(16).padStart(4, '0'));
    for (const hash of hashes) store.rows.set(hash, 1);
    // As connections do it: each in a callback of its own.
    const all = hashes.map((hash) => Promise.resolve().then(() => lookups.find(hash)));
    await pass(1);
    expect(store.queried.map(({ length }) => length)).toEqual([100, 100, 50]);
    await answerAll();
    expect(new Set((await Promise.all(all)).map(versionOf))).toEqual(new Set([1]));
  });

  it('do not wait for a query that hangs', async () => {
    store.rows.set('aa', 1).set('bb', 1);
    void lookups.find('aa');
    await pass(1);
    const [hanging] = store.queries.splice(0);
    expect(await find('bb')).toBe(1);
    hanging?.answer();
  });

  it('are repeated when a query hangs and its answer would be too old (A9)', async () => {
    store.rows.set('aa', 1);
    const first = lookups.find('aa');
    await pass(1);
    const [hanging] = store.queries.splice(0);
    await pass(TTL_MS);
    store.rows.set('aa', 2);
    expect(await find('aa')).toBe(2);
    hanging?.answer();
    expect(versionOf(await first)).toBe(1);
    expect(await find('aa')).toBe(2);
  });

  it('are shared until their answer would be too old, and a late answer ends no other query', async () => {
    store.rows.set('aa', 1);
    const calls = [lookups.find('aa')];
    await pass(TTL_MS - 1);
    calls.push(lookups.find('aa'));
    await pass(1);
    expect(store.queried).toHaveLength(1);
    calls.push(lookups.find('aa'));
    await pass(1);
    expect(store.queried).toHaveLength(2);
    store.queries.shift()?.answer();
    await pass(0);
    calls.push(lookups.find('aa'));
    await pass(1);
    expect(store.queried).toHaveLength(2);
    await answerAll();
    expect((await Promise.all(calls)).map(versionOf)).toEqual([1, 1, 1, 1]);
  });

  it('leave nothing behind for a key that the store does not have', async () => {
    expect(await find('aa')).toBeUndefined();
    expect(lookups.knows('aa')).toBe(false);
    expect(lookups.last('aa')).toEqual({ lookup: undefined, isFresh: false });
  });

  it('are repeated in the background after two thirds of their lifetime', async () => {
    store.rows.set('aa', 1);
    const first = lookups.find('aa');
    await pass(1);
    await answerAll();
    await first;
    await pass(1998);
    await lookups.find('aa');
    await pass(1);
    expect(store.queried).toHaveLength(1);
    await lookups.find('aa');
    await pass(50);
    expect(store.queried).toHaveLength(2);
  });

  it('are repeated in the background for a key in use, so that it never waits', async () => {
    store.rows.set('aa', 1);
    await find('aa');
    for (let second = 0; second < 20; second += 0.5) {
      await pass(500);
      expect(lookups.last('aa').isFresh).toBe(true);
      expect(await find('aa')).toBe(1);
      await pass(50);
      await answerAll();
    }
    expect(store.queried.length).toBeLessThanOrEqual(11);
  });

  it('are repeated in the background for many keys in one query', async () => {
    for (const hash of KEYS) store.rows.set(hash, 1);
    await Promise.all(KEYS.map(find));
    await pass(2000);
    for (const hash of KEYS) {
      await find(hash);
      await pass(5);
    }
    await pass(50);
    expect(store.queried).toEqual([KEYS, KEYS]);
  });

  it('are not repeated for an unused key', async () => {
    store.rows.set('aa', 1);
    await find('aa');
    await pass(1500);
    await find('aa');
    await pass(60_000);
    expect(store.queried).toEqual([['aa']]);
  });

  it('expire when the store fails in the background, after one query and without an error for callers', async () => {
    store.rows.set('aa', 1);
    await find('aa');
    await pass(2000);
    for (let call = 0; call < 5; call += 1) expect(versionOf(await lookups.find('aa'))).toBe(1);
    await pass(50);
    expect(store.queried).toHaveLength(2);
    for (const { fail } of store.queries.splice(0)) fail();
    await pass(0);
    expect(versionOf(await lookups.find('aa'))).toBe(1);
    await pass(950);
    expect(store.queried).toHaveLength(2);
    expect(lookups.last('aa').isFresh).toBe(false);
    const late = lookups.find('aa');
    await pass(1);
    for (const { fail } of store.queries.splice(0)) fail();
    await expect(late).rejects.toThrow('connection lost');
  });

  it('do not wait for a background query that hangs', async () => {
    store.rows.set('aa', 1);
    await find('aa');
    await pass(2500);
    await find('aa');
    await pass(50);
    const [hanging] = store.queries.splice(0);
    await pass(450);
    store.rows.set('aa', 2);
    expect(await find('aa')).toBe(2);
    hanging?.answer();
    await pass(0);
    expect(await find('aa')).toBe(2);
  });

  it('are never too old, for any order of changes, lost notifications, and slow or failed queries (A9)', async () => {
    const key = fc.constantFrom(...KEYS);
    const nth = fc.nat({ max: 5 });
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.record({ kind: fc.constant('lookup' as const), key }) },
      {
        weight: 3,
        arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.constantFrom(10, 500, 1000, 1600, 2500) }),
      },
      { weight: 4, arbitrary: fc.record({ kind: fc.constant('answer' as const), nth }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('fail' as const), nth }) },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('change' as const), key, isNotified: fc.boolean() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 100 }), async (steps) => {
        await open();
        /** When the store got each version of a key, and when this process was notified. */
        const since = new Map(KEYS.map((hash) => [hash, [0]]));
        const notifiedVersions = new Map(KEYS.map((hash) => [hash, 0]));
        const lookupCounts = new Map(KEYS.map((hash) => [hash, 0]));
        for (const hash of KEYS) store.rows.set(hash, 0);
        const running: Promise<void>[] = [];
        const checkLookup = async (hash: string): Promise<void> => {
          lookupCounts.set(hash, (lookupCounts.get(hash) ?? 0) + 1);
          const startedAt = Date.now();
          const least = notifiedVersions.get(hash) ?? 0;
          const { isFresh } = lookups.last(hash);
          const version = await lookups.find(hash).then(versionOf, (error: Error) => {
            // A failure in the background reaches no caller.
            if (isFresh) throw error;
            return null;
          });
          if (version === null) return;
          expect(version).toBeGreaterThanOrEqual(least);
          // The store must have had it no more than three seconds before the look-up.
          const replacedAt = since.get(hash)?.[(version ?? 0) + 1] ?? Number.POSITIVE_INFINITY;
          expect(replacedAt).toBeGreaterThan(startedAt - TTL_MS);
        };
        const take = (nth: number) => store.queries.splice(nth % store.queries.length || 0, 1)[0];
        for (const one of steps) {
          if (one.kind === 'lookup') running.push(checkLookup(one.key));
          else if (one.kind === 'answer') take(one.nth)?.answer();
          else if (one.kind === 'fail') take(one.nth)?.fail();
          else if (one.kind === 'change') {
            const times = since.get(one.key) ?? [];
            times.push(Date.now());
            store.rows.set(one.key, times.length - 1);
            if (one.isNotified) {
              store.notify(one.key);
              notifiedVersions.set(one.key, times.length - 1);
            }
          }
          await pass(one.kind === 'pass' ? one.ms : 0);
        }
        await pass(100);
        await answerAll();
        await Promise.all(running);
        for (const hash of KEYS) {
          const reads = store.queried.flat().filter((one) => one === hash).length;
          expect(reads).toBeLessThanOrEqual(lookupCounts.get(hash) ?? 0);
        }
      }),
      { numRuns: 1000 },
    );
  });
});
