import { badRequest } from '../../../src/domain/errors.js';
import {
  INTERFACES,
  msOf,
  NO_TRAFFIC,
  plusTraffic,
  type TrafficInterface,
  type TrafficSums,
} from '../../../src/domain/traffic.js';
import type { ChartData } from '../charts/chart-data.js';
import type { TrafficModel } from './traffic-model.js';

const TRAFFIC_CHARTS = ['requests', 'times', 'items'] as const;
export type TrafficChart = (typeof TRAFFIC_CHARTS)[number];

export const INTERFACE_NAMES: Readonly<Record<TrafficInterface, string>> = {
  rest: 'REST',
  graphql: 'GraphQL',
  mcp: 'MCP',
  site: 'pages',
  test: 'test keys',
};

/** The chart of that name; throws `bad_request` for another. */
export function trafficChart(name: string | null, model: TrafficModel): ChartData {
  if (name === 'requests') return requestsChart(model);
  if (name === 'times') return timesChart(model);
  if (name === 'items') return itemsChart(model);
  throw badRequest(`chart must be one of ${TRAFFIC_CHARTS.join(', ')}.`, 'chart');
}

/** The address of a picture, without its look. */
export const trafficChartAt = (chart: TrafficChart, { time }: TrafficModel): string =>
  `/operator/traffic.svg?${new URLSearchParams({ chart, hours: String(time.span.hours) })}`;

const stepOf = ({ time }: TrafficModel): ChartData['step'] => (time.bars[0]?.includes('T') ? 'hour' : 1);

/** The sums of each bar; of one interface, or of all calls: pages are none, and calls with test keys cost nothing. */
function sumsByBar({ time, figures }: TrafficModel, only: readonly TrafficInterface[]): TrafficSums[] {
  const places = new Map(time.bars.map((bar, index) => [bar, index]));
  const sums = time.bars.map(() => NO_TRAFFIC);
  for (const row of figures.hours) {
    const place = places.get(row.hour) ?? places.get(row.hour.slice(0, 10));
    if (place === undefined || !only.includes(row.interface)) continue;
    sums[place] = plusTraffic(sums[place] ?? NO_TRAFFIC, row);
  }
  return sums;
}

const CALLS: readonly TrafficInterface[] = ['rest', 'graphql', 'mcp'];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

function requestsChart(model: TrafficModel): ChartData {
  const series = INTERFACES.map((name) => {
    const values = sumsByBar(model, [name]).map(({ requests }) => requests);
    return { name: INTERFACE_NAMES[name], values, total: sum(values) };
  }).filter(({ total }) => total > 0);
  return { unit: 'requests', bars: model.time.bars, step: stepOf(model), series, rest: false };
}

function timesChart(model: TrafficModel): ChartData {
  const sums = sumsByBar(model, CALLS);
  const all = sums.reduce(plusTraffic, NO_TRAFFIC);
  const series = [
    { name: 'p50', share: 0.5 },
    { name: 'p99', share: 0.99 },
  ].map(({ name, share }) => ({
    name,
    values: sums.map((each) => msOf(each, share)),
    total: msOf(all, share) ?? 0,
  }));
  return { unit: 'milliseconds', bars: model.time.bars, step: stepOf(model), series, rest: false };
}

function itemsChart(model: TrafficModel): ChartData {
  const sums = sumsByBar(model, CALLS);
  const read = sums.map(({ items, cacheHits }) => items - cacheHits);
  const cached = sums.map(({ cacheHits }) => cacheHits);
  const series = [
    { name: 'read', values: read, total: sum(read) },
    { name: 'cached (half price)', values: cached, total: sum(cached) },
  ];
  return { unit: 'items', bars: model.time.bars, step: stepOf(model), series, rest: false };
}
