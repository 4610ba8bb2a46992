import { liveDocuments } from '../../../schema/list-documents.js';
import { byOperation, cacheHitRate } from '../../../src/billing/figures.js';
import { isLoss, NO_COSTS, OWN_SUBSCRIPTIONS, plusCosts, toUsd, toWorthUsd } from '../../../src/domain/costs.js';
import { toCredits } from '../../../src/domain/credits.js';
import { counted, figure } from '../../../src/domain/figures.js';
import { daysIn } from '../charts/chart-data.js';
import type { CsvRows } from '../kit/signed-in/csv.js';
import { formatAmount } from '../kit/signed-in/formats.js';
import { Badge, Card, CsvLink, DataTable, Nothing, type Tone, When } from '../kit/signed-in/parts.js';
import type { StatusModel } from '../site/status/status-model.js';
import { ChartCard, deliveredChart, type FiguresModel, Periods, percent, SUMS_WRITTEN, usd } from './figures.js';
import { operatorPage } from './frame.js';

export interface ReadsModel extends FiguresModel {
  readonly status: StatusModel;
}

const Operations = ({ figures: { reads, price, days } }: ReadsModel) => {
  const rows = byOperation(reads);
  return (
    <Card
      id="operations"
      title="By operation"
      aside={<CsvLink href={`/operator/reads.csv?days=${daysIn(days)}`} />}
      lead="The worth of the credits charged for each operation, whether they were sold or granted, and what the network bills for it by its price list, most expensive first. Operations that callers wrote themselves share one row, graphql, and their subscriptions another, live-graphql."
    >
      {rows.length === 0 ? (
        <Nothing>No reads in this period. {SUMS_WRITTEN}</Nothing>
      ) : (
        <DataTable
          caption="Responses, cache, credits, their worth and cost by operation"
          columns={[
            { title: 'Operation' },
            { title: 'Network' },
            { title: 'Responses', numeric: true },
            { title: 'Items', numeric: true },
            { title: 'Cached', numeric: true },
            { title: 'Calls', numeric: true },
            { title: 'Credits', numeric: true },
            { title: 'Worth', numeric: true },
            { title: 'Cost', numeric: true },
            { title: 'Verdict' },
          ]}
          rows={rows.map((row) => ({
            key: `${row.network} ${row.operation}`,
            cells: [
              <code key="operation">{row.operation}</code>,
              row.network,
              figure(row.answers),
              figure(row.items),
              percent(cacheHitRate(row)),
              figure(row.calls),
              formatAmount(row.charged),
              usd(toWorthUsd(row, price.usdPerCredit)),
              usd(toUsd(row.cost)),
              isLoss(row, price.usdPerCredit) ? (
                <Badge key="verdict" tone="bad">
                  Costs more than it is worth
                </Badge>
              ) : (
                ''
              ),
            ],
          }))}
        />
      )}
    </Card>
  );
};

const FOLLOWING: ReadonlySet<string> = new Set([...liveDocuments().map(([name]) => name), OWN_SUBSCRIPTIONS]);

/** What streams and watches earned and cost, including calls to the network that found nothing new. */
const Following = ({ figures: { reads, price } }: ReadsModel) => {
  const sums = reads.filter(({ operation }) => FOLLOWING.has(operation)).reduce(plusCosts, NO_COSTS);
  if (sums.calls === 0 && sums.items === 0) return null;
  const [worth, cost] = [toWorthUsd(sums, price.usdPerCredit), toUsd(sums.cost)];
  const ofThousand = (amount: number): string => usd((1000 * amount) / sums.items);
  const each = sums.items === 0 ? '' : `: ${ofThousand(worth)} and ${ofThousand(cost)} for 1,000 items`;
  return (
    <Card
      id="following"
      title="Streams and watches"
      lead="Operations whose names begin with live. Each list is read once for all its followers, and costs nothing while it has nothing new."
    >
      <p>
        {counted(sums.items, 'item')} brought {usd(worth)} and cost {usd(cost)}
        {each}. The network was called {counted(sums.calls, 'time')}.
      </p>
    </Card>
  );
};

export const readsCsv = ({ reads }: ReadsModel['figures']): CsvRows => [
  ['network', 'operation', 'responses', 'items', 'cache_hits', 'calls', 'credits', 'cost_usd'],
  ...byOperation(reads).map((row) => [
    ...[row.network, row.operation, row.answers, row.items, row.cacheHits, row.calls],
    ...[toCredits(row.charged), toUsd(row.cost)],
  ]),
];

export const FAMILY_NAMES: Record<StatusModel['families'][number]['name'], string> = {
  fast: 'Profiles, tweets and timelines',
  slow: 'Search and all other lists',
};
export const TONES: Record<StatusModel['families'][number]['state'], Tone> = {
  ok: 'ok',
  degraded: 'warn',
  down: 'bad',
};
export const STATES: Record<StatusModel['families'][number]['state'], string> = {
  ok: 'Working',
  degraded: 'Degraded',
  down: 'Down',
};

const Families = ({ status: { families } }: ReadsModel) => (
  <DataTable
    caption="Reads of the network by this process, since its start"
    columns={[
      { title: 'Reads' },
      { title: 'State' },
      { title: 'Queue wait', numeric: true },
      { title: 'Waiting', numeric: true },
      { title: 'Calls', numeric: true },
      { title: 'Failed', numeric: true },
      { title: 'Unreadable', numeric: true },
      { title: 'Refused', numeric: true },
      { title: 'Look-ups cached', numeric: true },
    ]}
    rows={families.map((family) => ({
      key: family.name,
      cells: [
        FAMILY_NAMES[family.name],
        <Badge key="state" tone={TONES[family.state]}>
          {STATES[family.state]}
        </Badge>,
        `${figure(Math.round(family.queueWaitMs))} ms`,
        figure(family.queueLength),
        figure(family.upstreamCalls),
        figure(family.failures),
        figure(family.unreadable),
        figure(family.refused),
        family.cacheHitRate === null ? '' : percent(family.cacheHitRate),
      ],
    }))}
  />
);

const SESSIONS: Record<StatusModel['sessions'][number]['state'], { tone: Tone; text: string }> = {
  ok: { tone: 'ok', text: 'Working' },
  limited: { tone: 'warn', text: 'Limited' },
  resting: { tone: 'warn', text: 'Paused' },
  failing: { tone: 'bad', text: 'Failing' },
};

const Sessions = ({ status: { sessions } }: ReadsModel) => (
  <DataTable
    caption="Network sessions, and what each cannot read now"
    columns={[{ title: 'Session' }, { title: 'State' }, { title: 'Cannot read now' }]}
    rows={sessions.map(({ name, state, closed }) => ({
      key: name,
      cells: [
        <bdi key="name">{name}</bdi>,
        <Badge key="state" tone={SESSIONS[state].tone}>
          {SESSIONS[state].text}
        </Badge>,
        closed.map(({ kind, until }) => `${kind === '*' ? 'everything' : kind} until ${until.slice(0, 16)}`).join('; '),
      ],
    }))}
  />
);

const REDIS: Record<StatusModel['redis']['state'], string> = {
  up: 'reachable since',
  away: 'unreachable: each process uses its own cache and its share of the pace, since',
  'not used': 'not used: this process has its own cache',
};

const Stores = ({ status: { database, redis, processes, draining, startedAt } }: ReadsModel) => (
  <Card id="stores" title="Stores and processes">
    <dl class="facts">
      <div>
        <dt>Database</dt>
        <dd>{database.ok ? 'reachable' : 'unreachable'}</dd>
      </div>
      <div>
        <dt>Redis</dt>
        <dd>
          {REDIS[redis.state]} {redis.since === null ? null : <When at={redis.since} />}
        </dd>
      </div>
      <div>
        <dt>Processes</dt>
        <dd>{processes === null ? 'this one' : figure(processes)}</dd>
      </div>
      <div>
        <dt>{draining ? 'This process is shutting down; started' : 'This process started'}</dt>
        <dd>
          <When at={startedAt} />
        </dd>
      </div>
    </dl>
  </Card>
);

/** What this configuration can and cannot read, in the words of the network's own check. */
const Findings = ({ status: { network, networkFindings } }: ReadsModel) =>
  networkFindings.length === 0 ? null : (
    <Card id="findings" title={`What can be read from ${network}`}>
      {networkFindings.map(({ ok, what }) => (
        <p key={what}>
          <Badge tone={ok ? 'ok' : 'warn'}>{ok ? 'Yes' : 'No'}</Badge> {what}
        </p>
      ))}
    </Card>
  );

const Network = (model: ReadsModel) => (
  <>
    <Card
      id="network"
      title={`The ${model.status.network} network now`}
      aside={
        <a class="button small" href="/status">
          Status
        </a>
      }
    >
      <Families {...model} />
    </Card>
    <Card id="sessions" title="Network sessions">
      <Sessions {...model} />
    </Card>
    <Findings {...model} />
    <Stores {...model} />
  </>
);

/** `GET /operator/reads`. */
export const readsPage = (model: ReadsModel): string =>
  operatorPage(
    {
      title: 'Reads',
      lead: 'What was read, what it was worth, and what it cost.',
      here: '/operator/reads',
      layout: model.layout,
    },
    <>
      <Periods path="/operator/reads" days={model.figures.days} />
      <ChartCard
        id="items"
        title="Items delivered"
        data={deliveredChart(model.figures)}
        days={model.figures.days}
        none="Nothing was read"
      />
      <Operations {...model} />
      <Following {...model} />
      <Network {...model} />
    </>,
  );
