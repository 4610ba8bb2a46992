import type { ComponentChildren } from 'preact';
import { figure } from '../../../src/domain/figures.js';
import { INTERFACE_NAMES, LEFT, percentileMs } from '../../../src/domain/traffic.js';
import type { MetLimit } from '../../../src/ports/figures.js';
import { Chart } from '../charts/chart.js';
import type { ChartData } from '../charts/chart-data.js';
import type { CsvRows } from '../kit/signed-in/csv.js';
import type { PageLayout } from '../kit/signed-in/frame.js';
import { Card, CsvLink, DataTable, Nothing } from '../kit/signed-in/parts.js';
import { percent, SUMS_WRITTEN } from './figures.js';
import { operatorPage } from './frame.js';
import { itemsChart, requestsChart, SPANS, type TrafficModel, type TrafficTime, timesChart } from './traffic-charts.js';

/** The most rows of limits on the page. */
export const MOST_LIMITS = 50;

const Spans = ({ time }: TrafficModel) => (
  <section aria-label="Period">
    <ul class="pills">
      {SPANS.map(({ hours, text }) => (
        <li key={hours}>
          <a
            href={`/operator/traffic?hours=${hours}`}
            {...(time.span.hours === hours ? { 'aria-current': 'true' as const } : {})}
          >
            {text}
          </a>
        </li>
      ))}
    </ul>
  </section>
);

export const TrafficChart = (props: {
  id: string;
  title: string;
  lead?: ComponentChildren;
  data: ChartData;
  time: TrafficTime;
  none: string;
}) => {
  const { id, title, lead, data, time, none } = props;
  const isEmpty = data.series.every(({ total }) => total === 0);
  return (
    <Card
      id={id}
      title={`${title} per ${data.step === 'hour' ? 'hour' : 'day'}`}
      wide
      {...(lead === undefined ? {} : { lead })}
    >
      {isEmpty ? (
        <Nothing>
          {none} in the last {time.span.text}.
        </Nothing>
      ) : (
        <Chart data={data} range={time.range} />
      )}
    </Card>
  );
};

const inMs = (ms: number | null): string => (ms === null ? '' : `${figure(ms)} ms`);

const Operations = ({ figures: { operations }, time }: TrafficModel) => (
  <Card
    id="operations"
    title="By interface and operation"
    aside={<CsvLink href={`/operator/traffic.csv?hours=${time.span.hours}`} />}
    lead="Failed requests have a status of 400 or above, or an error code. Cached is the share of items that came from the cache. Operations that callers wrote themselves share one row, graphql."
  >
    {operations.length === 0 ? (
      <Nothing>No requests in this period. {SUMS_WRITTEN}</Nothing>
    ) : (
      <DataTable
        caption="Requests, failures, cache and time by interface and operation"
        tall
        columns={[
          { title: 'Interface' },
          { title: 'Operation' },
          { title: 'Requests', numeric: true },
          { title: 'Failed', numeric: true },
          { title: 'Cached', numeric: true },
          { title: 'p50', numeric: true },
          { title: 'p99', numeric: true },
        ]}
        rows={operations.map((row) => ({
          key: `${row.interface} ${row.operation}`,
          cells: [
            INTERFACE_NAMES[row.interface],
            row.operation === '' ? 'other' : <code key="operation">{row.operation}</code>,
            figure(row.requests),
            percent(row.refused / row.requests),
            row.items === 0 ? '' : percent(row.cacheHits / row.items),
            inMs(percentileMs(row, 0.5)),
            inMs(percentileMs(row, 0.99)),
          ],
        }))}
      />
    )}
  </Card>
);

export const operationsCsv = ({ operations }: TrafficModel['figures']): CsvRows => [
  ['interface', 'operation', 'requests', 'failed', 'items', 'cache_hits', 'p50_ms', 'p99_ms'],
  ...operations.map((row) => [
    ...[row.interface, row.operation, row.requests, row.refused, row.items, row.cacheHits],
    ...[percentileMs(row, 0.5), percentileMs(row, 0.99)],
  ]),
];

const Statuses = ({ figures: { statuses } }: TrafficModel) => (
  <Card id="codes" title="Statuses and error codes">
    {statuses.length === 0 ? (
      <Nothing>No requests in this period.</Nothing>
    ) : (
      <DataTable
        caption="Requests by HTTP status, error code and interface"
        tall
        columns={[{ title: 'Status' }, { title: 'Code' }, { title: 'Interface' }, { title: 'Requests', numeric: true }]}
        rows={statuses.map((row) => ({
          key: `${row.status} ${row.code} ${row.interface}`,
          cells: [
            row.status === LEFT ? 'caller left' : String(row.status),
            row.code === '' ? '' : <code key="code">{row.code}</code>,
            INTERFACE_NAMES[row.interface],
            figure(row.requests),
          ],
        }))}
      />
    )}
  </Card>
);

/** Names of limits, by the reason for the refusal, or else by its error code. */
const LIMIT_NAMES: Readonly<Record<string, string>> = {
  rate_limited: 'Requests per second',
  failed_keys: 'Invalid keys from one address',
  no_credits: 'Balance',
  key_cap: 'Cap of a key',
  max_credits: 'Budget of the call (max_credits)',
  busy: 'Requests at a time, of the account',
  address_busy: 'Requests at a time, of an address',
  overloaded: 'Capacity of the process',
  processor: 'CPU time',
  queue: 'Queue for the network',
  queue_share: 'Share of the queue for the network',
  questions: 'History queries',
  settling: 'Charges waiting to be recorded',
  upstream_rate_limited: 'Limit of the network',
};

const whose = ({ accountId, account }: MetLimit) =>
  accountId === null ? (
    'callers without a valid key'
  ) : (
    <a key="account" href={`/operator/accounts/${accountId}`}>
      {account ?? accountId}
    </a>
  );

const Limits = ({ figures: { limits } }: TrafficModel) => (
  <Card
    id="limits"
    title="Limits reached"
    lead="Whose requests were refused by a limit, and by which one, most refusals first."
  >
    {limits.length === 0 ? (
      <Nothing>No limit was reached in this period.</Nothing>
    ) : (
      <DataTable
        caption={`The ${MOST_LIMITS} accounts and limits with the most refusals`}
        tall
        columns={[
          { title: 'Account' },
          { title: 'Limit' },
          { title: 'Refusals', numeric: true },
          { title: 'Last day (UTC)' },
        ]}
        rows={limits.map((row) => ({
          key: `${row.accountId} ${row.limit}`,
          cells: [whose(row), LIMIT_NAMES[row.limit] ?? row.limit, figure(row.refusals), row.lastDay],
        }))}
      />
    )}
  </Card>
);

/** `GET /operator/traffic`. */
export const trafficPage = (model: TrafficModel & { readonly layout: PageLayout }): string =>
  operatorPage(
    {
      title: 'Traffic',
      lead: 'Who asks for what, how it is answered, and how long that takes.',
      here: '/operator/traffic',
      layout: model.layout,
    },
    <>
      <Spans {...model} />
      <TrafficChart
        id="requests"
        data={requestsChart(model)}
        time={model.time}
        title="Requests"
        lead="Calls by interface; those with a test key are counted separately. Pages are in the table below."
        none="No calls"
      />
      <TrafficChart
        id="times"
        data={timesChart(model)}
        time={model.time}
        title="Response times"
        lead="Milliseconds per call over REST, GraphQL and MCP. Half of the calls took no longer than p50, and 99 of 100 no longer than p99."
        none="No calls"
      />
      <TrafficChart
        id="items"
        data={itemsChart(model)}
        time={model.time}
        title="Items delivered"
        lead="What was read from the network, and what was cached."
        none="Nothing was delivered"
      />
      <Operations {...model} />
      <Statuses {...model} />
      <Limits {...model} />
    </>,
  );
