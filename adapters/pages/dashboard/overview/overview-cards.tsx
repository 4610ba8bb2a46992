import { counted, figure } from '../../../../src/domain/figures.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { keyState, PERIODS } from '../../kit/signed-in/key-parts.js';
import { Card, Notice } from '../../kit/signed-in/parts.js';
import {
  buys,
  FOLLOWERS_PER_PAGE,
  forecastSpending,
  fundsLevel,
  type LiveModel,
  type OverviewModel,
  rateStanding,
} from './overview-model.js';

export const NoticesCard = (model: LiveModel) => {
  const funds = fundsLevel(model);
  const mailed = model.mail && model.account.email !== null ? 'You will also be notified by email.' : '';
  if (funds === 'empty') {
    return (
      <Notice tone="warn" title="The wallet is empty.">
        Paid reads are refused until you add credits. <a href="/dashboard/credits">Buy credits</a>
      </Notice>
    );
  }
  if (funds === 'good') return null;
  return (
    <Notice tone="warn" title="The balance is low.">
      Less than a fifth of the balance after your last top-up is left. {mailed}{' '}
      <a href="/dashboard/credits">Buy credits</a>
    </Notice>
  );
};

export const Amount = ({ account: { balance } }: Pick<LiveModel, 'account'>) => (
  <p class="big" id="live-balance">
    {formatAmount(balance)} <span>credits</span>
  </p>
);

export const Buys = ({ account: { balance } }: Pick<LiveModel, 'account'>) => (
  <dl class="buys" id="live-buys">
    <div>
      <dt>tweets</dt>
      <dd>{figure(buys(balance, 'tweet'))}</dd>
    </div>
    <div>
      <dt>or profiles</dt>
      <dd>{figure(buys(balance, 'profile'))}</dd>
    </div>
    <div>
      <dt>or full pages of followers</dt>
      <dd>{figure(buys(balance, 'edge_profile', FOLLOWERS_PER_PAGE))}</dd>
    </div>
  </dl>
);

export const Balance = ({ account, usage }: OverviewModel) => {
  const { balance } = account;
  const forecast = forecastSpending(balance, usage);
  return (
    <Card
      id="balance"
      title="Balance"
      aside={
        <a class="button small" href="/dashboard/credits">
          Buy credits
        </a>
      }
    >
      <Amount account={account} />
      {balance > 0 && forecast !== null ? (
        <p class="soft">
          Lasts {forecast.days > 999 ? 'years' : `about ${counted(forecast.days, 'day')}`} at the rate of the last{' '}
          {forecast.from === 7 ? 'week' : counted(forecast.from, 'day')}.
        </p>
      ) : null}
      <Buys account={account} />
      <p class="soft small">At full price, {FOLLOWERS_PER_PAGE} followers per page. Cached items cost half.</p>
    </Card>
  );
};

export const TierCard = ({ account, network }: OverviewModel) => {
  const { qps, special, next } = rateStanding(account);
  return (
    <Card id="tier" title="Rate limit">
      <p class="big">
        {figure(qps)} <span>{qps === 1 ? 'request' : 'requests'} per second</span>
      </p>
      <p class="soft">
        {special
          ? 'Set for this account by the operator.'
          : `Your tier at $${figure(account.paidUsd)} paid in total. It never goes down.`}
      </p>
      {special || next === null ? (
        <p class="soft">{special ? 'Payments do not change it.' : 'This is the highest tier.'}</p>
      ) : (
        <p>
          <a href="/dashboard/credits#tiers">${figure(next.moreUsd)} more</a> in credit packs raises it to{' '}
          <strong>{next.requestsPerSecond} per second</strong>.
        </p>
      )}
      <p class="soft small">
        Reads the {network} network. <a href="/status">Network status</a>
      </p>
    </Card>
  );
};

export const KeysCard = ({ account, nowMs }: OverviewModel) => {
  const live = account.keys.filter((key) => ['live', 'ending'].includes(keyState(key, nowMs)));
  return (
    <Card
      id="keys"
      title="Keys"
      aside={
        <a class="button small" href="/dashboard/keys">
          {live.length === 0 ? 'Create a key' : 'All keys'}
        </a>
      }
    >
      {live.length === 0 ? (
        <p class="soft">No active keys. Programs need one to read.</p>
      ) : (
        <ul class="rows">
          {live.slice(0, 5).map((key) => (
            <li key={key.keyId}>
              <bdi class="clip">{key.name}</bdi>
              <strong>{formatAmount(key.spent)} spent</strong>
              <code class="soft">{key.prefix}…</code>
              <span class="soft small">
                {key.cap === null ? 'no cap' : `cap ${formatAmount(key.cap.amount)} ${PERIODS[key.cap.period]}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {live.length > 5 ? <p class="soft small">and {counted(live.length - 5, 'more', 'more')}</p> : null}
    </Card>
  );
};
