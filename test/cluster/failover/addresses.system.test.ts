/** CORPUS_DATABASE_URL with replicas: reads go to them, writes to the primary, and either may be down. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { Cli } from '../../cli/support/support.js';
import { createClient } from '../../kit/client.js';
import { startPerch } from '../../kit/perch.js';
import { describeWithReplica, startReplicated } from '../../kit/postgres/replicated-postgres.js';
import { SLOW_MS } from './load.js';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

await describeWithReplica('a corpus with a replica', (programs) => {
  it('is read there and written on the primary, or read on the remaining one', { timeout: SLOW_MS }, async () => {
    const postgres = await startReplicated(programs, { synchronous: false });
    ends.push(
      () => postgres.stop(),
      () => postgres.line.close(),
      () => postgres.database.drop(),
    );
    const { primary, standby } = postgres.hosts;
    const url = `postgres://perch@${primary},${standby}/corpus?target_session_attrs=prefer-standby`;
    const cli = await Cli.open();
    ends.push(() => cli.close());
    const file = join(cli.home, 'rows.ndjson');
    const load = async (handle: string, id: number, env: Record<string, string>) => {
      await writeFile(file, JSON.stringify({ id: String(id), handle, name: handle }));
      const main = { DATABASE_URL: postgres.url, PERCH_SECRET: 's'.repeat(32) };
      expect(await cli.start(['import', file], { env: { ...main, ...env } }).end).toMatchObject({ code: 0 });
    };

    await load('gull', 7, {});
    await postgres.database.sql`create database corpus`;
    await move(programs, postgres.url, `postgres://perch@${primary}/corpus`);
    await load('tern', 9, { CORPUS_DATABASE_URL: url });
    await postgres.caughtUp();

    const perch = await startPerch({ env: { CORPUS_DATABASE_URL: url, PERCH_TTL_PROFILE_S: '0' } });
    ends.push(() => perch.close());
    const { get } = createClient(perch.url, (await perch.account({ credits: 100 })).key);
    expect((await get('/v1/users/gull')).body).toMatchObject({ data: { id: '7' } });
    const at = connect({ url: `postgres://perch@${standby}/corpus` }, { max: 1 });
    expect(await readers(at)).toBeGreaterThan(0);
    expect(await readers(postgres.database.sql)).toBe(0);
    await at.end();

    await postgres.killStandby();
    expect((await get('/v1/users/tern')).body).toMatchObject({ data: { id: '9' } });
    expect(await readers(postgres.database.sql)).toBeGreaterThan(0);
  });
});

/** The address as in docs/deploying.md. */
async function move(programs: string, from: string, to: string): Promise<void> {
  const page = readFileSync(new URL('../../../docs/deploying.md', import.meta.url), 'utf8');
  const commands = page.split('\n').filter((line) => /^pg_dump .*CORPUS_DATABASE_URL/.test(line));
  expect(commands).toHaveLength(2);
  const env = { PATH: `${programs}:${process.env.PATH}`, DATABASE_URL: from, CORPUS_DATABASE_URL: to };
  for (const command of commands) await promisify(execFile)('bash', ['-o', 'pipefail', '-c', command], { env });
}

const readers = async (sql: Sql): Promise<number> =>
  (await sql`select from pg_stat_activity where application_name = 'perch corpus'`).length;
