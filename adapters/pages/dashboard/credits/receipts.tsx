import { counted, figure, formatCredits } from '../../../../src/domain/figures.js';
import { type ItemCache, UNITS } from '../../../../src/domain/prices.js';
import type { AccountKey } from '../../../../src/ports/accounts.js';
import type { Receipt, ReceiptLine } from '../../../../src/ports/ledger.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { Badge, Card, CsvLink, DataTable, FormError, Nothing, type Tone, When } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { NEWEST_BY_ID, RequestTable } from './request-table.js';

export interface ReceiptsModel {
  readonly layout: DashboardLayout;
  /** The request id as typed; may be empty. */
  readonly requestId: string;
  readonly receipt: Receipt | null;
  /** Why there is no receipt for the request. */
  readonly error: string | null;
  readonly recent: readonly Receipt[];
  readonly keys: readonly AccountKey[];
}

const CACHES: Record<ItemCache, { text: string; tone: Tone }> = {
  miss: { text: 'uncached', tone: 'plain' },
  hit: { text: 'cached', tone: 'ok' },
  bypass: { text: 'fresh', tone: 'warn' },
};

const WHY: Record<ItemCache, string> = {
  miss: 'uncached: full price',
  hit: 'cached: half price',
  bypass: 'read fresh: double price',
};

/** `20 tweets were uncached: full price, 1 credit each, 20 credits.` */
const because = ({ items, unit, cache, unitPrice }: ReceiptLine): string =>
  `${counted(items, UNITS[unit].items.replace(/s$/, ''), UNITS[unit].items)} ${items === 1 ? 'was' : 'were'} ${WHY[cache]}, ${formatCredits(unitPrice)} each, ${formatCredits(unitPrice * items)}.`;

const Lines = ({ receipt }: { receipt: Receipt }) => (
  <DataTable
    caption="Lines of the receipt"
    columns={[
      { title: 'Path' },
      { title: 'Unit' },
      { title: 'Source' },
      { title: 'Items', numeric: true },
      { title: 'Each', numeric: true },
      { title: 'Credits', numeric: true },
    ]}
    total={{ span: 3, cells: [figure(receipt.items), '', formatAmount(receipt.amount)] }}
    rows={receipt.lines.map((line) => ({
      key: `${line.path} ${line.unit} ${line.cache}`,
      cells: [
        <code key="path">{line.path}</code>,
        line.unit,
        <Badge key="source" tone={CACHES[line.cache].tone}>
          {CACHES[line.cache].text}
        </Badge>,
        figure(line.items),
        formatAmount(line.unitPrice),
        formatAmount(line.unitPrice * line.items),
      ],
    }))}
  />
);

const Slip = ({ receipt }: { receipt: Receipt }) => (
  <Card id="receipt" title={`${formatCredits(receipt.amount)} for ${counted(receipt.items, 'item')}`}>
    <dl class="facts">
      <div>
        <dt>Request</dt>
        <dd>
          <code>{receipt.requestId}</code>
        </dd>
      </div>
      <div>
        <dt>When (UTC)</dt>
        <dd>
          <When at={receipt.at} />
        </dd>
      </div>
      <div>
        <dt>Endpoint or operation</dt>
        <dd>
          <code>{receipt.operation}</code>
        </dd>
      </div>
      <div>
        <dt>Key</dt>
        <dd>
          <code>{receipt.keyPrefix}…</code>
        </dd>
      </div>
      <div>
        <dt>Balance after</dt>
        <dd>{formatCredits(receipt.balanceAfter)}</dd>
      </div>
    </dl>
    <h3>Cost breakdown</h3>
    <ul class="why">
      {receipt.lines.map((line) => (
        <li key={`${line.path} ${line.unit} ${line.cache}`}>{because(line)}</li>
      ))}
    </ul>
    <Lines receipt={receipt} />
  </Card>
);

const LookUp = ({ requestId, error }: ReceiptsModel) => (
  <Card id="look" title="Find a receipt" lead="Every response has its request id in X-Request-Id and in request_id.">
    <form method="get" action="/dashboard/receipts" class="row-form">
      <div class="field grow">
        <label for="request_id">Request id</label>
        <input
          id="request_id"
          name="request_id"
          type="text"
          value={requestId}
          required
          autocomplete="off"
          spellcheck={false}
          {...(error === null ? {} : { 'aria-describedby': 'look-error' })}
        />
      </div>
      <button type="submit" class="button primary">
        Look up
      </button>
    </form>
    <FormError id="look-error" message={error} />
  </Card>
);

/** `GET /dashboard/receipts`. */
export const receiptsPage = (model: ReceiptsModel): string =>
  dashboardPage(
    {
      title: 'Receipts',
      lead: 'What each paid request returned, and how its cost was calculated.',
      here: '/dashboard/receipts',
      layout: model.layout,
    },
    <>
      <LookUp {...model} />
      {model.receipt === null ? null : <Slip receipt={model.receipt} />}
      <Card
        id="recent"
        title="Recent paid requests"
        lead={NEWEST_BY_ID}
        aside={<CsvLink href="/dashboard/receipts.csv" />}
      >
        {model.recent.length === 0 ? (
          <Nothing>No paid requests yet. Free requests have no receipt.</Nothing>
        ) : (
          <RequestTable caption="The most recent paid requests" receipts={model.recent} keys={model.keys} />
        )}
      </Card>
    </>,
  );
