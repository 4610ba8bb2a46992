import { formatCredits } from '../../../src/domain/figures.js';
import type { AccountRecord, KeyRecord } from '../../../src/ports/accounts.js';
import type { Receipt, StatementEntry } from '../../../src/ports/ledger.js';
import type { AccountSettings, OperatorEvent } from '../../../src/ports/operator.js';
import { signInAgainPath } from '../../../src/sign-in/safe-next.js';
import { faultAt, InputField } from '../kit/signed-in/fields.js';
import type { PageLayout } from '../kit/signed-in/frame.js';
import { Card, Notice, When } from '../kit/signed-in/parts.js';
import { operatorPage } from './frame.js';
import type { GrantErrors, GrantInput, GrantRequest } from './grant-form.js';
import { Limits, Note, type SettingsErrors, type SettingsInput } from './settings-form.js';

export interface OperatorAccountModel {
  readonly layout: PageLayout;
  readonly account: AccountRecord;
  /** The keys of the account and of its test account. */
  readonly keys: readonly KeyRecord[];
  readonly nowMs: number;
  /** Until when the operator's sign-in is recent enough for changes, Unix milliseconds. */
  readonly recentUntilMs: number;
  /** Null for a test account, which has the settings of the account that it belongs to. */
  readonly settings: AccountSettings | null;
  readonly statement: readonly StatementEntry[];
  readonly recent: readonly Receipt[];
  readonly events: readonly OperatorEvent[];
  /** New for each page; the form's credits are granted under this id, so only once. */
  readonly grantId: string;
  readonly typed: GrantInput;
  readonly errors: GrantErrors;
  readonly settingsTyped: SettingsInput;
  readonly settingsErrors: SettingsErrors;
  /** Why an action was refused. */
  readonly refused: string | null;
  /** A link that signs the owner in, shown only on this page. */
  readonly link: string | null;
}

const Grant = ({ account, grantId, typed, errors }: OperatorAccountModel) => (
  <Card id="grant" title="Grant credits" lead="You are asked to confirm before credits are granted.">
    <form method="post" action={`/operator/accounts/${account.accountId}/grant`} class="row-form">
      <input type="hidden" name="grant" value={grantId} />
      <InputField
        name="credits"
        label="Credits"
        inputMode="decimal"
        value={typed.credits}
        required
        fault={faultAt('credits', errors.credits)}
      />
      <InputField
        name="reason"
        label="Reason, which the customer sees"
        grow
        value={typed.reason}
        required
        maxLength={100}
        dir="auto"
        fault={faultAt('reason', errors.reason)}
      />
      <button type="submit" class="button primary">
        Grant…
      </button>
    </form>
  </Card>
);

const Freezing = ({ account }: OperatorAccountModel) =>
  account.frozen ? (
    <Card id="thaw" title="Thaw" lead="The account's keys work again.">
      <form method="post" action={`/operator/accounts/${account.accountId}/thaw`}>
        <button type="submit" class="button">
          Thaw this account
        </button>
      </form>
    </Card>
  ) : (
    <Card id="freeze" title="Freeze" lead="None of the account's keys works until it is thawed. Nothing is lost.">
      <details class="confirm">
        <summary class="button">Freeze this account…</summary>
        <form method="post" action={`/operator/accounts/${account.accountId}/freeze`} class="row-form">
          <p>Every request of this customer will be refused.</p>
          <button type="submit" class="button danger">
            Freeze now
          </button>
        </form>
      </details>
    </Card>
  );

const Link = ({ account, link }: OperatorAccountModel) => (
  <Card
    id="link"
    title="Sign-in link"
    lead="Signs in as the owner of this account, once, within 24 hours. The owner can see in the log that it was created."
  >
    {account.testOf !== null ? (
      <p>
        You cannot sign in to a test account. Create the link on the page of{' '}
        <a href={`/operator/accounts/${account.testOf}`}>the account that it belongs to</a>.
      </p>
    ) : link === null ? (
      <details class="confirm">
        <summary class="button">Create a sign-in link…</summary>
        <form method="post" action={`/operator/accounts/${account.accountId}/link`} class="row-form">
          <p>Anyone who has the link has full access to the account. It cannot be withdrawn.</p>
          <button type="submit" class="button danger">
            Create link now
          </button>
        </form>
      </details>
    ) : (
      <>
        <p>It is shown only once. Send it to the owner and to no one else.</p>
        <figure class="code once">
          <figcaption>The link</figcaption>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard (WCAG 2.1.1) */}
          <pre tabIndex={0} data-copy>
            <code>{link}</code>
          </pre>
        </figure>
      </>
    )}
  </Card>
);

const settingsOf = ({ account, settingsTyped, settingsErrors }: OperatorAccountModel, settings: AccountSettings) => ({
  ...{ accountId: account.accountId, settings, typed: settingsTyped, errors: settingsErrors },
});

/**
 * Says whether changes are possible now, before the operator types anything; after a refusal, how to keep the input.
 */
const SignedIn = ({ account, nowMs, recentUntilMs, refused }: OperatorAccountModel) => {
  const again = signInAgainPath(`/operator/accounts/${account.accountId}`);
  if (nowMs <= recentUntilMs) {
    return refused === null ? (
      <p class="soft">
        You can change this account until <When at={new Date(recentUntilMs).toISOString()} /> UTC; then you are asked to
        sign in again.
      </p>
    ) : (
      <Notice tone="bad" title="Nothing was done.">
        {refused}
      </Notice>
    );
  }
  return refused === null ? (
    <Notice tone="warn" title="Sign in again before you change anything.">
      Changes require a sign-in within the last 10 minutes. <a href={again}>Sign in again</a>
    </Notice>
  ) : (
    <Notice tone="bad" title="Nothing was done.">
      {refused}{' '}
      <a href={again} target="_blank" rel="noopener">
        Sign in again in another tab
      </a>
      , then submit the form again. What you typed is still here.
    </Notice>
  );
};

/** What an operator can do with an account; actions that cannot be undone must be confirmed. */
export const Actions = (model: OperatorAccountModel) => (
  <>
    <SignedIn {...model} />
    <Grant {...model} />
    {model.settings === null ? null : (
      <div class="two">
        <Limits {...settingsOf(model, model.settings)} />
        <Note {...settingsOf(model, model.settings)} />
      </div>
    )}
    <div class="two">
      <Freezing {...model} />
      <Link {...model} />
    </div>
  </>
);

export interface ConfirmModel {
  readonly layout: PageLayout;
  readonly account: AccountRecord;
  readonly grantId: string;
  readonly typed: GrantInput;
  readonly requested: GrantRequest;
}

/** Asks for confirmation before credits are granted, because they cannot be taken back here. */
export const confirmGrantPage = ({ layout, account, grantId, typed, requested }: ConfirmModel): string =>
  operatorPage(
    { title: `Grant ${formatCredits(requested.amount)}?`, here: '/operator/accounts', below: true, layout },
    <Card id="confirm" title="Please confirm">
      <dl class="facts">
        <div>
          <dt>To</dt>
          <dd>
            <bdi>{account.name}</bdi>
            {account.email === null || account.email === account.name ? null : (
              <>
                {' '}
                (<bdi>{account.email}</bdi>)
              </>
            )}
          </dd>
        </div>
        <div>
          <dt>Balance afterwards</dt>
          <dd>{formatCredits(account.balance + requested.amount)}</dd>
        </div>
        <div>
          <dt>Reason</dt>
          <dd>
            <bdi>{requested.reason}</bdi>
          </dd>
        </div>
      </dl>
      <p>Granted credits cannot be taken back.</p>
      <form method="post" action={`/operator/accounts/${account.accountId}/grant`} class="row-form">
        <input type="hidden" name="grant" value={grantId} />
        <input type="hidden" name="credits" value={typed.credits} />
        <input type="hidden" name="reason" value={typed.reason} />
        <button type="submit" name="step" value="confirmed" class="button primary">
          Grant now
        </button>
        <button type="submit" name="step" value="change" class="button">
          Change
        </button>
      </form>
    </Card>,
  );
