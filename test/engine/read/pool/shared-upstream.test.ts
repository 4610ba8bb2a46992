import { describe, expect, it } from 'vitest';
import { createMemoryCache } from '../../../../adapters/memory/cache.js';
import { createMemorySingleFlight } from '../../../../adapters/memory/pace.js';
import { createMemoryTombstoneLog } from '../../../../adapters/memory/tombstones.js';
import { DEFAULT_LIFETIMES } from '../../../../src/read/lifetimes.js';
import { abandoned, SharedReads } from '../../../../src/read/shared-reads.js';
import { createTombstones } from '../../../../src/read/tombstones.js';
import { callContextOf } from '../../../kit/pool.js';

describe('a read that several wait for', () => {
  it('continues for the others when its leader leaves', async () => {
    const shared = new SharedReads(createMemorySingleFlight());
    const leaving = new AbortController();
    let answer = (_value: string): void => {};
    const read = () => new Promise<string>((resolve) => (answer = resolve));
    const leader = shared.join('k', callContextOf('a', 30_000, leaving.signal), read);
    const follower = shared.join('k', callContextOf('b'), read);
    leaving.abort(new Error('gone'));
    await expect(leader).rejects.toThrow('gone');
    answer('value');
    expect(await follower).toEqual({ value: 'value', led: false });
  });

  it('begins again for a caller that comes the moment it was given up', async () => {
    const shared = new SharedReads(createMemorySingleFlight());
    const leaving = new AbortController();
    let giveUp = (): void => {};
    const given = new Promise<never>((_, reject) => (giveUp = () => reject(abandoned())));
    const leader = shared.join('k', callContextOf('a', 30_000, leaving.signal), () => given);
    const follower = shared.join('k', callContextOf('b'), async () => 'value');
    leaving.abort(new Error('gone'));
    giveUp();
    await expect(leader).rejects.toThrow('gone');
    expect(await follower).toEqual({ value: 'value', led: true });
  });
});

describe('a tombstone on one node', () => {
  const clock = { now: () => Date.now() };

  it('hides the object on the others at once, until one of them sees it again (M25)', async () => {
    const tombstoneLog = createMemoryTombstoneLog({ clock });
    const options = { clock, lifetimes: DEFAULT_LIFETIMES, tombstoneLog, cache: createMemoryCache({ clock }) };
    const [one, other] = [createTombstones(options), createTombstones(options)];
    await Promise.all([one.follow(), other.follow()]);
    const before = other.version;
    void one.add('tweet:1', 'one');
    expect([other.has('tweet:1'), other.version > before]).toEqual([true, true]);
    other.remove('tweet:1', other.noted);
    expect(one.has('tweet:1')).toBe(false);
  });

  it('is known to a node that starts later', async () => {
    const tombstoneLog = createMemoryTombstoneLog({ clock });
    const options = { clock, lifetimes: DEFAULT_LIFETIMES, tombstoneLog, cache: createMemoryCache({ clock }) };
    void createTombstones(options).add('tweet:1', 'one');
    const late = createTombstones(options);
    await late.follow();
    expect(late.has('tweet:1')).toBe(true);
  });
});
