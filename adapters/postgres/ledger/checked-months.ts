import { isUniqueViolation } from '../retry.js';
import type { Sql, Transaction } from '../sql.js';
import {
  debitsTable,
  hasUnsummed,
  monthIdRange,
  pastMonths,
  readTotals,
  recordSums,
  setEverywhere,
  type Totals,
  withoutLimits,
} from './months.js';

/** Request ids from `from` up to, but without, `to`. */
export interface IdSpan {
  readonly from: string;
  readonly to: string;
}

/**
 * Checks the months that are over and were not checked yet, each in its own transaction, and records how each ended, so
 * that they need not be read again. A month with a fault is left to the check of the rest, which names the fault. On a
 * standby, which can record nothing, all months are.
 */
export async function checkPastMonths(sql: Sql): Promise<void> {
  const [server] = await sql<[{ isStandby: boolean }]>`select pg_is_in_recovery() as "isStandby"`;
  if (server.isStandby) return;
  const checked = new Set(
    (
      await sql<{ month: string }[]>`
    select month from checked_months`
    ).map(({ month }) => month),
  );
  for (const month of await pastMonths(sql)) {
    if (checked.has(month)) continue;
    await checkMonth(sql, month).catch((error) => {
      // Another check has recorded it meanwhile.
      if (!isUniqueViolation(error)) throw error;
    });
  }
}

/**
 * Forgets what was recorded about months that are still in the database: about all of them, or only those that got
 * debits since then. What is recorded about a month depends on no other month. Returns how many.
 */
export async function forgetCheckedMonths(sql: Sql, which: 'all' | 'changed'): Promise<number> {
  const months = await sql<{ month: string }[]>`
    select month from checked_months where month not in (select month from ledger_archives) order by month`;
  let forgotten = 0;
  for (const { month } of months)
    await sql.begin('isolation level read committed', async (tx) => {
      await withoutLimits(tx);
      const [kept] = await tx<Totals[]>`
        select rows, amount_thousandths::text as amount from checked_months
        where month = ${month} and month not in (select month from ledger_archives)`;
      if (kept === undefined) return;
      if (which === 'changed') {
        const now = await readTotals(tx, debitsTable(month));
        if (now.rows === kept.rows && now.amount === kept.amount) return;
      }
      await forgetMonths(tx, [month]);
      forgotten += 1;
    });
  return forgotten;
}

export async function forgetMonths(tx: Transaction, months: readonly string[]): Promise<void> {
  await setEverywhere(tx, 'perch.moving', 'on');
  for (const table of ['checked_usage', 'checked_debits', 'checked_months'])
    await tx`delete from ${tx(table)} where month = any(${[...months]}::text[])`;
}

async function checkMonth(sql: Sql, month: string): Promise<void> {
  await sql.begin('isolation level repeatable read', async (tx) => {
    await withoutLimits(tx);
    if (await hasUnsummed(tx, month)) return;
    const faults = await tx`${monthFaults(tx, debitsTable(month))} limit 1`;
    if (faults.length === 0) await recordSums(tx, month, await readTotals(tx, debitsTable(month)));
  });
}

/** Faults that show within one month: breaks in the chain between its first and last entries, or in an entry itself. */
const monthFaults = (tx: Transaction, table: string) => tx`
  select from (
    select d.*, lag(seq) over earlier as seq_before, lag(balance_after) over earlier as balance_before
    from ${tx(table)} d window earlier as (partition by account_id order by seq)
  ) d left join keys k using (account_id, key_number)
    cross join lateral ${linesOf(tx)} l
  where k.key_id is null or d.amount_thousandths <= 0 or d.balance_after < 0
    or d.seq = d.seq_before + 1 and d.balance_after <> d.balance_before - d.amount_thousandths
    or (l.amount, l.items, l.hits) is distinct from
      (d.amount_thousandths::numeric, d.items::numeric, d.cache_hits::numeric)`;

/** What the lines of a debit `d` add up to. */
export const linesOf = (sql: Sql | Transaction) => sql`(
    select coalesce(sum(word[4]::numeric * word[5]::numeric), 0) as amount, coalesce(sum(word[4]::numeric), 0) as items,
      coalesce(sum(word[4]::numeric) filter (where word[3] = 'hit'), 0) as hits
    -- Citus crashes where two functions stand beside each other here.
    from (select string_to_array(line, ' ') as word from string_to_table(d.lines, ';') as line) w
  )`;

/** The id ranges of the checked months in the database. Months that follow each other share a range. */
export async function checkedSpans(on: Sql | Transaction): Promise<IdSpan[]> {
  const months = await on<{ month: string }[]>`
    select month from checked_months
    where month not in (select month from ledger_archives) order by span_began(month)`;
  const spans: IdSpan[] = [];
  for (const { month } of months) {
    const span = await monthIdRange(on, month);
    const last = spans.at(-1);
    if (last?.to === span.from) spans.splice(-1, 1, { from: last.from, to: span.to });
    else spans.push(span);
  }
  return spans;
}
