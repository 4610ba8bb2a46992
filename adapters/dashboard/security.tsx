/** @jsxRuntime automatic */
/** @jsxImportSource preact */
import type { AuditEvent } from '../../src/ports/audit.js';
import type { PasskeyRecord } from '../../src/ports/passkeys.js';
import type { SessionRecord } from '../../src/ports/sessions.js';
import type { PasskeyHost } from '../sign-in/passkey-host.js';
import { PasskeyPanel } from '../sign-in/passkey-panel.js';
import { detailText, kindText, WHO } from './audit-text.js';
import { browserName } from './formats.js';
import { dashboardPage, type PageLayout } from './frame.js';
import { Badge, Card, DataTable, Nothing, When } from './parts.js';

export interface SecurityModel {
  readonly layout: PageLayout;
  /** The session of the browser that made the request. */
  readonly sessionId: string;
  readonly sessions: readonly SessionRecord[];
  readonly passkeys: readonly PasskeyRecord[];
  /** Where passkeys can be made. */
  readonly host: PasskeyHost;
  /** The newest first. */
  readonly log: readonly AuditEvent[];
}

const METHODS: Record<SessionRecord['method'], string> = { link: 'Link', passkey: 'Passkey' };

const SessionRow = ({ session, own }: { session: SessionRecord; own: boolean }) => {
  const browser = browserName(session.userAgent);
  return (
    <tr {...(own ? { class: 'here' } : {})}>
      <th scope="row">
        <bdi class="clip">{browser}</bdi> {own ? <Badge tone="ok">This session</Badge> : null}
      </th>
      <td class="text">{METHODS[session.method]}</td>
      <td class="text">{session.address === null ? 'unknown' : <code>{session.address}</code>}</td>
      <td class="text">
        <When at={session.createdAt} />
      </td>
      <td class="text">
        <When at={session.seenAt} />
      </td>
      <td class="text">
        <form method="post" action={own ? '/sign-out' : `/dashboard/security/sessions/${session.sessionId}/end`}>
          <button
            type="submit"
            class="button small"
            aria-label={`Sign out ${browser}, in use until ${session.seenAt.slice(0, 16)}`}
          >
            Sign out
          </button>
        </form>
      </td>
    </tr>
  );
};

const SessionsCard = ({ sessions, sessionId }: SecurityModel) => (
  <Card
    id="sessions"
    title="Active sessions"
    lead="A session ends after 7 days without use, and after 30 days in any case."
    aside={
      sessions.length > 1 ? (
        <form method="post" action="/dashboard/security/end-others">
          <button type="submit" class="button small danger">
            Sign out all others
          </button>
        </form>
      ) : null
    }
  >
    <DataTable
      caption="Sessions, most recently used first"
      columns={[
        { title: 'Browser' },
        { title: 'Method' },
        { title: 'Address' },
        { title: 'Signed in (UTC)' },
        { title: 'Last used (UTC)' },
        { title: 'Action' },
      ]}
    >
      {sessions.map((session) => (
        <SessionRow key={session.sessionId} session={session} own={session.sessionId === sessionId} />
      ))}
    </DataTable>
  </Card>
);

const Log = ({ log }: SecurityModel) => (
  <Card
    id="log"
    title="Activity"
    lead="Every change to the account, whether by you or anyone else. Entries are never removed."
  >
    {log.length === 0 ? (
      <Nothing>No changes yet.</Nothing>
    ) : (
      <DataTable
        caption="Changes to the account, newest first"
        tall
        columns={[{ title: 'When (UTC)' }, { title: 'What' }, { title: 'Details' }, { title: 'By' }, { title: 'From' }]}
      >
        {log.map((event) => (
          <tr key={`${event.at} ${event.what} ${JSON.stringify(event.detail)}`}>
            <th scope="row">
              <When at={event.at} />
            </th>
            <td class="text">{kindText(event.what)}</td>
            <td class="text">
              <bdi class="detail">{detailText(event.detail)}</bdi>
            </td>
            <td class="text">{WHO[event.who]}</td>
            <td class="text">{event.address === null ? '' : <code>{event.address}</code>}</td>
          </tr>
        ))}
      </DataTable>
    )}
  </Card>
);

/** `GET /dashboard/security`. */
export const securityPage = (model: SecurityModel): string =>
  dashboardPage(
    {
      title: 'Security',
      lead: 'Who can access this account, and what has changed.',
      here: '/dashboard/security',
      layout: model.layout,
    },
    <>
      <SessionsCard {...model} />
      <Card id="passkeys" title="Passkeys">
        <PasskeyPanel passkeys={model.passkeys} host={model.host} here="/dashboard/security" />
      </Card>
      <Log {...model} />
    </>,
  );
