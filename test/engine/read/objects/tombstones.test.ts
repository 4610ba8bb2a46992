import { describe, expect, it } from 'vitest';
import { createMemoryTombstoneLog } from '../../../../adapters/memory/tombstones.js';
import { DEFAULT_LIFETIMES } from '../../../../src/read/lifetimes.js';
import { createTombstones, type Tombstones } from '../../../../src/read/tombstones.js';

/** Two nodes over one log. `shows` says whether a cached page shows the names; null if that is unknown. */
function nodes({ shows = true as boolean | null, maxBytes = 1_000_000 } = {}) {
  const clock = { at: 0, now: () => clock.at };
  const tombstoneLog = createMemoryTombstoneLog({ clock });
  const open = () =>
    createTombstones({
      ...{ clock, tombstoneLog, maxBytes, lifetimes: DEFAULT_LIFETIMES },
      cache: { shows: async (names) => names.map(() => shows) as never },
    });
  const [here, there] = [open(), open()] as [Tombstones, Tombstones];
  return { clock, here, there, follow: () => Promise.all([here.follow(), there.follow()]) };
}

describe('tombstones', () => {
  it('reach the other nodes, and so does their removal', async () => {
    const { here, there, follow } = nodes();
    await follow();
    void here.add('tweet:1', 'one');
    expect([here.has('tweet:1'), there.has('tweet:1'), there.isEmpty]).toEqual([true, true, false]);
    here.remove('tweet:1', here.noted);
    expect([here.has('tweet:1'), there.has('tweet:1'), there.isEmpty]).toEqual([false, false, true]);
  });

  it('reach a node that follows later, and none that has stopped', async () => {
    const { here, there } = nodes();
    void here.add('tweet:1', 'one');
    const stop = await there.follow();
    expect(there.has('tweet:1')).toBe(true);
    await stop();
    void here.add('tweet:2', 'one');
    expect(there.has('tweet:2')).toBe(false);
  });

  it('change the version of the set when they change it, and only then', () => {
    const { here } = nodes();
    const versions = [here.version];
    const note = (what: () => void) => {
      what();
      versions.push(here.version);
    };
    note(() => here.add('tweet:1', 'one'));
    note(() => here.add('tweet:1', 'one'));
    note(() => here.remove('tweet:2', here.noted));
    note(() => here.remove('tweet:1', here.noted));
    expect(versions.map((version) => version - (versions[0] ?? 0))).toEqual([0, 1, 1, 1, 2]);
  });

  it('stay if they were noted after the beginning of the read that shows the object', () => {
    const { here } = nodes();
    const { noted } = here;
    void here.add('tweet:1', 'one');
    here.remove('tweet:1', noted);
    expect(here.has('tweet:1')).toBe(true);
  });

  it('outlive every cached page, twice over', () => {
    const { clock, here } = nodes();
    void here.add('tweet:1', 'one');
    const longestMs = Math.max(...Object.values(DEFAULT_LIFETIMES));
    clock.at = 2 * longestMs - 1;
    expect(here.has('tweet:1')).toBe(true);
    clock.at += 1;
    expect(here.has('tweet:1')).toBe(false);
  });

  it.each([
    [true, true],
    [null, true],
    [false, false],
  ])('are noted for what a cached page may show: %s', async (shows, isNoted) => {
    const { here } = nodes({ shows });
    expect([await here.addIfCached('tweet:1', 'one'), here.has('tweet:1')]).toEqual([isNoted, isNoted]);
  });

  it('are noted for what a cached page shows now, whatever it showed before', async () => {
    const answers: boolean[] = [false, true];
    const clock = { now: () => 0 };
    const tombstones = createTombstones({
      ...{ clock, tombstoneLog: createMemoryTombstoneLog({ clock }), lifetimes: DEFAULT_LIFETIMES },
      cache: { shows: async (names) => names.map(() => answers.shift() ?? null) as never },
    });
    expect(await tombstones.addIfCached('tweet:1', 'one')).toBe(false);
    expect(await tombstones.addIfCached('tweet:1', 'one')).toBe(true);
  });

  it('that are only a precaution are dropped first', async () => {
    const { here } = nodes({ shows: null, maxBytes: 20_000 });
    for (let account = 0; account < 5; account += 1) {
      for (let id = 0; id < 4; id += 1) void here.add(`tweet:${account}${id}`, `owner ${account}`);
    }
    for (let account = 0; account < 40; account += 1) {
      for (let id = 0; id < 3; id += 1) await here.addIfCached(`unsure:${account}-${id}`, `other ${account}`);
    }
    const left = Array.from({ length: 5 }, (_, account) => [0, 1, 2, 3].map((id) => here.has(`tweet:${account}${id}`)));
    expect(left.flat().filter(Boolean)).toHaveLength(20);
    const unsure = Array.from({ length: 120 }, (_, nth) => here.has(`unsure:${Math.floor(nth / 3)}-${nth % 3}`));
    expect(unsure.filter(Boolean).length).toBeLessThan(100);
  });
});
