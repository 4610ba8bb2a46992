import { toCredits } from '../../../../src/domain/credits.js';
import { figure } from '../../../../src/domain/figures.js';
import type { AccountKey } from '../../../../src/ports/accounts.js';
import type { Receipt } from '../../../../src/ports/ledger.js';
import type { CsvRows } from '../../kit/signed-in/csv.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { DataTable, When } from '../../kit/signed-in/parts.js';

const KeyName = ({ prefix, keys }: { prefix: string; keys: readonly AccountKey[] }) => {
  const name = keys.find((key) => key.prefix === prefix)?.name;
  return name === undefined ? <code>{prefix}…</code> : <bdi class="clip">{name}</bdi>;
};

/** Which requests are the newest, for those who follow lists. */
export const NEWEST_BY_ID =
  'Sorted by the time in the request id. For a stream or a watch, that is the time of its previous item, so a charge that followed a quiet period may be missing here.';

/** Paid requests, the newest first, each with a link to its receipt. */
export const RequestTable = ({
  caption,
  receipts,
  keys,
}: {
  caption: string;
  receipts: readonly Receipt[];
  /** The keys whose names are known; other keys, such as those of apps, are shown by their prefix. */
  keys: readonly AccountKey[];
}) => (
  <DataTable
    caption={caption}
    columns={[
      { title: 'When (UTC)' },
      { title: 'Endpoint or operation' },
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
        <KeyName key="key" prefix={receipt.keyPrefix} keys={keys} />,
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
