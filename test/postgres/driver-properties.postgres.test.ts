/** Any mix of queries, transactions, cancellations and lost connections on the repaired driver. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import type { Line } from '../kit/postgres/line.js';
import { lineTo } from '../kit/postgres/line-to.js';

let database: FreshDatabase;
let line: Line;
let url: string;
beforeAll(async () => {
  database = await freshDatabase();
  await database.sql`create table pairs (id int)`;
  await database.sql`create table widened as select 0 as zero`;
  ({ line, url } = await lineTo(database));
});
afterAll(async () => {
  await line.close();
  await database.drop();
});

/** Milliseconds. */
const ms = fc.integer({ min: 0, max: 30 });
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ rows: fc.nat({ max: 3 }), ms, cancelledAfter: fc.option(ms, { freq: 2 }) }) },
    { weight: 2, arbitrary: fc.record({ widened: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ pair: ms, isWrong: fc.boolean() }) },
    { weight: 1, arbitrary: fc.constant('fails at its third row' as const) },
    { weight: 1, arbitrary: fc.constant('cannot be sent' as const) },
    { weight: 1, arbitrary: fc.constant('reserves' as const) },
    { weight: 1, arbitrary: fc.constant('cut' as const) },
    { weight: 1, arbitrary: fc.constant('alter' as const) },
    { weight: 3, arbitrary: fc.record({ rest: ms }) },
  ),
  { minLength: 5, maxLength: 50 },
);
type Step = (typeof steps extends fc.Arbitrary<infer Steps> ? Steps : never)[number];

/** Ids are unique in the whole test. */
let lastId = 0;
let columns = 1;

const numbered = (sql: Sql, id: number, rows: number, seconds: number) =>
  sql`select ${id}::int as id, pg_sleep(${seconds}::float8)::text as slept from generate_series(1, ${rows}::int)`;

/** Does what the step says. Resolves when it is over; rejects with an AssertionError if something was answered wrongly. */
async function run(sql: Sql, step: Step): Promise<void> {
  lastId += 1;
  const id = lastId;
  const isRight = (rows: readonly object[], count: number) =>
    expect(rows).toEqual(Array.from({ length: count }, () => ({ id, slept: '' })));
  if (step === 'cut') return line.cut();
  if (step === 'alter') {
    columns += 1;
    await database.sql.unsafe(`alter table widened add column c${columns} int default ${columns}`);
  } else if (step === 'fails at its third row') {
    await expect(sql`select ${id}::int / (3 - n) from generate_series(1, 5) n`).rejects.toThrow();
  } else if (step === 'cannot be sent') {
    await expect(sql`select ${undefined as unknown as string}::text`).rejects.toThrow();
  } else if (step === 'reserves') {
    const own = await sql.reserve().catch(() => undefined);
    const rows = await own?.unsafe('select $1::int as id', [id]).catch(() => undefined);
    if (rows !== undefined) expect(rows).toEqual([{ id }]);
    own?.release();
  } else if ('rows' in step) {
    const query = numbered(sql, id, step.rows, step.ms / 1000).execute();
    if (step.cancelledAfter !== null) void sleep(step.cancelledAfter).then(() => query.cancel());
    const rows = await query.catch(() => undefined);
    if (rows !== undefined) isRight(rows, step.rows);
  } else if ('widened' in step) {
    const rows = await sql`select *, ${id}::int as id from widened where ${step.widened}::boolean`.catch(
      () => undefined,
    );
    if (rows !== undefined) expect(rows.map((row) => row.id)).toEqual(step.widened ? [id] : []);
  } else if ('pair' in step) {
    const posted = await sql
      .begin(async (tx) => {
        await tx`insert into pairs values (${id})`;
        await sleep(step.pair);
        if (step.isWrong) throw new Error('wrong');
        isRight(await numbered(tx as unknown as Sql, id, 1, 0), 1);
        await tx`insert into pairs values (${id})`;
        return true;
      })
      .catch((error: unknown) => {
        if (error instanceof Error && error.name === 'AssertionError') throw error;
        return false;
      });
    const [{ count } = { count: 0 }] = await database.sql`select count(*)::int from pairs where id = ${id}`;
    // A commit whose answer is lost may have succeeded.
    if (posted || step.isWrong) expect(count).toBe(posted ? 2 : 0);
    else expect([0, 2]).toContain(count);
  } else await sleep(step.rest);
}

it('answers each query with its own rows or an error, and applies each transaction as a whole or not at all', async () => {
  const sequence = async (max: number, all: readonly Step[]): Promise<void> => {
    const sql = connect({ url }, { max });
    await numbered(sql, 0, 1, 0);
    const running: Promise<void>[] = [];
    for (const step of all) {
      const one = run(sql, step);
      running.push(one);
      if (typeof step === 'object' && 'rest' in step) await one;
    }
    await Promise.all(running);
    // Every connection of the pool still works.
    const after = Array.from({ length: 2 * max }, (_, id) => () => numbered(sql, id, 1, 0.01));
    const rows = await Promise.all(after.map((query) => query().catch(query)));
    expect(rows.map(([row]) => row?.id)).toEqual(after.map((_, id) => id));
    await sql.end({ timeout: 1 });
  };
  const property = fc.asyncProperty(fc.integer({ min: 1, max: 3 }), steps, sequence);
  // Time is real, so the same steps may pass when they are tried again.
  await fc.assert(property, { numRuns: 15, endOnFailure: true });
}, 120_000);
