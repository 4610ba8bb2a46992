/** `ledger archive` and `ledger restore` as processes, on an embedded Postgres. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import { connect } from '../../adapters/postgres/sql.js';
import { debitOf } from '../engine/ports/suites/ledger.suite.js';
import { Cli } from './support/support.js';

let cli: Cli;
let out: string;

beforeAll(async () => {
  cli = await Cli.open();
  out = join(cli.home, 'archives');
  await mkdir(out);
  const created = await cli.json<{ account_id: string }>('account', 'create', '--name', 'a', '--credits', '1000');
  const server = await openEmbeddedPostgres({ home: cli.home });
  const sql = connect(server.connection);
  try {
    await sql`select open_month('2025-12-01')`;
    const [key] = await sql<{ accountId: string; walletId: string; keyId: string }[]>`
      select account_id as "accountId", wallet_id as "walletId", key_id as "keyId" from keys
      where account_id = ${created.account_id}`;
    if (key === undefined) throw new Error('no key');
    for (let nth = 1; nth <= 5; nth += 1) {
      const requestId = v7({ msecs: Date.parse(`2025-12-0${nth}`) });
      await createLedger(sql).post(debitOf({ ...key, uncapped: null, prefix: '' }, 1_500, { requestId }));
    }
  } finally {
    await sql.end();
    await server.stop();
  }
}, 120_000);
afterAll(() => cli.close());

const MANIFEST = 'debits-2025-12.json';

test('refuses an impossible archive before it does anything', async () => {
  const refused = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli.run('ledger', ...args);
    expect(stdout).toBe('');
    return [code, stderr.trim().split('\n').at(-1)];
  };
  expect(await refused('archive', '--before', '2026-01', '--out', join(out, 'no'))).toEqual([
    2,
    expect.stringContaining('does not exist: create the folder first'),
  ]);
  expect(await refused('archive', '--before', '2099-01', '--out', out)).toEqual([
    1,
    expect.stringContaining('ended at least a day ago'),
  ]);
  expect(await refused('restore', join(out, 'debits-2024-01.json'))).toEqual([
    2,
    expect.stringContaining('cannot be read'),
  ]);
}, 120_000);

test('says what to install if DuckDB is missing, and archives without it by default', async () => {
  const hook = `export const resolve = (name, context, next) =>
    name.startsWith('@duckdb/') ? Promise.reject(new Error('not installed')) : next(name, context);`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;
  const nodeOptions = ['--import', `data:text/javascript,${encodeURIComponent(register)}`];
  const without = (args: readonly string[], env = {}) => cli.start(args, { nodeOptions, env }).end;
  const archive = ['ledger', 'archive', '--before', '2025-01', '--out', out];
  expect(await without([...archive, '--format', 'parquet'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('npm install @duckdb/node-api'),
  });
  expect(await without(archive)).toMatchObject({ code: 0, stdout: expect.stringContaining('Nothing to archive') });
  expect(await without(['stats'], { PERCH_ARCHIVES: out })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('PERCH_ARCHIVES needs DuckDB'),
  });
}, 120_000);

test('names a folder in PERCH_ARCHIVES that is not there', async () => {
  const { code, stderr } = await cli.start(['stats'], { env: { PERCH_ARCHIVES: join(out, 'no') } }).end;
  expect([code, stderr]).toEqual([
    0,
    expect.stringContaining(`PERCH_ARCHIVES: there is no folder ${join(out, 'no')}.`),
  ]);
}, 120_000);

test('archives, checks and restores a month', async () => {
  const archived = await cli.run('ledger', 'archive', '--before', '2026-01', '--out', out, '--format', 'ndjson');
  expect(archived).toMatchObject({ code: 0, stderr: expect.stringContaining('Archiving: 100%') });
  expect(archived.stdout).toMatch(
    /^2025-12\s+5\s+7\.5\s+debits-2025-12\.ndjson\.gz$[\s\S]+1 month archived in .+\. Charges waited \d+ ms at most\.$/m,
  );
  expect(await cli.json('ledger', 'check')).toMatchObject({ ok: true, entries: 1 });
  expect((await cli.run('ledger', 'archive', '--before', '2026-01', '--out', out)).stdout).toContain(
    'Nothing to archive',
  );

  expect(await cli.json('ledger', 'restore', join(out, MANIFEST))).toMatchObject({
    month: '2025-12',
    debits: 5,
    credits: 7.5,
  });
  expect(await cli.json('ledger', 'check')).toMatchObject({ ok: true, entries: 6 });
  // Without an option, the format depends on what is installed.
  expect(await cli.json('ledger', 'archive', '--before', '2026-01', '--out', out)).toMatchObject({
    months: [{ debits: 5, file: 'debits-2025-12.parquet' }],
  });
  expect(await cli.json('ledger', 'restore', join(out, MANIFEST))).toMatchObject({ debits: 5 });
  expect(await cli.json('ledger', 'check', '--all')).toMatchObject({ ok: true, entries: 6 });
  expect(await cli.run('ledger', 'restore', join(out, MANIFEST))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('2025-12 is not archived in this database'),
  });
}, 180_000);
