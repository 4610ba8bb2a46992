import { isWorking, keyState } from '../../../../src/account/key-state.js';
import { counted, figure } from '../../../../src/domain/figures.js';
import { PLAY_CREDITS } from '../../../../src/domain/mode.js';
import { networkInWords } from '../../kit/first-reads.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { PERIOD_WORDS } from '../../kit/signed-in/key-parts.js';
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
  if (model.mode === 'test') {
    return funds === 'empty' ? (
      <Notice tone="warn" title="Today’s play credits are used up.">
        Your first read after midnight (UTC) tops them up to {figure(PLAY_CREDITS)}.
      </Notice>
    ) : null;
  }
  const mailed = model.mail && model.account.email !== null ? 'The owner will also be notified by email.' : '';
  if (funds === 'empty') return <EmptyWallet />;
  if (funds === 'good') return null;
  return (
    <Notice tone="warn" title="The balance is low.">
      You have less than a fifth of the balance that you had after your last top-up. {mailed}{' '}
      <a href="/dashboard/credits">Get credits</a>
    </Notice>
  );
};

const EmptyWallet = () => (
  <div class="notice tone-warn" role="status">
    <p>
      <strong>The wallet is empty.</strong> Paid reads are refused until you add credits.
    </p>
    <form method="post" action="/dashboard/mode" class="actions">
      <input type="hidden" name="from" value="/dashboard" />
      <CreditsButton />
      <button type="submit" class="button small" name="mode" value="test">
        Try free: {figure(PLAY_CREDITS)} test credits a day
      </button>
    </form>
  </div>
);

/** The script takes updates only while they are of the account that the page shows. */
export const Amount = ({ account: { accountId, balance }, mode }: Pick<LiveModel, 'account' | 'mode'>) => (
  <p class="big" id="live-balance" data-account={accountId}>
    {formatAmount(balance)} <span>{mode === 'test' ? 'play credits' : 'credits'}</span>
  </p>
);

export const Buys = ({ account: { balance } }: Pick<LiveModel, 'account'>) => (
  <dl class="buys" id="live-buys">
    <div>
      <dt>Tweets</dt>
      <dd>{figure(buys(balance, 'tweet'))}</dd>
    </div>
    <div>
      <dt>Profiles</dt>
      <dd>{figure(buys(balance, 'profile'))}</dd>
    </div>
    <div>
      <dt>Pages of {FOLLOWERS_PER_PAGE} followers</dt>
      <dd>{figure(buys(balance, 'edge_profile', FOLLOWERS_PER_PAGE))}</dd>
    </div>
  </dl>
);

const CreditsButton = () => (
  <a class="button small" href="/dashboard/credits">
    Get credits
  </a>
);

export const Balance = ({ account, usage, mode }: OverviewModel) => {
  const { balance } = account;
  const forecast = mode === 'test' ? null : forecastSpending(balance, usage);
  return (
    <Card id="balance" title="Balance" aside={mode === 'test' ? null : <CreditsButton />}>
      <Amount account={account} mode={mode} />
      {balance > 0 && forecast !== null ? (
        <p class="soft">
          Lasts {forecast.days > 999 ? 'years' : `about ${counted(forecast.days, 'day')}`} at the rate of the last{' '}
          {forecast.from === 7 ? 'week' : counted(forecast.from, 'day')}.
        </p>
      ) : null}
      <p class="soft small">Enough, at full price, for any one of these. Cached items cost half.</p>
      <Buys account={account} />
    </Card>
  );
};

const Tier = ({ account, sells }: Pick<OverviewModel, 'account' | 'sells'>) => {
  const { special, next } = rateStanding(account);
  if (special) {
    return <p class="soft">Set by the operator for this account.{sells ? ' Payments do not change it.' : ''}</p>;
  }
  return (
    <>
      <p class="soft">Your tier at ${figure(account.paidUsd)} paid in total. It never goes down.</p>
      {next === null ? (
        <p class="soft">This is the highest tier.</p>
      ) : (
        <p>
          <a href="/dashboard/credits#tiers">${figure(next.moreUsd)} more</a> in credit packs raises it to{' '}
          <strong>{next.requestsPerSecond} per second</strong>.
        </p>
      )}
    </>
  );
};

export const TierCard = (model: OverviewModel) => {
  const { account, network, mode } = model;
  return (
    <Card id="tier" title="Rate limit">
      <p class="big">
        {figure(account.qps)} <span>{account.qps === 1 ? 'request' : 'requests'} per second</span>
      </p>
      {mode === 'test' ? (
        <p class="soft">Test keys have the same rate limit as your live keys, and do not count against it.</p>
      ) : (
        <Tier {...model} />
      )}
      <p class="soft small">
        {mode === 'test' ? 'Reads an invented network.' : `Reads ${networkInWords(network)}.`}{' '}
        <a href="/status">Network status</a>
      </p>
    </Card>
  );
};

export const KeysCard = ({ keys, nowMs }: OverviewModel) => {
  const live = keys.filter((key) => isWorking(keyState(key, nowMs)));
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
                {key.cap === null ? 'no cap' : `cap ${formatAmount(key.cap.amount)} ${PERIOD_WORDS[key.cap.period]}`}
              </span>
            </li>
          ))}
        </ul>
      )}
      {live.length > 5 ? <p class="soft small">and {counted(live.length - 5, 'more', 'more')}</p> : null}
    </Card>
  );
};
