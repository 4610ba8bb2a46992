import { counted, formatCredits } from '../../../../src/domain/figures.js';
import type { GrantRecord } from '../../../../src/ports/grants.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { CapMeter } from '../../kit/signed-in/key-parts.js';
import { Badge, Card, DataTable, Day, Nothing, When } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';

export interface ClientsModel {
  readonly layout: DashboardLayout;
  /** The newest first. */
  readonly grants: readonly GrantRecord[];
}

/** An OAuth client, which people call an app. Its name is its own claim, which nobody has checked. */
const Client = ({ grant }: { grant: GrantRecord }) => (
  <li class="card client">
    <div class="card-head">
      <h3>
        <bdi class="clip">{grant.clientName}</bdi>
      </h3>
      <Badge tone="ok">Connected</Badge>
    </div>
    <dl class="facts">
      <div>
        <dt>Spent</dt>
        <dd>{formatCredits(grant.spent)}</dd>
      </div>
      <div>
        <dt>Cap</dt>
        <dd>
          <CapMeter cap={grant.cap} />
        </dd>
      </div>
      <div>
        <dt>Since</dt>
        <dd>
          <Day at={grant.createdAt} />
        </dd>
      </div>
      <div>
        <dt>Current key</dt>
        <dd>
          <code>{grant.keyPrefix}…</code>
        </dd>
      </div>
      <div class="wide">
        <dt>Client id</dt>
        <dd>
          <code>{grant.clientId}</code>
        </dd>
      </div>
    </dl>
    <details class="confirm">
      <summary class="button">
        Disconnect<span class="unseen"> {grant.clientName}</span>…
      </summary>
      <form method="post" action={`/dashboard/clients/${grant.grantId}/revoke`} class="row-form">
        <p>Its key is revoked now, and it cannot get another one unless you allow it again.</p>
        <button type="submit" class="button danger">
          Disconnect now
        </button>
      </form>
    </details>
  </li>
);

/** The most disconnected clients that are listed. */
const FORMER = 50;

const Former = ({ grants }: { grants: readonly GrantRecord[] }) => (
  <details class="card">
    <summary>{counted(grants.length, 'app')} no longer connected</summary>
    {grants.length > FORMER ? <p class="soft">Only the newest {FORMER} are listed.</p> : null}
    <DataTable
      caption="Apps no longer connected"
      columns={[{ title: 'App' }, { title: 'Spent', numeric: true }, { title: 'Allowed' }, { title: 'Ended (UTC)' }]}
      rows={grants.slice(0, FORMER).map((grant) => ({
        key: grant.grantId,
        cells: [
          <bdi key="app" class="clip">
            {grant.clientName}
          </bdi>,
          formatAmount(grant.spent),
          <Day key="allowed" at={grant.createdAt} />,
          grant.revokedAt === null ? '' : <When key="ended" at={grant.revokedAt} />,
        ],
      }))}
    />
  </details>
);

/** `GET /dashboard/clients`. */
export const clientsPage = ({ layout, grants }: ClientsModel): string => {
  const connected = grants.filter(({ revokedAt }) => revokedAt === null);
  const former = grants.filter(({ revokedAt }) => revokedAt !== null);
  return dashboardPage(
    {
      title: 'Apps',
      lead: 'Apps that you have allowed to read for you. Each has its own key and spends from your wallet.',
      here: '/dashboard/clients',
      layout,
    },
    <>
      <section aria-labelledby="connected" class="stack">
        <h2 id="connected">Connected</h2>
        {connected.length === 0 ? (
          <Card id="none" title="None yet">
            <Nothing>
              Give a hosted app, such as an AI assistant, the address of this server. It looks up{' '}
              <code>/.well-known/oauth-protected-resource</code> there, sends you here to sign in, and asks for your
              consent and a spend cap.
            </Nothing>
          </Card>
        ) : (
          <ul class="clients">
            {connected.map((grant) => (
              <Client key={grant.grantId} grant={grant} />
            ))}
          </ul>
        )}
      </section>
      {former.length === 0 ? null : <Former grants={former} />}
    </>,
  );
};
