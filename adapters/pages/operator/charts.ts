import type { Days, ServiceFigures } from '../../../src/billing/figures.js';
import { badRequest } from '../../../src/domain/errors.js';
import { PACKS } from '../../../src/domain/tiers.js';
import { barsOf, type ChartData, creditsChart, daysIn, itemsChart } from '../charts/chart-data.js';

export const CHARTS = ['revenue', 'spent', 'items'] as const;
export type OperatorChart = (typeof CHARTS)[number];

/** The chart of that name; throws `bad_request` for another. */
export function chartOf(name: string | null, figures: ServiceFigures): ChartData {
  const { days, reads } = figures;
  if (name === 'revenue') return revenueChart(figures);
  if (name === 'items') return itemsChart(days, reads.map(withRequests));
  if (name === 'spent') return creditsChart(days, reads.map(withRequests));
  throw badRequest(`chart must be one of ${CHARTS.join(', ')}.`, 'chart');
}

/** As rows of usage: answers are what an account's usage calls requests. */
const withRequests = ({ day, operation, answers, items, cacheHits, charged }: ServiceFigures['reads'][number]) => ({
  ...{ day, endpoint: operation, requests: answers, items, cacheHits, amount: charged },
});

/** US dollars by pack, in the order of the packs. */
function revenueChart({ days, revenue }: ServiceFigures): ChartData {
  const { bars, step } = barsOf(days);
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

/** The address of a picture, without its look. */
export const chartAt = (chart: OperatorChart, { from, to }: Days): string =>
  `/operator/figures.svg?${new URLSearchParams({ chart, from, to })}`;
