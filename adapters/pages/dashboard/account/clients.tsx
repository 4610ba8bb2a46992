import { counted, formatCredits } from '../../../../src/domain/figures.js';
import type { AuditEvent } from '../../../../src/ports/accounts.js';
import type { GrantRecord } from '../../../../src/ports/grants.js';
import { formatAmount } from '../../kit/signed-in/formats.js';
import { CapMeter } from '../../kit/signed-in/key-parts.js';
import { Badge, Card, DataTable, Day, Nothing, When } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';

export interface ClientsModel {
  readonly layout: DashboardLayout;
  /** The newest first. */
  readonly grants: readonly GrantRecord[];
  readonly pending: readonly PendingClient[];
}

/** A client with consent that has no key yet. */
interface PendingClient {
  readonly grantId: string;
  readonly name: string;
  readonly allowedAt: string;
  /** Whether it can still fetch its key. */
  readonly canFinish: boolean;
}

/** How long a client has to fetch its key, and how long it is listed if it did not. */
const FETCHES_WITHIN_MS = 60_000;
const SHOWN_FOR_MS = 86_400_000;

/** Clients that were allowed recently but have no grant, not even from a later attempt. `log`: the newest first. */
export const pendingClients = (
  log: readonly AuditEvent[],
  grants: readonly GrantRecord[],
  nowMs: number,
): PendingClient[] =>
  log.flatMap(({ what, at, detail }) => {
    const ageMs = nowMs - Date.parse(at);
    const cameAfter = (grant: GrantRecord): boolean =>
      grant.grantId === detail.grant_id || (grant.clientId === detail.client_id && grant.createdAt > at);
    if (what !== 'client.allowed' || ageMs > SHOWN_FOR_MS || grants.some(cameAfter)) return [];
    const shown = { grantId: String(detail.grant_id), name: String(detail.client), allowedAt: at };
    return [{ ...shown, canFinish: ageMs < FETCHES_WITHIN_MS }];
  });

const Pending = ({ clients }: { clients: readonly PendingClient[] }) => (
  <Card id="pending" title="Allowed, not connected yet">
    <ul class="rows">
      {clients.map(({ grantId, name, allowedAt, canFinish }) => (
        <li key={grantId}>
          <bdi class="clip">{name}</bdi>
          <span class="soft">
            <When at={allowedAt} /> UTC
          </span>
          <span class="soft small">
            {canFinish
              ? 'Waiting for the app to fetch its key, which takes a moment.'
              : 'The app did not fetch its key within a minute. Start again from the app.'}
          </span>
        </li>
      ))}
    </ul>
  </Card>
);

/** An OAuth client, which the pages call an app. The client chooses its name, and no one verifies it. */
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

/** The most disconnected clients listed. */
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
          grant.revokedAt === null ? 'Expired' : <When key="ended" at={grant.revokedAt} />,
        ],
      }))}
    />
  </details>
);

/** `GET /dashboard/clients`. */
export const clientsPage = ({ layout, grants, pending }: ClientsModel): string => {
  const connected = grants.filter(({ isConnected }) => isConnected);
  const former = grants.filter(({ isConnected }) => !isConnected);
  return dashboardPage(
    {
      title: 'Apps',
      lead: 'Apps that you have allowed to read for you. Each has its own key and spends from your wallet.',
      here: '/dashboard/clients',
      layout,
    },
    <>
      {pending.length === 0 ? null : <Pending clients={pending} />}
      <section aria-labelledby="connected" class="stack">
        <h2 id="connected">Connected</h2>
        {connected.length === 0 ? (
          <Card id="none" title="None yet">
            <Nothing>
              An app, such as an AI assistant, needs only the address of this server: it sends you here to sign in, and
              to set a spend cap. <a href="/dashboard/connect">Connect an agent</a>
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
