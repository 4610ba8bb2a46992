import type { Alerts } from '../../../../src/account/alerts.js';
import type { Keys } from '../../../../src/account/keys.js';
import type { Members } from '../../../../src/account/members.js';
import type { Billing } from '../../../../src/billing/billing.js';
import { ServiceError } from '../../../../src/domain/errors.js';
import type { Grants } from '../../../../src/oauth/grants.js';
import type { Accounts, AuditLog } from '../../../../src/ports/accounts.js';
import type { Clock } from '../../../../src/ports/clock.js';
import type { RequestLog } from '../../../../src/ports/figures.js';
import type { Ledger } from '../../../../src/ports/ledger.js';
import type { EmailChange } from '../../../../src/sign-in/email-change.js';
import type { Passkeys } from '../../../../src/sign-in/passkeys.js';
import type { Sessions } from '../../../../src/sign-in/sessions.js';
import type { Watches } from '../../../../src/watches/watches.js';
import type { SessionCookies } from '../../../http/session-cookies.js';
import type { RoutesOptions } from '../../kit/signed-in/authenticated-routes.js';

/** What the pages read and do. Every function takes the account first, and accepts only that account's ids. */
export interface DashboardServices {
  readonly accounts: Pick<Accounts, 'get' | 'testAccount' | 'openTestAccount' | 'rename' | 'keys'>;
  readonly ledger: Pick<Ledger, 'usage' | 'lastUses' | 'receipt' | 'archivedMonth' | 'recent' | 'statement'>;
  readonly keys: Pick<Keys, 'find' | 'create' | 'createTest' | 'forSession' | 'rotate' | 'change' | 'revoke'>;
  readonly billing: Pick<Billing, 'open' | 'newKey' | 'checkout' | 'settle' | 'sales' | 'purchase'>;
  readonly alerts: Pick<
    Alerts,
    'list' | 'add' | 'remove' | 'test' | 'canMail' | 'whyNoMail' | 'deliveries' | 'sendAgain'
  >;
  readonly watches: Pick<Watches, 'list' | 'get' | 'add' | 'change' | 'deliveries' | 'sendAgain' | 'secretOf'>;
  readonly grants: Pick<Grants, 'list' | 'revoke'>;
  readonly sessions: Pick<Sessions, 'list' | 'end' | 'endAll' | 'choose'>;
  readonly auditLog: AuditLog;
  readonly requestLog: Pick<RequestLog, 'list' | 'operations'>;
  readonly clock: Clock;
}

export interface DashboardOptions extends DashboardServices, RoutesOptions {
  readonly sessionCookies: Pick<SessionCookies, 'visitorOf' | 'clear'>;
  readonly members: Omit<Members, 'sweep'>;
  /** The network in use: `corpus`, `bluesky`, … */
  readonly network: string;
  /** The origin of the hosted payment page, to which forms may lead; null while checkout is closed. */
  readonly checkoutOrigin: string | null;
  /** Name and address of the operator on receipts, line by line. */
  readonly seller: readonly string[];
  /** How customers reach the operator: an address or other text; null if not configured. */
  readonly contact: string | null;
  /** Whether sign-in links and notices are sent by mail. */
  readonly mail: boolean;
  readonly emailChange: Pick<EmailChange, 'request' | 'confirm'>;
  readonly passkeys: Pick<Passkeys, 'list' | 'relyingParty'>;
}

export const notOnAccount = (what: string): ServiceError =>
  new ServiceError('not_found', `This account has no such ${what}.`);
