import { counted } from '../../../../src/domain/figures.js';
import type { DeliveryRecord } from '../../../../src/ports/deliveries.js';
import { Badge, Card, Nothing, When } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';

const PAGE = '/dashboard/alerts/deliveries';

export const DeliveryState = ({
  deliveredAt,
  dueAt,
  triedAt,
}: Pick<DeliveryRecord, 'deliveredAt' | 'dueAt' | 'triedAt'>) => {
  if (deliveredAt !== null) return <Badge tone="ok">Delivered</Badge>;
  if (dueAt === null) return <Badge tone="bad">Given up</Badge>;
  return <Badge tone="warn">{triedAt === null ? 'Waiting' : 'Trying again'}</Badge>;
};

/** A JSON body with line breaks; any other text unchanged. */
export function shownBody(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

export const Text = ({ title, text }: { title: string; text: string }) => (
  <figure class="code once">
    <figcaption>{title}</figcaption>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
    <pre tabIndex={0}>
      <code>
        <bdi>{text}</bdi>
      </code>
    </pre>
  </figure>
);

/** The attempts to deliver, as items of a list of facts. */
export const DeliveryTries = ({
  deliveryId,
  channel,
  triedAt,
  dueAt,
  tries,
  status,
  fault,
}: Pick<DeliveryRecord, 'deliveryId' | 'channel' | 'triedAt' | 'dueAt' | 'tries' | 'status' | 'fault'>) => (
  <>
    <div>
      <dt>Attempts</dt>
      <dd>
        {counted(tries, 'attempt')}
        {triedAt === null ? null : (
          <>
            , the last <When at={triedAt} />
          </>
        )}
      </dd>
    </div>
    {dueAt === null ? null : (
      <div>
        <dt>Next attempt</dt>
        <dd>
          <When at={dueAt} />
        </dd>
      </div>
    )}
    {channel === 'mail' && fault === null ? null : (
      <div>
        <dt>Last answer</dt>
        <dd>{status === null ? (fault ?? 'none yet') : `Status ${status}`}</dd>
      </div>
    )}
    {channel === 'mail' ? null : (
      <div class="wide">
        <dt>webhook-id</dt>
        <dd>
          <code>msg_{deliveryId}</code>
        </dd>
      </div>
    )}
  </>
);

const Item = ({ delivery }: { delivery: DeliveryRecord }) => {
  const { deliveryId, channel, target, subject, body, createdAt, excerpt } = delivery;
  return (
    <li class="card delivery">
      <div class="card-head">
        <h2>
          {channel === 'mail' ? 'Email' : 'Webhook'} of <When at={createdAt} />
        </h2>
        <DeliveryState {...delivery} />
      </div>
      <dl class="facts">
        <div class="wide">
          <dt>To</dt>
          <dd>
            <bdi class="detail">{target}</bdi>
          </dd>
        </div>
        <DeliveryTries {...delivery} />
      </dl>
      <details>
        <summary>{excerpt === null ? 'Body' : 'Body and answer'}</summary>
        <Text title={subject ?? 'Body'} text={shownBody(body)} />
        {excerpt === null ? null : <Text title="How the answer began" text={excerpt} />}
      </details>
      <form method="post" action={`${PAGE}/${deliveryId}/send`} class="row-form">
        <button type="submit" class="button small" aria-label={`Send the notice of ${createdAt.slice(0, 16)} again`}>
          Send again
        </button>
      </form>
    </li>
  );
};

/** `GET /dashboard/alerts/deliveries`. */
export const deliveriesPage = (model: {
  readonly layout: DashboardLayout;
  readonly deliveries: readonly DeliveryRecord[];
}): string =>
  dashboardPage(
    {
      title: 'Deliveries',
      lead: (
        <>
          The newest 100 notices of your alerts, kept for 30 days. Times are UTC.{' '}
          <a href="/dashboard/alerts">All alerts</a>
        </>
      ),
      here: '/dashboard/alerts',
      below: true,
      layout: model.layout,
    },
    model.deliveries.length === 0 ? (
      <Card id="none" title="None yet">
        <Nothing>Send a test of an alert to see one.</Nothing>
      </Card>
    ) : (
      <>
        <ul class="clients">
          {model.deliveries.map((delivery) => (
            <Item key={delivery.deliveryId} delivery={delivery} />
          ))}
        </ul>
        <p class="soft small">
          A notice that is sent again has the same body and the same webhook-id, so a receiver can recognize it. You can
          send up to 20 notices an hour by hand, including tests.
        </p>
      </>
    ),
  );
