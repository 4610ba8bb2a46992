/** Months of debits are moved to files: nothing is lost, and the books stay exact without them. */
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { archiveBefore } from '../../../adapters/cli/archive/archive.js';
import { checkRows, writeArchive } from '../../../adapters/cli/archive/files.js';
import { debitLines } from '../../../adapters/postgres/ledger/archives.js';
import { debitOf, spentBy } from '../../engine/ports/suites/ledger.suite.js';
import { BEFORE, FEBRUARY, JANUARY, type OldLedger, openOldLedger } from '../old-ledger.js';

const ALL = { from: '2000-01-01', to: '2999-01-01', limit: 1_000 };

let home: OldLedger;
let sql: OldLedger['sql'];
let accounts: OldLedger['accounts'];
let ledger: OldLedger['ledger'];
let folder: OldLedger['folder'];
let payer: OldLedger['payer'];
let ids: OldLedger['ids'];
let manifest: OldLedger['manifest'];
let faults: OldLedger['faults'];
let rowsOf: OldLedger['rowsOf'];
let archive: OldLedger['archive'];
let restore: OldLedger['restore'];

beforeEach(async () => {
  home = await openOldLedger();
  ({ sql, accounts, ledger, folder, payer, ids, manifest, faults, rowsOf, archive, restore } = home);
});
afterEach(() => home.close());

const tables = async () =>
  (
    await sql<{ name: string }[]>`select relid::regclass::text as name from pg_partition_tree('debits') where isleaf`
  ).map(({ name }) => name);
const usage = () => ledger.usage(payer.accountId, { ...ALL, group: ['day', 'endpoint', 'key'] });

function signalled(): { received: Promise<void>; signal: () => void } {
  let signal = (): void => {};
  const received = new Promise<void>((done) => {
    signal = done;
  });
  return { received, signal };
}

test('archives and restores two months with exact books throughout and every row unchanged', async () => {
  const reports = async () => [await usage(), await spentBy(accounts, payer), await ledger.balance(payer)];
  const [rows, before] = [await rowsOf(), await reports()];
  expect(await faults()).toEqual([]);

  const archived = await archive();
  expect(archived.map(({ month, rows: count }) => [month, count])).toEqual([
    [JANUARY, 12],
    [FEBRUARY, 8],
  ]);
  expect(await rowsOf()).toHaveLength(1);
  expect((await tables()).filter((name) => /2025/.test(name))).toEqual([]);
  expect(await faults()).toEqual([]);
  expect(await reports()).toEqual(before);
  expect((await readdir(folder)).sort()).toEqual([
    `debits-${JANUARY}.json`,
    `debits-${JANUARY}.ndjson.gz`,
    `debits-${FEBRUARY}.json`,
    `debits-${FEBRUARY}.ndjson.gz`,
  ]);
  expect(await archive()).toEqual([]);

  // Sums and chains continue from what was archived.
  const later = debitOf(payer, 100);
  await ledger.post(later);
  await ledger.runMaintenance();
  expect(await faults()).toEqual([]);

  await restore(FEBRUARY);
  expect(await faults()).toEqual([]);
  await restore(JANUARY);
  expect(await faults()).toEqual([]);
  expect((await rowsOf()).filter(({ request_id }) => request_id !== later.requestId)).toEqual([...rows]);
  expect(await sql`select from ledger_archives`).toHaveLength(0);
  await expect(sql`delete from debits_2025_01`).rejects.toThrow(/append only/);

  // Archiving again gives the same files, so the restored tables are like the original ones.
  expect(await archive()).toMatchObject(archived.map(({ sha256 }) => ({ sha256 })));
  expect(await faults()).toEqual([]);
});

test('writes a file that is readable on its own, and a manifest that says what is in it', async () => {
  await archive();
  const { file, ...about } = JSON.parse(await readFile(manifest(JANUARY), 'utf8'));
  const lines = gunzipSync(await readFile(join(folder, file)))
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const own = ids.filter((_, nth) => [0, 1, 3].includes(Math.floor(nth / 4)));
  expect(lines.map(({ request_id }) => request_id).sort()).toEqual(own.toSorted());
  expect(about).toMatchObject({
    month: JANUARY,
    rows: 12,
    amount_thousandths: String(lines.reduce((sum, { amount_thousandths }) => sum + amount_thousandths, 0)),
    first_request_id: own.toSorted()[0],
    last_request_id: own.toSorted().at(-1),
  });
  expect(lines.find(({ request_id }) => request_id === ids[0])).toMatchObject({
    account_id: payer.accountId,
    wallet_id: payer.walletId,
    key_id: payer.keyId,
    seq: 2,
    amount_thousandths: 7,
    operation: 'naïve "…"',
    lines: 'user profile miss 1 7',
  });
});

test('hides receipts of an archived month with a reason, and shows them again once restored', async () => {
  const id = ids[0] ?? '';
  const before = await ledger.receipt(payer.accountId, id);
  expect([before?.amount, await ledger.archivedMonth(payer.accountId, id)]).toEqual([7, undefined]);
  await archive();
  expect(await ledger.receipt(payer.accountId, id)).toBeUndefined();
  expect(await ledger.archivedMonth(payer.accountId, id)).toBe(JANUARY);
  expect(await ledger.archivedMonth(payer.accountId, v7())).toBeUndefined();
  await restore(JANUARY);
  expect(await ledger.receipt(payer.accountId, id)).toEqual(before);
});

describe('is refused, and nothing is changed:', () => {
  afterEach(async () => {
    expect(await sql`select from ledger_archives`).toHaveLength(0);
    expect(await rowsOf()).toHaveLength(21);
  });

  test('the running month, and one that has just begun', async () => {
    const [next] = await sql<{ month: string }[]>`select to_char(now() + interval '1 month', 'YYYY-MM') as month`;
    await expect(archiveBefore(sql, next?.month ?? '', folder)).rejects.toThrow('ended at least a day ago');
  });

  test('a month with debits that are not summed up', async () => {
    await sql`update wallets set summed_to = first_id_at('2025-02-05') where account_id = ${payer.accountId}`;
    await expect(archive()).rejects.toThrow(`debits of ${FEBRUARY} are not summed up yet`);
  });

  test('an inconsistent ledger', async () => {
    await sql`update wallets set balance_thousandths = 1 where account_id = ${payer.accountId}`;
    await expect(archive()).rejects.toThrow('inconsistent');
  });

  test('a path that does not exist or is not a folder', async () => {
    await expect(archiveBefore(sql, BEFORE, join(folder, 'no'))).rejects.toThrow('does not exist');
    await writeFile(join(folder, 'file'), '');
    await expect(archiveBefore(sql, BEFORE, join(folder, 'file'))).rejects.toThrow('not a folder');
  });

  test('a folder with a file of another ledger', async () => {
    const file = join(folder, `debits-${JANUARY}.ndjson.gz`);
    await writeFile(file, 'precious');
    await expect(archive()).rejects.toThrow('other content');
    expect(await readFile(file, 'utf8')).toBe('precious');
  });

  test('a second run during the first', async () => {
    await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${0x61726368})`;
      await expect(archive()).rejects.toThrow('another ledger archive');
    });
  });
});

test('keeps a month in the database if a debit is posted after its file was written, until the next run', async () => {
  const late = debitOf(payer, 1, { requestId: v7({ msecs: Date.parse(`${JANUARY}-20`) }) });
  // The archive waits for transactions that are posting to the month.
  const [posting, wait] = [signalled(), signalled()];
  const posted = sql.begin(async (tx) => {
    await tx`lock table debits_2025_01 in row exclusive mode`;
    await posting.received;
    await ledger.post(late);
  });
  const failed = archiveBefore(sql, BEFORE, folder, { onNote: () => wait.signal() });
  await Promise.race([failed, wait.received]);
  posting.signal();
  await expect(failed).rejects.toThrow(`debits of ${JANUARY} were posted while it was written`);
  await posted;
  expect(await rowsOf()).toHaveLength(22);
  await rm(join(folder, `debits-${JANUARY}.ndjson.gz`));
  await archive();
  expect(await rowsOf()).toHaveLength(1);
  expect(await faults()).toEqual([]);
});

test('notices a file that differs from the ledger when it is read back', async () => {
  const batches = () => debitLines(sql, JANUARY);
  const { file } = await writeArchive(folder, JANUARY, batches());
  const path = join(folder, file);
  await checkRows(path, batches());
  const text = gunzipSync(await readFile(path)).toString();
  const lines = text.split('\n');
  for (const other of [text.replace('"seq":2', '"seq":3'), `${text}{}\n`, lines.slice(1).join('\n')]) {
    await writeFile(path, gzipSync(other));
    await expect(checkRows(path, batches())).rejects.toThrow('does not match the ledger');
  }
  await writeFile(path, 'no gzip');
  await expect(checkRows(path, batches())).rejects.toThrow();
});

test('starts again after an interruption, whether a file was complete or half written', async () => {
  const stop = new Error('interrupted');
  const interrupting = (at: number) => ({
    onProgress(done: number) {
      if (done >= at) throw stop;
    },
  });
  // Interrupted while a file is written, while it is read back, and after the first month.
  for (const at of [1, 13, 25]) await expect(archiveBefore(sql, BEFORE, folder, interrupting(at))).rejects.toBe(stop);
  expect(await sql`select from ledger_archives`).toHaveLength(1);
  await writeFile(join(folder, `debits-${FEBRUARY}.ndjson.gz.new`), 'half');
  expect(await archive()).toMatchObject([{ month: FEBRUARY }]);
  expect(await faults()).toEqual([]);
  expect(await readdir(folder)).toHaveLength(4);
});

test('lets current debits be posted, and waits for a query that is reading the ledger', async () => {
  const notes: string[] = [];
  let isRunning = true;
  const spending = (async () => {
    let posted = 0;
    for (; isRunning; posted += 1) expect(await ledger.post(debitOf(payer, 1))).toMatchObject({ ok: true });
    return posted;
  })();
  const over = signalled();
  const reading = sql.begin(async (tx) => {
    await tx`select count(*) from debits`;
    await over.received;
  });
  const archived = archiveBefore(sql, BEFORE, folder, { onNote: (text) => void notes.push(text) });
  await Promise.race([archived, vi.waitUntil(() => notes.length > 0, { timeout: 20_000 })]);
  over.signal();
  await reading;
  expect(await archived).toHaveLength(2);
  await restore(JANUARY);
  isRunning = false;
  expect(await spending).toBeGreaterThan(5);
  expect(notes[0]).toContain('waiting for a query');
  expect(await faults()).toEqual([]);
});
