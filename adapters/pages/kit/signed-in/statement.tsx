import { toCredits } from '../../../../src/domain/credits.js';
import type { StatementEntry } from '../../../../src/ports/ledger.js';
import type { CsvRows } from './csv.js';
import { formatAmount } from './formats.js';
import { Card, CsvLink, DataTable, Nothing, When } from './parts.js';

const KINDS: Record<StatementEntry['kind'], string> = {
  grant: 'Granted',
  purchase: 'Bought',
  reversal: 'Withdrawn',
  hold: 'Set aside',
  return: 'Returned',
};

/** `file`: the address of the whole statement as CSV. */
export const Statement = (props: { readonly statement: readonly StatementEntry[]; readonly file: string }) => (
  <Card
    id="statement"
    title="Statement"
    lead="Credits added, withdrawn or set aside. For the cost of reads, see usage and receipts."
    aside={<CsvLink href={props.file} />}
  >
    {props.statement.length === 0 ? (
      <Nothing>No credits have been added yet.</Nothing>
    ) : (
      <DataTable
        caption="Statement, newest first"
        columns={[
          { title: 'When (UTC)' },
          { title: 'What' },
          { title: 'Why' },
          { title: 'Credits', numeric: true },
          { title: 'Balance after', numeric: true },
        ]}
        rows={props.statement.map((entry) => ({
          key: entry.requestId,
          cells: [
            <When key="when" at={entry.at} />,
            KINDS[entry.kind],
            <bdi key="why">{entry.reason}</bdi>,
            signed(entry),
            formatAmount(entry.balanceAfter),
          ],
        }))}
      />
    )}
  </Card>
);

/** Decided by the kind of entry, not by the sign of its amount. */
const isOut = ({ kind }: StatementEntry): boolean => kind === 'reversal' || kind === 'hold';

const signed = (entry: StatementEntry): string =>
  `${isOut(entry) ? '\u2212' : '+'}${formatAmount(Math.abs(entry.amount))}`;

export const statementCsv = (statement: readonly StatementEntry[]): CsvRows => [
  ['at', 'what', 'why', 'credits', 'balance_after', 'request_id'],
  ...statement.map((entry) => [
    entry.at,
    KINDS[entry.kind].toLowerCase(),
    entry.reason,
    (isOut(entry) ? -1 : 1) * Math.abs(toCredits(entry.amount)),
    toCredits(entry.balanceAfter),
    entry.requestId,
  ]),
];
