import { render } from 'preact-render-to-string';
import { Chart } from '../../charts/chart.js';
import { Card, Nothing } from '../../kit/signed-in/parts.js';
import { RequestTable } from '../credits/request-table.js';
import { dashboardPage } from '../frame/dashboard-page.js';
import { FirstStepsCard, Ticks } from './first-steps.js';
import { Amount, Balance, Buys, KeysCard, NoticesCard, TierCard } from './overview-cards.js';
import { isBeginning, type LiveModel, type OverviewModel } from './overview-model.js';

const Spending = ({ usage, range }: OverviewModel) => (
  <Card
    id="spending"
    title="Credits per day"
    wide
    aside={
      <a class="button small" href="/dashboard/usage">
        All usage
      </a>
    }
  >
    {usage.series.length === 0 ? (
      <Nothing>No credits were spent in the last 30 days.</Nothing>
    ) : (
      <Chart data={usage} range={range} />
    )}
  </Card>
);

const Newest = (model: OverviewModel) => (
  <Card
    id="newest"
    title="Recent requests"
    wide
    aside={
      <span class="actions" id="live-control">
        <a class="button small" href="/dashboard/usage/requests">
          All requests
        </a>
        <a class="button small" href="/dashboard/receipts">
          Receipts
        </a>
      </span>
    }
  >
    <Requests {...model} />
    <p class="unseen" role="status" id="live-said" />
  </Card>
);

const Requests = ({ recent, mode, account }: Pick<LiveModel, 'recent' | 'mode' | 'account'>) => (
  <div id="live-requests">
    {recent.length === 0 ? (
      <Nothing>
        {mode === 'test' ? 'No requests with a test key yet.' : 'No paid requests yet.'}{' '}
        <a href="/dashboard/keys">Create a key</a>, or try a read in <a href="/graphql">GraphiQL</a>.
      </Nothing>
    ) : (
      <RequestTable caption="The most recent paid requests" receipts={recent} keys={account.keys} />
    )}
  </div>
);

const Warning = (model: LiveModel) => (
  <div id="live-notices">
    <NoticesCard {...model} />
  </div>
);

/** `GET /dashboard/live`: the parts of the overview that change, for its script, which finds them by their ids. */
export const livePart = (model: LiveModel): string =>
  render(
    <>
      <Warning {...model} />
      <Amount {...model} />
      <Buys {...model} />
      <Requests {...model} />
      {model.steps === null ? null : <Ticks steps={model.steps} />}
    </>,
  );

/** `GET /dashboard`. */
export const overviewPage = (model: OverviewModel): string =>
  dashboardPage(
    { title: 'Overview', here: '/dashboard', layout: model.layout, script: 'dashboard-live.js' },
    <>
      <Warning {...model} />
      {isBeginning(model.steps) ? <FirstStepsCard {...model} steps={model.steps} /> : null}
      <div class="three">
        <Balance {...model} />
        <TierCard {...model} />
        <KeysCard {...model} />
      </div>
      <Spending {...model} />
      <Newest {...model} />
    </>,
  );
