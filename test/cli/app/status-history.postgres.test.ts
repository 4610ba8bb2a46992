import { afterEach, beforeEach, expect, it } from 'vitest';
import { createStatusHistory } from '../../../adapters/postgres/figures/status-history.js';
import { Lifecycle } from '../../../app/lifecycle.js';
import { createDatabaseCheck } from '../../../app/status.js';
import { openStatusHistory } from '../../../app/status-history.js';
import { MINUTE_MS } from '../../../src/lib/durations.js';
import { newCounts } from '../../../src/read/pool/health.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

let database: FreshDatabase;
beforeEach(async () => {
  database = await freshDatabase();
});
afterEach(() => database.drop());

const family = (upstreamCalls: number, failures = 0) => ({
  ...newCounts(),
  ...{ upstreamCalls, failures, cacheHits: 30, read: 10, readMs: 100, waiting: 0, waitMs: 0, inFlight: [] },
});

async function opened() {
  const clock = { at: Date.now(), now: () => clock.at };
  const health = {
    families: { fast: family(0), slow: family(0) },
    sessions: [{ name: 'one', state: 'ok', closed: [] }],
  };
  const warnings: unknown[] = [];
  let minute = async (): Promise<void> => {};
  const lifecycle = new Lifecycle();
  const read = await openStatusHistory(lifecycle, {
    sql: database.sql,
    databaseAnswers: createDatabaseCheck(database.sql),
    pool: { health: () => health } as never,
    clock,
    log: { warn: (fields: unknown) => warnings.push(fields) } as never,
    startPoll: (run) => {
      minute = run;
      return { close: async () => {} };
    },
  });
  const pass = async (): Promise<void> => {
    clock.at += MINUTE_MS;
    await minute();
  };
  return { lifecycle, read, health, clock, warnings, pass };
}

it('writes a minute when it is over, and shows it within another minute', async () => {
  const { read, health, pass, clock } = await opened();
  expect(await read()).toMatchObject({ days: [], incidents: [] });
  health.families.fast = family(40, 40);
  await pass();
  expect(await read()).toMatchObject({
    days: [
      { family: 'fast', minutes: 1, down: 1, calls: 40, failures: 40, items: 40, cacheHits: 30 },
      { family: 'slow', minutes: 1, down: 0 },
    ],
    incidents: [{ family: 'fast', trouble: 'down', calls: 40 }],
  });
  // Further reads in between cost no statement.
  await database.sql`delete from status_days`;
  clock.at += MINUTE_MS / 2;
  expect((await read())?.days).toHaveLength(2);
  clock.at += MINUTE_MS / 2;
  expect((await read())?.days).toEqual([]);
});

it('repeats a failed write without counting an outage or losing data', async () => {
  const { health, pass, warnings } = await opened();
  await database.sql`alter table status_days rename to status_days_away`;
  health.families.slow = family(7);
  await pass();
  await pass();
  expect(warnings).toHaveLength(2);
  await database.sql`alter table status_days_away rename to status_days`;
  await pass();
  const { days } = await createStatusHistory(database.sql).read('2026-01-01', 10);
  const sums = days.filter((day) => day.family === 'slow');
  expect(sums.reduce((sum, day) => sum + day.minutes, 0)).toBe(3);
  expect(sums.reduce((sum, day) => sum + day.calls, 0)).toBe(7);
  expect(sums.reduce((sum, day) => sum + day.down, 0)).toBe(0);
});

it('writes pending rows when it closes', async () => {
  const { lifecycle, pass } = await opened();
  await database.sql`alter table status_days rename to status_days_away`;
  await pass();
  await database.sql`alter table status_days_away rename to status_days`;
  await lifecycle.close();
  expect((await createStatusHistory(database.sql).read('2026-01-01', 10)).days).toHaveLength(2);
});

it('leaves one query waiting while the database hangs, however many ask whether it answers', async () => {
  const answers: (() => void)[] = [];
  const hanging = () => new Promise<void>((resolve) => answers.push(resolve));
  const databaseAnswers = createDatabaseCheck(hanging as never);
  expect(await Promise.all([databaseAnswers(), databaseAnswers()])).toEqual([false, false]);
  expect(await databaseAnswers()).toBe(false);
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await new Promise(setImmediate);
  const next = databaseAnswers();
  answers[1]?.();
  expect(await next).toBe(true);
});
