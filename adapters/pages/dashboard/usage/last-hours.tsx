import type { ComponentChildren } from 'preact';
import { Chart } from '../../charts/chart.js';
import { Card, Nothing } from '../../kit/signed-in/parts.js';
import type { LastHours } from './usage-charts.js';
import { HOURS } from './usage-params.js';
import { UsageTable } from './usage-table.js';

/** `hrefOf`: the address of the page with another number of hours. */
export const LastHoursCard = (props: { readonly lastHours: LastHours; readonly hrefOf: (hours: number) => string }) => {
  const { hours, chart, span, rows } = props.lastHours;
  const others: ComponentChildren = HOURS.filter((other) => other !== hours).map((other) => (
    <a key={other} class="button small" href={props.hrefOf(other)}>
      {other} hours
    </a>
  ));
  return (
    <Card
      id="hours"
      title={`Credits per hour, last ${hours} hours`}
      lead="By endpoint or operation, in UTC. The current hour is not over yet."
      aside={others}
    >
      {rows.length === 0 ? (
        <Nothing>No paid requests in the last {hours} hours.</Nothing>
      ) : (
        <>
          <Chart data={chart} range={span} />
          <details>
            <summary>Figures by hour</summary>
            <UsageTable selection={{ from: shown(span.from), to: shown(span.to), groups: ['hour'] }} rows={rows} />
          </details>
        </>
      )}
    </Card>
  );
};

const shown = (hour: string): string => `${hour.slice(0, 10)} ${hour.slice(11, 16)}`;
