import type { Actor } from '../../../../src/domain/audit.js';
import { figure } from '../../../../src/domain/figures.js';
import type { AuditEvent } from '../../../../src/ports/accounts.js';
import type { PasskeyRecord } from '../../../../src/ports/passkeys.js';
import type { SessionRecord } from '../../../../src/ports/sessions.js';
import { kindText } from '../../kit/signed-in/audit-text.js';
import { Badge, Card, DataTable, Details, Nothing, type Row, When } from '../../kit/signed-in/parts.js';
import { type PasskeyHost, PasskeyPanel } from '../../sign-in/passkey-panel.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';

export interface SecurityModel {
  readonly layout: DashboardLayout;
  /** The reader of the page. */
  readonly personId: string;
  /** The session of the browser that made the request. */
  readonly sessionId: string;
  readonly sessions: readonly SessionRecord[];
  /** How many sessions are not listed. */
  readonly more: number;
  readonly passkeys: readonly PasskeyRecord[];
  /** Where passkeys can be created. */
  readonly host: PasskeyHost;
  /** The newest first. */
  readonly log: readonly AuditEvent[];
  /** The event that the next page of the log begins after; null on the last page. */
  readonly older: string | null;
}

const WHO: Record<Actor['who'], string> = {
  customer: 'you',
  operator: 'the operator',
  client: 'an app',
  payments: 'the payment processor',
  service: 'Perch',
};

const METHODS: Record<SessionRecord['method'], string> = { link: 'Link', passkey: 'Passkey' };

const BROWSERS: readonly [RegExp, string][] = [
  [/\bEdg\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

/** `Firefox on Linux`; for an unknown browser, at most 60 characters of its own description. */
function browserName(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown browser';
  const named = (list: readonly [RegExp, string][]) => list.find(([pattern]) => pattern.test(userAgent))?.[1];
  const browser = named(BROWSERS);
  const system = named(SYSTEMS);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return userAgent.length > 60 ? `${userAgent.slice(0, 59)}…` : userAgent;
}

const sessionRow = (session: SessionRecord, own: boolean): Row => {
  const browser = browserName(session.userAgent);
  const cells = [
    <>
      <bdi class="clip">{browser}</bdi> {own ? <Badge tone="ok">This session</Badge> : null}
    </>,
    METHODS[session.method],
    session.address === null ? 'unknown' : <code key="address">{session.address}</code>,
    <When key="signed-in" at={session.createdAt} />,
    <When key="last-used" at={session.seenAt} />,
    <form
      key="action"
      method="post"
      action={own ? '/sign-out' : `/dashboard/security/sessions/${session.sessionId}/end`}
    >
      <button
        type="submit"
        class="button small"
        aria-label={`Sign out ${browser}, in use until ${session.seenAt.slice(0, 16)}`}
      >
        Sign out
      </button>
    </form>,
  ];
  return { key: session.sessionId, cells, here: own };
};

const SessionsCard = ({ sessions, more, sessionId }: SecurityModel) => (
  <Card
    id="sessions"
    title="Active sessions"
    lead="A session ends after 7 days without use, and after 30 days in any case."
    aside={
      sessions.length > 1 ? (
        <form method="post" action="/dashboard/security/end-others">
          {more === 0 ? null : <span class="soft">{figure(more)} more </span>}
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
      rows={sessions.map((session) => sessionRow(session, session.sessionId === sessionId))}
    />
  </Card>
);

/** A change names no person if it was made with a key, or before accounts had members. */
const whoMade = ({ who, by }: AuditEvent, personId: string) =>
  who !== 'customer' || by === null || by.personId === personId ? WHO[who] : (by.email ?? 'a former member');

const Log = ({ log, older, personId }: SecurityModel) => (
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
        rows={log.map((event) => ({
          key: event.eventId,
          cells: [
            <When key="when" at={event.at} />,
            kindText(event.what),
            <Details key="details" detail={event.detail} />,
            <bdi key="by">{whoMade(event, personId)}</bdi>,
            event.address === null ? '' : <code key="from">{event.address}</code>,
          ],
        }))}
      />
    )}
    {older === null ? null : (
      <p class="actions">
        <a class="button small" href={`/dashboard/security?before=${older}#log`}>
          Older changes
        </a>
      </p>
    )}
  </Card>
);

/** `GET /dashboard/security`. */
export const securityPage = (model: SecurityModel): string =>
  dashboardPage(
    {
      title: 'Security',
      lead: 'Your sessions and passkeys, and what has changed in this account.',
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
