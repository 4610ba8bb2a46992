import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createKeylessPages, type Keyless } from '../../adapters/http/keyless.js';
import { mountDashboard } from '../../adapters/pages/dashboard/mount.js';
import type { StatusModel } from '../../adapters/pages/site/status/status-model.js';
import { createAuditLog } from '../../adapters/postgres/accounts/audit.js';
import { createWatchBook } from '../../adapters/postgres/customers/watches.js';
import { createRequestLog } from '../../adapters/postgres/figures/request-log.js';
import { limitAddress } from '../../src/access/address.js';
import type { Deliveries } from '../../src/account/deliveries.js';
import { Keys } from '../../src/account/keys.js';
import type { Billing } from '../../src/billing/billing.js';
import type { Settling } from '../../src/billing/settling.js';
import { HOUR_MS } from '../../src/lib/durations.js';
import type { Grants } from '../../src/oauth/grants.js';
import type { Passkeys } from '../../src/sign-in/passkeys.js';
import type { Sessions } from '../../src/sign-in/sessions.js';
import type { SignIn } from '../../src/sign-in/sign-in.js';
import type { Engine, WatchParts } from '../engine.js';
import type { Lifecycle } from '../lifecycle.js';
import { deriveWebhookRoot } from '../secrets.js';
import { openAlerts } from './alerts.js';
import { openBilling } from './billing.js';
import { openMaintenance } from './maintenance.js';
import { openOAuth } from './oauth.js';
import { mountOperators } from './operators.js';
import { CLOSED_TOGETHER, type CustomersOptions, contactIn } from './options.js';
import { openMail, openSignIn } from './sign-in.js';

const SWEEP_EVERY_MS = HOUR_MS;
/** Soon after the start, because a service that restarts often would otherwise never sweep. */
const FIRST_SWEEP_MS = 60_000;

/** Requests per second for dashboard pages and images from one address. */
const PAGES_QPS = 50;

/** What the pages show about the rest of the service. */
export interface Shown {
  /** The network's name. */
  readonly network: string;
  /** The demo account's key, or null. */
  readonly demoKey: string | null;
  readonly status: () => Promise<StatusModel>;
}

/** Everything that customers use apart from reads, as the rest of the service sees it. */
export interface Customers {
  readonly billing: Billing;
  readonly settling: Settling;
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly passkeys: Passkeys;
  readonly grants: Grants;
  readonly watching: WatchParts;
  /** Wake it after storing webhooks; a run also sends mails. */
  readonly deliveries: Pick<Deliveries, 'wake' | 'run'>;
  /** Whether there is a mail server. */
  readonly sendsMail: boolean;
  /** Call for each paid request. */
  spent(accountId: string): void;
  /** Adds sign-in, dashboard, consent, the webhook and the operator's pages. */
  mount(engine: Pick<Engine, 'admit' | 'watches'>, shown: Shown): Promise<void>;
}

/**
 * Opens the customers' parts on an app that is not listening yet; its address is looked up when needed. Background work
 * (open checkouts, notices, sweeps) starts now.
 */
export async function openCustomers(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  options: CustomersOptions,
): Promise<Customers> {
  const { config, stores, shared, clock, log, startPoll, standIns } = options;
  const mail = standIns.mail ?? openMail(config);
  const signIn = await openSignIn(lifecycle, app, options, mail);
  const oauth = await openOAuth(lifecycle, app, options, signIn);
  const { alerts, watch, deliveries, webhooks } = await openAlerts(lifecycle, app, options, mail);
  const billing = await openBilling(lifecycle, app, options, (accountId) => watch.spent(accountId));
  await openSweep(lifecycle, options, [signIn, oauth.grants]);
  await openMaintenance(lifecycle, { ledger: stores.ledger, log, startPoll });
  return {
    billing: billing.billing,
    settling: billing.settling,
    signIn: signIn.signIn,
    sessions: signIn.sessions,
    passkeys: signIn.passkeys,
    grants: oauth.grants,
    watching: {
      ...{
        book: createWatchBook(stores.sql, stores.queries),
        webhooks,
        deliveries,
        secret: deriveWebhookRoot(stores.secrets),
      },
      keyByPrefix: (...key) => stores.accounts.keyByPrefix(...key),
    },
    deliveries,
    sendsMail: mail !== null,
    spent: (accountId) => watch.spent(accountId),
    async mount({ admit, watches }, shown) {
      if (watches === null) throw new TypeError('Customers have watches.');
      signIn.mount(admit);
      oauth.mount(admit);
      billing.mount();
      const { sql, accounts, ledger, queries, secrets, replica } = stores;
      const { sessionCookies, members } = signIn;
      const historyAsOf = replica === null ? undefined : () => replica.staleAsOf(clock.now());
      const common = { sessionCookies, members, keyless: limitedPages(app, shared), historyAsOf };
      const pages = await mountOperators(app, options, shown, common);
      mountDashboard(app, {
        ...pages,
        ...{ sessionCookies, members },
        ledger,
        keys: new Keys({ accounts, pepper: secrets.pepper, clock, randomBytes, limiter: shared.limiter }),
        billing: billing.billing,
        grants: oauth.grants,
        alerts,
        watches,
        sessions: signIn.sessions,
        auditLog: createAuditLog(queries),
        requestLog: createRequestLog(sql, queries),
        clock,
        network: shown.network,
        checkoutOrigin: billing.checkoutOrigin,
        seller: config.seller,
        contact: contactIn(config),
        mail: mail !== null,
        ...{ passkeys: signIn.passkeys, emailChange: signIn.emailChange },
      });
    },
  };
}

/** Deletes what has expired, every hour. */
async function openSweep(
  lifecycle: Lifecycle,
  { log, startPoll }: CustomersOptions,
  swept: readonly { sweep(): Promise<unknown> }[],
): Promise<void> {
  const sweep = async () => {
    try {
      await Promise.all(swept.map((each) => each.sweep()));
    } catch (err) {
      log.warn({ err }, 'Expired records could not be deleted. Retrying in an hour.');
    }
  };
  await lifecycle.open(
    'sweep of what is over',
    () => startPoll(sweep, SWEEP_EVERY_MS, FIRST_SWEEP_MS),
    (poll) => poll.close(),
    CLOSED_TOGETHER,
  );
}

/** Limits pages at a separate rate per address. */
const limitedPages = (app: FastifyInstance, { limiter }: CustomersOptions['shared']): Keyless =>
  createKeylessPages(app, (address) => limiter.take(`pages:${limitAddress(address)}`, PAGES_QPS));
