import type { FiguresStores } from '../../../src/billing/figures.js';
import type { Accounts } from '../../../src/ports/accounts.js';
import type { Clock } from '../../../src/ports/clock.js';
import type { Traffic } from '../../../src/ports/figures.js';
import type { Ledger } from '../../../src/ports/ledger.js';
import type { OperatorStore } from '../../../src/ports/operator.js';
import type { SignInLinks } from '../../../src/sign-in/links.js';
import type { RoutesOptions } from '../kit/signed-in/authenticated-routes.js';
import type { StatusModel } from '../site/status/status-model.js';

/** What the operator's pages read and do. */
export interface OperatorOptions extends RoutesOptions {
  readonly accounts: Pick<Accounts, 'get' | 'keys' | 'testAccount' | 'freeze'>;
  readonly ledger: Pick<Ledger, 'grant' | 'recent' | 'statement'>;
  readonly store: OperatorStore;
  readonly links: Pick<SignInLinks, 'forAccount'>;
  readonly costs: FiguresStores['costs'];
  readonly traffic: Pick<Traffic, 'read'>;
  /** The status that `/status` shows. */
  readonly status: () => Promise<StatusModel>;
  readonly clock: Clock;
  /** A new UUID v7, under which credits are granted once. */
  readonly newId: () => string;
}
