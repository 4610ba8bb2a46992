/** Connections that break while they are in use. The driver as it is released ends the process, or never connects again. */
import { afterEach, expect, it } from 'vitest';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import type { Line } from '../support/line.js';
import { lineTo } from '../support/line-to.js';

interface Opened {
  readonly database: FreshDatabase;
  readonly line: Line;
  readonly sql: Sql;
}

let opened: Opened | undefined;
afterEach(async () => {
  await opened?.sql.end({ timeout: 1 });
  await opened?.line.close();
  await opened?.database.drop();
  opened = undefined;
});

async function open(): Promise<Opened> {
  const database = await freshDatabase();
  const { line, url } = await lineTo(database);
  opened = { database, line, sql: connect({ url }, { max: 3 }) };
  return opened;
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** After that, whatever was to be thrown from a timer has been. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

it('a transaction whose connection breaks is rejected, its rollback ends nothing, and the next one goes through', async () => {
  const { line, sql } = await open();
  for (let round = 0; round < 4; round += 1) {
    const broken = sql.begin(async (tx) => {
      await tx`select 1`;
      line.cut();
      await tx`select pg_sleep(5)`;
    });
    await expect(broken).rejects.toThrow(/CONNECTION_CLOSED|ECONNRESET/);
    await settled();
    expect(await sql.begin((tx) => tx`select ${round}::int as n`)).toEqual([{ n: round }]);
  }
});

it('whenever the lines are cut, each query ends, and every connection of the pool is of use again', async () => {
  const { line, sql } = await open();
  for (let round = 0; round < 20; round += 1) {
    const queries = Array.from({ length: 9 }, async (_, n) => {
      for (let tick = 0; tick < (round + n) % 4; tick += 1) await soon();
      if (n % 3 === 0) return sql.begin(async (tx) => [...(await tx`select 1`), ...(await tx`select 2`)]);
      // Again at once, on whatever connection is free in the very phase in which others are closing.
      return sql`select 1`.catch(() => sql`select 1`);
    });
    for (let tick = 0; tick < round % 5; tick += 1) await soon();
    line.cut();
    await Promise.allSettled(queries);
    const after = await Promise.all(
      Array.from({ length: 6 }, () => sql`select 1 as n`.catch(() => sql`select 1 as n`)),
    );
    expect(after.map(([row]) => row?.n)).toEqual([1, 1, 1, 1, 1, 1]);
  }
});
