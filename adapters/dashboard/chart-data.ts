import { toCredits } from '../../src/core/credits.js';
import { DAY_MS } from '../../src/core/durations.js';
import { counted, figure } from '../../src/core/figures.js';
import type { UsageRow } from '../../src/ports/ledger.js';

import { SERIES_COLOURS } from './palette.js';

/** Longer ranges are drawn by the week: a bar must stay wide enough to be visible on a phone. Days. */
const LONGEST_BY_DAY = 92;

export const CHARTS = ['credits', 'items'] as const;
export type ChartName = (typeof CHARTS)[number];

export interface Series {
  readonly name: string;
  /** One per bar. */
  readonly values: readonly number[];
  readonly total: number;
}

/** A stacked bar chart before it is drawn. */
export interface ChartData {
  readonly unit: 'credits' | 'items' | 'US dollars';
  /** The first day of each bar, `2026-11-21`. */
  readonly bars: readonly string[];
  /** Days in a bar: 1 or 7. */
  readonly step: 1 | 7;
  readonly series: readonly Series[];
  /** Whether the last series sums up the remaining ones. */
  readonly rest: boolean;
}

/** First and last day, inclusive, UTC. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);

export const daysIn = ({ from, to }: Range): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** One for each day, or each week of a long range. */
export function barsOf(range: Range): { bars: string[]; step: 1 | 7 } {
  const days = daysIn(range);
  const step = days > LONGEST_BY_DAY ? 7 : 1;
  return {
    step,
    bars: Array.from({ length: Math.ceil(days / step) }, (_, index) => addDays(range.from, index * step)),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Credits by endpoint, from rows by day and endpoint: the six that cost most, and the others combined. */
export function creditsChart(range: Range, rows: readonly UsageRow[]): ChartData {
  const { bars, step } = barsOf(range);
  const byName = new Map<string, number[]>();
  for (const { day = '', endpoint = '', amount } of rows) {
    const bar = Math.floor((daysIn({ from: range.from, to: day }) - 1) / step);
    const values = byName.get(endpoint) ?? bars.map(() => 0);
    values[bar] = (values[bar] ?? 0) + amount;
    byName.set(endpoint, values);
  }
  const sorted = [...byName]
    .map(([name, values]) => ({ name, values, total: sum(values) }))
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const rest = sorted.length > SERIES_COLOURS;
  const shown = rest ? [...sorted.slice(0, SERIES_COLOURS), restOf(sorted.slice(SERIES_COLOURS), bars.length)] : sorted;
  const series = shown.map(({ name, values, total }) => ({
    name,
    values: values.map(toCredits),
    total: toCredits(total),
  }));
  return { unit: 'credits', bars, step, series, rest };
}

const restOf = (others: readonly Series[], bars: number): Series => ({
  name: counted(others.length, 'other'),
  values: Array.from({ length: bars }, (_, bar) => sum(others.map(({ values }) => values[bar] ?? 0))),
  total: sum(others.map(({ total }) => total)),
});

/** Items read from the network against cached ones, from rows by day. */
export function itemsChart(range: Range, rows: readonly UsageRow[]): ChartData {
  const { bars, step } = barsOf(range);
  const read = bars.map(() => 0);
  const cached = bars.map(() => 0);
  for (const { day = '', items, cacheHits } of rows) {
    const bar = Math.floor((daysIn({ from: range.from, to: day }) - 1) / step);
    read[bar] = (read[bar] ?? 0) + items - cacheHits;
    cached[bar] = (cached[bar] ?? 0) + cacheHits;
  }
  const series = [
    { name: 'read', values: read, total: sum(read) },
    { name: 'cached (half price)', values: cached, total: sum(cached) },
  ];
  return { unit: 'items', bars, step, series, rest: false };
}

/** What the picture shows, for people who cannot see it. */
export function chartText({ unit, bars, step, series }: ChartData, range: Range): string {
  const total = sum(series.map((one) => one.total));
  const what = `${unit.charAt(0).toUpperCase()}${unit.slice(1)} per ${step === 1 ? 'day' : 'week'} from ${range.from} to ${range.to}`;
  if (total === 0) return `${what}: none.`;
  const heights = bars.map((_, bar) => sum(series.map(({ values }) => values[bar] ?? 0)));
  const top = heights.indexOf(Math.max(...heights));
  const parts = series.slice(0, 3).map(({ name, total: part }) => `${name} ${figure(round(part))}`);
  const most = `most ${step === 1 ? 'on' : 'in the week from'} ${bars[top]} (${figure(round(heights[top] ?? 0))})`;
  return `${what}, as stacked bars: ${figure(round(total))} in total, ${most}; ${parts.join(', ')}.`;
}

const round = (value: number): number => Math.round(value * 1000) / 1000;
