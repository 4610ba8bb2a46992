import {
  INTERFACE_NAMES,
  INTERFACES,
  NO_TRAFFIC,
  percentileMs,
  plusTraffic,
  type TrafficInterface,
  type TrafficSums,
} from '../../../src/domain/traffic.js';
import { DAY_MS, HOUR_MS } from '../../../src/lib/durations.js';
import type { TrafficFigures } from '../../../src/ports/figures.js';
import type { ChartData, Range } from '../charts/chart-data.js';

/** The spans that the page offers, in hours; sums are kept for 31 days. */
export const SPANS = [
  { hours: 24, text: '24 hours' },
  { hours: 7 * 24, text: '7 days' },
  { hours: 30 * 24, text: '30 days' },
] as const;

export type TrafficSpan = (typeof SPANS)[number];

/** The span that the address names; one day by default. */
export const requestedSpan = (query: URLSearchParams): TrafficSpan =>
  SPANS.find(({ hours }) => String(hours) === query.get('hours')) ?? SPANS[0];

/** A span up to now, in hourly bars, or in bars of a UTC day if there would be too many. */
export interface TrafficTime {
  readonly span: TrafficSpan;
  /** The first hour that is counted, `2026-11-23T14:00:00Z`. */
  readonly from: string;
  /** As in `ChartData`. */
  readonly bars: readonly string[];
  readonly range: Range;
}

export function trafficTime(span: TrafficSpan, nowMs: number): TrafficTime {
  const isHourly = span.hours === 24;
  const step = isHourly ? HOUR_MS : DAY_MS;
  const count = isHourly ? span.hours : span.hours / 24;
  const last = Math.floor(nowMs / step);
  const bars = Array.from({ length: count }, (_, index) => {
    const at = new Date((last - count + 1 + index) * step).toISOString();
    return isHourly ? at.replace('.000Z', 'Z') : at.slice(0, 10);
  });
  const [first = '', to = ''] = [bars[0], bars.at(-1)];
  return { span, from: isHourly ? first : `${first}T00:00:00Z`, bars, range: { from: first, to } };
}

export interface TrafficModel {
  readonly time: TrafficTime;
  readonly figures: TrafficFigures;
}

const chartStep = ({ time }: TrafficModel): ChartData['step'] => (time.bars[0]?.includes('T') ? 'hour' : 1);

/** The sums of each bar for the interfaces in `only`. */
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

/** Pages are not calls, and calls with test keys cost nothing. */
export const CALLS: readonly TrafficInterface[] = ['rest', 'graphql', 'mcp'];

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Leaves out pages, because there are so many more of them that the bars of calls would be flat. */
export function requestsChart(model: TrafficModel): ChartData {
  const series = INTERFACES.filter((name) => name !== 'site')
    .map((name) => {
      const values = sumsByBar(model, [name]).map(({ requests }) => requests);
      return { name: INTERFACE_NAMES[name], values, total: sum(values) };
    })
    .filter(({ total }) => total > 0);
  return { unit: 'requests', bars: model.time.bars, step: chartStep(model), series, rest: false };
}

export function timesChart(model: TrafficModel): ChartData {
  const sums = sumsByBar(model, CALLS);
  const all = sums.reduce(plusTraffic, NO_TRAFFIC);
  const series = [
    { name: 'p50', share: 0.5 },
    { name: 'p99', share: 0.99 },
  ].map(({ name, share }) => ({
    name,
    values: sums.map((each) => percentileMs(each, share)),
    total: percentileMs(all, share) ?? 0,
  }));
  return { unit: 'milliseconds', bars: model.time.bars, step: chartStep(model), series, rest: false };
}

export function itemsChart(model: TrafficModel): ChartData {
  const sums = sumsByBar(model, CALLS);
  const read = sums.map(({ items, cacheHits }) => items - cacheHits);
  const cached = sums.map(({ cacheHits }) => cacheHits);
  const series = [
    { name: 'read', values: read, total: sum(read) },
    { name: 'cached (half price)', values: cached, total: sum(cached) },
  ];
  return { unit: 'items', bars: model.time.bars, step: chartStep(model), series, rest: false };
}
