import { INVITATIONS_PATH, invitationText, type SeenInvitation } from '../../../../src/account/members.js';
import { ROLES } from '../../../../src/domain/audit.js';
import type { Membership } from '../../../../src/ports/accounts.js';
import { signInAgainPath } from '../../../../src/sign-in/safe-next.js';
import { Badge, Card, DataTable, Day, FormError } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';

/** `GET /dashboard/accounts`: all accounts of the person. `accountId` is the one that the pages currently show. */
export const accountsPage = (model: {
  readonly layout: DashboardLayout;
  readonly memberships: readonly Membership[];
  readonly accountId: string;
}): string =>
  dashboardPage(
    {
      title: 'Your accounts',
      lead: 'The dashboard shows one account at a time.',
      here: '/dashboard/members',
      below: true,
      layout: model.layout,
    },
    <Card id="accounts" title="Accounts">
      <DataTable
        caption="Accounts that you are a member of"
        columns={[{ title: 'Account' }, { title: 'Your role' }, { title: 'Id' }, { title: 'Action' }]}
        rows={model.memberships.map(({ accountId, name, role }) => ({
          key: accountId,
          here: accountId === model.accountId,
          cells: [
            <bdi key="name" class="clip">
              {name}
            </bdi>,
            ROLES[role].name,
            <code key="id">{accountId}</code>,
            accountId === model.accountId ? (
              <Badge tone="ok">Shown now</Badge>
            ) : (
              <form key="switch" method="post" action="/dashboard/accounts/switch">
                <button
                  type="submit"
                  class="button small"
                  name="account"
                  value={accountId}
                  aria-label={`Switch to ${name}`}
                >
                  Switch
                </button>
              </form>
            ),
          ],
        }))}
      />
    </Card>,
  );

/**
 * `GET /dashboard/invitations/:secret`: the target of the mailed link. Nothing changes before a click, because mail
 * scanners open links.
 */
export const invitationPage = (model: {
  readonly layout: DashboardLayout;
  readonly secret: string;
  /** Undefined if there is no such invitation. */
  readonly invitation: SeenInvitation | undefined;
  readonly email: string | null;
  readonly error: string | null;
}): string => {
  const { layout, invitation, secret, email, error } = model;
  if (invitation === undefined) {
    return dashboardPage(
      { title: 'No such invitation', here: '/dashboard/members', below: true, layout },
      <Card id="invitation" title="This link is incomplete, or was never one of ours">
        <p>Open it again from the email, or ask the owner of the account for a new one.</p>
      </Card>,
    );
  }
  const { accountName, role, seenAs, expiresAt } = invitation;
  const path = `${INVITATIONS_PATH}/${secret}`;
  if (seenAs !== 'open') {
    return dashboardPage(
      { title: 'Invitation', here: '/dashboard/members', below: true, layout },
      <Card id="invitation" title={invitationText(seenAs)}>
        {seenAs === 'other' ? (
          <p>
            You are signed in as <bdi>{email ?? 'someone without an email address'}</bdi>.{' '}
            <a href={signInAgainPath(path)}>Sign in with another address</a>
          </p>
        ) : null}
      </Card>,
    );
  }
  return dashboardPage(
    { title: 'Invitation', here: '/dashboard/members', below: true, layout },
    <Card
      id="invitation"
      title={`Join “${accountName}”`}
      lead={
        <>
          Your role would be {ROLES[role].name.toLowerCase()}. {ROLES[role].can} The invitation works until{' '}
          <Day at={expiresAt} />.
        </>
      }
    >
      <form method="post" action={`${path}/accept`} class="row-form">
        <button type="submit" class="button primary">
          Join this account
        </button>
      </form>
      <FormError id="accept-error" message={error} />
    </Card>,
  );
};
