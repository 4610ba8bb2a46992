import type { FastifyRequest } from 'fastify';
import type { Alerts } from '../../../../src/account/alerts.js';
import type { Keys } from '../../../../src/account/keys.js';
import type { IsOperator } from '../../../../src/account/operators.js';
import type { Billing } from '../../../../src/billing/billing.js';
import type { Actor } from '../../../../src/domain/audit.js';
import type { Mode } from '../../../../src/domain/mode.js';
import type { Grants } from '../../../../src/oauth/grants.js';
import type { AccountRecord, Accounts, AuditLog } from '../../../../src/ports/accounts.js';
import type { Clock } from '../../../../src/ports/clock.js';
import type { Ledger } from '../../../../src/ports/ledger.js';
import type { EmailChange } from '../../../../src/sign-in/email-change.js';
import type { Passkeys } from '../../../../src/sign-in/passkeys.js';
import type { Sessions, Visitor } from '../../../../src/sign-in/sessions.js';
import type { Keyless } from '../../../http/keyless.js';
import type { SessionCookies } from '../../../http/session-cookies.js';

/** What the pages read and do. Every function takes the account first, and accepts no other account's ids. */
export interface DashboardServices {
  readonly accounts: Pick<Accounts, 'get' | 'testAccount' | 'openTestAccount' | 'rename'>;
  readonly ledger: Pick<Ledger, 'usage' | 'lastUses' | 'receipt' | 'archivedMonth' | 'recent' | 'statement'>;
  readonly keys: Pick<Keys, 'create' | 'createTest' | 'rotate' | 'change' | 'revoke'>;
  readonly billing: Pick<Billing, 'open' | 'newKey' | 'checkout' | 'settle' | 'sales' | 'purchase'>;
  readonly alerts: Pick<Alerts, 'list' | 'add' | 'remove' | 'test' | 'canMail'>;
  readonly grants: Pick<Grants, 'list' | 'revoke'>;
  readonly sessions: Pick<Sessions, 'list' | 'end' | 'endAll'>;
  readonly auditLog: AuditLog;
  readonly clock: Clock;
}

export interface DashboardOptions extends DashboardServices {
  readonly keyless: Keyless;
  readonly sessionCookies: Pick<SessionCookies, 'visitorOf'>;
  readonly isOperator: IsOperator;
  /** The network in use: `corpus`, `bluesky`, … */
  readonly network: string;
  /** The origin of the hosted payment page: forms may lead there. Null while checkout is closed. */
  readonly checkoutOrigin: string | null;
  /** Name and address of the operator on receipts, line by line. */
  readonly seller: readonly string[];
  /** Whether sign-in links and notices are sent by mail. */
  readonly mail: boolean;
  readonly emailChange: Pick<EmailChange, 'request' | 'confirm'>;
  readonly passkeys: Pick<Passkeys, 'list' | 'relyingParty'>;
}

/** A request of a signed-in customer. */
export interface SignedInRequest {
  readonly request: FastifyRequest;
  readonly visitor: Visitor;
  /** The customer's account, or on a page that has two modes and is in test mode, its test account. */
  readonly account: AccountRecord;
  /** Whether the operator's pages are theirs, too. */
  readonly isOperator: boolean;
  /** Null on a page that is the same in both. */
  readonly mode: Mode | null;
  /** The actor of a change, for the log. */
  readonly by: Actor;
  /** Fires when the customer leaves before the answer: work for the request ends then. */
  readonly signal: AbortSignal;
}
