import type { ComponentChildren } from 'preact';
import type { Days, ServiceFigures } from '../../../src/billing/figures.js';
import { counted } from '../../../src/domain/figures.js';
import { daysIn } from '../charts/chart-data.js';
import { PictureAt } from '../charts/picture.js';
import type { PageLayout } from '../dashboard/frame/frame.js';
import { Card, Nothing } from '../dashboard/frame/parts.js';
import { chartAt, chartOf, type OperatorChart } from './charts.js';

export interface FiguresModel {
  readonly layout: PageLayout;
  readonly figures: ServiceFigures;
}

/** Periods that a page of figures offers, in days; sums of reads are kept for 400. */
export const PERIODS = [7, 30, 90, 365] as const;

/** Links to other periods that end on the same day. */
export const Periods = ({ path, days }: { path: string; days: Days }) => (
  <section aria-label="Period">
    <ul class="pills">
      {PERIODS.map((count) => (
        <li key={count}>
          <a href={`${path}?days=${count}`} {...(daysIn(days) === count ? { 'aria-current': 'true' as const } : {})}>
            {count} days
          </a>
        </li>
      ))}
    </ul>
  </section>
);

/** A chart on a card, or that there is nothing to draw. */
export const ChartCard = (props: {
  id: string;
  title: string;
  lead?: ComponentChildren;
  chart: OperatorChart;
  figures: ServiceFigures;
  none: string;
}) => {
  const { id, title, lead, chart, figures, none } = props;
  const { days } = figures;
  const data = chartOf(chart, figures);
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
        <PictureAt at={chartAt(chart, days)} data={data} range={days} />
      )}
    </Card>
  );
};

/** `$1,234.50`. */
export const usd = (amount: number): string =>
  `$${amount.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;

export const percent = (share: number): string => `${Math.round(share * 100)}%`;
