import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { archiveBefore, restoreArchive } from '../../adapters/cli/archive/archive.js';
import type { ArchiveFormat } from '../../adapters/cli/archive/files.js';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger/ledger.js';
import { placedTables, readShards } from '../../adapters/postgres/shards/shards.js';
import type { Sql } from '../../adapters/postgres/sql.js';
import { addPayerKey, debitOf, grantTo, openPayer } from '../engine/ports/suites/ledger.suite.js';
import { IS_ON_CITUS } from '../kit/postgres/citus-database.js';
import { freshDatabase } from '../kit/postgres/database.js';

/** The first two months of 2025, and the one before which they can be archived. */
export const JANUARY = '2025-01';
export const FEBRUARY = '2025-02';
export const BEFORE = '2025-03';

export type OldLedger = Awaited<ReturnType<typeof openOldLedger>>;

/** Allows changes to rows of append-only tables. */
export async function unprotect(sql: Sql, tables: readonly string[]): Promise<void> {
  const placed = IS_ON_CITUS ? await placedTables(sql) : new Map();
  for (const table of tables)
    await (placed.has(table)
      ? sql`select run_command_on_placements(${table}, 'alter table %s disable trigger user')`
      : sql`alter table ${sql(table)} disable trigger append_only`);
}

/**
 * A ledger of two wallets with twelve debits of January 2025, eight of February and one of now, with grants in between,
 * and an empty folder. Each of `spans` has a table of its own. `ids` are the request ids of the twenty, in the order
 * in which they were posted; the first, third and fourth of every four are the payer's.
 */
export async function openOldLedger(spans: readonly string[] = [JANUARY, FEBRUARY]) {
  const database = await freshDatabase();
  const { sql } = database;
  const shards = await readShards(sql);
  const accounts = createAccounts(sql, { isDistributed: shards !== null });
  const ledger = createLedger(sql, { shards });
  const folder = await mkdtemp(join(tmpdir(), 'perch-archive-'));
  const ids: string[] = [];
  await sql`select open_span(span) from unnest(${[...spans]}::text[]) as span`;
  const payer = await openPayer(accounts);
  const second = { ...payer, ...(await addPayerKey(accounts, payer.accountId, 1_000_000)) };
  const other = await openPayer(accounts, 1_000_000);
  await grantTo(ledger, payer, 1_000_000);
  await grantTo(ledger, other, 1_000_000);
  for (const day of [`${JANUARY}-05`, `${JANUARY}-31`, `${FEBRUARY}-01`, `${JANUARY}-30`, `${FEBRUARY}-11`]) {
    for (const who of [payer, other, second, payer]) {
      const requestId = v7({ msecs: Date.parse(day) });
      ids.push(requestId);
      await ledger.post(debitOf(who, 7 * ids.length, { requestId, operation: 'naïve "…"' }));
    }
    await grantTo(ledger, other, 5);
  }
  await ledger.post(debitOf(payer, 50));
  const manifest = (month: string) => join(folder, `debits-${month}.json`);
  return {
    ...{ database, sql, accounts, ledger, folder, payer, ids, manifest },
    faults: async () => (await ledger.check()).faults,
    rowsOf: () =>
      sql`select d.*, d::text as "text", regexp_replace(tableoid::regclass::text, '_[0-9]{6}$', '') as name from debits d order by request_id`,
    archive: (format?: ArchiveFormat) => archiveBefore(sql, BEFORE, folder, format && { format }),
    restore: (month: string) => restoreArchive(sql, manifest(month)),
    async close() {
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
