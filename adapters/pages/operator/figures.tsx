import type { ComponentChildren } from 'preact';
import type { Days, ServiceFigures } from '../../../src/billing/figures.js';
import { counted } from '../../../src/domain/figures.js';
import { PACKS } from '../../../src/domain/tiers.js';
import { Chart } from '../charts/chart.js';
import { type ChartData, creditsChart, dayBars, daysIn, itemsChart } from '../charts/chart-data.js';
import type { PageLayout } from '../kit/signed-in/frame.js';
import { Card, Nothing } from '../kit/signed-in/parts.js';

export interface FiguresModel {
  readonly layout: PageLayout;
  readonly figures: ServiceFigures;
}

/** The periods that a page of figures offers, in days; sums of reads are kept for 400. */
export const DAY_COUNTS = [7, 30, 90, 365] as const;

/** Why figures by day or hour are behind totals. */
export const SUMS_WRITTEN = 'A running service writes its sums once a minute.';

/** Links to other periods that end on the same day. */
export const Periods = ({ path, days }: { path: string; days: Days }) => (
  <section aria-label="Period">
    <ul class="pills">
      {DAY_COUNTS.map((count) => (
        <li key={count}>
          <a href={`${path}?days=${count}`} {...(daysIn(days) === count ? { 'aria-current': 'true' as const } : {})}>
            {count} days
          </a>
        </li>
      ))}
    </ul>
  </section>
);

/** A chart on a card, or a note that there is nothing to draw. */
export const ChartCard = (props: {
  id: string;
  title: string;
  lead?: ComponentChildren;
  data: ChartData;
  days: Days;
  none: string;
}) => {
  const { id, title, lead, data, days, none } = props;
  const isEmpty = data.series.every(({ total }) => total === 0);
  return (
    <Card
      id={id}
      title={`${title} per ${data.step === 1 ? 'day' : 'week'}`}
      wide
      {...(lead === undefined ? {} : { lead })}
    >
      {isEmpty ? (
        <Nothing>
          {none} in the last {counted(daysIn(days), 'day')}.
        </Nothing>
      ) : (
        <Chart data={data} range={days} />
      )}
    </Card>
  );
};

/** `$1,234.50`. */
export const usd = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** Credits by operation. */
export const spentChart = ({ days, reads }: ServiceFigures): ChartData => creditsChart(days, reads.map(asUsage));

/** Items read against cached ones. */
export const deliveredChart = ({ days, reads }: ServiceFigures): ChartData => itemsChart(days, reads.map(asUsage));

/** Turns sums of reads into rows of usage, whose `requests` are the answers here. */
const asUsage = ({ day, operation, answers, items, cacheHits, charged }: ServiceFigures['reads'][number]) => ({
  ...{ day, endpoint: operation, requests: answers, items, cacheHits, amount: charged },
});

/** US dollars by pack, in the order of the packs. */
export function revenueChart({ days, revenue }: ServiceFigures): ChartData {
  const { bars, step } = dayBars(days);
  const names = [...new Set([...PACKS.map(({ name }) => name), ...revenue.map(({ pack }) => pack)])];
  const series = names
    .map((name) => {
      const values = bars.map(() => 0);
      for (const { day, pack, usd } of revenue) {
        const bar = Math.floor((daysIn({ from: days.from, to: day }) - 1) / step);
        if (pack === name) values[bar] = (values[bar] ?? 0) + usd;
      }
      return { name, values, total: values.reduce((sum, value) => sum + value, 0) };
    })
    .filter(({ total }) => total > 0);
  return { unit: 'US dollars', bars, step, series, rest: false };
}
