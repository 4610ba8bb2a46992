import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StatusDay } from '../../../src/domain/status-history.js';
import { type FamilySample, StatusBook } from '../../../src/figures/status-book.js';
import type { BadMinute } from '../../../src/ports/figures.js';

const MINUTE = 60_000;
const NOON = Date.parse('2026-11-23T12:00:00Z');

function opened(fails: () => boolean = () => false) {
  const clock = { at: NOON, now: () => clock.at };
  const days: StatusDay[] = [];
  const minutes: BadMinute[] = [];
  const book = new StatusBook(
    {
      async add(_batchId, newDays, newMinutes) {
        if (fails()) throw new Error('away');
        days.push(...newDays);
        minutes.push(...newMinutes);
      },
      read: async () => ({ days: [], incidents: [] }),
    },
    clock,
    randomUUID,
  );
  return { clock, days, minutes, book };
}

const sample = (counts: Partial<FamilySample>): FamilySample => ({
  ...{ family: 'fast', isDown: false, upstreamCalls: 0, failures: 0, readMs: 0, cacheHits: 0, read: 0 },
  ...counts,
});

describe('a minute of reads', () => {
  it.each([
    ['none at all', {}, null],
    ['all answered', { upstreamCalls: 50 }, null],
    ['one of many that failed', { upstreamCalls: 50, failures: 1 }, null],
    ['two, both failed', { upstreamCalls: 2, failures: 2 }, null],
    ['one in twenty that failed', { upstreamCalls: 100, failures: 5 }, null],
    ['one in ten that failed', { upstreamCalls: 50, failures: 5 }, 'degraded'],
    ['three, one failed', { upstreamCalls: 3, failures: 1 }, 'degraded'],
    ['all failed', { upstreamCalls: 3, failures: 3 }, 'down'],
    ['none, as no session may read', { isDown: true }, 'down'],
  ])('is recorded with %s', async (_, counts, trouble) => {
    const { book, days, minutes } = opened();
    book.note([sample(counts)]);
    await book.flush();
    expect(minutes.map((minute) => minute.trouble)).toEqual(trouble === null ? [] : [trouble]);
    expect(days).toMatchObject([
      { day: '2026-11-23', minutes: 1, degraded: Number(trouble === 'degraded'), down: Number(trouble === 'down') },
    ]);
  });

  it('counts what came since the minute before', async () => {
    const { book, days, clock } = opened();
    book.note([sample({ upstreamCalls: 10, failures: 1, readMs: 500.4, cacheHits: 30, read: 10 })]);
    clock.at += MINUTE;
    book.note([sample({ upstreamCalls: 15, failures: 1, readMs: 900.4, cacheHits: 31, read: 15 })]);
    await book.flush();
    expect(days).toEqual([
      {
        ...{ day: '2026-11-23', family: 'fast', minutes: 2, degraded: 1, down: 0 },
        ...{ calls: 15, failures: 1, readMs: 900, items: 46, cacheHits: 31 },
      },
    ]);
  });

  it('belongs to the UTC day on which it ends', async () => {
    const { book, days, clock } = opened();
    clock.at = Date.parse('2026-11-23T23:59:30Z');
    book.note([sample({})]);
    clock.at += MINUTE;
    book.note([sample({})]);
    await book.flush();
    expect(days.map(({ day, minutes }) => [day, minutes])).toEqual([
      ['2026-11-23', 1],
      ['2026-11-24', 1],
    ]);
  });
});

it('writes later, once, what failed to be written', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 30 }), async (steps) => {
      let isAway = false;
      const { book, days, minutes, clock } = opened(() => isAway);
      let [calls, bad] = [0, 0];
      for (const [more, away] of steps) {
        isAway = away;
        clock.at += MINUTE;
        calls += more;
        bad += Number(more >= 3);
        book.note([sample({ upstreamCalls: calls, failures: calls })]);
        await book.flush().catch(() => {});
      }
      isAway = false;
      await book.flush();
      const sum = (name: 'minutes' | 'calls' | 'down') => days.reduce((all, day) => all + day[name], 0);
      expect([sum('minutes'), sum('calls'), sum('down')]).toEqual([steps.length, calls, bad]);
      expect(minutes).toHaveLength(bad);
    }),
  );
});

it('writes minutes in order, each under its beginning, even if an earlier write failed', async () => {
  let isAway = true;
  const { book, minutes, clock } = opened(() => isAway);
  for (const seconds of [7, 68, 129]) {
    clock.at = NOON + 1000 * seconds;
    book.note([sample({ isDown: true })]);
    await book.flush().catch(() => {});
  }
  isAway = false;
  await book.flush();
  expect(minutes.map(({ minute }) => (minute - NOON) / MINUTE)).toEqual([0, 1, 2]);
});

it('writes nothing if nothing came', async () => {
  let written = 0;
  const { book } = opened(() => {
    written += 1;
    return false;
  });
  await book.flush();
  book.note([sample({})]);
  await book.flush();
  await book.flush();
  expect(written).toBe(1);
});

it('keeps at most two days of minutes, though the database fails only after as many have come', async () => {
  let isHanging = true;
  const database = new AbortController();
  const written: number[] = [];
  const clock = { at: NOON, now: () => clock.at };
  const book = new StatusBook(
    {
      async add(_batchId, _days, minutes) {
        if (isHanging) await once(database.signal, 'abort').then(() => Promise.reject(new Error('away')));
        written.push(...minutes.map(({ minute }) => minute));
      },
      read: async () => ({ days: [], incidents: [] }),
    },
    clock,
    randomUUID,
  );
  const noteTwoDays = (): void => {
    for (let minute = 0; minute < 2 * 1440; minute += 1) {
      clock.at += MINUTE;
      book.note([sample({ isDown: true })]);
    }
  };
  noteTwoDays();
  const firstFlush = book.flush();
  noteTwoDays();
  database.abort();
  await expect(firstFlush).rejects.toThrow('away');
  isHanging = false;
  await book.flush();
  // The oldest two days.
  expect([written.length, written[0], written.at(-1)]).toEqual([2880, NOON + MINUTE, NOON + 2880 * MINUTE]);
});

it('keeps at most two days of minutes while the database is away', async () => {
  const { book, minutes, clock } = opened(() => clock.at < NOON + 4000 * MINUTE);
  for (let minute = 0; minute < 4000; minute += 1) {
    clock.at += MINUTE;
    book.note([sample({ isDown: true })]);
    await book.flush().catch(() => {});
  }
  await book.flush();
  expect(minutes.length).toBeLessThanOrEqual(2 * 1440);
});
