import type { FastifyInstance } from 'fastify';
import { GuardedWebhooks } from '../../adapters/client-documents/webhooks.js';
import { createAlerts, createNotices } from '../../adapters/postgres/customers/alerts.js';
import { createDeliveries } from '../../adapters/postgres/customers/deliveries.js';
import { Alerts } from '../../src/account/alerts.js';
import { Deliveries } from '../../src/account/deliveries.js';
import { SpendingWatch } from '../../src/account/spending-watch.js';
import type { Config } from '../../src/config/config.js';
import { processTime } from '../../src/lib/monotonic.js';
import type { Webhooks } from '../../src/ports/deliveries.js';
import type { Mail } from '../../src/ports/mail.js';
import type { Lifecycle } from '../lifecycle.js';
import { deriveWebhookRoot } from '../secrets.js';
import { CLOSED_TOGETHER, type CustomersOptions, formatUserAgent } from './options.js';

/**
 * Whether this is a demo that only this machine can reach: webhooks may go to loopback then, as its user could send
 * there anyway.
 */
export const isOwnMachine = ({ demo, host, authUrl, trustedProxies }: Config): boolean =>
  demo && ['127.0.0.1', '::1', 'localhost'].includes(host) && authUrl === null && trustedProxies.length === 0;

/** How often to look for webhooks that other processes left; costs one look into an index. */
const POLL_MS = 3_000;

export interface OpenAlerts {
  readonly alerts: Alerts;
  readonly watch: SpendingWatch;
  readonly deliveries: Deliveries;
  readonly webhooks: Webhooks;
}

/** Low-balance notices, alerts that customers set, and webhooks. Watching accounts starts now. */
export async function openAlerts(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  { config, stores, shared, clock, log, startPoll, standIns }: CustomersOptions,
  mail: Mail | null,
): Promise<OpenAlerts> {
  const guarded = new GuardedWebhooks({ userAgent: formatUserAgent(config), loopback: isOwnMachine(config) });
  const webhooks = standIns.webhooks ?? guarded;
  const store = createAlerts(stores.sql);
  const secret = deriveWebhookRoot(stores.secrets);
  const authUrl = () => app.authUrl;
  const deliveries = new Deliveries({
    store: createDeliveries(stores.sql),
    clock,
    time: processTime,
    mail,
    webhooks,
    secret,
    authUrl,
    onFailure: (err) => log.error({ err }, 'A notice or webhook to a customer could not be sent. It will be retried.'),
  });
  const { watch } = await lifecycle.open(
    'notices, alerts and webhooks',
    () => ({
      poll: startPoll(() => deliveries.poll(), POLL_MS),
      watch: new SpendingWatch({
        notices: createNotices(stores.sql),
        alerts: store,
        deliveries,
        clock,
        mail: mail !== null,
        authUrl,
        onFailure: (err) => log.error({ err }, 'Accounts could not be checked for alerts. Retrying in 30 seconds.'),
      }),
    }),
    async (opened) => {
      await opened.poll.close();
      // Before deliveries close, because its last run stores and sends notices.
      await opened.watch.close();
      await deliveries.close();
      await guarded.close();
    },
    CLOSED_TOGETHER,
  );
  const { limiter } = shared;
  const alerts = new Alerts({ store, webhooks, deliveries, limiter, clock, secret, mail: mail !== null, authUrl });
  return { alerts, watch, deliveries, webhooks };
}
