/** The ids of a stream's events: sealed, short enough for a header, and names of charges that are made only once. */
import { describe, expect, it } from 'vitest';
import { MOST_LISTS } from '../../../adapters/rest/routes.js';
import { NOTHING_SPENT } from '../../../src/live/budget.js';
import { type LivePosition, Positions } from '../../../src/live/positions.js';
import { type Anchor, createCursors } from '../../../src/read/cursor.js';

const positions = new Positions(new Uint8Array(32).fill(7));
const NOW = Date.UTC(2026, 10, 26);

describe('positions of a stream', () => {
  it('decode to what was encoded', () => {
    const given = [positions.begin(NOW, null), positions.begin(NOW, 'abc-_1')];
    expect(positions.decode(positions.encode(given), 2)).toEqual(given);
  });

  it('tell what their stream had spent, and nothing if that was nothing', () => {
    const given = [positions.begin(NOW, null), positions.begin(NOW, 'abc-_1')];
    const spent = { inAll: 123_456_500, day: '2026-11-26', onDay: 1500 };
    const id = positions.encode(given, spent);
    expect([positions.decode(id, 2), positions.spentBefore(id)]).toEqual([given, spent]);
    expect(positions.spentBefore(positions.encode(given))).toEqual(NOTHING_SPENT);
    expect(() => positions.decode(id.replace(/\.~[^.]*/, ''), 2)).toThrow(/Last-Event-ID is not from a stream/);
  });

  it.each([
    ['of a user', { kind: 'timeline', subject: '7' }, { subject: '7' }],
    ['of a search', { kind: 'search', subject: 'bread ~.' }, {}],
  ] as const)('decode to the id of their subject in a watch %s', (_what, list, named) => {
    const given = positions.begin(NOW, 'abc-_1');
    expect(positions.decode(positions.encodeOwn(given, list), 1)).toEqual([{ ...given, ...named }]);
  });

  const id = positions.encode([positions.begin(NOW, 'abc')]);
  it.each([
    ['empty', '', 1],
    ['of another number of lists', id, 2],
    ['cut short', id.slice(0, -1), 1],
    ['longer', `${id}x`, 1],
    ['with another time', id.replace(/\.(.{8}).{7}/, '.$1zzzzzzz'), 1],
    ['with the cursor of another list', id.replace('abc', 'abd'), 1],
    ['of another service', new Positions(new Uint8Array(32)).encode([positions.begin(NOW, 'abc')]), 1],
    ['of a megabyte', '.'.repeat(1024 * 1024), 1],
    ['of a megabyte of places', `${id}${'.abc'.repeat(100_000)}`, 1],
  ])('are refused when they are %s', (_what, text, count) => {
    expect(() => positions.decode(text, count)).toThrow(/Last-Event-ID is not from a stream of the same lists/);
  });

  it.each<[string, Anchor]>([
    ['20 digits', { known: [], floor: [NOW, '9'.repeat(20)] }],
    ['a digest', { known: ['abcdefghij-_'], floor: [NOW, '0'] }],
  ])('fit in a header of 8 KiB for a hundred lists with ids of %s', (_what, anchor) => {
    const list = { kind: 'timeline', subject: '7' } as const;
    const since = createCursors(new Uint8Array(32), 'here').encodeSince(list, anchor, NOW);
    const full = Array.from({ length: MOST_LISTS }, () => positions.begin(NOW, since));
    const spent = { inAll: 1e12, day: '2026-11-26', onDay: 1e12 };
    expect(`Last-Event-ID: ${positions.encode(full, spent)}`.length).toBeLessThan(8 * 1024);
  });

  it('get the same names when the same items are sent again, and other names otherwise', () => {
    const start = positions.begin(NOW, 'start');
    const behind = (from: LivePosition, newest: string): LivePosition =>
      positions.after(from, { since: String(Math.random()), newest: [NOW - 5, newest], now: NOW + 5 });
    const [once, again] = [behind(behind(start, '1'), '2'), behind(behind(start, '1'), '2')];
    expect(positions.requestId(once, 'a query')).toBe(positions.requestId(again, 'a query'));
    expect(positions.requestId(once, 'a query')).not.toBe(positions.requestId(once, 'another query'));
    expect(positions.requestId(once, 'a query')).not.toBe(positions.requestId(behind(start, '2'), 'a query'));
    expect(positions.requestId(start, 'a query')).not.toBe(
      positions.requestId({ ...positions.begin(NOW, 'start') }, 'a query'),
    );
  });

  it('name charges by the time of the newest item, but never a future time', () => {
    const start = positions.begin(NOW, null);
    const at = (time: number): number =>
      positions.after(start, { since: 's', newest: [time, '1'], now: NOW + 1000 }).at;
    expect([at(NOW - 99), at(NOW + 99), at(NOW + 99_999)]).toEqual([NOW, NOW + 99, NOW + 1000]);
  });

  it('begin behind a cursor in one list only', () => {
    const start = { lastEventId: '', since: 'abc', now: NOW };
    expect(positions.startsOf({ ...start, count: 1 })).toMatchObject([{ since: 'abc', at: NOW }]);
    expect(() => positions.startsOf({ ...start, count: 2 })).toThrow(/since starts a stream of one list/);
    expect(positions.startsOf({ ...start, since: null, count: 2 })).toMatchObject([{ since: null }, { since: null }]);
  });
});
