import { counted, figure } from '../../../../src/domain/figures.js';
import type { AccountKey } from '../../../../src/ports/accounts.js';
import type { WatchDelivery, WatchDeliveryPage, WatchRecord } from '../../../../src/ports/watches.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { Card, Nothing, When } from '../../kit/signed-in/parts.js';
import { DeliveryState, DeliveryTries, shownBody, Text } from '../alerts/deliveries.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { watchText } from './watch-forms.js';
import { LastChecked, NoPayingKey, PayingKey, Reason, State } from './watch-parts.js';

export interface WatchModel {
  readonly layout: DashboardLayout;
  readonly watch: WatchRecord;
  /** The keys that may pay for it. */
  readonly keys: readonly AccountKey[];
  readonly secret: string;
  readonly deliveries: WatchDeliveryPage;
}

const pathOf = ({ watchId }: Pick<WatchRecord, 'watchId'>): string => `/dashboard/watches/${watchId}`;

const Facts = ({ watch }: Pick<WatchModel, 'watch'>) => (
  <dl class="facts">
    <div>
      <dt>State</dt>
      <dd>
        <State watch={watch} />
        <Reason watch={watch} />
      </dd>
    </div>
    <div>
      <dt>Checked</dt>
      <dd>
        <LastChecked watch={watch} />
      </dd>
    </div>
    <div>
      <dt>Deliveries</dt>
      <dd>{figure(watch.number)}</dd>
    </div>
    <div>
      <dt>Credits today</dt>
      <dd>
        {formatAmount(watch.spentToday)}
        {watch.dailyLimit === null ? null : ` of ${formatAmount(watch.dailyLimit)}`}
      </dd>
    </div>
    <div>
      <dt>Credits in all</dt>
      <dd>{formatAmount(watch.spent)}</dd>
    </div>
    <div>
      <dt>Paid by</dt>
      <dd>
        <code>{watch.keyPrefix}…</code>
      </dd>
    </div>
    <div class="wide">
      <dt>Sent to</dt>
      <dd>
        <bdi class="detail">{watch.webhookUrl}</bdi>
      </dd>
    </div>
  </dl>
);

const Change = ({ watch, to, text }: Pick<WatchModel, 'watch'> & { to: string; text: string }) => (
  <form method="post" action={`${pathOf(watch)}/${to}`}>
    <button type="submit" class="button small">
      {text}
    </button>
  </form>
);

const End = ({ watch }: Pick<WatchModel, 'watch'>) => (
  <details class="confirm">
    <summary class="button small">End for good…</summary>
    <form method="post" action={`${pathOf(watch)}/end`} class="row-form">
      <p>It cannot be resumed. Its deliveries remain listed.</p>
      <button type="submit" class="button danger">
        End now
      </button>
    </form>
  </details>
);

/** For a watch whose key pays no more. */
const ResumeWithKey = ({ watch, keys }: Pick<WatchModel, 'watch' | 'keys'>) =>
  keys.length === 0 ? (
    <NoPayingKey />
  ) : (
    <form method="post" action={`${pathOf(watch)}/resume`} class="row-form">
      <PayingKey keys={keys} keyId={watch.keyId} />
      <button type="submit" class="button small">
        Resume
      </button>
    </form>
  );

const Changes = ({ watch, keys }: Pick<WatchModel, 'watch' | 'keys'>) =>
  watch.state === 'ended' ? null : (
    <>
      {watch.reason === 'key' ? <ResumeWithKey watch={watch} keys={keys} /> : null}
      <div class="actions">
        {watch.state === 'paused' ? null : <Change watch={watch} to="pause" text="Pause" />}
        {watch.state === 'active' || watch.reason === 'key' ? null : <Change watch={watch} to="resume" text="Resume" />}
        <End watch={watch} />
      </div>
    </>
  );

const Secret = ({ secret }: Pick<WatchModel, 'secret'>) => (
  <details>
    <summary>Signing secret</summary>
    <figure class="code once">
      <figcaption>Your server uses it to verify that a webhook comes from Perch</figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
      <pre tabIndex={0} data-copy>
        <code>{secret}</code>
      </pre>
    </figure>
  </details>
);

const Item = ({ watch, delivery }: Pick<WatchModel, 'watch'> & { delivery: WatchDelivery }) => {
  const { deliveryId, number, items, charged, createdAt, excerpt, body } = delivery;
  return (
    <li class="card delivery">
      <div class="card-head">
        <h3>
          {counted(items, 'item')} of <When at={createdAt} />
        </h3>
        <DeliveryState {...delivery} />
      </div>
      <dl class="facts">
        <div>
          <dt>Credits</dt>
          <dd>
            <a href={`/dashboard/receipts?request_id=${deliveryId}`}>{formatAmount(charged)}</a>
          </dd>
        </div>
        <div>
          <dt>Number</dt>
          <dd>{figure(number)}</dd>
        </div>
        <DeliveryTries channel="webhook" {...delivery} />
      </dl>
      <details>
        <summary>{excerpt === null ? 'Body' : 'Body and answer'}</summary>
        <Text title="Body" text={shownBody(body)} />
        {excerpt === null ? null : <Text title="How the answer began" text={excerpt} />}
      </details>
      <form method="post" action={`${pathOf(watch)}/deliveries/${deliveryId}/send`} class="row-form">
        <button type="submit" class="button small" aria-label={`Send again: delivery ${number}`}>
          Send again
        </button>
      </form>
    </li>
  );
};

const Deliveries = ({ watch, deliveries: { nodes, endCursor } }: WatchModel) => (
  <section class="stack" aria-labelledby="deliveries">
    <h2 id="deliveries">Deliveries</h2>
    {nodes.length === 0 ? (
      <Nothing>Nothing new yet.</Nothing>
    ) : (
      <ul class="clients">
        {nodes.map((delivery) => (
          <Item key={delivery.deliveryId} watch={watch} delivery={delivery} />
        ))}
      </ul>
    )}
    {endCursor === null ? null : (
      <p class="actions">
        <a class="button small" href={`${pathOf(watch)}?after=${endCursor}`}>
          Older deliveries
        </a>
      </p>
    )}
    <p class="soft small">
      Deliveries are kept for 3 days after your server has accepted them, otherwise for 30. Sending one again is free
      and keeps its webhook-id.
    </p>
  </section>
);

/** `GET /dashboard/watches/{watchId}`. */
export const watchPage = (model: WatchModel): string =>
  dashboardPage(
    {
      title: watchText(model.watch),
      lead: (
        <>
          Watched since <When at={model.watch.createdAt} />. <a href="/dashboard/watches">All watches</a>
        </>
      ),
      here: '/dashboard/watches',
      below: true,
      layout: model.layout,
    },
    <>
      <Card id="watch" title="Watch">
        <Facts {...model} />
        <Changes {...model} />
        <Secret {...model} />
      </Card>
      <Deliveries {...model} />
    </>,
  );
