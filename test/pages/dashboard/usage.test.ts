/** Usage as figures, as a file and as charts, all of which agree with the ledger. */
import { h } from 'preact';
import { render } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { Chart } from '../../../adapters/pages/charts/chart.js';
import {
  type ChartData,
  chartText,
  creditsChart,
  hoursChart,
  itemsChart,
  MOST_BARS,
} from '../../../adapters/pages/charts/chart-data.js';
import { forecastSpending } from '../../../adapters/pages/dashboard/overview/overview-model.js';
import { lastHours, readUsageParams, usageQuery } from '../../../adapters/pages/dashboard/usage/usage-params.js';
import { usageCsv } from '../../../adapters/pages/dashboard/usage/usage-table.js';
import { csvField, csvText } from '../../../adapters/pages/kit/signed-in/csv.js';
import { chartsIn, type ShownChart } from './charts.js';
import { apart, coloursOf, contrast } from './colours.js';
import { BUSY, HOSTILE_NAMES } from './fixture.js';
import { NOW_MS } from './fixture-usage.js';

const parse = (query: string) => readUsageParams(new URLSearchParams(query), NOW_MS);
const RANGE = { from: '2026-08-24', to: '2026-11-21' };
const NOVEMBER = { from: '2026-11-01', to: '2026-11-03' };

const row = (day: string, endpoint: string, amount: number) => ({
  ...{ day, endpoint, amount, requests: 1, items: 4, cacheHits: 1 },
});

/** The chart as HTML of the page. */
const html = (data: ChartData): string => render(h(Chart, { data, range: NOVEMBER }));
const drawn = (data: ChartData): ShownChart => {
  const [chart] = chartsIn(html(data));
  if (chart === undefined) throw new Error('nothing was drawn');
  return chart;
};

describe('the range of a usage page', () => {
  it('defaults to the last 30 days by day, including today', () => {
    expect(parse('')).toEqual({ from: '2026-10-23', to: '2026-11-21', groups: ['day'] });
    expect(parse('from=&to=&group=')).toEqual(parse(''));
  });

  it('accepts hours for the days for which they are kept, and names those days in a refusal', () => {
    expect(parse('from=2026-11-14&group=key,hour').groups).toEqual(['hour', 'key']);
    expect(() => parse('from=2026-11-13&group=hour')).toThrow('kept for 8 days: choose a first day from 2026-11-14 on');
  });

  it('accepts groups repeated or with commas, in one order', () => {
    expect(parse('group=key&group=day').groups).toEqual(['day', 'key']);
    expect(parse('group=key,endpoint,key').groups).toEqual(['endpoint', 'key']);
  });

  it.each([
    'from=2026-02-30',
    'to=yesterday',
    'from=2026-11-02&to=2026-11-01',
    'from=2024-01-01',
    'group=week',
    'from=20261101',
    'to=9999-12-31',
    'to=0000-01-05',
  ])('refuses %s with a message', (query) => {
    expect(() => parse(query)).toThrow(/day|grouped/);
  });

  it('survives a round trip through its address', () => {
    const one = parse('from=2026-11-01&to=2026-11-03&group=endpoint,key');
    expect(parse(usageQuery(one))).toEqual(one);
  });
});

describe('how long a balance lasts', () => {
  const MONTH = { from: '2026-10-23', to: '2026-11-21' };
  const spent = (...days: readonly (readonly [day: string, credits: number])[]) =>
    creditsChart(
      MONTH,
      days.map(([day, credits]) => row(day, 'user', credits * 1000)),
    );
  it.each([
    ['nothing was ever spent', spent(), null],
    ['the first use is of today', spent(['2026-11-21', 50]), null],
    ['the first use is of yesterday', spent(['2026-11-20', 50]), null],
    ['the first use is of three days', spent(['2026-11-19', 20], ['2026-11-21', 40]), { days: 15, from: 3 }],
    ['of a week, one day was busy', spent(['2026-10-25', 9], ['2026-11-21', 70]), { days: 30, from: 7 }],
    ['nothing was spent for a week', spent(['2026-11-14', 50]), null],
  ])('%s', (_what, usage, forecast) => {
    expect(forecastSpending(300_000, usage)).toEqual(forecast);
  });
});

describe('chart data', () => {
  it('combines the series after the sixth as "1 other" or "3 others"', () => {
    const named = (count: number) => Array.from({ length: count }, (_, nth) => row('2026-11-01', `read${nth}`, 1000));
    expect(creditsChart(NOVEMBER, named(7)).series.at(-1)?.name).toBe('1 other');
    expect(creditsChart(NOVEMBER, named(9)).series.at(-1)?.name).toBe('3 others');
  });

  it('has a bar for each day, including days without usage', () => {
    const chart = creditsChart(NOVEMBER, [row('2026-11-01', 'user', 1500), row('2026-11-03', 'user', 500)]);
    expect(chart.bars).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
    expect(chart.series).toEqual([{ name: 'user', values: [1.5, 0, 0.5], total: 2 }]);
  });

  it('shows the six dearest endpoints and the sum of the others', () => {
    const rows = Array.from({ length: 9 }, (_, index) => row('2026-11-02', `e${index}`, (index + 1) * 1000));
    const { series, rest } = creditsChart(NOVEMBER, rows);
    expect(series.map(({ name, total }) => [name, total])).toEqual([
      ['e8', 9],
      ['e7', 8],
      ['e6', 7],
      ['e5', 6],
      ['e4', 5],
      ['e3', 4],
      ['3 others', 6],
    ]);
    expect(rest).toBe(true);
  });

  it('draws longer ranges by the week, with the same sum', () => {
    const year = { from: '2025-11-22', to: '2026-11-21' };
    const chart = creditsChart(year, BUSY.usage);
    expect(chart.step).toBe(7);
    expect(chart.bars).toHaveLength(53);
    const sum = (name: string) =>
      BUSY.usage.filter(({ endpoint }) => endpoint === name).reduce((all, { amount }) => all + amount, 0);
    expect(chart.series[0]?.total).toBeCloseTo(sum(chart.series[0]?.name ?? '') / 1000, 6);
    expect(chart.series[0]?.values.reduce<number>((all, value) => all + (value ?? 0), 0)).toBeCloseTo(
      chart.series[0]?.total ?? 0,
      6,
    );
  });

  it('counts an item as read or as cached, never both', () => {
    const { series } = itemsChart(NOVEMBER, [row('2026-11-02', 'user', 1), row('2026-11-02', 'search', 1)]);
    expect(series.map(({ total }) => total)).toEqual([6, 2]);
  });

  it('describes a chart in text for screen readers', () => {
    const chart = creditsChart(NOVEMBER, [row('2026-11-01', 'user', 1500), row('2026-11-03', 'search', 2500)]);
    expect(chartText(chart, NOVEMBER)).toBe(
      'Credits per day from 2026-11-01 to 2026-11-03, as stacked bars: 4 in total, most on 2026-11-03 (2.5); search 2.5, user 1.5.',
    );
    expect(chartText(creditsChart(NOVEMBER, []), NOVEMBER)).toMatch(/: none\.$/);
  });
});

describe('a chart', () => {
  it('draws a part of a bar for each value above zero, in the colour of its series', () => {
    const rows = [row('2026-11-01', 'user', 1500), row('2026-11-03', 'user', 500), row('2026-11-03', 'search', 2500)];
    expect(drawn(creditsChart(NOVEMBER, rows)).bars).toEqual({ 'series-1': 1, 'series-2': 2 });
    const { bars } = drawn(creditsChart(RANGE, BUSY.usage));
    expect(Object.keys(bars)).toEqual([1, 2, 3, 4, 5, 6, 'rest'].map((name) => `series-${name}`));
  });

  it('stacks the parts of a bar from the axis upwards', () => {
    const rows = [row('2026-11-01', 'user', 3000), row('2026-11-01', 'search', 1000)];
    const paths = [...html(creditsChart(NOVEMBER, rows)).matchAll(/ d="M\S+ (\S+?)V(\S+?)h/g)];
    // The axis ends at four credits: 100 is the bottom, 0 the top.
    expect(paths.map(([, from, to]) => [Number(from), Number(to)])).toEqual([
      [100, 25],
      [25, 0],
    ]);
  });

  it.each([
    ['small', 0.004, ['0', '0.001', '0.002', '0.003', '0.004']],
    ['medium', 37, ['0', '10', '20', '30', '40']],
    ['large', 1_080, ['0', '200', '400', '600', '800', '1k', '1.2k']],
    ['huge', 31_000_000, ['0', '10M', '20M', '30M', '40M']],
  ])('labels the axis of %s values with round figures', (_size, credits, labels) => {
    const { labels: all } = drawn(creditsChart(NOVEMBER, [row('2026-11-01', 'user', credits * 1000)]));
    expect(all).toEqual([...labels, '1 Nov', '2 Nov', '3 Nov']);
  });

  it('puts labels only at whole items', () => {
    expect(drawn(itemsChart(NOVEMBER, [row('2026-11-02', 'user', 1)])).labels).toEqual([
      ...['0', '1', '2', '3', '4'],
      ...['1 Nov', '2 Nov', '3 Nov'],
    ]);
  });

  it('labels at most eight days, and every other one of them in a narrow window', () => {
    const svg = html(creditsChart(RANGE, []));
    expect(svg.match(/class="time"/g)).toHaveLength(4);
    expect(svg.match(/class="time spare"/g)).toHaveLength(4);
  });

  it('begins with the first value, covers at least a week, and says so', () => {
    const month = { from: '2026-10-23', to: '2026-11-21' };
    const day = creditsChart(month, [row('2026-11-21', 'user', 1500)]);
    expect(drawn(day).values).toHaveLength(7);
    expect(drawn(day).labels).toContain('21 Nov');
    expect(html(day)).toContain('Nothing from 23 Oct to 14 Nov.');
    const weeks = creditsChart(month, [row('2026-11-01', 'user', 1500), row('2026-11-21', 'search', 500)]);
    expect(drawn(weeks).values).toHaveLength(21);
    expect(html(weeks)).toContain('Total: 2 credits.');
    expect(html(creditsChart(month, [row('2026-10-23', 'user', 1)]))).not.toContain('Nothing');
    const second = creditsChart(month, [row('2026-10-24', 'user', 1)]);
    expect(html(second)).toContain('Nothing on 23 Oct.');
    expect(drawn(creditsChart(month, [])).values).toHaveLength(30);
  });

  it.each([7, 30, 90])('labels the last of %i days', (days) => {
    const from = new Date(Date.parse('2026-11-21') - (days - 1) * 86_400_000).toISOString().slice(0, 10);
    const chart = creditsChart({ from, to: '2026-11-21' }, [row(from, 'user', 1)]);
    expect(drawn(chart).labels.at(-1)).toBe('21 Nov');
  });

  it('shows the values of each bar as a tooltip', () => {
    const rows = [row('2026-11-01', 'user', 1500), row('2026-11-03', 'user', 500), row('2026-11-03', 'search', 2500)];
    expect(drawn(creditsChart(NOVEMBER, rows)).values).toEqual([
      '1 Nov, credits:\nuser 1.5',
      '2 Nov, credits:\nnone',
      '3 Nov, credits:\nsearch 2.5\nuser 0.5',
    ]);
  });

  it('interrupts a line where a value is missing, and shows a single value as a dot', () => {
    const series = [{ name: 'p50', values: [null, 4, null, 5, 6], total: 5 }];
    const bars = Array.from({ length: 5 }, (_, day) => `2026-11-0${day + 1}`);
    const data: ChartData = { unit: 'milliseconds', bars, step: 1, series, rest: false };
    expect(drawn(data).lines).toEqual({ 'series-1': 3 });
    expect(html(data)).toContain('<path d="M1.5 33.33M3.5 16.67L4.5 0"');
  });

  it('has axes where nothing was used', () => {
    expect(drawn(creditsChart(NOVEMBER, []))).toMatchObject({ bars: {}, labels: expect.arrayContaining(['2 Nov']) });
  });

  it('refuses more bars than there are weeks in a year or days in three months', () => {
    const bars = Array.from({ length: MOST_BARS + 1 }, (_, day) => `day ${day}`);
    expect(() => html({ ...creditsChart(NOVEMBER, []), bars })).toThrow('at most 92 bars, not 93');
  });

  it('escapes names that others chose, and has no inline style', () => {
    const rows = Object.values(HOSTILE_NAMES).map((name) => row('2026-11-02', name, 1000));
    expect(html(creditsChart(NOVEMBER, rows))).not.toMatch(/<script|<img|onerror="|style=/);
  });
});

describe.each(['light', 'dark'] as const)('colours of charts in the %s scheme', (scheme) => {
  const colour = coloursOf(scheme);
  const series = [1, 2, 3, 4, 5, 6, 'rest'].map((name) => colour(`--series-${name}`));

  it('can be distinguished by people with each kind of colour blindness', () => {
    for (const kind of ['all', 'protan', 'deutan', 'tritan'] as const) expect(apart(series, kind)).toBeGreaterThan(9);
  });

  it('stand out from the card, and labels can be read on it', () => {
    for (const one of series) expect(contrast(one, colour('--card'))).toBeGreaterThan(2.4);
    expect(contrast(colour('--ink-soft'), colour('--card'))).toBeGreaterThan(4.5);
  });
});

describe('the file', () => {
  it('has a header and CRLF, and credits with at most three decimals (RFC 4180)', () => {
    const rows = [{ ...row('2026-11-02', 'user', 1020), keyPrefix: 'perch_live_8fK2xQ' }];
    expect(csvText(usageCsv(parse('group=day,endpoint,key'), rows))).toBe(
      'day,endpoint,key_prefix,requests,items,cache_hits,credits\r\n2026-11-02,user,perch_live_8fK2xQ,1,4,1,1.02\r\n',
    );
    const hours = [{ ...row('2026-11-02', 'user', 1020), hour: '2026-11-02T13:00:00Z' }];
    expect(csvText(usageCsv(parse('from=2026-11-20&group=hour'), hours))).toBe(
      'hour,requests,items,cache_hits,credits\r\n2026-11-02T13:00:00Z,1,4,1,1.02\r\n',
    );
    expect(csvText(usageCsv(parse(''), []))).toBe('day,requests,items,cache_hits,credits\r\n');
  });

  it.each([
    ['=1+1', "'=1+1"],
    ['+A1', "'+A1"],
    ['-2', "'-2"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['\r=1', '"\'\r=1"'],
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
    ['plain', 'plain'],
  ])('writes %j so that no spreadsheet runs it', (text, written) => {
    expect(csvField(text)).toBe(written);
  });

  it('keeps numbers as they are', () => {
    expect(csvField(-2)).toBe('-2');
  });
});

describe('the last hours', () => {
  const HOURS = lastHours(24, NOW_MS);
  const at = (hour: string, endpoint: string, amount: number) => ({
    ...{ hour, endpoint, amount, requests: 1, items: 4, cacheHits: 1 },
  });

  it('end with the current one, whatever the day', () => {
    expect(HOURS).toHaveLength(24);
    expect([HOURS[0], HOURS.at(-1)]).toEqual(['2026-11-20T13:00:00Z', '2026-11-21T12:00:00Z']);
    const late = Date.parse('2026-11-21T12:59:59.999Z');
    expect(lastHours(24, late)).toEqual(HOURS);
    expect(lastHours(48, NOW_MS).slice(24)).toEqual(HOURS);
  });

  it('have a bar each, and leave out other hours', () => {
    const rows = [
      at('2026-11-20T12:00:00Z', 'search', 9_000),
      at('2026-11-20T13:00:00Z', 'search', 1_000),
      at('2026-11-21T12:00:00Z', 'search', 2_500),
      at('2026-11-21T12:00:00Z', 'user', 500),
    ];
    const chart = hoursChart(HOURS, rows);
    expect(chart.series.map(({ name, total }) => [name, total])).toEqual([
      ['search', 3.5],
      ['user', 0.5],
    ]);
    expect(chart.series[0]?.values).toEqual([1, ...Array.from({ length: 22 }, () => 0), 2.5]);
    const span = { from: HOURS[0] ?? '', to: HOURS.at(-1) ?? '' };
    expect(chartText(chart, span)).toBe(
      'Credits per hour from 2026-11-20 13:00 to 2026-11-21 12:00 UTC, as stacked bars: 4 in total, most from 2026-11-21 12:00 (3); search 3.5, user 0.5.',
    );
    const { labels, values } = drawn(chart);
    expect(labels.slice(-8)).toEqual(['15:00', '18:00', '21:00', '21 Nov', '03:00', '06:00', '09:00', '12:00']);
    expect(values.at(-1)).toBe('21 Nov 12:00, credits:\nsearch 2.5\nuser 0.5');
  });
});
