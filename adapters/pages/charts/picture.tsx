import { figure } from '../../../src/domain/figures.js';
import { chartPath } from '../dashboard/usage/usage-params.js';
import { type ChartData, type ChartName, chartText, type Range } from './chart-data.js';
import { CHART_SIZES } from './chart-sizes.js';

const DARK = '(prefers-color-scheme: dark)';

/** Which picture is for which window; the first that fits is shown. */
const WINDOWS = [
  { width: 'narrow', media: '(max-width: 30rem)' },
  { width: 'medium', media: '(max-width: 60rem)' },
] as const;

const Legend = ({ series, rest }: ChartData) => (
  <ul class="legend">
    {series.map(({ name, total }, index) => (
      <li key={name}>
        <span class={`swatch series-${rest && index === series.length - 1 ? 'rest' : index + 1}`} aria-hidden="true" />
        <bdi>{name}</bdi> <span class="soft">{figure(total)}</span>
      </li>
    ))}
  </ul>
);

/** A chart of the account's usage. */
export const Picture = (props: { chart: ChartName; data: ChartData; range: Range; keyId?: string }) => (
  <PictureAt at={chartPath(props.chart, props.range, props.keyId)} data={props.data} range={props.range} />
);

/** A chart in the browser's width and colour scheme, with a text for people who cannot see it. */
export const PictureAt = ({ at, data, range }: { at: string; data: ChartData; range: Range }) => {
  const path = (scheme: string, width: string) => `${at}&scheme=${scheme}&width=${width}`;
  return (
    <figure class="picture">
      <figcaption>
        <Legend {...data} />
      </figcaption>
      <picture>
        {WINDOWS.flatMap(({ width, media }) => [
          <source
            key={`${width} dark`}
            media={`${media} and ${DARK}`}
            srcset={path('dark', width)}
            {...CHART_SIZES[width]}
          />,
          <source key={width} media={media} srcset={path('light', width)} {...CHART_SIZES[width]} />,
        ])}
        <source media={DARK} srcset={path('dark', 'wide')} {...CHART_SIZES.wide} />
        <img src={path('light', 'wide')} alt={chartText(data, range)} {...CHART_SIZES.wide} />
      </picture>
    </figure>
  );
};
