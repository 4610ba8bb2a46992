import { toCredits } from '../../../../src/domain/credits.js';
import { figure } from '../../../../src/domain/figures.js';
import type { Receipt } from '../../../../src/ports/ledger.js';
import type { CsvRows } from '../../kit/signed-in/csv.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { DataTable, When } from '../../kit/signed-in/parts.js';

/** Paid requests, the newest first, each with a link to its receipt. */
export const RequestTable = ({ caption, receipts }: { caption: string; receipts: readonly Receipt[] }) => (
  <DataTable
    caption={caption}
    columns={[
      { title: 'When (UTC)' },
      { title: 'Endpoint' },
      { title: 'Key' },
      { title: 'Items', numeric: true },
      { title: 'Cached', numeric: true },
      { title: 'Credits', numeric: true },
    ]}
    rows={receipts.map((receipt) => ({
      key: receipt.requestId,
      cells: [
        <a key="when" href={`/dashboard/receipts?request_id=${receipt.requestId}`}>
          <When at={receipt.at} />
        </a>,
        <code key="endpoint">{receipt.operation}</code>,
        <code key="key">{receipt.keyPrefix}…</code>,
        figure(receipt.items),
        figure(receipt.cacheHits),
        formatAmount(receipt.amount),
      ],
    }))}
  />
);

export const receiptsCsv = (receipts: readonly Receipt[]): CsvRows => [
  ['at', 'endpoint', 'key_prefix', 'items', 'cache_hits', 'credits', 'balance_after', 'request_id'],
  ...receipts.map((receipt) => [
    ...[receipt.at, receipt.operation, receipt.keyPrefix, receipt.items, receipt.cacheHits],
    ...[toCredits(receipt.amount), toCredits(receipt.balanceAfter), receipt.requestId],
  ]),
];
