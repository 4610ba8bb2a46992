import type { Thousandths } from '../../../../src/domain/credits.js';
import { formatCredits } from '../../../../src/domain/figures.js';
import { MAILED_MINUTES } from '../../../../src/sign-in/links.js';
import { signInAgainPath } from '../../../../src/sign-in/safe-next.js';
import { faultAt, InputField } from '../../kit/signed-in/fields.js';
import { Card, FieldError, type FormFault, wrong } from '../../kit/signed-in/parts.js';
import { type DashboardLayout, dashboardPage } from '../frame/dashboard-page.js';
import { LONGEST_NAME } from '../frame/names.js';

export interface AccountModel {
  readonly layout: DashboardLayout;
  readonly accountName: string;
  /** Thousandths. */
  readonly balance: Thousandths;
  /** The person's current address. */
  readonly email: string | null;
  /** Whether there is a mail server. */
  readonly byMail: boolean;
  /** The name as typed. */
  readonly name: string;
  readonly newEmail: string;
  /** Typed to confirm the deletion. */
  readonly typedName: string;
  /** What was wrong, shown next to its field; `signInAgain`: the change needs a new sign-in. */
  readonly fault: (FormFault & { readonly field: 'name' | 'email' | 'delete'; readonly signInAgain: boolean }) | null;
}

const Name = (model: AccountModel) => (
  <Card id="name-title" title="Name" lead="The name of the account, which its members and the operator see.">
    <form method="post" action="/dashboard/account/name" class="row-form">
      <InputField
        name="name"
        label="Name"
        grow
        value={model.name}
        maxLength={LONGEST_NAME}
        required
        autocomplete="name"
        dir="auto"
        fault={model.fault}
      />
      <button type="submit" class="button primary">
        Save name
      </button>
    </form>
  </Card>
);

const Email = (model: AccountModel) => (
  <Card
    id="email-title"
    title="Email address"
    lead={
      <>
        {model.email === null ? (
          'You have no email address here.'
        ) : (
          <>
            Sign-in links and notices go to <bdi>{model.email}</bdi>.
          </>
        )}{' '}
        It changes when you open the link that{' '}
        {model.byMail ? 'we send to the new address' : "the operator finds in this server's log"}.
      </>
    }
  >
    <form method="post" action="/dashboard/account/email" class="row-form">
      <InputField
        name="email"
        label="New email address"
        grow
        type="email"
        value={model.newEmail}
        maxLength={254}
        required
        autocomplete="email"
        fault={model.fault}
      />
      <button type="submit" class="button">
        {model.byMail ? 'Send a link' : 'Create a link'}
      </button>
    </form>
    {model.fault?.field === 'email' && model.fault.signInAgain ? (
      <p>
        <a href={signInAgainPath('/dashboard/account')} target="_blank" rel="noopener">
          Sign in again in another tab
        </a>
        , then submit this form again. What you typed is still here.
      </p>
    ) : null}
    <p class="soft small">
      The link works once, for {MAILED_MINUTES} minutes. After the change your other sessions are signed out; keys and
      passkeys still work.
    </p>
  </Card>
);

const Export = () => (
  <Card
    id="export-title"
    title="Export"
    lead="Everything that Perch keeps for this account and its test mode, as one JSON object per line (NDJSON): members, keys without their secrets, apps, alerts, watches, purchases, ledger entries, usage, the newest 1,000 receipts, the request log, and the log of changes."
  >
    <form method="post" action="/dashboard/account/export" class="row-form">
      <button type="submit" class="button">
        Download all data
      </button>
    </form>
  </Card>
);

const Delete = (model: AccountModel) => (
  <Card id="delete-title" title="Delete the account" lead="At once and for good. Test mode is deleted, too.">
    <ul class="plain-list">
      <li>All keys are revoked and all apps disconnected. All members lose access.</li>
      <li>
        {model.balance === 0
          ? 'There are no credits left to lose.'
          : `You lose the remaining ${formatCredits(model.balance)}. For a refund, ask the operator first.`}
      </li>
      <li>
        Names, members, invitations, alerts and their deliveries, and the request log are deleted. People who belong to
        no other account are deleted with their address, sessions and passkeys.
      </li>
      <li>
        Records that accounting needs are kept without a name: ledger entries and usage (times, operations, amounts, key
        prefixes), and purchases. The log of changes is kept with the names and addresses recorded in it, and so is the
        note that your mailbox received starting credits.
      </li>
    </ul>
    <details class="confirm">
      <summary class="button">Delete this account…</summary>
      <form method="post" action="/dashboard/account/delete" class="row-form">
        <div class="field grow">
          <label for="delete-name">
            Type the name of the account: <bdi>{model.accountName}</bdi>
          </label>
          <input
            id="delete-name"
            name="name"
            type="text"
            value={model.typedName}
            required
            autocomplete="off"
            {...wrong(model.fault, 'delete')}
          />
        </div>
        <button type="submit" class="button danger">
          Delete for good
        </button>
      </form>
    </details>
    <FieldError fault={model.fault} field="delete" />
    {model.fault?.field === 'delete' && model.fault.signInAgain ? (
      <p>
        <a href={signInAgainPath('/dashboard/account')}>Sign in again</a>
      </p>
    ) : null}
  </Card>
);

/** `GET /dashboard/account`. */
export const accountPage = (model: AccountModel): string =>
  dashboardPage(
    {
      title: 'Account',
      lead: 'The name of the account, your email address, and all the data kept here.',
      here: '/dashboard/account',
      layout: model.layout,
    },
    <>
      <Name {...model} />
      <Email {...model} />
      <Export />
      <Delete {...model} />
    </>,
  );

/**
 * `GET /dashboard/account/email`, the target of the mailed link. Its script moves the secret from the address into the
 * field. Nothing changes before a click, because mail scanners open links.
 */
export const emailPage = ({
  layout,
  email,
  error,
}: Pick<AccountModel, 'layout' | 'email'> & { readonly error: string | null }): string =>
  dashboardPage(
    {
      title: 'New email address',
      lead: email === null ? 'You have no email address here yet.' : `Your address is ${email}.`,
      here: '/dashboard/account',
      below: true,
      layout,
      script: 'email-change.js',
    },
    <Card
      id="confirm-title"
      title="Confirm the change"
      lead="From then on, sign-in links and notices go to the new address. Your other sessions are signed out."
    >
      <form method="post" action="/dashboard/account/email/confirm" class="row-form">
        <InputField
          name="token"
          label="The link from the email"
          grow
          required
          autocomplete="one-time-code"
          autocapitalize="none"
          spellcheck={false}
          fault={faultAt('token', error)}
        />
        <button type="submit" class="button primary">
          Use the new address
        </button>
      </form>
    </Card>,
  );
