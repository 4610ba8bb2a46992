import type { SaleRecord } from '../../../../src/billing/billing.js';
import { figure, inCredits } from '../../../../src/domain/figures.js';
import { capitalized, dollars } from '../../kit/signed-in/formats.js';
import { Badge, Card, DataTable, Nothing, type Tone, When } from '../../kit/signed-in/parts.js';

const SALE_STATES: Record<SaleRecord['state'], { text: string; tone: Tone }> = {
  open: { text: 'Not paid yet', tone: 'plain' },
  paid: { text: 'Paid', tone: 'ok' },
  expired: { text: 'Expired unpaid', tone: 'plain' },
  mismatched: { text: 'Under review', tone: 'warn' },
};

/** The outcome of a dispute, and of its credits. */
export const DISPUTES = {
  open: 'dispute open, credits set aside',
  won: 'dispute won, credits returned',
  lost: 'dispute lost, credits withdrawn',
} as const;

const afterwards = ({ refundedUsd, reversed, held, disputed }: SaleRecord): string =>
  [
    ...(refundedUsd > 0 ? [`${dollars(Math.round(refundedUsd * 100))} refunded`] : []),
    ...(reversed > 0 ? [`${inCredits(reversed)} withdrawn`] : []),
    ...(held > 0 ? [`${inCredits(held)} set aside`] : []),
    ...(disputed === null ? [] : [DISPUTES[disputed]]),
  ].join('; ');

export const Purchases = ({ sales }: { readonly sales: readonly SaleRecord[] }) => (
  <Card id="purchases" title="Purchases">
    {sales.length === 0 ? (
      <Nothing>No purchases yet.</Nothing>
    ) : (
      <DataTable
        caption="Purchases, newest first"
        columns={[
          { title: 'When (UTC)' },
          { title: 'Pack' },
          { title: 'Price', numeric: true },
          { title: 'Credits', numeric: true },
          { title: 'State' },
          { title: 'Later changes' },
          { title: 'Receipt' },
        ]}
        rows={sales.map((sale) => ({
          key: sale.saleId,
          cells: [
            <When key="when" at={sale.paidAt ?? sale.createdAt} />,
            capitalized(sale.pack),
            `$${figure(sale.usd)}`,
            figure(sale.credits),
            <>
              <Badge tone={SALE_STATES[sale.state].tone}>{SALE_STATES[sale.state].text}</Badge>{' '}
              {sale.url === null ? null : <a href={sale.url}>Pay</a>}
            </>,
            afterwards(sale),
            sale.state === 'paid' ? (
              <a
                href={`/dashboard/credits/${sale.saleId}/receipt`}
                aria-label={`Receipt of ${capitalized(sale.pack)}, ${(sale.paidAt ?? sale.createdAt).slice(0, 10)}`}
              >
                Receipt
              </a>
            ) : (
              ''
            ),
          ],
        }))}
      />
    )}
  </Card>
);
