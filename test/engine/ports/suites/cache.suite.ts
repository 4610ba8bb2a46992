import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Cache, Cached } from '../../../../src/ports/cache.js';

export interface CacheHarness {
  readonly cache: Cache;
  /** The cache's time, in Unix milliseconds. */
  now(): number;
  /** Moves its time on by this many milliseconds. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const held = <T>(value: T): Cached<T> => ({ value, fetchedAt: 1_700_000_000_123 });

/** What every `Cache` must do. `create` returns an empty one. */
export function cacheSuite(create: () => Promise<CacheHarness>): void {
  let at: CacheHarness;
  beforeEach(async () => {
    at = await create();
  });
  afterEach(() => at.close());

  it('returns what was set, with the time at which it was read from the network', async () => {
    const page = { users: [{ id: '1', name: 'Zoë ✓', verified: true }], next: null };
    await at.cache.set('page:1', held(page), 1000);
    expect(await at.cache.get('page:1')).toEqual({ value: page, fetchedAt: 1_700_000_000_123 });
  });

  it('has nothing for a key that was never set', async () => {
    expect(await at.cache.get('never')).toBeUndefined();
  });

  it.each([[null], [false], [0], [''], [[]]])('distinguishes a cached %j from nothing', async (value) => {
    await at.cache.set('k', held(value), 1000);
    expect(await at.cache.get('k')).toEqual(held(value));
  });

  it('answers getMany in the order of the keys, repeats and gaps included', async () => {
    await at.cache.set('a', held('A'), 1000);
    await at.cache.set('b', held('B'), 1000);
    const values = await at.cache.getMany<string>(['b', 'nothing', 'a', 'b']);
    expect(values.map((entry) => entry?.value)).toEqual(['B', undefined, 'A', 'B']);
    expect(await at.cache.getMany([])).toEqual([]);
  });

  it('drops an entry at the end of its time to live, not before (M11)', async () => {
    await at.cache.set('k', held('v'), 1000);
    await at.advance(900);
    expect(await at.cache.get('k')).toBeDefined();
    await at.advance(101);
    expect(await at.cache.get('k')).toBeUndefined();
    expect(await at.cache.getMany(['k'])).toEqual([undefined]);
  });

  it('replaces value and time to live on the next set', async () => {
    await at.cache.set('k', held('old'), 500);
    await at.cache.set('k', held('new'), 5000);
    await at.advance(1000);
    expect(await at.cache.get('k')).toEqual(held('new'));
  });

  it('holds nothing with a time to live of zero, and drops what was there', async () => {
    await at.cache.set('k', held('old'), 1000);
    await at.cache.set('k', held('new'), 0);
    expect(await at.cache.get('k')).toBeUndefined();
  });

  it('forgets deleted keys and only those (M25)', async () => {
    for (const key of ['a', 'b', 'c']) await at.cache.set(key, held(key), 1000);
    await at.cache.delete(['a', 'c', 'never']);
    const values = await at.cache.getMany(['a', 'b', 'c']);
    expect(values.map((entry) => entry?.value)).toEqual([undefined, 'b', undefined]);
    await at.cache.delete([]);
  });

  it('finds what it holds by its names, and by no other name (M25)', async () => {
    await at.cache.set('page', held([1, 2]), 10_000, ['tweet:1', 'tweet:2', 'list:{x}']);
    await at.cache.set('other', held([2]), 10_000, ['tweet:2']);
    await at.cache.set('nameless', held([3]), 10_000);
    expect(await at.cache.shows(['tweet:1', 'tweet:3', 'list:{x}', 'tweet:2', 'page'])).toEqual([
      true,
      false,
      true,
      true,
      false,
    ]);
    expect(await at.cache.shows([])).toEqual([]);
  });

  it('leaves out of a value what was withdrawn during its read, and nothing out of a later one (M25)', async () => {
    const without = (names: ReadonlySet<string>) => (names.has('list') ? undefined : [...names]);
    const set = (key: string, beganAt: number, names = ['a', 'b']) =>
      at.cache.set<string[]>(key, held(['all']), 10_000, names, { beganAt, without });
    const beganAt = at.now();
    await at.advance(30_000);
    await at.cache.shows(['b', 'list']);
    await at.advance(30_000);
    expect(await set('late', beganAt)).toEqual(['b']);
    expect(await at.cache.get('late')).toEqual(held(['b']));
    expect(await set('whole', beganAt, ['a', 'list'])).toBeUndefined();
    expect(await at.cache.get('whole')).toBeUndefined();
    expect(await set('later', at.now())).toEqual(['all']);
    expect(await at.cache.get('later')).toEqual(held(['all']));
  });

  it('never denies that a name is shown while anything alive shows it (M25)', async () => {
    const name = fc.constantFrom('tweet:1', 'tweet:2', 'user:1', `user:${'9'.repeat(700)}`, 'handle:é');
    const page = fc.constantFrom('page:a', 'page:b', 'page:c');
    const act = fc.oneof(
      fc.record({ do: fc.constant('set' as const), page, names: fc.uniqueArray(name), minutes: fc.nat(400) }),
      fc.record({ do: fc.constant('delete' as const), page }),
      fc.record({ do: fc.constant('pass' as const), minutes: fc.nat(120) }),
    );
    const check = async (acts: (typeof act extends fc.Arbitrary<infer T> ? T : never)[]) => {
      const own = await create();
      const live = new Map<string, { names: string[]; untilMs: number }>();
      let nowMs = 0;
      for (const what of acts) {
        if (what.do === 'pass') {
          nowMs += what.minutes * 60_000;
          await own.advance(what.minutes * 60_000);
        } else if (what.do === 'delete') {
          live.delete(what.page);
          await own.cache.delete([what.page]);
        } else {
          const ttlMs = what.minutes * 60_000;
          live.set(what.page, { names: what.names, untilMs: nowMs + ttlMs });
          await own.cache.set(what.page, held(1), ttlMs, what.names);
        }
        const shown = [...live.values()].flatMap(({ names, untilMs }) => (untilMs > nowMs ? names : []));
        expect(await own.cache.shows(shown)).toEqual(shown.map(() => true));
        expect(await own.cache.shows(['tweet:404'])).toEqual([false]);
      }
      await own.close();
    };
    const examples: [Parameters<typeof check>[0]][] = [[[{ do: 'set', page: 'page:a', names: [], minutes: 1 }]]];
    await fc.assert(fc.asyncProperty(fc.array(act, { maxLength: 15 }), check), { numRuns: 40, examples });
  });

  const key = fc.constantFrom('a', 'b', 'a:b', 'A', '{a}', 'ä');
  const step = fc.oneof(
    fc.record({ do: fc.constant('set' as const), key, ttlMs: fc.integer({ min: 1, max: 3000 }) }),
    fc.record({ do: fc.constant('delete' as const), key }),
    fc.record({ do: fc.constant('pass' as const), ms: fc.integer({ min: 1, max: 2000 }) }),
    fc.record({ do: fc.constant('get' as const), key }),
  );

  it('never returns an expired, deleted or replaced value, or another key’s, whatever happens', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const own = await create();
        const model = new Map<string, { value: string; untilMs: number }>();
        let nowMs = 0;
        for (const [index, what] of steps.entries()) {
          if (what.do === 'set') {
            const value = `${what.key}#${index}`;
            model.set(what.key, { value, untilMs: nowMs + what.ttlMs });
            await own.cache.set(what.key, held(value), what.ttlMs);
          } else if (what.do === 'delete') {
            model.delete(what.key);
            await own.cache.delete([what.key]);
          } else if (what.do === 'pass') {
            nowMs += what.ms;
            await own.advance(what.ms);
          } else {
            const entry = model.get(what.key);
            const live = entry !== undefined && nowMs < entry.untilMs ? held(entry.value) : undefined;
            expect(await own.cache.get(what.key)).toEqual(live);
          }
        }
        await own.close();
      }),
      { numRuns: 60 },
    );
  });
}
