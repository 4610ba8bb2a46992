/** Usage as figures, as a file and as pictures: what is drawn is what the ledger says. */
import { describe, expect, it } from 'vitest';
import { drawChart } from '../../../adapters/pages/charts/chart.js';
import { chartText, creditsChart, hoursChart, itemsChart } from '../../../adapters/pages/charts/chart-data.js';
import { paletteOf } from '../../../adapters/pages/charts/palette.js';
import { forecastOf } from '../../../adapters/pages/dashboard/overview/overview-model.js';
import { csvField, usageCsv } from '../../../adapters/pages/dashboard/usage/usage-csv.js';
import {
  lastHours,
  readChartParams,
  readUsageParams,
  usageQuery,
} from '../../../adapters/pages/dashboard/usage/usage-params.js';
import { apart, contrast } from './colours.js';
import { BUSY, HOSTILE_NAMES } from './fixture.js';
import { NOW_MS } from './fixture-usage.js';

const ask = (query: string) => readUsageParams(new URLSearchParams(query), NOW_MS);
const RANGE = { from: '2026-08-24', to: '2026-11-21' };
const NOVEMBER = { from: '2026-11-01', to: '2026-11-03' };

const row = (day: string, endpoint: string, amount: number) => ({
  ...{ day, endpoint, amount, requests: 1, items: 4, cacheHits: 1 },
});

describe('the range of a usage page', () => {
  it('defaults to the last 30 days by day, including today', () => {
    expect(ask('')).toEqual({ from: '2026-10-23', to: '2026-11-21', groups: ['day'] });
    expect(ask('from=&to=&group=')).toEqual(ask(''));
  });

  it('takes hours for the days that they are kept, and says which where not', () => {
    expect(ask('from=2026-11-14&group=key,hour').groups).toEqual(['hour', 'key']);
    expect(() => ask('from=2026-11-13&group=hour')).toThrow('kept for 8 days: choose a first day from 2026-11-14 on');
  });

  it('takes groups often or with commas, in one order', () => {
    expect(ask('group=key&group=day').groups).toEqual(['day', 'key']);
    expect(ask('group=key,endpoint,key').groups).toEqual(['endpoint', 'key']);
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
  ])('refuses %s in words', (query) => {
    expect(() => ask(query)).toThrow(/day|grouped/);
  });

  it('comes back from its own address', () => {
    const one = ask('from=2026-11-01&to=2026-11-03&group=endpoint,key');
    expect(ask(usageQuery(one))).toEqual(one);
  });

  it('a picture has a name, a scheme and a width', () => {
    const read = (query: string) => readChartParams(new URLSearchParams(query), NOW_MS);
    expect(read('chart=items&scheme=dark&width=narrow')).toMatchObject({
      chart: 'items',
      scheme: 'dark',
      width: 'narrow',
    });
    expect(read('chart=items&scheme=x&width=9999')).toMatchObject({ scheme: 'light', width: 'wide' });
    expect(() => read('chart=nonsense')).toThrow('chart must be one of');
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
    expect(forecastOf(300_000, usage)).toEqual(forecast);
  });
});

describe('chart data', () => {
  it('sums up what comes after the sixth: one other, or several', () => {
    const named = (count: number) => Array.from({ length: count }, (_, nth) => row('2026-11-01', `read${nth}`, 1000));
    expect(creditsChart(NOVEMBER, named(7)).series.at(-1)?.name).toBe('1 other');
    expect(creditsChart(NOVEMBER, named(9)).series.at(-1)?.name).toBe('3 others');
  });

  it('has a bar for each day, also where nothing was', () => {
    const chart = creditsChart(NOVEMBER, [row('2026-11-01', 'user', 1500), row('2026-11-03', 'user', 500)]);
    expect(chart.bars).toEqual(['2026-11-01', '2026-11-02', '2026-11-03']);
    expect(chart.series).toEqual([{ name: 'user', values: [1.5, 0, 0.5], total: 2 }]);
  });

  it('shows the six dearest endpoints and sums up the others, and nothing gets lost', () => {
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

  it('longer ranges are drawn by the week, with the same sum', () => {
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

  it('is said in words for who does not see it', () => {
    const chart = creditsChart(NOVEMBER, [row('2026-11-01', 'user', 1500), row('2026-11-03', 'search', 2500)]);
    expect(chartText(chart, NOVEMBER)).toBe(
      'Credits per day from 2026-11-01 to 2026-11-03, as stacked bars: 4 in total, most on 2026-11-03 (2.5); search 2.5, user 1.5.',
    );
    expect(chartText(creditsChart(NOVEMBER, []), NOVEMBER)).toMatch(/: none\.$/);
  });
});

describe('pictures', () => {
  const data = creditsChart(RANGE, BUSY.usage);

  it.each(['light', 'dark'] as const)(
    'the %s one has its own colours, its size, and no script, style sheet or link',
    (scheme) => {
      const svg = drawChart(data, { scheme, width: 'wide' });
      expect(svg).toMatch(/^<svg width="1020" height="300" /);
      for (const colour of paletteOf(scheme).series) expect(svg).toContain(`fill="${colour}"`);
      expect(svg).not.toMatch(/<script|<style|<image|<a |href=|url\(|ecmeta|animate|class=/);
    },
  );

  it('every bar that has a height is drawn', () => {
    const svg = drawChart(creditsChart(NOVEMBER, [row('2026-11-02', 'user', 1000)]), {
      scheme: 'light',
      width: 'narrow',
    });
    expect(svg.match(new RegExp(`fill="${paletteOf('light').series[0]}"`, 'g'))).toHaveLength(1);
  });

  it('names that others chose cannot break out of it', () => {
    const rows = Object.values(HOSTILE_NAMES).map((name) => row('2026-11-02', name, 1000));
    expect(drawChart(creditsChart(NOVEMBER, rows), { scheme: 'light', width: 'wide' })).not.toMatch(
      /<script|onerror|<img/,
    );
  });

  it('an empty range has axes', () => {
    expect(drawChart(creditsChart(NOVEMBER, []), { scheme: 'dark', width: 'narrow' })).toContain('2 Nov');
  });
});

describe.each(['light', 'dark'] as const)('colours of the %s pictures', (scheme) => {
  const { series, rest, card, soft } = paletteOf(scheme);

  it('have colours that people with each kind of colour blindness can distinguish', () => {
    for (const kind of ['all', 'protan', 'deutan', 'tritan'] as const) {
      expect(apart([...series, rest], kind)).toBeGreaterThan(9);
    }
  });

  it('stand out from the card, and letters can be read on it', () => {
    for (const colour of [...series, rest]) expect(contrast(colour, card)).toBeGreaterThan(2.4);
    expect(contrast(soft, card)).toBeGreaterThan(4.5);
  });
});

describe('the file', () => {
  it('has a header and CRLF, and credits with at most three decimals (RFC 4180)', () => {
    const rows = [{ ...row('2026-11-02', 'user', 1020), keyPrefix: 'perch_live_8fK2xQ' }];
    expect(usageCsv(ask('group=day,endpoint,key'), rows)).toBe(
      'day,endpoint,key_prefix,requests,items,cache_hits,credits\r\n2026-11-02,user,perch_live_8fK2xQ,1,4,1,1.02\r\n',
    );
    const hours = [{ ...row('2026-11-02', 'user', 1020), hour: '2026-11-02T13:00:00Z' }];
    expect(usageCsv(ask('from=2026-11-20&group=hour'), hours)).toBe(
      'hour,requests,items,cache_hits,credits\r\n2026-11-02T13:00:00Z,1,4,1,1.02\r\n',
    );
    expect(usageCsv(ask(''), [])).toBe('day,requests,items,cache_hits,credits\r\n');
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
  ])('%j is written so that no spreadsheet runs it', (text, written) => {
    expect(csvField(text)).toBe(written);
  });

  it('figures stay figures', () => {
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

  it('have a bar each; other hours count nowhere', () => {
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
    const svg = drawChart(chart, { scheme: 'light', width: 'wide' });
    expect(svg).toContain('>21 Nov<');
    expect(svg).toContain('>15:00<');
  });
});
