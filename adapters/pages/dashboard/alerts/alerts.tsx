import { formatCredits } from '../../../../src/domain/figures.js';
import type { AlertRecord, LastDelivery } from '../../../../src/ports/alerts.js';
import { InputField, SelectField } from '../../kit/signed-in/fields.js';
import {
  Badge,
  Card,
  DataTable,
  FieldError,
  type FormFault,
  Nothing,
  Notice,
  When,
  wrong,
} from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { ALERT_KINDS, type AlertInput } from './alert-forms.js';

export interface AlertsModel {
  readonly layout: DashboardLayout;
  readonly alerts: readonly AlertRecord[];
  /** The address that alerts are mailed to; null if they cannot be mailed. */
  readonly email: string | null;
  /** Why alerts cannot be mailed, if that is so. */
  readonly whyNoMail: string;
  readonly typed: AlertInput;
  readonly fault: FormFault | null;
}

const Watch = ({ typed, fault }: AlertsModel) => (
  <>
    <SelectField name="kind" label="When" value={typed.kind} options={Object.entries(ALERT_KINDS)} fault={fault} />
    <InputField
      name="amount"
      label="Credits"
      inputMode="decimal"
      value={typed.amount}
      required
      placeholder="500"
      fault={fault}
    />
  </>
);

const NewAlert = (model: AlertsModel) => {
  const { typed, fault, email, whyNoMail } = model;
  return (
    <Card
      id="new"
      title="New alert"
      lead="A balance alert is sent once after each top-up, a spending alert once a day, both within a minute. A webhook is a signed POST to your server, repeated for a day until it is received."
    >
      <form method="post" action="/dashboard/alerts" class="row-form">
        <Watch {...model} />
        <InputField
          name="webhook_url"
          label="Webhook URL (https)"
          grow
          inputMode="url"
          value={typed.webhookUrl}
          spellcheck={false}
          placeholder="https://example.com/webhooks/perch"
          fault={fault}
        />
        <fieldset class="checks">
          <legend>Email</legend>
          {email === null ? (
            <span class="soft">Not available: {whyNoMail}</span>
          ) : (
            <label>
              <input type="checkbox" name="mail" value="1" checked={typed.byMail} {...wrong(fault, 'channel')} />{' '}
              <bdi class="detail">{email}</bdi>
            </label>
          )}
          <FieldError fault={fault} field="channel" />
        </fieldset>
        <button type="submit" class="button primary">
          Set alert
        </button>
      </form>
      <p class="soft small">
        <a href="/docs/accounts#alerts">What a webhook contains, and how to verify its signature</a>
      </p>
    </Card>
  );
};

const CHANNELS: Record<LastDelivery['channel'], string> = { mail: 'Email', webhook: 'Webhook' };

const Last = ({ last }: { last: LastDelivery }) => {
  const { channel, status, fault, deliveredAt, dueAt, createdAt } = last;
  const answer = status === null ? (fault ?? 'not tried yet') : `answered ${status}`;
  return (
    <p class="last">
      {CHANNELS[channel]}:{' '}
      {deliveredAt === null ? (
        <>
          <Badge tone={dueAt === null ? 'bad' : 'warn'}>{dueAt === null ? 'Given up' : 'Waiting'}</Badge>{' '}
          <span class="soft">{answer}</span>{' '}
          {dueAt === null ? (
            <When at={createdAt} />
          ) : (
            <>
              <span class="soft">next try</span> <When at={dueAt} />
            </>
          )}
        </>
      ) : (
        <>
          <Badge tone="ok">Delivered</Badge> {status === null ? null : <span class="soft">{answer}</span>}{' '}
          <When at={deliveredAt} />
        </>
      )}
    </p>
  );
};

const alertText = ({ kind, amount }: AlertRecord): string => `${ALERT_KINDS[kind]} ${formatCredits(amount)}`;

const Action = ({ alert }: { alert: AlertRecord }) => (
  <div class="actions">
    <form method="post" action={`/dashboard/alerts/${alert.alertId}/test`}>
      <button type="submit" class="button small" aria-label={`Send a test of: ${alertText(alert)}`}>
        Send a test
      </button>
    </form>
    <details class="confirm">
      <summary class="button small">
        Remove<span class="unseen">: {alertText(alert)}</span>…
      </summary>
      <form method="post" action={`/dashboard/alerts/${alert.alertId}/remove`}>
        <button type="submit" class="button small danger">
          Remove now
        </button>
      </form>
    </details>
  </div>
);

const Where = ({ alert, email }: { alert: AlertRecord; email: string | null }) => (
  <div>
    {alert.byMail ? <bdi class="detail block">{email ?? 'email'}</bdi> : null}
    {alert.webhookUrl === null ? null : <bdi class="detail block">{alert.webhookUrl}</bdi>}
  </div>
);

const AlertTable = ({ alerts, email }: AlertsModel) => (
  <DataTable
    caption="Alerts, with the result of the last notice of each"
    columns={[
      { title: 'When' },
      { title: 'Where' },
      { title: 'Last raised (UTC)' },
      { title: 'Last notice (UTC)' },
      { title: 'Action' },
    ]}
    rows={alerts.map((alert) => ({
      key: alert.alertId,
      cells: [
        alertText(alert),
        <Where key="where" alert={alert} email={email} />,
        alert.crossedAt === null ? <span class="soft">never</span> : <When at={alert.crossedAt} />,
        alert.last.length === 0 ? (
          <span class="soft">none</span>
        ) : (
          <div key="last">
            {alert.last.map((last) => (
              <Last key={last.channel} last={last} />
            ))}
          </div>
        ),
        <Action key="action" alert={alert} />,
      ],
    }))}
  />
);

/** `GET /dashboard/alerts`. */
export const alertsPage = (model: AlertsModel): string =>
  dashboardPage(
    {
      title: 'Alerts',
      lead: 'Get a notice when the balance runs low, or a day costs more than it should.',
      here: '/dashboard/alerts',
      layout: model.layout,
    },
    <>
      <NewAlert {...model} />
      <Card
        id="alerts"
        title="Your alerts"
        aside={
          <a class="button small" href="/dashboard/alerts/deliveries">
            All deliveries
          </a>
        }
      >
        {model.alerts.length === 0 ? <Nothing>No alerts yet. Set one above.</Nothing> : <AlertTable {...model} />}
      </Card>
    </>,
  );

/** Shown after an alert with a webhook was set, and the only page that ever shows its secret. */
export const alertSecretPage = ({ layout, secret }: { layout: DashboardLayout; secret: string }): string =>
  dashboardPage(
    { title: 'Alert set', here: '/dashboard/alerts', below: true, once: true, layout },
    <>
      <Notice tone="warn" title="Copy the signing secret now: it is shown only once.">
        Your server uses it to verify that a webhook comes from Perch.
      </Notice>
      <Card id="secret" title="Signing secret">
        <figure class="code once">
          <figcaption>The secret of this alert’s webhook</figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0} data-copy>
            <code>{secret}</code>
          </pre>
        </figure>
        <p class="actions">
          <a class="button primary" href="/dashboard/alerts">
            I have copied it
          </a>
        </p>
      </Card>
    </>,
  );
