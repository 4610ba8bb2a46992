import type { ComponentChildren } from 'preact';
import { byDay, cacheHitRate, type ServiceFigures } from '../../../src/billing/figures.js';
import { NO_COSTS, plusCosts, toUsd } from '../../../src/domain/costs.js';
import { figure } from '../../../src/domain/figures.js';
import { NO_TRAFFIC, percentileMs, plusTraffic } from '../../../src/domain/traffic.js';
import type { ListedAccount, OperatorEvent } from '../../../src/ports/operator.js';
import { daysIn } from '../charts/chart-data.js';
import { formatAmount } from '../kit/signed-in/formats.js';
import type { PageLayout } from '../kit/signed-in/frame.js';
import { Badge, Card, Nothing } from '../kit/signed-in/parts.js';
import type { StatusModel } from '../site/status/status-model.js';
import { AccountTable, Find } from './accounts.js';
import { EventTable } from './events.js';
import { ChartCard, percent, SUMS_WRITTEN, spentChart, usd } from './figures.js';
import { operatorPage } from './frame.js';
import { FAMILY_NAMES, STATES, TONES } from './reads.js';
import { TrafficChart } from './traffic.js';
import { CALLS, requestsChart, type TrafficModel } from './traffic-charts.js';

export interface OverviewModel {
  readonly layout: PageLayout;
  /** Figures of the last 30 days. */
  readonly figures: ServiceFigures;
  /** Traffic of the last 24 hours. */
  readonly traffic: TrafficModel;
  readonly status: StatusModel;
  /** The few newest accounts. */
  readonly accounts: readonly ListedAccount[];
  readonly events: readonly OperatorEvent[];
}

type Fact = readonly [name: string, value: ComponentChildren];

const Facts = ({ facts }: { facts: readonly Fact[] }) => (
  <dl class="facts">
    {facts.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value}</dd>
      </div>
    ))}
  </dl>
);

const More = ({ href, text }: { href: string; text: string }) => (
  <a class="button small" href={href}>
    {text}
  </a>
);

const time = (ms: number | null): string => (ms === null ? '–' : `${figure(ms)} ms`);

const Requests = ({ traffic: { figures } }: OverviewModel) => {
  const sums = figures.operations.filter((row) => CALLS.includes(row.interface)).reduce(plusTraffic, NO_TRAFFIC);
  return (
    <Card id="day" title="Last 24 hours" aside={<More href="/operator/traffic" text="Traffic" />}>
      <Facts
        facts={[
          ['Requests', figure(sums.requests)],
          ['Failed', sums.requests === 0 ? '–' : percent(sums.refused / sums.requests)],
          ['Response time, p50', time(percentileMs(sums, 0.5))],
          ['Response time, p99', time(percentileMs(sums, 0.99))],
        ]}
      />
    </Card>
  );
};

const Money = ({ figures }: OverviewModel) => {
  const paid = byDay(figures).reduce((sum, { paidUsd }) => sum + paidUsd, 0);
  const sums = figures.reads.reduce(plusCosts, NO_COSTS);
  return (
    <Card id="month" title={`Last ${daysIn(figures.days)} days`} aside={<More href="/operator/money" text="Money" />}>
      <Facts
        facts={[
          ['Paid for packs', usd(paid)],
          ['Credits spent', formatAmount(sums.charged)],
          ['Network cost', usd(toUsd(sums.cost))],
          ['Items from the cache', sums.items === 0 ? '–' : percent(cacheHitRate(sums))],
        ]}
      />
    </Card>
  );
};

const Now = ({ figures: { totals }, status }: OverviewModel) => (
  <Card id="now" title="Now" aside={<More href="/operator/reads" text="Reads" />}>
    <Facts
      facts={[
        ['Accounts', figure(totals.accounts)],
        ['Credits outstanding', formatAmount(totals.outstanding)],
        ...status.families.map(
          ({ name, state }): Fact => [FAMILY_NAMES[name], <Badge tone={TONES[state]}>{STATES[state]}</Badge>],
        ),
      ]}
    />
  </Card>
);

/** `GET /operator`. */
export const overviewPage = (model: OverviewModel): string =>
  operatorPage(
    { title: 'Overview', lead: 'This server at a glance.', here: '/operator', layout: model.layout },
    <>
      <Find search="" error={null} />
      <div class="three">
        <Requests {...model} />
        <Money {...model} />
        <Now {...model} />
      </div>
      <TrafficChart
        id="requests"
        data={requestsChart(model.traffic)}
        time={model.traffic.time}
        title="Requests"
        lead="By interface; calls with a test key are counted separately."
        none="No requests"
      />
      <ChartCard
        id="spent"
        title="Credits spent"
        lead={SUMS_WRITTEN}
        data={spentChart(model.figures)}
        days={model.figures.days}
        none="No credits were spent"
      />
      <Card id="accounts" title="Newest accounts" aside={<More href="/operator/accounts" text="All accounts" />}>
        {model.accounts.length === 0 ? <Nothing>No accounts yet.</Nothing> : <AccountTable {...model} />}
      </Card>
      <Card id="actions" title="Newest actions" aside={<More href="/operator/actions" text="All actions" />}>
        {model.events.length === 0 ? (
          <Nothing>No actions yet.</Nothing>
        ) : (
          <EventTable caption="Actions of operators, newest first" events={model.events} linked />
        )}
      </Card>
    </>,
  );
