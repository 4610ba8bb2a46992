/**
 * Upgrades a large ledger of the version before while debits go on: `npm run bench:move -- [rows]`. Tells how long the
 * longest debit took, how long moving took, and what the ledger needs before and after. Minutes, and gigabytes on the disk.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 } from 'uuid';
import { openEmbeddedPostgres } from '../adapters/postgres/embedded/launcher.js';
import { createLedger } from '../adapters/postgres/ledger/ledger.js';
import { migrate } from '../adapters/postgres/migrate.js';
import { connect, type Sql } from '../adapters/postgres/sql.js';

const WALLETS = 300;
const DAYS = 90;
const CREDITS = 1_000_000_000_000;
/** Debits that come together, and the pause after them, milliseconds. */
const GROUP = 16;
const REST_MS = 10;
/** The largest part of moving that is tried, milliseconds. */
const LONGEST_MS = 360_000;

const rows = Number(process.argv[2] ?? 10_000_000);
if (!Number.isSafeInteger(rows) || rows < 2 * WALLETS) {
  console.error(
    `npm run bench:move -- [rows]: how many entries to move, ${2 * WALLETS} at least; 10000000 unless told.`,
  );
  process.exit(2);
}
const say = (text: string): void => console.log(`${new Date().toISOString().slice(11, 19)}  ${text}`);
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

interface Payer {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
}

const folder = await mkdtemp(join(tmpdir(), 'perch-move-'));
const server = await openEmbeddedPostgres({ home: folder });
const sql = connect(server.connection, { max: 4 });
const settling = connect(server.connection, { max: 4, name: 'debits' });
try {
  const payers = await openOlder(sql);
  await fill(sql, rows);
  say(`${rows.toLocaleString('en')} entries of the version before: ${await sizeOf(sql)}`);
  const ledger = createLedger(sql, { settling });
  const beganMs = performance.now();
  await migrate(sql);
  say(`migrated in ${seconds(performance.now() - beganMs)}`);
  const alone = await whileCharging(ledger, payers, () => sleep(15_000));
  say(`debits before moving: ${told(alone)}`);
  const stopping = new AbortController();
  const timer = setTimeout(() => stopping.abort(), LONGEST_MS);
  const moveMs = performance.now();
  const beside = await whileCharging(ledger, payers, () => ledger.runMaintenance(stopping.signal, say));
  clearTimeout(timer);
  say(
    `moved in ${seconds(performance.now() - moveMs)}${stopping.signal.aborted ? ', not all of it' : ''}; debits: ${told(beside)}`,
  );
  say(`after: ${await sizeOf(sql)}`);
  const checkMs = performance.now();
  const { entries, faults } = await ledger.check();
  say(
    `check of ${entries.toLocaleString('en')} entries: ${faults.length} faults, ${seconds(performance.now() - checkMs)}`,
  );
} finally {
  await Promise.all([sql.end({ timeout: 1 }), settling.end({ timeout: 1 })]);
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

/** The schema of the version before, with accounts. */
async function openOlder(on: Sql): Promise<Payer[]> {
  const migrations = new URL('../adapters/postgres/migrations/', import.meta.url);
  const names = (await readdir(migrations)).sort().filter((name) => name < '006');
  for (const name of names) await on.unsafe(await readFile(new URL(name, migrations), 'utf8'));
  await on`create table public.schema_version (version bigint primary key, name text, md5 text, run_at timestamptz)`;
  for (const name of names) {
    await on`insert into schema_version (version, name) values (${Number.parseInt(name, 10)}, ${name.split('.')[2] ?? ''})`;
  }
  const payers: Payer[] = [];
  for (let nth = 0; nth < WALLETS; nth += 1) {
    const [payer] = await on<Payer[]>`
      with a as (insert into accounts (name) values ('a') returning account_id),
        w as (insert into wallets (account_id) select account_id from a returning account_id, wallet_id)
      insert into keys (account_id, wallet_id, hash, prefix, name)
      select account_id, wallet_id, ${randomBytes(32)}, ${`perch_live_${nth}`}, 'k' from w
      returning account_id as "accountId", wallet_id as "walletId", key_id as "keyId"`;
    if (payer !== undefined) payers.push(payer);
  }
  return payers;
}

/** A past of so many entries, as that version would have left it: wallets, keys and sums agree. */
async function fill(on: Sql, count: number): Promise<void> {
  const each = Math.floor(count / WALLETS) - 1;
  await on.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`set local synchronous_commit = off`;
    await tx`alter table ledger_entries drop constraint ledger_entries_pkey`;
    await tx`alter table ledger_entries drop constraint ledger_entries_account_id_request_id_key`;
    await tx`drop index ledger_entries_by_time`;
    await tx`
      insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, reason, at)
      select account_id, wallet_id, 1, account_id, 'grant', ${CREDITS}, ${CREDITS}, 'bench', now() - ${DAYS + 1} * interval '1 day'
      from wallets`;
    await tx.unsafe(`
      insert into ledger_entries (account_id, wallet_id, seq, request_id, kind, amount_thousandths, balance_after, key_id,
        operation, items, cache_hits, lines, at)
      select account_id, wallet_id, 1 + n,
        (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || '7' || substr(rest, 1, 3) || '8' || substr(rest, 4, 15))::uuid,
        'debit', 500, ${CREDITS} - n * 500::bigint, key_id, 'user', 1, 1,
        '[{"path": "user", "unit": "profile", "cache": "hit", "items": 1, "unitPrice": 500}]', at
      from generate_series(1, ${each}) n,
        lateral (select now() - (${each} - n) * (interval '${DAYS} days' / ${each}) - interval '1 hour' as at) t, keys,
        lateral (select md5(n::text || key_id::text) as rest) r`);
    await tx`alter table ledger_entries add primary key (account_id, wallet_id, seq)`;
    await tx`alter table ledger_entries add unique (account_id, request_id)`;
    await tx`create index ledger_entries_by_time on ledger_entries (account_id, at)`;
    await tx`update wallets set last_seq = 1 + ${each}::bigint, balance_thousandths = ${CREDITS} - 500 * ${each}::bigint`;
    await tx`update keys set spent_thousandths = 500 * ${each}::bigint, counted_thousandths = 500 * ${each}::bigint`;
    await tx`
      insert into usage_hours
      select account_id, date_trunc('hour', at, 'UTC'), operation, key_id, count(*), sum(items), sum(cache_hits),
        sum(amount_thousandths)
      from ledger_entries where kind = 'debit' group by 1, 2, 3, 4`;
  });
  await on`vacuum analyze ledger_entries`;
  await on`checkpoint`;
}

async function sizeOf(on: Sql): Promise<string> {
  const [row] = await on<{ older: number; newer: number }[]>`
    select coalesce(pg_total_relation_size(to_regclass('older_entries')), pg_total_relation_size(to_regclass('ledger_entries')))
        as older,
      coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(to_regclass('debits'))), 0)::bigint as newer`;
  const mb = (bytes = 0): string => `${Math.round(bytes / 1e6).toLocaleString('en')} MB`;
  return `${mb(row?.older)} of older entries, ${mb(row?.newer)} of debits`;
}

/** Debits in small groups while the work goes on, and how long each took, milliseconds. */
async function whileCharging(
  ledger: ReturnType<typeof createLedger>,
  payers: readonly Payer[],
  work: () => Promise<unknown>,
): Promise<number[]> {
  const took: number[] = [];
  let isWorking = true;
  const working = work().finally(() => {
    isWorking = false;
  });
  const line = { path: 'user', unit: 'profile', cache: 'hit', items: 1, unitPrice: 500 } as const;
  for (let turn = 0; isWorking; turn += GROUP) {
    const group = Array.from({ length: GROUP }, async (_, nth) => {
      const payer = payers[((turn + nth) * 7919) % payers.length] as Payer;
      const beganMs = performance.now();
      const receipt = { operation: 'user', amount: 500, items: 1, cacheHits: 1, lines: [line] };
      const posted = await ledger.post({ requestId: v7(), ...payer, ...receipt });
      if (!posted.ok) throw new Error('a debit was refused');
      took.push(performance.now() - beganMs);
    });
    await Promise.all(group);
    await sleep(REST_MS);
  }
  await working;
  return took;
}

function told(took: number[]): string {
  const sorted = took.toSorted((a, b) => a - b);
  const at = (share: number): string => `${(sorted[Math.ceil(sorted.length * share) - 1] ?? 0).toFixed(1)} ms`;
  return `${took.length}, median ${at(0.5)}, 99 of 100 within ${at(0.99)}, longest ${at(1)}`;
}
