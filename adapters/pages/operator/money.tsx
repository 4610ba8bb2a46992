import { byDay, cacheHitRate } from '../../../src/billing/figures.js';
import { toCredits } from '../../../src/domain/credits.js';
import { figure } from '../../../src/domain/figures.js';
import { daysIn } from '../charts/chart-data.js';
import type { CsvRows } from '../kit/signed-in/csv.js';
import { capitalized, formatAmount } from '../kit/signed-in/formats.js';
import { Card, CsvLink, DataTable, Nothing } from '../kit/signed-in/parts.js';
import {
  ChartCard,
  type FiguresModel,
  Periods,
  percent,
  revenueChart,
  SUMS_WRITTEN,
  spentChart,
  usd,
} from './figures.js';
import { operatorPage } from './frame.js';

const Totals = ({ figures: { totals, price } }: FiguresModel) => (
  <Card
    id="totals"
    title="Since the beginning"
    lead={`Credits are valued at ${usd(price.usdPerCredit * 1000)} per 1,000, ${
      price.from === 'sales' ? 'the average price of those sold.' : 'the lowest price of a pack, because none was sold.'
    }`}
  >
    <dl class="facts">
      {(
        [
          ['Accounts', figure(totals.accounts)],
          ['Paid', usd(totals.paidCents / 100)],
          ['Refunded', usd(totals.refundedCents / 100)],
          ['Credits sold', formatAmount(totals.sold)],
          ['Credits granted', formatAmount(totals.granted)],
          ['Credits withdrawn', formatAmount(totals.withdrawn)],
          ['Credits set aside for disputes', formatAmount(totals.held)],
          ['Credits spent', formatAmount(totals.spent)],
          ['Credits outstanding', formatAmount(totals.outstanding)],
          ['Credits of deleted accounts', formatAmount(totals.lost)],
        ] as const
      ).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </Card>
);

const Packs = ({ figures: { revenue } }: FiguresModel) => (
  <Card id="packs" title="Sales by day and pack">
    {revenue.length === 0 ? (
      <Nothing>No pack was sold in this period.</Nothing>
    ) : (
      <DataTable
        caption="Sales by day and pack, newest first; before refunds"
        tall
        columns={[
          { title: 'Day (UTC)' },
          { title: 'Pack' },
          { title: 'Sales', numeric: true },
          { title: 'Credits', numeric: true },
          { title: 'Paid', numeric: true },
        ]}
        rows={revenue.toReversed().map((row) => ({
          key: `${row.day} ${row.pack}`,
          cells: [row.day, capitalized(row.pack), figure(row.sales), formatAmount(row.credits), usd(row.usd)],
        }))}
      />
    )}
  </Card>
);

const DaysTable = ({ figures }: FiguresModel) => {
  const days = byDay(figures);
  return (
    <Card
      id="days"
      title="Day by day"
      aside={<CsvLink href={`/operator/money.csv?days=${daysIn(figures.days)}`} />}
      lead="Worth is the value of the credits spent that day, whether they were sold or granted; income is what was paid. Cost follows the network's own price list."
    >
      {days.length === 0 ? (
        <Nothing>Nothing was sold or read in this period. {SUMS_WRITTEN}</Nothing>
      ) : (
        <DataTable
          caption="Sales, credits spent, their worth, and cost by day, newest first"
          tall
          columns={[
            { title: 'Day (UTC)' },
            { title: 'Paid', numeric: true },
            { title: 'Credits spent', numeric: true },
            { title: 'Responses', numeric: true },
            { title: 'Cached', numeric: true },
            { title: 'Worth', numeric: true },
            { title: 'Cost', numeric: true },
          ]}
          rows={days.map((day) => ({
            key: day.day,
            cells: [
              day.day,
              usd(day.paidUsd),
              formatAmount(day.charged),
              figure(day.answers),
              percent(cacheHitRate(day)),
              usd(day.worthUsd),
              usd(day.costUsd),
            ],
          }))}
        />
      )}
    </Card>
  );
};

export const daysCsv = (figures: FiguresModel['figures']): CsvRows => [
  ['day', 'sales', 'paid_usd', 'credits_spent', 'responses', 'items', 'cache_hits', 'cost_usd'],
  ...byDay(figures).map((day) => [
    ...[day.day, day.sales, day.paidUsd, toCredits(day.charged), day.answers, day.items, day.cacheHits, day.costUsd],
  ]),
];

/** `GET /operator/money`. */
export const moneyPage = (model: FiguresModel): string =>
  operatorPage(
    {
      title: 'Money',
      lead: 'What customers paid, and how credits were spent.',
      here: '/operator/money',
      layout: model.layout,
    },
    <>
      <Totals {...model} />
      <Periods path="/operator/money" days={model.figures.days} />
      <ChartCard
        id="revenue"
        title="Revenue"
        lead="US dollars paid for packs, before refunds."
        data={revenueChart(model.figures)}
        days={model.figures.days}
        none="No pack was sold"
      />
      <ChartCard
        id="spent"
        title="Credits spent"
        lead={SUMS_WRITTEN}
        data={spentChart(model.figures)}
        days={model.figures.days}
        none="No credits were spent"
      />
      <Packs {...model} />
      <DaysTable {...model} />
    </>,
  );
