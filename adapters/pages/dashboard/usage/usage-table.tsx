import { toCredits } from '../../../../src/domain/credits.js';
import { figure } from '../../../../src/domain/figures.js';
import type { UsageGroup } from '../../../../src/domain/usage.js';
import type { UsageRow } from '../../../../src/ports/ledger.js';
import type { CsvRows } from '../../kit/signed-in/csv.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { type Column, DataTable, Day, When } from '../../kit/signed-in/parts.js';
import type { UsageSelection } from './usage-params.js';

/** The most rows shown; the file has all of them. */
export const SHOWN = 400;

export const TITLES: Record<UsageGroup, string> = { day: 'Day', hour: 'Hour (UTC)', endpoint: 'Endpoint', key: 'Key' };

const Group = ({ group, row }: { group: UsageGroup; row: UsageRow }) => {
  if (group === 'day') return <Day at={row.day ?? ''} />;
  if (group === 'hour') return <When at={row.hour ?? ''} />;
  return <code>{group === 'endpoint' ? row.endpoint : `${row.keyPrefix}…`}</code>;
};

const figureCells = (row: Omit<UsageRow, 'day'>): string[] => [
  figure(row.requests),
  figure(row.items),
  figure(row.items - row.cacheHits),
  figure(row.cacheHits),
  formatAmount(row.amount),
];

const sumRows = (rows: readonly UsageRow[]): UsageRow =>
  rows.reduce(
    (sum, row) => ({
      requests: sum.requests + row.requests,
      items: sum.items + row.items,
      cacheHits: sum.cacheHits + row.cacheHits,
      amount: sum.amount + row.amount,
    }),
    { requests: 0, items: 0, cacheHits: 0, amount: 0 },
  );

const FIGURES: readonly Column[] = ['Requests', 'Items', 'Uncached', 'Cached', 'Credits'].map((title) => ({
  title,
  numeric: true,
}));

/** The figures behind the charts, with their sums. */
export const UsageTable = ({ selection, rows }: { selection: UsageSelection; rows: readonly UsageRow[] }) => (
  <DataTable
    tall
    caption={`Usage from ${selection.from} to ${selection.to} by ${selection.groups.join(', ')}`}
    columns={[...selection.groups.map((group) => ({ title: TITLES[group] })), ...FIGURES]}
    rows={rows.slice(0, SHOWN).map((row) => ({
      key: `${row.day} ${row.hour} ${row.endpoint} ${row.keyPrefix}`,
      cells: [...selection.groups.map((group) => <Group key={group} group={group} row={row} />), ...figureCells(row)],
    }))}
    total={{ span: selection.groups.length, cells: figureCells(sumRows(rows)) }}
  />
);

/** Credits have at most three decimals. */
export function usageCsv({ groups }: UsageSelection, rows: readonly UsageRow[]): CsvRows {
  const names = { day: 'day', hour: 'hour', endpoint: 'endpoint', key: 'key_prefix' } as const;
  const head = [...groups.map((group) => names[group]), 'requests', 'items', 'cache_hits', 'credits'];
  const lines = rows.map((row) => {
    const values = { day: row.day ?? '', hour: row.hour ?? '', endpoint: row.endpoint ?? '', key: row.keyPrefix ?? '' };
    return [...groups.map((group) => values[group]), row.requests, row.items, row.cacheHits, toCredits(row.amount)];
  });
  return [head, ...lines];
}
