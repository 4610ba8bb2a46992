import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { mountDashboard } from '../../adapters/dashboard/mount.js';
import { createPages } from '../../adapters/http/keyless.js';
import { createAuditLog } from '../../adapters/postgres/audit.js';
import { createNotices } from '../../adapters/postgres/notices.js';
import { limitAddress } from '../../src/access/address.js';
import type { Admit } from '../../src/access/admit.js';
import { Keys } from '../../src/account/keys.js';
import { LowBalance } from '../../src/account/low-balance.js';
import type { Billing } from '../../src/billing/billing.js';
import { startPoll } from '../../src/billing/poll.js';
import { HOUR_MS } from '../../src/core/durations.js';
import type { Mail } from '../../src/ports/mail.js';
import { openBilling } from './billing.js';
import { openOAuth } from './oauth.js';
import type { CustomersOptions } from './options.js';
import { openMail, openSignIn } from './sign-in.js';
import { startTidying } from './tidying.js';

const SWEEP_EVERY_MS = HOUR_MS;
/** A service that is started often would else never come to it. */
const FIRST_SWEEP_MS = 60_000;

/** Pages and pictures of the dashboard that one address may ask for in a second. */
const PAGES_QPS = 50;

/** Everything that customers touch beside reads, as the rest of the house knows it. */
export interface Customers {
  readonly billing: Billing;
  /** For each paid request. */
  spent(accountId: string): void;
  /** Adds sign-in, dashboard, consent and the webhook. */
  mount(admit: Admit, network: string): void;
  /** Begins what is done beside requests: open checkouts, notices, forgetting. */
  start(): void;
  /** Before the stores are closed. */
  close(): Promise<void>;
}

/** Builds it over an app that does not listen yet: its address is asked for when it is needed. */
export function openCustomers(app: FastifyInstance, options: CustomersOptions): Customers {
  const { stores, shared, clock, log } = options;
  const mail = openMail(options.config);
  const signIn = openSignIn(app, options, mail);
  const oauth = openOAuth(app, options, signIn.door);
  const billing = openBilling(app, options);
  const notices = mail && openNotices(app, options, mail);
  const sweep = async () => {
    try {
      await Promise.all([signIn.sweep(), oauth.grants.sweep()]);
    } catch (err) {
      log.warn({ err }, 'Expired records could not be deleted. Retrying in an hour.');
    }
  };
  let sweeping: ReturnType<typeof startPoll> | undefined;
  let tidying: ReturnType<typeof startTidying> | undefined;
  return {
    billing: billing.billing,
    spent: (accountId) => notices?.spent(accountId),
    mount(admit, network) {
      signIn.mount(admit);
      oauth.mount(admit);
      billing.mount();
      const { accounts, ledger, questions, secrets } = stores;
      mountDashboard(app, {
        memories: shared.memories,
        keyless: createPages(app, (address) => shared.limiter.take(`pages:${limitAddress(address)}`, PAGES_QPS)),
        door: signIn.door,
        accounts,
        ledger,
        keys: new Keys({ accounts, pepper: secrets.pepper, clock, randomBytes }),
        billing: billing.billing,
        grants: oauth.grants,
        sessions: signIn.sessions,
        auditLog: createAuditLog(questions),
        clock,
        network,
        checkoutOrigin: billing.checkoutOrigin,
        mail: mail !== null,
        passkeys: signIn.passkeys,
      });
    },
    start() {
      billing.start();
      sweeping ??= startPoll(sweep, SWEEP_EVERY_MS, FIRST_SWEEP_MS);
      tidying ??= startTidying(stores.ledger, log);
    },
    async close() {
      const polls = [sweeping?.close(), tidying?.close()];
      await Promise.all([billing.close(), ...polls, notices?.close(), signIn.close(), oauth.close()]);
    },
  };
}

const openNotices = (app: FastifyInstance, { stores, log }: CustomersOptions, mail: Mail): LowBalance =>
  new LowBalance({
    notices: createNotices(stores.sql),
    mail,
    authUrl: () => app.authUrl,
    onFailure: (err) => log.error({ err }, 'A low-balance notice could not be sent.'),
  });
