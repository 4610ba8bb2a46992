import type { StatementEntry } from '../../../../src/ports/ledger.js';
import { formatAmount } from './formats.js';
import { Card, DataTable, Nothing, When } from './parts.js';

const KINDS: Record<StatementEntry['kind'], string> = {
  grant: 'Granted',
  purchase: 'Bought',
  reversal: 'Withdrawn',
  hold: 'Set aside',
  return: 'Returned',
};

export const Statement = ({ statement }: { readonly statement: readonly StatementEntry[] }) => (
  <Card
    id="statement"
    title="Statement"
    lead="Credits added, withdrawn or set aside. For the cost of reads, see usage and receipts."
  >
    {statement.length === 0 ? (
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
        rows={statement.map((entry) => ({
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

/** With its sign, whichever way the ledger writes outgoing amounts. */
const signed = ({ kind, amount }: StatementEntry): string =>
  kind === 'reversal' || kind === 'hold'
    ? `\u2212${formatAmount(Math.abs(amount))}`
    : `+${formatAmount(Math.abs(amount))}`;
