import type { PurchaseRecord } from '../../../../src/billing/purchases.js';
import { figure, inCredits } from '../../../../src/domain/figures.js';
import { capitalized } from '../../kit/signed-in/formats.js';
import { Card, DataTable, Day } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { DISPUTES } from './purchases.js';

export interface PurchaseModel {
  readonly layout: DashboardLayout;
  /** Name of the account and address of its owner, also for other members who read the page. */
  readonly buyer: readonly string[];
  readonly purchase: PurchaseRecord;
  /** Name and address of the operator, line by line; empty if not configured. */
  readonly seller: readonly string[];
}

/** `$1,234.50`: receipts have cents. */
const usd = (cents: number): string =>
  `$${(cents / 100).toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

const Address = ({ title, lines }: { title: string; lines: readonly string[] }) =>
  lines.length === 0 ? null : (
    <div>
      <dt>{title}</dt>
      {lines.map((line) => (
        <dd key={line}>
          <bdi>{line}</bdi>
        </dd>
      ))}
    </div>
  );

const Facts = ({ purchase, seller, buyer }: PurchaseModel) => (
  <dl class="facts parties">
    <div>
      <dt>Number</dt>
      <dd>
        <code>{purchase.saleId}</code>
      </dd>
    </div>
    <div>
      <dt>Paid on (UTC)</dt>
      <dd>
        <Day at={purchase.paidAt} />
      </dd>
    </div>
    <div>
      <dt>Payment</dt>
      <dd>
        <code>{purchase.paymentIntent ?? purchase.sessionId}</code>
      </dd>
    </div>
    <Address title="Sold by" lines={seller} />
    <Address title="Sold to" lines={buyer} />
  </dl>
);

/** What was paid. Sales from older versions have no total, because their tax is not known here. */
const Paid = ({ purchase: { pack, credits, priceCents, taxCents } }: PurchaseModel) => (
  <DataTable
    caption="What was paid, in US dollars"
    columns={[{ title: 'What' }, { title: 'USD', numeric: true }]}
    rows={[
      { key: 'pack', cells: [`${capitalized(pack)} pack, ${inCredits(credits)}`, usd(priceCents)] },
      ...(taxCents === null || taxCents === 0 ? [] : [{ key: 'tax', cells: ['Tax', usd(taxCents)] }]),
    ]}
    {...(taxCents === null ? {} : { total: { span: 1, cells: [usd(priceCents + taxCents)] } })}
  />
);

const Later = ({ purchase: { refundedCents, reversed, held, disputes } }: PurchaseModel) =>
  refundedCents === 0 && disputes.length === 0 ? null : (
    <Card id="later" title="Since then">
      <ul class="why">
        {refundedCents === 0 ? null : <li>{usd(refundedCents)} refunded.</li>}
        {disputes.map(({ disputeId, state, amountCents }) => (
          <li key={disputeId}>
            {usd(amountCents)}: {DISPUTES[state]}.
          </li>
        ))}
        {reversed === 0 ? null : <li>{figure(reversed)} credits withdrawn.</li>}
        {held === 0 ? null : <li>{figure(held)} credits set aside until the dispute is decided.</li>}
      </ul>
    </Card>
  );

const Hints = ({ purchase: { taxCents, receiptUrl } }: PurchaseModel) => (
  <>
    {taxCents === null ? 'Any tax was added on top; see the receipt of the payment processor. ' : null}
    <span class="no-print">
      Print this page to keep it on paper or as a PDF.
      {receiptUrl === null ? null : (
        <>
          {' '}
          See also the{' '}
          <a href={receiptUrl} rel="noopener noreferrer">
            receipt of the payment processor
          </a>
          .
        </>
      )}
    </span>
  </>
);

/** `GET /dashboard/credits/:saleId/receipt`. Printed without the page around it. */
export const purchasePage = (model: PurchaseModel): string => {
  const { purchase, layout } = model;
  return dashboardPage(
    {
      title: 'Receipt',
      lead: <a href="/dashboard/credits#purchases">All purchases</a>,
      here: '/dashboard/credits',
      below: true,
      layout,
    },
    <>
      <Card id="purchase" title={`${capitalized(purchase.pack)} pack of Perch credits`} lead={<Hints {...model} />}>
        <Facts {...model} />
        <Paid {...model} />
      </Card>
      <Later {...model} />
    </>,
  );
};
