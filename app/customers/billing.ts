import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createSales } from '../../adapters/postgres/sales.js';
import { createStripePayments } from '../../adapters/stripe/payments.js';
import { mountStripeWebhook } from '../../adapters/stripe/webhook.js';
import { Billing } from '../../src/billing/billing.js';
import { startPoll } from '../../src/billing/poll.js';
import { Settling } from '../../src/billing/settling.js';
import type { CustomersOptions } from './options.js';

/** Between two looks whether an open checkout is due (W4). */
const POLL_EVERY_MS = 5_000;

export interface OpenBilling {
  readonly billing: Billing;
  readonly settling: Settling;
  /** Where its hosted pages are; null while checkout is closed. */
  readonly checkoutOrigin: string | null;
  /** Adds the path that events of the processor come to. */
  mount(): void;
  /** Begins to look after open checkouts. */
  start(): void;
  /** Before the database is closed. */
  close(): Promise<void>;
}

/** Where Stripe's hosted pages are. */
const STRIPE_PAGES = 'https://checkout.stripe.com';

/** Billing over Stripe and Postgres. */
export function openBilling(
  app: FastifyInstance,
  { config, stores, shared, clock, log }: CustomersOptions,
): OpenBilling {
  const { secretKey, webhookSecret, baseUrl } = config.stripe;
  const payments = secretKey === null ? null : createStripePayments({ secretKey, baseUrl });
  const sales = createSales(stores.sql);
  const settling = new Settling({ payments, sales, clock, log });
  const { accounts } = stores;
  const common = { payments, sales, clock };
  const { memories } = shared;
  const billing = new Billing({
    ...common,
    accounts,
    settling,
    authUrl: () => app.authUrl,
    newId: randomUUID,
    memories,
  });
  const pages = baseUrl === null ? STRIPE_PAGES : new URL(baseUrl).origin;
  let poll: ReturnType<typeof startPoll> | undefined;
  return {
    billing,
    settling,
    checkoutOrigin: payments === null ? null : pages,
    mount: () =>
      mountStripeWebhook(app, {
        secret: payments === null ? null : webhookSecret,
        hear: (event) => settling.hear(event),
        clock,
      }),
    start() {
      if (payments !== null) poll ??= startPoll(() => settling.pollOpen(), POLL_EVERY_MS);
    },
    async close() {
      await poll?.close();
    },
  };
}
