/** After an archive, faults in the remaining rows are found, and a restore accepts only the archived file. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { restoreArchive } from '../../../adapters/cli/archive/archive.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { debitOf } from '../../engine/ports/suites/ledger.suite.js';
import { JANUARY, type OldLedger, openOldLedger, unprotect } from '../old-ledger.js';

let home: OldLedger;
let sql: OldLedger['sql'];
let ledger: OldLedger['ledger'];
let folder: OldLedger['folder'];
let payer: OldLedger['payer'];
let manifest: OldLedger['manifest'];
let faults: OldLedger['faults'];
let rowsOf: OldLedger['rowsOf'];
let archive: OldLedger['archive'];
let restore: OldLedger['restore'];

beforeEach(async () => {
  home = await openOldLedger();
  ({ sql, ledger, folder, payer, manifest, faults, rowsOf, archive, restore } = home);
});
afterEach(() => home.close());

describe('a fault after an archive is found', () => {
  const corruptions = [
    ['an entry that is missing', 'seq_gapless', (at: Sql) => at`delete from debits where amount_thousandths = 50`],
    [
      'a run of archived entries that is missing',
      'seq_gapless',
      (at: Sql) => at`delete from checked_debits where first_seq = 2`,
    ],
    ['other archived amounts', 'balance_chain', (at: Sql) => at`update checked_debits set amount_thousandths = 1`],
    ['a wallet that is not its sum', 'wallet_sum', (at: Sql) => at`update wallets set balance_thousandths = 1`],
    [
      'a key that spent something else',
      'key_spent',
      (at: Sql) => at`update keys set spent_thousandths = spent_thousandths + 1`,
    ],
    ['a cap that counted something else', 'cap_spent', (at: Sql) => at`update spend_caps set spent_thousandths = 1`],
    ['usage that is not what was archived', 'usage_sums', (at: Sql) => at`update usage_hours set items = items + 1`],
    ['an archive without its sums', 'archive_sums', (at: Sql) => at`delete from checked_usage where month = '2025-01'`],
  ] as const;

  test.each(corruptions)('%s (%s)', async (_, invariant, corrupt) => {
    await archive();
    await ledger.post(debitOf(payer, 60));
    await unprotect(sql, ['debits', 'debits_of_no_month', 'checked_debits', 'checked_usage']);
    await sql`alter table keys drop constraint if exists keys_check`;
    await corrupt(sql);
    expect((await faults()).map((fault) => fault.invariant)).toContain(invariant);
  });
});

describe('a restore', () => {
  beforeEach(async () => {
    await archive();
  });

  test('refuses a file that differs from the archived one by a byte', async () => {
    const path = join(folder, `debits-${JANUARY}.ndjson.gz`);
    const bytes = await readFile(path);
    const damaged = Buffer.from(bytes);
    damaged[bytes.length - 9] = (damaged[bytes.length - 9] ?? 0) ^ 1;
    for (const content of [damaged, bytes.subarray(0, -1)]) {
      await writeFile(path, content);
      await expect(restore(JANUARY)).rejects.toThrow('has changed since it was archived');
    }
    await rm(path);
    await expect(restore(JANUARY)).rejects.toThrow('does not exist');
    expect(await rowsOf()).toHaveLength(1);
    await writeFile(path, bytes);
    await restore(JANUARY);
    expect(await faults()).toEqual([]);
  });

  test('refuses a file that is not a manifest, and a month that is already restored', async () => {
    await expect(restore('2025-09')).rejects.toThrow('cannot be read');
    await expect(restoreArchive(sql, join(folder, `debits-${JANUARY}.ndjson.gz`))).rejects.toThrow('.json');
    await restore(JANUARY);
    await expect(restore(JANUARY)).rejects.toThrow('not archived');
    expect(await faults()).toEqual([]);
  });

  test('starts again after an interruption and never shows a partial month', async () => {
    const stop = new Error('interrupted');
    const onProgress = () => {
      throw stop;
    };
    await expect(restoreArchive(sql, manifest(JANUARY), { onProgress })).rejects.toBe(stop);
    expect(await rowsOf()).toHaveLength(1);
    expect(await faults()).toEqual([]);
    await restore(JANUARY);
    expect(await rowsOf()).toHaveLength(13);
    expect(await faults()).toEqual([]);
  });

  test('keeps a debit that was posted again under an archived id, under another id, and names it', async () => {
    const [requestId = ''] = home.ids;
    await ledger.post(debitOf(payer, 9, { requestId }));
    const notes: string[] = [];
    await restoreArchive(sql, manifest(JANUARY), { onNote: (note) => notes.push(note) });
    expect(notes).toEqual([expect.stringContaining(requestId)]);
    expect((await ledger.receipt(payer.accountId, requestId))?.amount).toBe(7);
    const kept = (await ledger.recent(payer.accountId, 50)).filter(({ amount }) => amount === 9);
    expect(kept.map((late) => late.requestId.slice(0, 19))).toEqual([requestId.slice(0, 19)]);
    expect(await faults()).toEqual([]);
  });

  test('includes what was posted for the month since', async () => {
    const late = debitOf(payer, 9, { requestId: v7({ msecs: Date.parse(`${JANUARY}-20`) }) });
    await ledger.post(late);
    expect(await sql`select from debits_of_no_month`).toHaveLength(1);
    expect(await faults()).toEqual([]);
    await restore(JANUARY);
    expect(await sql`select from debits_2025_01`).toHaveLength(13);
    expect(await faults()).toEqual([]);
    expect((await ledger.receipt(payer.accountId, late.requestId))?.amount).toBe(9);
  });
});
