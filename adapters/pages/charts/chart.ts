import { BarChart, LineChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { type ChartData, hasLines } from './chart-data.js';
import { CHART_SIZES, type ChartWidth } from './chart-sizes.js';
import { type Palette, paletteOf, type Scheme } from './palette.js';

use([BarChart, LineChart, GridComponent, SVGRenderer]);

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Midnight is told by the day that begins. */
const shortHour = (hour: string): string =>
  hour.slice(11, 13) === '00' ? shortDay(hour.slice(0, 10)) : hour.slice(11, 16);

const shortDay = (day: string): string => `${Number(day.slice(8))} ${MONTHS[Number(day.slice(5, 7)) - 1]}`;

/** `1.5k`, `20M`: short enough for an axis. */
const shortFigure = (value: number): string => {
  const [size, letter] = value >= 1e6 ? [1e6, 'M'] : value >= 1000 ? [1000, 'k'] : [1, ''];
  return `${Math.round((value / size) * 1000) / 1000}${letter}`;
};

/** The picture as SVG text, without motion or script: the browser only displays it. */
export function drawChart(data: ChartData, look: { scheme: Scheme; width: ChartWidth }): string {
  const palette = paletteOf(look.scheme);
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...CHART_SIZES[look.width] });
  try {
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: palette.sans, fontSize: 12, color: palette.soft },
      grid: { left: 4, right: 8, top: 14, bottom: 4, outerBoundsMode: 'same', outerBoundsContain: 'axisLabel' },
      ...axes(data, palette, look.width),
      series: hasLines(data) ? lines(data, palette) : bars(data, palette, look.width),
    });
    return withoutHover(chart.renderToSVGString());
  } finally {
    chart.dispose();
  }
}

const axes = (data: ChartData, palette: Palette, width: ChartWidth) => ({
  xAxis: {
    type: 'category' as const,
    data: data.bars.map(data.step === 'hour' ? shortHour : shortDay),
    axisTick: { show: false },
    axisLine: { lineStyle: { color: palette.soft } },
    axisLabel: { color: palette.soft, hideOverlap: true, margin: 10, ...hourLabels(data, width) },
  },
  yAxis: {
    type: 'value' as const,
    splitNumber: width === 'narrow' ? 3 : 4,
    minInterval: data.unit === 'items' || data.unit === 'requests' ? 1 : 0,
    axisLabel: { color: palette.soft, formatter: shortFigure },
    splitLine: { lineStyle: { color: palette.line } },
  },
});

/** By the hour, midnight has a label, and so have hours at equal distances from it. */
const hourLabels = ({ bars, step }: ChartData, width: ChartWidth) => {
  if (step !== 'hour') return {};
  const every = bars.length / (width === 'narrow' ? 4 : 8);
  return { interval: (index: number) => Number(bars[index]?.slice(11, 13)) % every === 0 };
};

const bars = ({ series, rest, bars: count }: ChartData, palette: Palette, width: ChartWidth) =>
  series.map(({ name, values }, index) => ({
    name,
    type: 'bar' as const,
    stack: 'all',
    silent: true,
    barMaxWidth: 44,
    barCategoryGap: '22%',
    emphasis: { disabled: true },
    itemStyle: {
      color: rest && index === series.length - 1 ? palette.rest : (palette.series[index] ?? palette.rest),
      // A seam between neighbours, for people who cannot distinguish their colours; thin bars would be all seam.
      borderColor: palette.card,
      borderWidth: count.length > 40 && width !== 'wide' ? 0 : 0.6,
    },
    // Zero draws nothing, not even a line along the axis.
    data: values.map((value) => (value === 0 ? '-' : value)),
  }));

const lines = ({ series }: ChartData, palette: Palette) =>
  series.map(({ name, values }, index) => ({
    name,
    type: 'line' as const,
    silent: true,
    emphasis: { disabled: true },
    color: palette.series[index] ?? palette.rest,
    // A line of one point is none: its dots are seen.
    symbol: 'circle',
    symbolSize: 5,
    lineStyle: { width: 2 },
    data: values.map((value) => value ?? '-'),
  }));

/** The library adds hover rules; a picture has no pointer, so they are removed. */
function withoutHover(svg: string): string {
  const [head = '', ...styled] = svg.split(/<style\s*>/);
  const rest = styled.map((text) => text.slice(text.indexOf(STYLE_END) + STYLE_END.length).trimStart());
  return [head, ...rest].join('').replaceAll(/ (?:class="zr[^"]*"|ecmeta_[a-z_]+="[^"]*")/g, '');
}

const STYLE_END = '</style>';
