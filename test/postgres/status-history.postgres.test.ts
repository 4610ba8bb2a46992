import { randomUUID } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createStatusHistory } from '../../adapters/postgres/figures/status-history.js';
import type { StatusDay } from '../../src/domain/status-history.js';
import { StatusBook } from '../../src/figures/status-book.js';
import { DAY_MS, MINUTE_MS, utcDay } from '../../src/lib/durations.js';
import type { BadMinute } from '../../src/ports/figures.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { losingFirstAnswer } from '../kit/postgres/lost-answer.js';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());
beforeEach(() => database.sql`truncate status_days, status_minutes`);

const NOW = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
const TODAY = utcDay(NOW);

const day = (given: Partial<StatusDay>): StatusDay => ({
  ...{ day: TODAY, family: 'fast', minutes: 1, degraded: 0, down: 0, calls: 7, failures: 1, readMs: 70 },
  ...{ items: 20, cacheHits: 5 },
  ...given,
});
const minute = (ago: number, given: Partial<BadMinute> = {}): BadMinute => ({
  ...{ minute: NOW - ago * MINUTE_MS, family: 'fast', trouble: 'degraded', calls: 10, failures: 2 },
  ...given,
});

it('adds up what processes write at once', async () => {
  const histories = Array.from({ length: 4 }, () => createStatusHistory(database.sql));
  const rows = [day({}), day({ family: 'slow', down: 1 })];
  await Promise.all(
    histories.flatMap((history) =>
      Array.from({ length: 5 }, () => history.add(randomUUID(), rows, [minute(1), minute(2)])),
    ),
  );
  const { days, incidents } = await createStatusHistory(database.sql).read(TODAY, 10);
  expect(days).toEqual([
    day({ minutes: 20, calls: 140, failures: 20, readMs: 1400, items: 400, cacheHits: 100 }),
    day({ family: 'slow', down: 20, minutes: 20, calls: 140, failures: 20, readMs: 1400, items: 400, cacheHits: 100 }),
  ]);
  expect(incidents).toEqual([
    {
      ...{ family: 'fast', trouble: 'degraded', calls: 400, failures: 80 },
      ...{ from: NOW - 2 * MINUTE_MS, until: NOW },
    },
  ]);
});

it('joins consecutive minutes into one incident of the worst severity, splits at a gap, and ignores a single minute', async () => {
  const history = createStatusHistory(database.sql);
  await history.add(
    randomUUID(),
    [day({})],
    [
      ...[60, 59, 57, 30].map((ago) => minute(ago)),
      minute(58, { trouble: 'down' }),
      ...[49, 50].map((ago) => minute(ago, { family: 'slow', failures: 9 })),
    ],
  );
  const { incidents } = await history.read(TODAY, 10);
  const rows = incidents.map(({ family, trouble, from, until, calls }) => [
    ...[family, trouble, (NOW - from) / MINUTE_MS, (NOW - until) / MINUTE_MS, calls],
  ]);
  expect(rows).toEqual([
    ['slow', 'degraded', 50, 48, 20],
    ['fast', 'down', 60, 56, 40],
  ]);
  expect((await history.read(TODAY, 1)).incidents).toHaveLength(1);
});

it('keeps ninety days', async () => {
  const history = createStatusHistory(database.sql);
  const old = [89, 90, 91].map((ago) => day({ day: utcDay(NOW - ago * DAY_MS) }));
  await history.add(randomUUID(), old, [minute(91 * 1440), minute(89 * 1440), minute(89 * 1440 + 1)]);
  const { days, incidents } = await history.read('2026-01-01', 10);
  expect(days.map((each) => each.day)).toEqual([utcDay(NOW - 89 * DAY_MS)]);
  expect(incidents).toHaveLength(1);
});

it('counts a batch once when its acknowledgement is lost', async () => {
  const history = losingFirstAnswer(createStatusHistory(database.sql));
  const book = new StatusBook(history, { now: () => NOW }, v7);
  const note = (calls: number): void => {
    const counts = { upstreamCalls: calls, failures: calls, readMs: 0, cacheHits: 0, read: 0 };
    book.note([{ family: 'fast', isDown: false, ...counts }]);
  };
  note(10);
  await expect(book.flush()).rejects.toThrow('lost');
  note(15);
  await book.flush();
  const { days, incidents } = await history.read(TODAY, 10);
  expect(days).toMatchObject([{ minutes: 2, down: 2, calls: 15, failures: 15 }]);
  expect(incidents).toMatchObject([{ calls: 15, failures: 15 }]);
});
