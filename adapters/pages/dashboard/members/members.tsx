import { INVITED_DAYS, MOST_MEMBERS } from '../../../../src/account/members.js';
import { GIVEN_ROLES, ROLES, type Role } from '../../../../src/domain/audit.js';
import { counted } from '../../../../src/domain/figures.js';
import type { InvitationRecord, MemberRecord } from '../../../../src/ports/accounts.js';
import { signInAgainPath } from '../../../../src/sign-in/safe-next.js';
import { InputField, SelectField } from '../../kit/signed-in/fields.js';
import { Badge, Card, DataTable, Day, type FormFault, Notice } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';

export interface MembersModel {
  readonly layout: DashboardLayout;
  /** The reader of the page. */
  readonly personId: string;
  readonly nowMs: number;
  readonly members: readonly MemberRecord[];
  readonly invitations: readonly InvitationRecord[];
  /** The hosts of the account's webhooks. Who controls one still gets what is sent there after they were removed. */
  readonly webhookHosts: readonly string[];
  /** Whether invitations are mailed. */
  readonly byMail: boolean;
  readonly typed: { readonly email: string; readonly role: string };
  /** What was wrong, shown next to its field, or for the whole page if it names none. */
  readonly fault: (FormFault & { readonly signInAgain: boolean }) | null;
}

const PAGE = '/dashboard/members';

const personName = ({ email }: Pick<MemberRecord, 'email'>): string => email ?? 'No email address';

const RoleSelect = ({ id, value, label }: { id: string; value: string; label: string }) => (
  <>
    <label for={id} class="unseen">
      {label}
    </label>
    <select id={id} name="role">
      {GIVEN_ROLES.map((role) => (
        <option key={role} value={role} selected={role === value}>
          {ROLES[role].name}
        </option>
      ))}
    </select>
  </>
);

const Invite = ({ typed, fault, byMail }: MembersModel) => {
  return (
    <Card
      id="invite"
      title="Invite a member"
      lead={`The link works once, for ${INVITED_DAYS} days, and only for someone who signs in with this address. ${
        byMail ? 'We mail it to them.' : 'This server sends no email, so you get the link to pass on yourself.'
      }`}
    >
      <form method="post" action={PAGE} class="row-form">
        <InputField
          name="email"
          id="invite-email"
          label="Email address"
          grow
          type="email"
          value={typed.email}
          maxLength={254}
          required
          fault={fault}
        />
        <SelectField
          name="role"
          id="invite-role"
          label="Role"
          value={typed.role}
          options={GIVEN_ROLES.map((role) => [role, ROLES[role].name])}
          fault={fault}
        />
        <button type="submit" class="button primary">
          {byMail ? 'Send invitation' : 'Create a link'}
        </button>
      </form>
      <dl class="facts">
        {Object.entries(ROLES).map(([role, { name, can }]) => (
          <div key={role}>
            <dt>{name}</dt>
            <dd>{can}</dd>
          </div>
        ))}
      </dl>
    </Card>
  );
};

const ChangeRole = ({ member, name }: { member: MemberRecord; name: string }) => (
  <form method="post" action={`${PAGE}/${member.personId}/role`} class="row-form">
    <div class="field">
      <RoleSelect id={`role-${member.personId}`} value={member.role} label={`Role of ${name}`} />
    </div>
    <button type="submit" class="button small" aria-label={`Save the role of ${name}`}>
      Save role
    </button>
  </form>
);

/** The most hosts named. */
const HOSTS = 10;

const Webhooks = ({ hosts }: { hosts: readonly string[] }) =>
  hosts.length === 0 ? null : (
    <p>
      Webhooks stay: watches and alerts send to <bdi>{hosts.slice(0, HOSTS).join(', ')}</bdi>
      {hosts.length > HOSTS ? ` and ${counted(hosts.length - HOSTS, 'other host')}` : ''}. If one is theirs, end its{' '}
      <a href="/dashboard/watches">watch</a> or remove its <a href="/dashboard/alerts">alert</a>.
    </p>
  );

const Remove = ({ member, name, hosts }: { member: MemberRecord; name: string; hosts: readonly string[] }) => (
  <details class="confirm">
    <summary class="button small">
      Remove<span class="unseen"> {name}</span>…
    </summary>
    <form method="post" action={`${PAGE}/${member.personId}/remove`} class="row-form">
      <p>They lose access to this account at once.</p>
      <Webhooks hosts={hosts} />
      <fieldset class="checks">
        <legend>{counted(member.keys, 'active key')} that they created</legend>
        <label>
          <input type="radio" name="keys" value="revoke" checked /> Revoke
        </label>
        <label>
          <input type="radio" name="keys" value="keep" /> Keep working
        </label>
      </fieldset>
      <button type="submit" class="button danger">
        Remove now
      </button>
    </form>
  </details>
);

const Transfer = ({ member, name }: { member: MemberRecord; name: string }) => (
  <details class="confirm">
    <summary class="button small">
      Make owner<span class="unseen"> of {name}</span>…
    </summary>
    <form method="post" action={`${PAGE}/${member.personId}/transfer`} class="row-form">
      <p>They can then do everything, including remove you. You become a developer. Notices go to their address.</p>
      <button type="submit" class="button danger">
        Transfer ownership
      </button>
    </form>
  </details>
);

const Leave = ({ role }: { role: Role }) =>
  role === 'owner' ? (
    <span class="soft">Transfer the ownership to leave</span>
  ) : (
    <details class="confirm">
      <summary class="button small">Leave…</summary>
      <form method="post" action={`${PAGE}/leave`} class="row-form">
        <p>You lose access at once. Keys that you created keep working.</p>
        <button type="submit" class="button danger">
          Leave this account
        </button>
      </form>
    </details>
  );

const MemberTable = ({ members, personId, webhookHosts, layout }: MembersModel) => (
  <DataTable
    caption="Members of this account, the owner first"
    columns={[
      { title: 'Member' },
      { title: 'Role' },
      { title: 'Since' },
      { title: 'Active keys', numeric: true },
      { title: 'Action' },
    ]}
    rows={members.map((member) => {
      const name = personName(member);
      const isSelf = member.personId === personId;
      return {
        key: member.personId,
        here: isSelf,
        cells: [
          <>
            <bdi class="clip">{name}</bdi> {isSelf ? <Badge tone="ok">You</Badge> : null}
          </>,
          member.role === 'owner' || isSelf ? (
            ROLES[member.role].name
          ) : (
            <ChangeRole key="role" member={member} name={name} />
          ),
          <Day key="since" at={member.joinedAt} />,
          String(member.keys),
          isSelf ? (
            <Leave key="leave" role={layout.role} />
          ) : member.role === 'owner' ? (
            ''
          ) : (
            <div key="actions" class="stack tight">
              <Remove member={member} name={name} hosts={webhookHosts} />
              <Transfer member={member} name={name} />
            </div>
          ),
        ],
      };
    })}
  />
);

const Invitations = ({ invitations, nowMs }: MembersModel) => (
  <Card
    id="invitations"
    title="Open invitations"
    lead="To send an invitation again, invite the same address. The earlier link stops working."
  >
    <DataTable
      caption="Invitations not accepted yet, newest first"
      columns={[
        { title: 'Address' },
        { title: 'Role' },
        { title: 'Invited' },
        { title: 'Expires' },
        { title: 'Action' },
      ]}
      rows={invitations.map(({ invitationId, email, role, createdAt, expiresAt }) => ({
        key: invitationId,
        cells: [
          <bdi key="email" class="clip">
            {email}
          </bdi>,
          ROLES[role].name,
          <Day key="invited" at={createdAt} />,
          Date.parse(expiresAt) <= nowMs ? <Badge tone="warn">Expired</Badge> : <Day at={expiresAt} />,
          <form key="withdraw" method="post" action={`${PAGE}/invitations/${invitationId}/withdraw`}>
            <button type="submit" class="button small danger" aria-label={`Withdraw the invitation of ${email}`}>
              Withdraw
            </button>
          </form>,
        ],
      }))}
    />
  </Card>
);

/** `GET /dashboard/members`. */
export const membersPage = (model: MembersModel): string =>
  dashboardPage(
    {
      title: 'Members',
      lead: `People who sign in to this account, each with a role. Up to ${MOST_MEMBERS}, open invitations included.`,
      here: PAGE,
      layout: model.layout,
    },
    <>
      {model.fault === null || model.fault.field !== undefined ? null : (
        <Notice tone="bad" title={model.fault.message}>
          {model.fault.signInAgain ? <a href={signInAgainPath(PAGE)}>Sign in again</a> : null}
        </Notice>
      )}
      <Card id="members" title="Members">
        <MemberTable {...model} />
      </Card>
      <Invite {...model} />
      {model.invitations.length === 0 ? null : <Invitations {...model} />}
    </>,
  );

/** Shown after an invitation if the service sends no mail, and the only page that ever shows the link. */
export const invitedPage = ({ layout, link }: { layout: DashboardLayout; link: string }): string =>
  dashboardPage(
    { title: 'Invitation created', here: PAGE, below: true, layout },
    <>
      <Notice tone="warn" title="Copy the link now: it is shown only once.">
        Pass it on to the person you invited. It works only for someone who signs in with that address.
      </Notice>
      <Card id="link" title="Link">
        <figure class="code once">
          <figcaption>The invitation</figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0} data-copy>
            <code>{link}</code>
          </pre>
        </figure>
        <p class="actions">
          <a class="button primary" href={PAGE}>
            I have copied it
          </a>
        </p>
      </Card>
    </>,
  );
