import { toCredits } from '../../../src/domain/credits.js';
import { counted, figure } from '../../../src/domain/figures.js';
import { DAY_MS, utcDay } from '../../../src/lib/durations.js';
import type { UsageRow } from '../../../src/ports/ledger.js';

/** Longer ranges get one bar per week, because a bar must stay wide enough to be visible on a phone. */
export const MOST_BARS = 92;

/** How many series have their own colour; all others are added up as one. */
const SERIES_COLOURS = 6;

export interface Series {
  readonly name: string;
  /** One value per bar; null if a line has no value there. */
  readonly values: readonly (number | null)[];
  /** The sum of the values; for a line, the value over the whole range. */
  readonly total: number;
}

/** The data of a chart: stacked bars, or lines if the unit is a time. */
export interface ChartData {
  readonly unit: 'credits' | 'items' | 'requests' | 'US dollars' | 'milliseconds';
  /** The first day of each bar, `2026-11-21`, or its hour, `2026-11-21T13:00:00Z`. */
  readonly bars: readonly string[];
  /** What a bar covers: a number of days, or one hour. */
  readonly step: Step;
  readonly series: readonly Series[];
  /** Whether the last series sums up the remaining ones. */
  readonly rest: boolean;
}

export type Step = 1 | 7 | 'hour';

/** First and last day, inclusive, UTC. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

export const addDays = (day: string, days: number): string => utcDay(Date.parse(day) + days * DAY_MS);

export const daysIn = ({ from, to }: Range): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** One bar for each day, or for each week of a long range. */
export function dayBars(range: Range): { bars: string[]; step: 1 | 7 } {
  const days = daysIn(range);
  const step = days > MOST_BARS ? 7 : 1;
  return {
    step,
    bars: Array.from({ length: Math.ceil(days / step) }, (_, index) => addDays(range.from, index * step)),
  };
}

const sum = (values: readonly (number | null)[]): number =>
  values.reduce<number>((total, value) => total + (value ?? 0), 0);

/** The sum of all series, for each bar. */
export const barTotals = ({ bars, series }: Pick<ChartData, 'bars' | 'series'>): number[] =>
  bars.map((_, bar) => sum(series.map(({ values }) => values[bar] ?? 0)));

/** A shortened chart keeps at least this many bars: a chart of a single day would not show when that was. */
const FEWEST_BARS = 7;

/** Drops the bars before the first value, because a new account has no usage for most of a month. */
export function fromFirstValue(data: ChartData): ChartData {
  const first = data.bars.findIndex((_, bar) => data.series.some(({ values }) => (values[bar] ?? 0) !== 0));
  const from = Math.min(first, data.bars.length - FEWEST_BARS);
  if (from <= 0) return data;
  const series = data.series.map((one) => ({ ...one, values: one.values.slice(from) }));
  return { ...data, bars: data.bars.slice(from), series };
}

/** Times are drawn as lines, because they do not add up. */
export const hasLines = ({ unit }: Pick<ChartData, 'unit'>): boolean => unit === 'milliseconds';

/** Credits by endpoint, from rows by day and endpoint: the six that cost most, and the others combined. */
export function creditsChart(range: Range, rows: readonly UsageRow[]): ChartData {
  const { bars, step } = dayBars(range);
  const barOf = ({ day = '' }: UsageRow): number => Math.floor((daysIn({ from: range.from, to: day }) - 1) / step);
  return { unit: 'credits', bars, step, ...stacked(rows, bars.length, barOf) };
}

/** The same per hour, from rows by hour and endpoint; ignores rows of other hours. */
export function hoursChart(hours: readonly string[], rows: readonly UsageRow[]): ChartData {
  const places = new Map(hours.map((hour, bar) => [hour, bar]));
  const within = rows.filter(({ hour = '' }) => places.has(hour));
  const barOf = ({ hour = '' }: UsageRow): number => places.get(hour) ?? 0;
  return { unit: 'credits', bars: hours, step: 'hour', ...stacked(within, hours.length, barOf) };
}

function stacked(
  rows: readonly UsageRow[],
  bars: number,
  barOf: (row: UsageRow) => number,
): Pick<ChartData, 'series' | 'rest'> {
  const byName = new Map<string, number[]>();
  for (const row of rows) {
    const { endpoint = '', amount } = row;
    const bar = barOf(row);
    const values = byName.get(endpoint) ?? Array.from({ length: bars }, () => 0);
    values[bar] = (values[bar] ?? 0) + amount;
    byName.set(endpoint, values);
  }
  const sorted = [...byName]
    .map(([name, values]) => ({ name, values, total: sum(values) }))
    .sort((a, b) => b.total - a.total || (a.name < b.name ? -1 : 1));
  const rest = sorted.length > SERIES_COLOURS;
  const shown = rest ? [...sorted.slice(0, SERIES_COLOURS), sumOthers(sorted.slice(SERIES_COLOURS), bars)] : sorted;
  const series = shown.map(({ name, values, total }) => ({
    name,
    values: values.map((value) => toCredits(value ?? 0)),
    total: toCredits(total),
  }));
  return { series, rest };
}

const sumOthers = (others: readonly Series[], bars: number): Series => ({
  name: counted(others.length, 'other'),
  values: Array.from({ length: bars }, (_, bar) => sum(others.map(({ values }) => values[bar] ?? 0))),
  total: sum(others.map(({ total }) => total)),
});

/** Items read from the network against cached ones, from rows by day. */
export function itemsChart(range: Range, rows: readonly UsageRow[]): ChartData {
  const { bars, step } = dayBars(range);
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

/** Describes the chart for screen readers. */
export function chartText(data: ChartData, range: Range): string {
  const { unit, bars, step, series } = data;
  const total = sum(series.map((one) => one.total));
  const [per, on] = STEPS[step];
  const span =
    step === 'hour' ? `${hourText(range.from)} to ${hourText(range.to)} UTC` : `${range.from} to ${range.to}`;
  const what = `${unit.charAt(0).toUpperCase()}${unit.slice(1)} per ${per} from ${span}`;
  if (total === 0) return `${what}: none.`;
  if (hasLines(data)) {
    const lines = series.map(({ name, total: all, values }) => {
      const peak = Math.max(...values.map((value) => value ?? 0));
      return `${name} ${figure(all)} over all, ${figure(peak)} at most`;
    });
    return `${what}, as lines: ${lines.join('; ')}.`;
  }
  const heights = barTotals(data);
  const top = heights.indexOf(Math.max(...heights));
  const bar = bars[top] ?? '';
  const parts = series.slice(0, 3).map(({ name, total: part }) => `${name} ${figure(round(part))}`);
  const most = `most ${on} ${step === 'hour' ? hourText(bar) : bar} (${figure(round(heights[top] ?? 0))})`;
  return `${what}, as stacked bars: ${figure(round(total))} in total, ${most}; ${parts.join(', ')}.`;
}

const STEPS: Record<Step, readonly [per: string, on: string]> = {
  hour: ['hour', 'from'],
  1: ['day', 'on'],
  7: ['week', 'in the week from'],
};

/** `2026-11-21 13:00` */
const hourText = (at: string): string => `${at.slice(0, 10)} ${at.slice(11, 16)}`;

const round = (value: number): number => Math.round(value * 1000) / 1000;
