/**
 * Connections that break, are refused or have a full socket while they are in use, and queries that fail or are
 * cancelled. In these cases the released driver ends the process, never connects again, connects again endlessly, lets
 * other queries into a transaction, or answers them with the rows of others.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, Socket, type SocketConstructorOpts } from 'node:net';
import type { DuplexOptions } from 'node:stream';
import { finished } from 'node:stream/promises';
import postgres from 'postgres';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { copyInto } from '../../adapters/networks/corpus/import/copy.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import type { Line } from '../kit/postgres/line.js';
import { lineTo } from '../kit/postgres/line-to.js';

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

async function open(max = 3, options: { readonly lifetimeS?: number } = {}): Promise<Opened> {
  const database = await freshDatabase();
  const { line, url } = await lineTo(database);
  opened = { database, line, sql: connect({ url }, { max, ...options }) };
  return opened;
}

const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
/** Waits until a statement was refused and sent again, behind a slower one. */
const sleepUntilRetried = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
/** Waits until an error thrown from a timer would have been thrown. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));

it('rejects a transaction whose connection breaks, survives its rollback, and runs the next one', async () => {
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

it('runs no later statement of a transaction, nor its rollback, on the connection that replaces its own', async () => {
  const { database, line, sql } = await open(1);
  await database.sql`create table written (n int)`;
  const inserts: Promise<unknown>[] = [];
  const broken = sql.begin(async (tx) => {
    await tx`insert into written values (1)`;
    line.cut();
    // Until another caller's transaction has the new connection.
    await vi.waitFor(() => expect(inserts).toHaveLength(1), { timeout: 5_000 });
    inserts.push(tx`insert into written values (2)`);
    await inserts[1];
  });
  await expect(broken).rejects.toThrow(/CONNECTION_CLOSED|ECONNRESET/);
  await sql.begin(async (tx) => {
    inserts.push(tx`insert into written values (3)`);
    await inserts[0];
    await expect.poll(() => inserts.length).toBe(2);
    await Promise.allSettled(inserts);
    await settled();
  });
  await expect(inserts[1]).rejects.toThrow(/CONNECTION_CLOSED|ECONNRESET/);
  expect(await database.sql`select n from written`).toEqual([{ n: 3 }]);
});

it('ends each query whenever the lines are cut, and can use every connection of the pool again', async () => {
  const { line, sql } = await open();
  for (let round = 0; round < 20; round += 1) {
    const queries = Array.from({ length: 9 }, async (_, n) => {
      for (let tick = 0; tick < (round + n) % 4; tick += 1) await soon();
      if (n % 3 === 0) return sql.begin(async (tx) => [...(await tx`select 1`), ...(await tx`select 2`)]);
      // Retries at once, on any connection that is free while others are closing.
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

describe('a connection that is reserved', () => {
  it('is opened by a pool that has none, and serves other queries afterwards', async () => {
    const { line, sql } = await open();
    for (let round = 0; round < 3; round += 1) {
      const all = await Promise.all([sql.reserve(), sql.reserve(), sql.reserve()]);
      const pids = await Promise.all(all.map((own) => own`select pg_backend_pid() as pid`));
      expect(new Set(pids.map(([row]) => row?.pid)).size).toBe(3);
      for (const own of all) own.release();
      expect(await Promise.all([1, 2, 3].map((n) => sql`select ${n}::int as n, pg_sleep(0.05)`))).toHaveLength(3);
      line.cut();
      await settled();
    }
  });

  it('runs nothing more once it has closed, and does not return to the pool', async () => {
    const { line, sql } = await open(1);
    const own = await sql.reserve();
    await own`set statement_timeout = 1234`;
    line.cut();
    const queued = sql`show statement_timeout`;
    expect(await queued).toEqual([{ statement_timeout: '0' }]);
    await expect(own`set statement_timeout = 1234`).rejects.toThrow(/CONNECTION_CLOSED|ECONNRESET/);
    own.release();
    expect(await Promise.all([1, 2].map((n) => sql`select ${n}::int as n`))).toEqual([[{ n: 1 }], [{ n: 2 }]]);
    expect(await sql`show statement_timeout`).toEqual([{ statement_timeout: '0' }]);
  });

  it.each(['released', 'cut'])(
    'ends with its pool once it is %s, if it has lived for too long by then',
    async (how) => {
      const { line, sql } = await open(1, { lifetimeS: 0.05 });
      const own = await sql.reserve();
      await own`select pg_sleep(0.1)`;
      expect(await own`select 1 as one`).toEqual([{ one: 1 }]);
      if (how === 'cut') line.cut();
      own.release();
      await sql.end();
    },
  );

  it('leaves the pool as it is when it cannot be opened', async () => {
    const { line, sql, database } = await open();
    const { line: way } = await lineTo(database);
    onTestFinished(() => way.close());
    line.lead({ port: 1, host: '127.0.0.1' });
    await expect(sql.reserve()).rejects.toThrow(/CONNECTION_REFUSED|CONNECTION_CLOSED/);
    line.lead({ port: way.port, host: '127.0.0.1' });
    await Promise.all([1, 2, 3].map((n) => sql`select ${n}::int as n, pg_sleep(0.05)`));
    const all = await Promise.all([sql.reserve(), sql.reserve(), sql.reserve()]);
    for (const own of all) own.release();
  });
});

describe('COPY', () => {
  it('rejects when its first row fails, and does not end the process', async () => {
    const { sql } = await open();
    const failed = sql.begin(async (tx) => {
      const csv = await tx`copy (select 1 / (n - 1) from generate_series(1, 3) n) to stdout`.readable();
      return csv.toArray();
    });
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('rejects when its connection closes while it is read, and does not end the process', async () => {
    const { line, sql } = await open();
    const cut = sql.begin(async (tx) => {
      const csv = await tx`copy (select repeat('x', 10_000) from generate_series(1, 10_000)) to stdout`.readable();
      csv.once('data', () => line.cut());
      await finished(csv);
    });
    await expect(cut).rejects.toThrow(/CONNECTION_CLOSED|ECONNRESET|Premature close/);
    await settled();
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('leaves its connection usable if its reader stops', async () => {
    const { sql } = await open(1);
    const copied = sql.begin(async (tx) => {
      const csv = await tx`copy (select repeat('x', 1_000) from generate_series(1, 20_000)) to stdout`.readable();
      for await (const row of csv) return (row as Buffer).length;
      return 0;
    });
    expect(await copied).toBeGreaterThan(0);
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('can be cancelled while it is read', async () => {
    const { sql } = await open();
    const cancelled = sql.begin(async (tx) => {
      const rows = 'generate_series(1, 20_000) one, generate_series(1, 20_000) other';
      const copy = tx.unsafe(`copy (select repeat('x', 1_000) from ${rows}) to stdout`);
      const csv = await copy.readable();
      await once(csv, 'data');
      copy.cancel();
      await finished(csv.resume());
    });
    await expect(cancelled).rejects.toMatchObject({ code: '57014' });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('rejects with the reason when the server refuses its rows', async () => {
    const { sql } = await open();
    await sql`create table copied (n int)`;
    const into = sql.begin((tx) => copyInto(tx, 'copied', ['n'], { rows: 1, chunks: ['x\n'] }));
    await expect(into).rejects.toMatchObject({ code: '22P02' });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });
});

it('does not pass the error of a query whose connection the server ended to the next query', async () => {
  const { database, sql } = await open();
  for (let round = 0; round < 3; round += 1) {
    const ended = sql`select pg_sleep(30), 'to be ended'`;
    const rejected = expect(ended).rejects.toThrow(/CONNECTION_CLOSED|terminating/);
    const end = () => database.sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where query like '%to be ended%' and pid <> pg_backend_pid() and state = 'active'`;
    await expect.poll(end).toHaveLength(1);
    await rejected;
    expect(await Promise.all([1, 2, 3].map((n) => sql`select ${n}::int as n`))).toEqual([1, 2, 3].map((n) => [{ n }]));
  }
});

it.each(['idle', 'busy'])(
  'rejects a query that cannot be sent, and no other, on a connection that is %s',
  async (state) => {
    const { sql } = await open(1);
    await sql`select 1`;
    const before = state === 'busy' ? [sql`select pg_sleep(0.1)::text as slept`.execute()] : [];
    const wrong = sql`select ${undefined as unknown as string}::text`;
    const rejected = expect(wrong).rejects.toMatchObject({ code: 'UNDEFINED_VALUE' });
    const after = [1, 2].map((n) => sql`select ${n}::int as n`.execute());
    await rejected;
    expect(await Promise.all([...before, ...after])).toEqual([
      ...before.map(() => [{ slept: '' }]),
      [{ n: 1 }],
      [{ n: 2 }],
    ]);
    expect(await sql`select 3 as n`).toEqual([{ n: 3 }]);
  },
);

it('answers each query with its own rows when one is cancelled that waits behind another', async () => {
  const { sql } = await open(1);
  const select = (n: number, seconds = 0) => sql`select ${n}::int as n, pg_sleep(${seconds}::float8)::text as slept`;
  // Queries wait on the same connection once their statement is prepared there.
  await select(0);
  for (let tries = 1; ; tries += 1) {
    const [first, cancelled, ...others] = [select(1, 0.3), select(2, 2), select(3), select(4)].map((one) =>
      one.execute(),
    );
    await settled();
    cancelled?.cancel();
    const outcome = await cancelled?.catch(({ code }) => code);
    expect(await Promise.all([first, ...others, select(5)])).toEqual([1, 3, 4, 5].map((n) => [{ n, slept: '' }]));
    if (outcome === '57014') return;
    // Postgres ignores a request that arrives before it has begun the statement.
    expect([tries, outcome]).toEqual([1, [{ n: 2, slept: '' }]]);
  }
});

it('answers each query with its own rows when the result of a prepared statement has changed', async () => {
  const { database, sql } = await open(1);
  await database.sql`create table changed as select 0 as zero`;
  const select = () => sql`select * from changed where zero = ${0} and ${true}::boolean`;
  const number = (n: number) => sql`select ${n}::int as n, pg_sleep(0.1)::text as slept`;
  await select();
  await number(0);
  await database.sql`alter table changed add one int default 1`;
  const before = [select(), number(1)].map((query) => query.execute());
  await sleepUntilRetried();
  const after = number(2).execute();
  const rows = await Promise.all([...before, after]);
  expect(rows).toEqual([[{ zero: 0, one: 1 }], [{ n: 1, slept: '' }], [{ n: 2, slept: '' }]]);
});

describe('the query after one that failed when some of its rows had arrived', () => {
  it('returns all its rows on the same connection', async () => {
    const { sql } = await open(1);
    const failed = sql`select 1 / (4 - n) as one from generate_series(1, 10) n`;
    await expect(failed).rejects.toMatchObject({ code: '22012' });
    expect(await sql`select n from generate_series(1, 2) n`).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('returns all its rows on the next connection', async () => {
    const { database, line, sql } = await open(1);
    // The server sends rows whenever it has eight kibibytes.
    const cut = sql`select repeat('x', 9000), case n when 3 then pg_sleep(30)::text end from generate_series(1, 3) n`;
    const rejected = expect(cut).rejects.toThrow(/CONNECTION_CLOSED|ECONNRESET/);
    const sleeping = () =>
      database.sql`select from pg_stat_activity where wait_event = 'PgSleep' and query like '%9000%'`;
    await expect.poll(sleeping).toHaveLength(1);
    await settled();
    line.cut();
    await rejected;
    expect(await sql`select n from generate_series(1, 2) n`).toEqual([{ n: 1 }, { n: 2 }]);
  });
});

it.each([1, 2])(
  'rejects a query when each of %i hosts closes the connection at once, and pauses before the next',
  async (hosts) => {
    let accepted = 0;
    const server = createServer((socket) => {
      accepted += 1;
      socket.resume().end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sql = connect({ url: `postgres://perch@${Array(hosts).fill(address).join()}/perch` }, { max: 1 });
    onTestFinished(async () => {
      await sql.end({ timeout: 0 });
      server.close();
    });
    const began = performance.now();
    for (let round = 0; round < 4; round += 1) {
      await expect(sql`select 1`).rejects.toMatchObject({ code: 'CONNECTION_REFUSED' });
    }
    expect(accepted).toBe(4 * hosts);
    // Three pauses of a quarter of a second; timers may be a little early.
    expect(performance.now() - began).toBeGreaterThan(700);
  },
);

describe('with several hosts', () => {
  /** A pool of one connection, whose first host accepts connections and is silent. `sleeping` finds what it runs. */
  async function openWithSilentHost() {
    const { database } = await open();
    const silent = createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { line: way, url } = await lineTo(database);
    const { host } = new URL(url);
    const hosts = `127.0.0.1:${(silent.address() as AddressInfo).port},${host}`;
    const settings = { max: 1, fetch_types: false, connect_timeout: 0.5 };
    const sql = postgres(url.replace(host, hosts), settings) as unknown as Sql;
    onTestFinished(async () => {
      await sql.end({ timeout: 0 });
      await way.close();
      silent.close();
    });
    const sleeping = () =>
      database.sql`select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`;
    return { sql, sleeping };
  }

  it('connects to the next one when the first does not answer', async () => {
    const { sql } = await openWithSilentHost();
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
  });

  it('cancels a query on the host that runs it', async () => {
    const { sql, sleeping } = await openWithSilentHost();
    await sql`select 1`;
    const query = sql`select pg_sleep(10)`.execute();
    await vi.waitFor(() => expect(sleeping()).resolves.toHaveLength(1), { timeout: 20_000 });
    query.cancel();
    await expect(query).rejects.toMatchObject({ code: '57014' });
  });
});

describe('a transaction on a socket that is full', () => {
  /** One connection over a socket whose buffer is full after a kibibyte. */
  async function openNarrow() {
    const { line, database } = await open();
    // Every stream has this option, but the types of sockets omit it.
    const options: SocketConstructorOpts & DuplexOptions = { writableHighWaterMark: 1_024 };
    const socket = new Socket(options);
    await once(socket.connect(line.port, '127.0.0.1'), 'connect');
    const settings = { max: 1, fetch_types: false, socket: () => socket };
    const { target } = database;
    const sql = 'url' in target ? postgres(target.url, settings) : postgres({ ...settings, ...target });
    onTestFinished(() => sql.end({ timeout: 1 }));
    await sql`select 1`;
    return { socket, sql };
  }

  it('has its connection to itself, even if its BEGIN fills the socket', async () => {
    const { socket, sql } = await openNarrow();
    const write = vi.spyOn(socket, 'write');
    // Behaves as if the system accepted no more bytes.
    socket.cork();
    // Fills the buffer almost to a kibibyte; the BEGIN is sent next.
    const before = sql.unsafe('select pg_sleep(0.2) --'.padEnd(1_010, '-')).execute();
    const inside = sql.begin(async (tx) => (await tx`select txid_current() as id`)[0]);
    const outside = sql`select txid_current() as id`.execute();
    await soon();
    expect(write).toHaveNthReturnedWith(1, false);
    socket.uncork();
    const [, first, [second]] = await Promise.all([before, inside, outside]);
    expect(second).not.toEqual(first);
  });

  it('keeps its connection between two statements when the socket has room again', async () => {
    const { socket, sql } = await openNarrow();
    let outside: PromiseLike<unknown> | undefined;
    const inside = await sql.begin(async (tx) => {
      const [first] = await tx`select txid_current() as id`;
      // Flush messages have no answer, so the socket fills up and drains while no query is waiting.
      socket.cork();
      expect(socket.write('H\0\0\0\u0004'.repeat(300))).toBe(false);
      socket.uncork();
      await once(socket, 'drain');
      outside = sql`select txid_current() as id`.execute();
      await tx`select 1`;
      return first;
    });
    const [second] = (await outside) as unknown[];
    expect(second).not.toEqual(inside);
  });
});
