/** A server that disappears silently is noticed, while one that works on a long statement is left alone. */

import postgres from 'postgres';
import { afterEach, expect, it, vi } from 'vitest';
import { SilenceWatch } from '../../adapters/postgres/silence.js';
import { connect } from '../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import type { Line } from '../kit/postgres/line.js';
import { lineTo } from '../kit/postgres/line-to.js';

let database: FreshDatabase;
let line: Line;
afterEach(async () => {
  await line.close();
  await database.drop();
});

/** An answer may take so long where this process, over which it goes, may be held up. */
const PATIENT_MS = 2_000;

/** A pool over a line that can hang. After half a second of silence, the server is checked. */
async function open(max: number, answerMs = 500) {
  database = await freshDatabase();
  const led = await lineTo(database);
  line = led.line;
  const watch = new SilenceWatch({ silenceMs: 500, answerMs });
  const settings = { max, fetch_types: false, backoff: () => 0.1, socket: () => watch.open() };
  const sql = postgres(led.url, settings);
  return { sql, [Symbol.asyncDispose]: () => sql.end({ timeout: 0 }) };
}

it('rejects statements, even in a transaction, when nothing arrives, and connects again', async () => {
  await using opened = await open(4);
  const { sql } = opened;
  const running = Array.from({ length: 2 }, () => sql`select pg_sleep(20)`.execute());
  const inside = sql.begin(async (tx) => {
    await tx`select 1`;
    line.hang();
    return tx`select 2`;
  });
  const began = performance.now();
  for (const { status } of await Promise.allSettled([...running, inside])) expect(status).toBe('rejected');
  expect(performance.now() - began).toBeLessThan(5_000);
  line.resume();
  expect(await Promise.all(Array.from({ length: 4 }, () => sql`select 1 as n`))).toHaveLength(4);
});

it('lets a statement take its time while the server answers', async () => {
  await using opened = await open(1, PATIENT_MS);
  const [row] = await opened.sql`select pg_sleep(4), pg_backend_pid() as pid`;
  expect(await opened.sql`select pg_backend_pid() as pid`).toEqual([{ pid: row?.pid }]);
});

it('checks idle connections, and keeps them', async () => {
  await using opened = await open(1, PATIENT_MS);
  const [first] = await opened.sql`select pg_backend_pid() as pid`;
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  expect(await opened.sql`select pg_backend_pid() as pid`).toEqual([first]);
});

it('watches every pool that is opened by an address', async () => {
  const opened = vi.spyOn(SilenceWatch.prototype, 'open');
  database = await freshDatabase();
  const led = await lineTo(database);
  line = led.line;
  const sql = connect({ url: led.url }, { max: 1 });
  await sql`select 1`;
  await sql.end();
  expect(opened).toHaveBeenCalledTimes(1);
  opened.mockRestore();
});
