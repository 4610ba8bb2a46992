import { figure } from '../../../src/domain/figures.js';
import {
  addDays,
  barTotals,
  type ChartData,
  chartText,
  fromFirstValue,
  hasLines,
  MOST_BARS,
  type Range,
} from './chart-data.js';

/**
 * A bar's share of its slot, and the most of the whole chart that it may take, so that a few bars do not become blocks.
 */
const BAR_WIDTH = 0.74;
const WIDEST_BAR = 0.06;

/** More bars than this are too thin for a seam between their parts. */
const SEAMS_UP_TO = 40;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const shortDay = (day: string): string => `${Number(day.slice(8, 10))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`;

const shortTime = (bar: string): string => (bar.includes('T') ? bar.slice(11, 16) : shortDay(bar));

const dayAndTime = (hour: string): string => `${shortDay(hour)} ${shortTime(hour)}`;

/** `1.5k`, `20M`: short enough for an axis. */
const shortFigure = (value: number): string => {
  const [size, letter] = value >= 1e6 ? [1e6, 'M'] : value >= 1000 ? [1000, 'k'] : [1, ''];
  return `${Math.round((value / size) * 1000) / 1000}${letter}`;
};

/** Ticks from zero to the highest value or above, in at most six steps of 1, 2 or 5 times a power of ten. */
function axisTicks({ unit }: ChartData, highest: number): number[] {
  const rough = Math.max(highest / 6, unit === 'items' || unit === 'requests' ? 1 : 0.001);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = size * ([1, 2, 5].find((factor) => factor * size >= rough) ?? 10);
  return Array.from({ length: Math.max(1, Math.ceil(highest / step)) + 1 }, (_, index) => index * step);
}

const highestValue = (data: ChartData): number =>
  Math.max(
    0,
    ...(hasLines(data) ? data.series.flatMap(({ values }) => values.map((value) => value ?? 0)) : barTotals(data)),
  );

const seriesClass = ({ series, rest }: ChartData, index: number): string =>
  `series-${rest && index === series.length - 1 ? 'rest' : index + 1}`;

const rounded = (value: number): number => Math.round(value * 100) / 100;

/** A value's height from the top, in percent. */
type Height = (value: number) => number;

/** One path per series; each bar stands on the bar of the series before it. */
const Bars = ({ data, height }: { data: ChartData; height: Height }) => {
  const { bars, series } = data;
  const width = rounded(Math.min(BAR_WIDTH, WIDEST_BAR * bars.length));
  const tops = bars.map(() => 0);
  const barPath = (value: number | null, bar: number): string => {
    if (value === null || value === 0) return '';
    const from = tops[bar] ?? 0;
    tops[bar] = from + value;
    return `M${rounded(bar + (1 - width) / 2)} ${height(from)}V${height(from + value)}h${width}V${height(from)}z`;
  };
  const seams = bars.length > SEAMS_UP_TO ? '' : ' seams';
  return (
    <>
      {series.map(({ name, values }, index) => (
        <path key={name} class={`bars${seams} ${seriesClass(data, index)}`} d={values.map(barPath).join('')} />
      ))}
    </>
  );
};

/** Lines end where a value is missing; dots show values between two missing ones. */
const Lines = ({ data, height }: { data: ChartData; height: Height }) => (
  <>
    {data.series.map(({ name, values }, index) => {
      const at = (value: number, bar: number): string => `${bar + 0.5} ${height(value)}`;
      const line = values.map((value, bar) =>
        value === null ? '' : `${bar === 0 || values[bar - 1] === null ? 'M' : 'L'}${at(value, bar)}`,
      );
      const dots = values.map((value, bar) => (value === null ? '' : `M${at(value, bar)}h0`));
      return (
        <g key={name} class={`line ${seriesClass(data, index)}`}>
          <path d={line.join('')} />
          <path class="dots" d={dots.join('')} />
        </g>
      );
    })}
  </>
);

/** The tooltip of a bar, or of a point on the lines: its values. */
function valuesText({ unit, bars, step, series }: ChartData, bar: number): string {
  const at = bars[bar] ?? '';
  const when = step === 'hour' ? dayAndTime(at) : `${step === 7 ? 'week from ' : ''}${shortDay(at)}`;
  const values = series.flatMap(({ name, values: all }) => (all[bar] ? [`${name} ${figure(all[bar])}`] : []));
  return [`${when}, ${unit}:`, ...(values.length === 0 ? ['none'] : values)].join('\n');
}

/**
 * Labels at most eight bars, and in a narrow window every other one of those. Hours are counted from midnight, days
 * from the last one back, so that the last day has a label.
 */
const TimeLabels = ({ bars, step }: ChartData) => {
  const every = Math.ceil(bars.length / 8);
  return (
    <>
      {bars.map((bar, index) => {
        const place = step === 'hour' ? Number(bar.slice(11, 13)) : bars.length - 1 - index;
        if (place % every !== 0) return null;
        return (
          <text
            key={bar}
            class={place % (2 * every) === 0 ? 'time' : 'time spare'}
            x={`${rounded((100 * (index + 0.5)) / bars.length)}%`}
            y="100%"
            dy="1.5em"
          >
            {step === 'hour' && place === 0 ? shortDay(bar) : shortTime(bar)}
          </text>
        );
      })}
    </>
  );
};

/** Says that there is nothing before the first bar that is drawn. */
function nothingBefore(first: string, { step, bars: [from = ''] }: ChartData): string {
  if (step === 'hour') return `Nothing from ${dayAndTime(from)} to ${dayAndTime(first)}.`;
  const last = addDays(first, -1);
  return last === from ? `Nothing on ${shortDay(from)}.` : `Nothing from ${shortDay(from)} to ${shortDay(last)}.`;
}

/** The sum of all bars, and what is not drawn if they do not begin at the beginning of the range. */
const Sum = ({ data, shown }: { data: ChartData; shown: ChartData }) => {
  const total = data.series.reduce((sum, series) => sum + series.total, 0);
  const [first = ''] = shown.bars;
  const notes = [
    ...(hasLines(data) || data.series.length < 2 ? [] : [`Total: ${figure(total)} ${data.unit}.`]),
    ...(shown === data ? [] : [nothingBefore(first, data)]),
  ];
  return notes.length === 0 ? null : <p class="soft">{notes.join(' ')}</p>;
};

const Legend = ({ data }: { data: ChartData }) => (
  <ul class="legend">
    {data.series.map(({ name, total }, index) => (
      <li key={name}>
        <span class={`swatch ${seriesClass(data, index)}`} aria-hidden="true" />
        <bdi>{name}</bdi> <span class="soft">{figure(total)}</span>
      </li>
    ))}
  </ul>
);

/**
 * A chart in the colours of the page, with a text for people who cannot see it. The bars stretch to the available width
 * (one unit per bar, and a hundred from top to bottom), while the labels around them keep their size.
 */
export const Chart = ({ data: all, range }: { data: ChartData; range: Range }) => {
  if (all.bars.length > MOST_BARS) {
    throw new RangeError(`A chart can have at most ${MOST_BARS} bars, not ${all.bars.length}`);
  }
  const data = fromFirstValue(all);
  const count = data.bars.length;
  const ticks = axisTicks(data, highestValue(data));
  const top = ticks.at(-1) ?? 1;
  const height: Height = (value) => rounded(100 - (100 * value) / top);
  return (
    <figure class="chart">
      <figcaption>
        <Legend data={data} />
        <Sum data={all} shown={data} />
      </figcaption>
      <svg role="img" aria-label={chartText(all, range)}>
        {ticks.map((tick) => (
          <text key={tick} class="value" y={`${height(tick)}%`} dx="-0.7em" dy="0.35em">
            {shortFigure(tick)}
          </text>
        ))}
        <TimeLabels {...data} />
        <svg class="plot" aria-hidden="true" viewBox={`0 0 ${count} 100`} preserveAspectRatio="none">
          <path class="grid" d={ticks.map((tick) => `M0 ${height(tick)}H${count}`).join('')} />
          <path class="axis" d={`M0 100H${count}`} />
          {hasLines(data) ? <Lines data={data} height={height} /> : <Bars data={data} height={height} />}
          {data.bars.map((bar, index) => (
            <rect key={bar} class="hover" x={index} width="1" height="100">
              <title>{valuesText(data, index)}</title>
            </rect>
          ))}
        </svg>
      </svg>
    </figure>
  );
};
