/** Which server runs a statement about a shard. One Postgres plays the coordinator, with placements, and workers. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { ShardServers, serverAt } from '../../../adapters/postgres/shards/shard-servers.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import { debitOf, grantTo, openPayer } from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';

const [COORDINATOR, ONE, TWO, GONE, COPY] = ['coordinator', 'one:1', 'two:1', 'gone:1', 'copy:1'];

let database: FreshDatabase;
let coordinator: Sql;
let servers: ShardServers;
/** The pools of workers. Each connects to the database with its name as the application name. */
const opened: string[] = [];
beforeAll(async () => {
  database = await freshDatabase();
  coordinator = connect(database.target, { max: 2, name: COORDINATOR });
  await database.sql.unsafe(`
    create table pg_dist_shard (logicalrelid regclass, shardid bigint, shardmaxvalue text);
    create table pg_dist_placement (shardid bigint, groupid int);
    create table pg_dist_node (groupid int, nodename text, nodeport int, noderole text default 'primary',
      isactive boolean default true, hasmetadata boolean default true, metadatasynced boolean default true);
    insert into pg_dist_node values (0, 'coordinator', 1), (1, 'one', 1), (2, 'two', 1), (3, 'gone', 1), (4, 'copy', 1);
    insert into pg_dist_node values (5, 'unsynced', 1, 'primary', true, true, false);
    insert into pg_dist_node values (6, 'standby', 1, 'secondary');
    insert into pg_dist_shard select 'wallets', n, n * 100 - 300 from generate_series(0, 7) n;
    insert into pg_dist_shard values ('debits', 100, '0');
    create function master_run_on_worker(names text[], ports int[], commands text[], parallel boolean, out result text)
      language plpgsql as $$
      begin
        execute commands[1] into result;
        if names[1] = 'copy' then result := 'that of the server that was copied'; end if;
      end $$;
    create function fails(code text) returns void language plpgsql as $$
      begin
        if current_setting('application_name') <> 'coordinator' then raise 'fails' using errcode = code; end if;
      end $$;`);
});
afterAll(async () => {
  await coordinator.end();
  await database.drop();
});

beforeEach(async ({ onTestFinished }) => {
  await place({ 0: [1], 1: [2], 2: [0], 3: [3], 4: [4], 5: [5], 6: [6], 7: [1, 2] });
  opened.length = 0;
  const open = (host: string) => {
    opened.push(host);
    const leads = host === GONE ? { url: 'postgres://perch@127.0.0.1:1/perch' } : database.target;
    return connect(leads, { max: 2, name: host });
  };
  servers = new ShardServers({ coordinator, looks: database.sql, open });
  onTestFinished(() => servers.end({ timeout: 1 }));
});

const place = async (groups: Readonly<Record<number, readonly number[]>>): Promise<void> => {
  await database.sql`truncate pg_dist_placement`;
  for (const [shard, all] of Object.entries(groups))
    for (const group of all) await database.sql`insert into pg_dist_placement values (${shard}, ${group})`;
};

/** The server that runs a statement. */
const currentServer = async (sql: Sql): Promise<string> => {
  const [row] = await sql<[{ name: string }]>`select current_setting('application_name') as name`;
  return row.name;
};
const failing = (code: string) => async (sql: Sql) => {
  await sql`select fails(${code})`;
  return currentServer(sql);
};
const dying = (sql: Sql) => sql`select pg_terminate_backend(pg_backend_pid())`;

it('uses the worker that has a shard, and the coordinator if no single worker is ready', async () => {
  await servers.look();
  const answers = [0, 1, 2, 3, 4, 5, 6, 7, 8].map((shard) => servers.run(shard, currentServer));
  const others = Array.from({ length: 7 }, () => COORDINATOR);
  expect(await Promise.all(answers)).toEqual([ONE, TWO, ...others]);
  expect(opened.sort()).toEqual([COPY, GONE, ONE, TWO].sort());
});

it('looks up placements on the first statement, and uses the coordinator until they are known', async () => {
  expect(await servers.run(0, currentServer)).toBe(COORDINATOR);
  await servers.look();
  expect(await servers.run(0, currentServer)).toBe(ONE);
});

it('follows a shard that was moved', async () => {
  await servers.look();
  await place({ 0: [2] });
  expect(await servers.run(0, currentServer)).toBe(ONE);
  await servers.look();
  expect(await servers.run(0, currentServer)).toBe(TWO);
});

it('falls back to the coordinator until the next lookup when a worker refuses a statement', async () => {
  for (const code of ['25006', '28000', '42501', '42883', '53300', '57P03', 'XX000']) {
    await servers.look();
    expect(await servers.run(0, failing(code)), code).toBe(COORDINATOR);
    expect(await servers.run(0, currentServer)).toBe(COORDINATOR);
    expect(await servers.run(1, currentServer)).toBe(TWO);
  }
  await servers.look();
  expect(await servers.run(0, currentServer)).toBe(ONE);
});

it('keeps using a worker, and repeats nothing, if the statement itself is at fault', async () => {
  await servers.look();
  for (const code of ['22003', '23505', '40P01', '55P03', '57014'])
    await expect(servers.run(0, failing(code)), code).rejects.toMatchObject({ code });
  await expect(servers.run(0, () => Promise.reject(new RangeError('ours')))).rejects.toThrow('ours');
  expect(await servers.run(0, currentServer)).toBe(ONE);
});

it('does not repeat a statement that may have committed, and falls back to the coordinator', async () => {
  await servers.look();
  await expect(servers.run(0, dying)).rejects.toMatchObject({
    code: expect.stringMatching(/^(57P01|CONNECTION_CLOSED)$/),
  });
  expect(await servers.run(0, currentServer)).toBe(COORDINATOR);
  await servers.look();
  expect(await servers.run(0, currentServer)).toBe(ONE);
});

it('falls back to the coordinator while placements are unknown', async () => {
  await servers.look();
  await database.sql`alter table pg_dist_placement rename to hidden`;
  await servers.look();
  expect(await servers.run(0, currentServer)).toBe(COORDINATOR);
  await database.sql`alter table hidden rename to pg_dist_placement`;
  await servers.look();
  expect(await servers.run(0, currentServer)).toBe(ONE);
});

it("posts on the server of an account's shard, or on the coordinator if no servers are known", async () => {
  const payer = await openPayer(createAccounts(database.sql));
  await grantTo(createLedger(database.sql), payer, 1_000);
  const shards = { count: 8, of: (accountId: string) => (accountId === payer.accountId ? 1 : 0) };
  /** The servers that posted, by the last statement of each connection, which is a different one without a shard. */
  const postedOn = async (): Promise<string[]> => {
    const rows = await database.sql<{ name: string }[]>`
      select application_name as name from pg_stat_activity
      where datname = current_database() and query like ${'%post_plain_debits($1::uuid,%'} order by name`;
    return rows.map(({ name }) => name);
  };
  const beside = createLedger(database.sql, { settling: coordinator, shards });
  expect(await beside.post(debitOf(payer, 1))).toMatchObject({ ok: true, balance: 999 });
  expect(await postedOn()).toEqual([COORDINATOR]);
  await servers.look();
  const ledger = createLedger(database.sql, { shards, servers });
  expect(await ledger.post(debitOf(payer, 1))).toMatchObject({ ok: true, balance: 998 });
  expect(await postedOn()).toEqual([COORDINATOR, TWO]);
});

it('keeps the login, TLS options and database of the address', () => {
  const url = 'postgres://me:secret@a:1,b:2/perch?target_session_attrs=primary&sslmode=verify-full';
  expect(serverAt({ url }, '::1:9')).toEqual({ url: 'postgres://me:secret@[::1]:9/perch?sslmode=verify-full' });
});
