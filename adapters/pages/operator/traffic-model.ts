import { DAY_MS, HOUR_MS } from '../../../src/lib/durations.js';
import type { TrafficFigures } from '../../../src/ports/figures.js';
import type { Range } from '../charts/chart-data.js';

/** Times that the page offers, in hours; sums are kept for 31 days. */
export const SPANS = [
  { hours: 24, text: '24 hours' },
  { hours: 7 * 24, text: '7 days' },
  { hours: 30 * 24, text: '30 days' },
] as const;

export type Span = (typeof SPANS)[number];

/** The time that an address asks for; one day by default. */
export const spanOf = (query: URLSearchParams): Span =>
  SPANS.find(({ hours }) => String(hours) === query.get('hours')) ?? SPANS[0];

/** Up to now: in bars of an hour, or of a UTC day where there would be too many. */
export interface TrafficTime {
  readonly span: Span;
  /** The first hour that is counted, `2026-11-23T14:00:00Z`. */
  readonly from: string;
  /** As in `ChartData`. */
  readonly bars: readonly string[];
  readonly range: Range;
}

export function trafficTime(span: Span, nowMs: number): TrafficTime {
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
