/** docs/scaling.md names only existing variables, files and headings, and what it says about the schema is true. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLACES, type TablePlace } from '../../../adapters/postgres/shards/table-servers.js';
import { NEAR_MS } from '../../../adapters/redis/cache.js';
import { MOST_CONNECTIONS } from '../../../app/databases.js';
import { SCENARIOS } from '../../../bench/options.js';
import { LOOKUP_TTL_MS } from '../../../src/access/identify.js';
import { SETTINGS } from '../../../src/config/settings.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { codeIn, ROOT, tableOf } from './markdown.js';

const PAGE = readFileSync(join(ROOT, 'docs/scaling.md'), 'utf8');
const PROSE = PAGE.replaceAll(/^```.*?^```$/gms, '');
const TEXT = PAGE.replaceAll(/\s+/g, ' ');

/** The anchor of a heading. */
const placeOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-');

describe('names in docs/scaling.md', () => {
  it('are variables that the service reads', () => {
    const named = codeIn(PROSE).flatMap((code) => /^([A-Z][A-Z_]{3,})(?:=\S*)?$/.exec(code)?.[1] ?? []);
    const ours = new Set(
      named.filter((name) => name.startsWith('PERCH_') || name in SETTINGS || name.endsWith('_URL')),
    );
    expect(ours.size).toBeGreaterThan(5);
    expect([...ours].filter((name) => !(name in SETTINGS))).toEqual([]);
  });

  it('are existing files', () => {
    const named = codeIn(PROSE).filter((code) => /^(?:[\w.-]+\/)+[\w.-]*$/.test(code) && !code.startsWith('/'));
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('are existing headings of the page and existing pages', () => {
    const places = [...PROSE.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => placeOf(heading));
    const links = [...PROSE.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
    expect(links.length).toBeGreaterThan(3);
    for (const link of links.filter((target) => !/^https?:/.test(target))) {
      const [file, place] = link.split('#');
      if (file) expect(existsSync(join(ROOT, 'docs', file)), link).toBe(true);
      if (place !== undefined && !file) expect(places).toContain(place);
    }
  });

  it('are scenarios that the benchmark has', () => {
    const letters = [...TEXT.matchAll(/--only ([A-Z](?:,[A-Z])*)/g)].flatMap(([, list = '']) => list.split(','));
    expect(letters.length).toBeGreaterThan(0);
    expect(letters.filter((letter) => !(letter in SCENARIOS))).toEqual([]);
  });

  it('come with how long a node trusts its copies and keys, and with its connections to Postgres', () => {
    expect(TEXT).toContain(`Redis (trusted for ${NEAR_MS / 1000} seconds), keys (${LOOKUP_TTL_MS / 1000} seconds)`);
    expect(TEXT).toContain(`keys every ${LOOKUP_TTL_MS / 1000} s`);
    expect(TEXT).toContain(`up to ${MOST_CONNECTIONS} a process`);
  });
});

describe('distributing the tables by account, as docs/scaling.md says', () => {
  let database: FreshDatabase;
  beforeAll(async () => {
    database = await freshDatabase();
  });
  afterAll(() => database.drop());

  interface UniqueIndex {
    readonly table: string;
    readonly name: string;
    readonly hasAccount: boolean;
  }

  const uniqueIndexes = () =>
    database.sql<UniqueIndex[]>`
      select c.relname as table, i.indexrelid::regclass::text as name, exists (
        select from pg_attribute a
        where a.attrelid = c.oid and a.attnum = any(i.indkey::int2[]) and a.attname = 'account_id') as "hasAccount"
      from pg_index i join pg_class c on c.oid = i.indrelid join pg_namespace n on n.oid = c.relnamespace
      where i.indisunique and n.nspname = 'public' and not c.relispartition order by 1, 2`;

  const rows = () => tableOf(PAGE, 'Table').map(([table = '', place = '', unique = '']) => ({ table, place, unique }));

  it('has a row for every table', async () => {
    const tables = await database.sql<{ name: string }[]>`
      select c.relname as name from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition order by 1`;
    const named = rows().flatMap(({ table }) => codeIn(table));
    expect(named.sort()).toEqual(tables.map(({ name }) => name).sort());
  });

  it('puts every table where `perch database distribute` places it', () => {
    const starts: Readonly<Record<TablePlace, string>> = {
      ...{ account: 'distributed', everywhere: 'a copy on each server', coordinator: 'left on the coordinator' },
    };
    const documented = rows().flatMap(({ table, place }) =>
      codeIn(table).map((name) => [name, Object.values(starts).find((start) => place.startsWith(start))]),
    );
    expect(Object.fromEntries(documented)).toEqual(
      Object.fromEntries([...PLACES].map(([table, place]) => [table, starts[place]])),
    );
  });

  it('has account_id in all unique indexes of a distributed table, except those named as lacking it', async () => {
    const distributed = rows().filter(({ place }) => place.startsWith('distributed'));
    expect(distributed.length).toBeGreaterThan(5);
    const lacking = (await uniqueIndexes()).filter(
      ({ table, hasAccount }) => !hasAccount && distributed.some((row) => codeIn(row.table).includes(table)),
    );
    const named = distributed.flatMap(({ unique }) =>
      [...unique.matchAll(/lacks it: `(\w+)`/g)].map(([, name]) => name),
    );
    expect(named).toEqual(lacking.map(({ name }) => name));
  });

  it('lets only the ledger grow with every request, and never changes rows of the ledger and the log', async () => {
    const triggers = await database.sql<{ table: string }[]>`
      select tgrelid::regclass::text as table from pg_trigger where not tgisinternal and tgname = 'append_only'
        and tgrelid not in (select relid from pg_partition_tree('debits') where level > 0)`;
    expect(triggers.map(({ table }) => table).sort()).toEqual([
      'audit_log',
      'checked_debits',
      'checked_months',
      'checked_usage',
      'debits',
      'ledger_archives',
      'statement_entries',
    ]);
  });
});
