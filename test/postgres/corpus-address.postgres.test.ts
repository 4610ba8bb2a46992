/** CORPUS_DATABASE_URL: a separate database for the corpus, and which databases are refused. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadCorpus } from '../../adapters/networks/corpus/import/load.js';
import { newestSchema } from '../../adapters/postgres/migrate.js';
import { connect, type Sql } from '../../adapters/postgres/sql.js';
import { Lifecycle } from '../../app/lifecycle.js';
import { sourceOf } from '../../app/networks.js';
import { openStores, type StoresOptions } from '../../app/stores.js';
import { readConfig } from '../../src/config/config.js';
import { createClient } from '../kit/client.js';
import { startPerch } from '../kit/perch.js';
import { type FreshDatabase, freshDatabase } from '../kit/postgres/database.js';
import { lineTo } from '../kit/postgres/line-to.js';
import { goBackToReleasedSchema } from '../kit/postgres/released-schema.js';

let main: FreshDatabase;
let corpus: FreshDatabase;
let address: string;
const ends: (() => unknown)[] = [];
beforeEach(async () => {
  main = await freshDatabase();
  corpus = await freshDatabase();
  const { line, url } = await lineTo(corpus);
  address = url;
  ends.push(main.drop, corpus.drop, () => line.close());
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function open(options: StoresOptions = {}, url = address): Promise<void> {
  const { close } = await opened({ CORPUS_DATABASE_URL: url }, options);
  await close();
}

async function opened(env: Readonly<Record<string, string>>, options: StoresOptions = {}) {
  const lifecycle = new Lifecycle();
  const config = readConfig({ env: { PERCH_SECRET: 's'.repeat(32), ...env }, cwd: '/', terminal: false });
  const stores = await lifecycle.start(() => openStores(lifecycle, config, { database: main.target, ...options }));
  return { stores, close: () => lifecycle.close() };
}

const empty = (): Promise<unknown> =>
  corpus.sql.begin(async (tx) => {
    await tx`drop schema public cascade`;
    await tx`create schema public`;
  });

it('is refused without a schema, with what to do, until an import creates it', async () => {
  await empty();
  await expect(open()).rejects.toThrow(/CORPUS_DATABASE_URL \(.*\) has no schema of Perch.*`perch import PATH`/);
  await open({ others: 'unneeded' });
  await open({ others: 'created' });
  await open();
});

it('is refused with the schema of a later version', async () => {
  const later = newestSchema() + 1;
  await corpus.sql`insert into public.schema_version (version, name) values (${later}, 'later')`;
  await expect(open()).rejects.toThrow(`has schema ${later}, from a later version of Perch: upgrade this one`);
});

it('is migrated from an earlier schema at the start', async () => {
  await goBackToReleasedSchema(corpus.sql);
  await open();
  const [row] = await corpus.sql`select max(version)::int as version from public.schema_version`;
  expect(row?.version).toBe(newestSchema());
});

it('is the same source at each address that leads to it, and another one than any other corpus', async () => {
  const config = readConfig({ env: {}, cwd: '/', terminal: false });
  const source = (sql: Sql) => sourceOf({ config, sql: () => sql, clock: { now: Date.now } });
  const behindLine = await connect({ url: address }, { max: 1, name: 'perch test' });
  ends.push(() => behindLine.end());
  const name = await source(corpus.sql);
  expect(name).toMatch(/^corpus-[\w-]{12}$/);
  expect(await source(behindLine)).toBe(name);
  expect(await source(main.sql)).not.toBe(name);
});

it('is reported with the setting and without the password when nothing listens at the address', async () => {
  const nobody = 'postgres://ada:hush@127.0.0.1:1/perch';
  const error: unknown = await open({}, nobody).catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/CORPUS_DATABASE_URL \(postgres:\/\/…@127\.0\.0\.1:1\/perch\): .*ECONNREFUSED/);
  expect(String(error)).not.toContain('hush');
});

it.each([
  ['a server of its own', () => ({ CORPUS_DATABASE_URL: address })],
  ['the main one', () => ({})],
])('has its reads ended by %s, soon after the deadline of calls, if nobody cancels them', async (_, env) => {
  const { stores, close } = await opened({ PERCH_DEADLINE_MS: '500', ...env() });
  ends.push(close);
  const began = performance.now();
  await expect(stores.corpusSql`select pg_sleep(60)`).rejects.toMatchObject({ code: '57014' });
  expect(performance.now() - began).toBeGreaterThan(500);
  await expect(stores.inventedSql`select pg_sleep(60)`).rejects.toMatchObject({ code: '57014' });
});

it('serves reads and searches, while keys, charges and the data of test keys stay at the main address', async () => {
  const text = 'terns over the harbour';
  await loadCorpus(corpus.sql, [
    { kind: 'user', user: { id: '7', handle: 'gull', name: 'Gull' } },
    { kind: 'tweet', tweet: { id: '8', authorId: '7', text, createdAt: '2026-01-01T00:00:00.000Z' } },
  ] as never[]);
  const perch = await startPerch({ openDatabase: async () => main, env: { CORPUS_DATABASE_URL: address } });
  ends.push(() => perch.close());
  const account = await perch.account({ credits: 10 });
  const { get } = createClient(perch.url, account.key);
  expect((await get('/v1/users/gull')).body).toMatchObject({ data: { id: '7' } });
  expect((await get('/v1/tweets/search?q=terns')).body).toMatchObject({ data: [{ id: '8' }] });
  expect(await main.sql`select from corpus_users`).toHaveLength(0);
  expect(await main.sql`select from debits`).toHaveLength(2);
  expect(await corpus.sql`select from debits`).toHaveLength(0);

  // Test keys read from the database that is written to, so their data is never behind.
  const names = [main.sql, perch.stores.inventedSql].map((sql) => sql`select current_database() as name`);
  expect(await names[1]).toEqual(await names[0]);
});
