/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import { figure } from '../../src/core/figures.js';
import type { Receipt } from '../../src/ports/ledger.js';

import { amountOf } from './formats.js';
import { DataTable, When } from './parts.js';

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
  >
    {receipts.map((receipt) => (
      <tr key={receipt.requestId}>
        <th scope="row">
          <a href={`/dashboard/receipts?request_id=${receipt.requestId}`}>
            <When at={receipt.at} />
          </a>
        </th>
        <td class="text">
          <code>{receipt.operation}</code>
        </td>
        <td class="text">
          <code>{receipt.keyPrefix}…</code>
        </td>
        <td class="num">{figure(receipt.items)}</td>
        <td class="num">{figure(receipt.cacheHits)}</td>
        <td class="num">{amountOf(receipt.amount)}</td>
      </tr>
    ))}
  </DataTable>
);
