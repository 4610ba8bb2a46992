import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { writeMonth } from '../../../adapters/cli/archive/archive.js';
import { openEmbeddedPostgres } from '../../../adapters/postgres/embedded/launcher.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { migrate } from '../../../adapters/postgres/migrate.js';
import { connect, type Sql } from '../../../adapters/postgres/sql.js';
import type { Debit } from '../../../src/ports/ledger.js';
import { alternate, type Line, ratioOf, type Section, spread } from '../../figures.js';
import { keepCalling } from '../../load/callers.js';
import { SCENARIOS } from '../../options.js';
import { postmasterOf } from '../../processes/perch.js';
import type { Workbench } from '../../workbench.js';
import { costsOf, counted, type Round } from '../rounds.js';

const WALLETS = 1_000_000;
/** The wallets that are charged, in random order. */
const CONTESTS = [
  ...[100, 10_000, 100_000, WALLETS].map((active) => ({ active, compression: 'off' })),
  { active: WALLETS, compression: 'on' },
] as const;
const CALLERS = 256;
const CREDITS = 1_000_000_000;
/** A finished month. */
const MONTH = '2025-01';

/** As `perch doctor` suggests them for many wallets. */
const SETTINGS = ['shared_buffers=2GB', 'max_wal_size=16GB', 'checkpoint_timeout=30min'];

type Payer = Pick<Debit, 'accountId' | 'walletId' | 'keyId' | 'uncapped'>;

/** O: what the ledger does with a million wallets. */
export async function millionWallets(bench: Workbench): Promise<Section[]> {
  if (!bench.options.letters.includes('O')) return [];
  const home = { folder: join(bench.folder, 'wallets') };
  const server = await openEmbeddedPostgres({ home: home.folder, settings: SETTINGS });
  const sql = connect(server.connection, { max: 6, name: 'bench wallets' });
  try {
    bench.say(`O  making ${WALLETS.toLocaleString('en')} wallets, with a debit each`);
    await migrate(sql);
    await addWallets(sql);
    const sums = await sumAll(bench, sql);
    const archives = await checkAndArchive(bench, sql);
    const charges = await chargeAll(bench, sql, await postmasterOf(home));
    return [...charges, sums, archives, await checkAfter(bench, sql)];
  } finally {
    await sql.end({ timeout: 1 });
    await server.stop();
  }
}

/** Inserts a million accounts without triggers, which saves hours. Each paid in an old month and half an hour ago. */
async function addWallets(sql: Sql): Promise<void> {
  await sql`select open_month(${`${MONTH}-01`}::date)`;
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`insert into accounts (account_id, name) select gen_random_uuid(), 'x' from generate_series(1, ${WALLETS})`;
    await tx`insert into wallets (account_id, balance_thousandths, last_seq, summed_to)
      select account_id, ${CREDITS}::bigint - 1000, 3, first_id_at(${`${MONTH}-01`}::date) from accounts`;
    await tx`insert into statement_entries (account_id, seq, request_id, kind, amount_thousandths, balance_after, reason)
      select account_id, 1, gen_random_uuid(), 'grant', ${CREDITS}, ${CREDITS}, 'x' from accounts`;
    await tx`insert into key_directory (account_id, hash) select account_id, sha256(account_id::text::bytea) from accounts`;
    await tx`insert into keys (account_id, wallet_id, hash, prefix, name)
      select account_id, wallet_id, sha256(account_id::text::bytea), 'perch_live_x', 'x' from wallets`;
    await tx`insert into debits (account_id, request_id, seq, amount_thousandths, balance_after, at, key_number, items, cache_hits,
        operation, lines)
      select account_id, overlay(overlay(gen_random_uuid()::text placing '7' from 15) placing left(first_id_at(at)::text, 13)
          from 1)::uuid, seq, 500, ${CREDITS}::bigint - 500 * (seq - 1), at, key_number, 1, 1, 'user', ' profile hit 1 500'
      from wallets join keys using (account_id), (values (2, ${`${MONTH}-10`}::timestamptz), (3, now() - interval '40 minutes')) v(seq, began),
        lateral (select began + wallet_number * interval '1 millisecond' / 10 as at) t`;
  });
  for (const table of ['accounts', 'wallets', 'keys', 'debits', 'statement_entries'])
    await sql`vacuum (analyze) ${sql(table)}`;
}

async function sumAll(bench: Workbench, sql: Sql): Promise<Section> {
  bench.say(`O  one run of housekeeping`);
  const begin = performance.now();
  await createLedger(sql).runMaintenance();
  const seconds = (performance.now() - begin) / 1000;
  const [left] = await sql<{ due: number }[]>`select count(*) as due from wallets where last_seq > summed_seq`;
  bench.say(`O  ${seconds.toFixed(1)} s, ${left?.due} left`);
  const lines: Line[] = [
    { name: 'sums of usage, a wallet each', unit: 's', value: spread([seconds]), goal: '< 90' },
    {
      name: 'wallets that are still due after the run',
      unit: 'wallets',
      value: spread([left?.due ?? Number.NaN]),
      goal: '0',
    },
  ];
  return { letter: 'O', title: `${SCENARIOS.O.split(':')[0]}: one run of housekeeping`, lines, notes: [] };
}

/** The result of the work, and the seconds that it took. */
async function timed<T>(bench: Workbench, name: string, run: () => Promise<T>): Promise<[seconds: number, result: T]> {
  const begin = performance.now();
  const result = await run();
  const seconds = (performance.now() - begin) / 1000;
  bench.say(`O  ${name}: ${seconds.toFixed(1)} s`);
  return [seconds, result];
}

/** The check before and after a month is recorded as checked, and the month as a file in both formats. */
async function checkAndArchive(bench: Workbench, sql: Sql): Promise<Section> {
  const ledger = createLedger(sql);
  const checked: { first: number[]; again: number[] } = { first: [], again: [] };
  checked.first.push((await timed(bench, 'ledger check --all', () => ledger.check({ all: true })))[0]);
  checked.again.push((await timed(bench, 'ledger check', () => ledger.check()))[0]);
  const contestants = (['parquet', 'ndjson'] as const).map((format) => ({
    name: format,
    async round() {
      const folder = await mkdtemp(join(bench.folder, 'archive-'));
      const [seconds] = await timed(bench, format, () => writeMonth(format, sql, MONTH, folder, () => {}));
      await rm(folder, { recursive: true });
      return WALLETS / seconds;
    },
  }));
  const { parquet = [], ndjson = [] } = Object.fromEntries(await alternate(contestants, bench.options.rounds));
  const lines: Line[] = [
    { name: 'ledger check --all', unit: 's', value: spread(checked.first) },
    {
      ...{ name: 'ledger check, of the current month', unit: 's', value: spread(checked.again) },
      ratio: ratioOf(checked.again, checked.first, 'that of all'),
    },
    { name: 'a month as gzipped lines, read back', unit: 'debits/s', value: spread(ndjson) },
    {
      ...{ name: 'a month as Parquet, verified', unit: 'debits/s', value: spread(parquet) },
      ...{ ratio: ratioOf(parquet, ndjson, 'that of lines'), goal: '≥ 3 times' },
    },
  ];
  const notes = ['of the entries, a third are of the month that is over: the rest is checked each time'];
  return { letter: 'O', title: `${SCENARIOS.O.split(':')[0]}: check and archive`, lines, notes };
}

/** What a round of charges wrote to the write-ahead log, and how long it took. */
type WalRound = Round & { readonly walBytes: number };

interface Arena {
  readonly sql: Sql;
  readonly postmaster: number;
  readonly ledger: ReturnType<typeof createLedger>;
  readonly payers: readonly Payer[];
}

async function chargeAll(bench: Workbench, sql: Sql, postmaster: number): Promise<Section[]> {
  const payers = await sql<Payer[]>`
    select account_id as "accountId", w.wallet_id as "walletId", key_id as "keyId",
      json_build_object('accountId', account_id, 'walletId', w.wallet_id, 'keyId', key_id, 'keyNumber', key_number,
        'capsVersion', caps_version) as uncapped
    from keys join wallets w using (account_id) order by random()`;
  const arena = { sql, postmaster, ledger: createLedger(sql), payers };
  const after = await chargeInTurn(bench, arena, 'just after a checkpoint', CONTESTS, () => sql`checkpoint`);
  bench.say('O  a minute of charges');
  await keepCalling(CALLERS, 60, chargeOf(arena));
  const contests = CONTESTS.filter(
    ({ active, compression }) => [100, WALLETS].includes(active) && compression === 'off',
  );
  return [after, await chargeInTurn(bench, arena, 'a minute after a checkpoint', contests)];
}

async function chargeInTurn(
  bench: Workbench,
  arena: Arena,
  when: string,
  contests: readonly (typeof CONTESTS)[number][],
  beforeRound: () => PromiseLike<unknown> = async () => {},
): Promise<Section> {
  const { sql, payers } = arena;
  const contestants = contests.map(({ active, compression }) => ({
    name: `${active.toLocaleString('en')} active${compression === 'off' ? '' : ', wal_compression'}`,
    async round() {
      await sql.unsafe(`alter system set wal_compression = ${compression}`);
      await sql`select pg_reload_conf()`;
      return chargeOnce(bench, { ...arena, payers: payers.slice(0, active) }, beforeRound);
    },
  }));
  const figures = await alternate(contestants, bench.options.rounds, (text) => bench.say(`O  ${when}, ${text}`));
  const few = figures.get(contestants[0]?.name ?? '') ?? [];
  const costOf = (name: string, rounds: readonly WalRound[], cost: (round: WalRound) => number): Line => ({
    ...{ name, unit: 'µs', value: spread(rounds.map(cost)) },
    ...(rounds !== few && { ratio: ratioOf(rounds.map(cost), few.map(cost), `that of ${contestants[0]?.name}`) }),
  });
  const lines = [...figures].flatMap(([name, rounds]): Line[] => {
    const isLast = name === `${WALLETS.toLocaleString('en')} active`;
    return [
      { name, unit: 'charges/s', value: spread(rounds.map(({ perSecond }) => perSecond)), costs: costsOf(rounds) },
      {
        ...costOf(`${name}: Postgres`, rounds, ({ postgres }) => postgres),
        ...(isLast && { goal: '≤ 2 times' }),
      },
      costOf(`${name}: with the process that charges`, rounds, ({ cpu, postgres }) => cpu + postgres),
      { name: `${name}: WAL`, unit: 'bytes', value: spread(rounds.map(({ walBytes }) => walBytes)) },
    ];
  });
  const notes = [
    `${CALLERS} callers in the process that CPU µs counts; a page is written whole when it is first changed after a checkpoint`,
  ];
  return { letter: 'O', title: `${SCENARIOS.O.split(':')[0]}: charges, ${when}`, lines, notes };
}

/** The check while most of what was charged is not summed up yet. */
async function checkAfter(bench: Workbench, sql: Sql): Promise<Section> {
  const title = `${SCENARIOS.O.split(':')[0]}: check after the charges`;
  const [seconds, { entries, faults }] = await timed(bench, title, () => createLedger(sql).check());
  const lines: Line[] = [
    { name: `of ${entries.toLocaleString('en')} entries`, unit: 's', value: spread([seconds]), goal: '< 120' },
    { name: 'faults', unit: 'faults', value: spread([faults.length]), goal: '0' },
  ];
  return { letter: 'O', title, lines, notes: [] };
}

function chargeOf({ ledger, payers }: Arena): () => Promise<void> {
  const line = { path: 'data', unit: 'profile', cache: 'hit', items: 1, unitPrice: 500 } as const;
  const rest = { operation: 'user', amount: 500, items: 1, cacheHits: 1, lines: [line] };
  return async () => {
    const payer = payers[Math.floor(Math.random() * payers.length)] as Payer;
    if (!(await ledger.post({ requestId: v7(), ...payer, ...rest })).ok) throw new Error('a debit was refused');
  };
}

async function chargeOnce(bench: Workbench, arena: Arena, beforeRound: () => PromiseLike<unknown>): Promise<WalRound> {
  const { sql, postmaster } = arena;
  const charge = chargeOf(arena);
  await keepCalling(CALLERS, 1, charge);
  await beforeRound();
  const [from] = await sql<{ lsn: string }[]>`select pg_current_wal_lsn()::text as lsn`;
  const round = await counted({ server: process.pid, postmaster }, async () => ({
    ...(await keepCalling(CALLERS, bench.options.seconds, charge)),
    generatorBusy: 0,
  }));
  const [wal] = await sql<{ bytes: number }[]>`
    select pg_wal_lsn_diff(pg_current_wal_lsn(), ${from?.lsn ?? '0/0'}::pg_lsn)::float8 as bytes`;
  return { ...round, walBytes: (wal?.bytes ?? Number.NaN) / round.answers };
}
