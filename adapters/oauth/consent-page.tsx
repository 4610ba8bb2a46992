import { toCredits, toThousandths } from '../../src/domain/credits.js';
import { inCredits } from '../../src/domain/figures.js';
import { itemPrice, type UNITS } from '../../src/domain/prices.js';
import type { AuthorizationRequest } from '../../src/oauth/authorization.js';
import { isDocumentId } from '../../src/oauth/clients.js';
import type { AccountRecord } from '../../src/ports/accounts.js';
import { document } from '../pages/kit/layout.js';

import { CAP_PERIODS, type CapFields, OFFERED } from './cap-fields.js';
import { type Destination, describeDestination } from './destination.js';

export interface ConsentModel {
  readonly authRequest: AuthorizationRequest;
  readonly account: Pick<AccountRecord, 'accountId' | 'name' | 'balance'>;
  /** The address of the signed-in person, if they have one. */
  readonly email: string | null;
  /** The original request, to be sent again with the decision. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly cap: CapFields;
  /** What is wrong with the cap, or null. */
  readonly fault: string | null;
  /** Whether the session changed to another account since the page was shown. */
  readonly switched: boolean;
}

const GOES_TO: Readonly<Record<Destination['kind'], string>> = {
  web: 'The authorization is sent to this site.',
  loopback: 'The authorization is sent to a program on your own computer.',
  app: 'The authorization is sent to the app on your device that handles this kind of link.',
};

const price = (unit: keyof typeof UNITS, cache: 'miss' | 'hit'): string => inCredits(toCredits(itemPrice(unit, cache)));

const Warnings = ({ authRequest, account, switched }: Pick<ConsentModel, 'authRequest' | 'account' | 'switched'>) => {
  const { kind } = describeDestination(authRequest.redirectUri);
  return (
    <>
      {switched && <p class="notice">You are now signed in to a different account. Nothing has been allowed yet.</p>}
      {account.balance <= 0 && (
        <p class="notice">
          Your wallet is empty: until you <a href="/dashboard/credits">buy credits</a>, this app cannot read anything.
        </p>
      )}
      {kind === 'loopback' && (
        <p class="notice">
          This request is for a program on your own computer, and Perch cannot tell which one. Allow it only if you have
          just started the program yourself.
        </p>
      )}
      {kind === 'app' && (
        <p class="notice">
          This request is for an app on your device, and Perch cannot tell which one. Allow it only if you have just
          come from that app.
        </p>
      )}
    </>
  );
};

const Facts = ({ authRequest, account, email }: Pick<ConsentModel, 'authRequest' | 'account' | 'email'>) => {
  const destination = describeDestination(authRequest.redirectUri);
  const { clientId, name } = authRequest.client;
  return (
    <dl class="asks">
      <div>
        <dt>App</dt>
        <dd>
          <strong>{name}</strong>
          <span>
            {isDocumentId(clientId)
              ? `This is the name it gives itself, published at ${new URL(clientId).host}.`
              : 'This is the name it gives itself; it has not been verified.'}
          </span>
        </dd>
      </div>
      <div>
        <dt>Returns you to</dt>
        <dd>
          <strong>{destination.shown}</strong>
          <span>{GOES_TO[destination.kind]}</span>
        </dd>
      </div>
      <div>
        <dt>Access</dt>
        <dd>
          Read public data
          <span>It can also see your balance and usage. It cannot post for you or pay with your card.</span>
        </dd>
      </div>
      <div>
        <dt>Account</dt>
        <dd>
          <bdi>{account.name}</bdi>
          {email === null || email === account.name ? null : (
            <span>
              You are signed in as <bdi>{email}</bdi>.
            </span>
          )}
          <span>Wallet balance: {inCredits(toCredits(account.balance))}.</span>
        </dd>
      </div>
    </dl>
  );
};

const CapChoice = ({ cap, fault }: Pick<ConsentModel, 'cap' | 'fault'>) => (
  <fieldset>
    <legend>Spend cap</legend>
    <p>
      It spends from your wallet: {price('tweet', 'miss')} per tweet or profile, half of that if cached. It can never
      spend more than the cap: {OFFERED} credits read about{' '}
      {Math.floor(toThousandths(OFFERED) / itemPrice('tweet', 'miss'))} tweets.
    </p>
    {fault !== null && (
      <p class="notice bad" id="cap-fault">
        {fault}
      </p>
    )}
    <div class="cap">
      <div class="cap-part">
        <label for="cap-amount">Credits</label>
        <input
          type="text"
          id="cap-amount"
          name="cap_amount"
          inputMode="decimal"
          autocomplete="off"
          value={cap.amount}
          {...(fault === null ? {} : { 'aria-invalid': 'true', 'aria-describedby': 'cap-fault' })}
        />
      </div>
      <div class="cap-part">
        <label for="cap-period">Period</label>
        <select id="cap-period" name="cap_period">
          {CAP_PERIODS.map(({ value, text }) => (
            <option key={value} value={value} selected={value === cap.period}>
              {text}
            </option>
          ))}
        </select>
      </div>
    </div>
  </fieldset>
);

/** How long the grant lasts (`src/oauth/tokens.ts`), and a way to use another account. */
const Afterwards = () => (
  <>
    <p>
      It gets its own key, which you can revoke in the dashboard at any time. Until then it can keep reading for up to a
      year; after 90 days without use it has to ask you again.
    </p>
    <form method="post" action="/sign-out">
      <p>Not you? Sign out and start again from the app that sent you here.</p>
      <p class="actions">
        <button class="button" type="submit">
          Sign out
        </button>
      </p>
    </form>
  </>
);

/** Asks a customer whether a client may read for them. Send it under `CONSENT_CSP`. */
export const consentPage = ({ authRequest, account, email, fields, cap, fault, switched }: ConsentModel): string =>
  document(
    {
      title: `Allow ${authRequest.client.name}? · Perch`,
      description: 'An app asks to read public data and pay from your wallet.',
    },
    <div class="wrap page narrow consent">
      <h1>Allow {authRequest.client.name} to read for you?</h1>
      <Warnings authRequest={authRequest} account={account} switched={switched} />
      <Facts authRequest={authRequest} account={account} email={email} />
      <form method="post" action="/oauth/authorize">
        {fields.map(([name, value]) => (
          <input key={`${name} ${value}`} type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name="account" value={account.accountId} />
        <CapChoice cap={cap} fault={fault} />
        <p class="actions">
          <button class="button primary" type="submit" name="decision" value="allow">
            Allow
          </button>
          <button class="button" type="submit" name="decision" value="deny">
            Deny
          </button>
        </p>
      </form>
      <Afterwards />
    </div>,
  );

/**
 * The page for a request that cannot be answered. `back`: the address at which the client waits for the error, if that
 * address is proven.
 */
export const refusedPage = (title: string, message: string, back: string | null): string =>
  document(
    { title: `${title} · Perch`, description: 'An app sent an invalid request.' },
    <div class="wrap page narrow consent">
      <h1>{title}</h1>
      <p class="notice bad">{message}</p>
      <p>Nothing was allowed and nothing was sent. Close this page and try again from the app that sent you here.</p>
      {back !== null && (
        <p class="actions">
          <a class="button" href={back} rel="noreferrer">
            Back to {describeDestination(back).shown}
          </a>
        </p>
      )}
    </div>,
  );
