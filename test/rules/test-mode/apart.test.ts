/** Stores that both modes share keep their keys apart. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryCache } from '../../../adapters/memory/cache.js';
import { createMemorySingleFlight } from '../../../adapters/memory/pace.js';
import { cacheApart, flightsApart } from '../../../app/test-mode/apart.js';

it('shows each side of a shared cache only its own entries, whatever happens on the other', async () => {
  const key = fc.constantFrom('user:1', 'page:{abc}:', 'absent:user:1', 'test:user:1');
  const step = fc.record({
    side: fc.constantFrom('live', 'test'),
    what: fc.constantFrom('set', 'delete'),
    key,
    value: fc.integer(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step), fc.array(key), async (steps, keys) => {
      const live = createMemoryCache({ clock: { now: () => 0 } });
      const sides = { live, test: cacheApart(live) } as const;
      const expected = { live: new Map<string, number>(), test: new Map<string, number>() };
      for (const { side, what, key: name, value } of steps) {
        // Live cache keys never begin with this prefix.
        if (side === 'live' && name.startsWith('test:')) continue;
        const at = sides[side as 'live' | 'test'];
        if (what === 'delete') await at.delete([name]);
        else await at.set(name, { value, fetchedAt: 0 }, 1000, [`shown ${name}`]);
        if (what === 'delete') expected[side as 'live' | 'test'].delete(name);
        else expected[side as 'live' | 'test'].set(name, value);
      }
      for (const side of ['live', 'test'] as const) {
        const names = keys.filter((name) => !name.startsWith('test:'));
        const found = await sides[side].getMany<number>(names);
        expect(found.map((one) => one?.value)).toEqual(names.map((name) => expected[side].get(name)));
        const shown = await sides[side].shows(names.map((name) => `shown ${name}`));
        expect(shown).toEqual(names.map((name) => expected[side].has(name)));
      }
    }),
  );
});

it('never lets a read of one mode join a flight of the other', async () => {
  const flights = createMemorySingleFlight();
  const [live, test] = await Promise.all([
    flights.join('user:1', async () => 'live'),
    flightsApart(flights).join('user:1', async () => 'invented'),
  ]);
  expect([live, test]).toEqual([
    { value: 'live', led: true },
    { value: 'invented', led: true },
  ]);
});
