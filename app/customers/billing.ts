import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createSales } from '../../adapters/postgres/customers/sales.js';
import { createStripePayments } from '../../adapters/stripe/payments.js';
import { mountStripeWebhook, type Senders } from '../../adapters/stripe/webhook.js';
import { limitAddress } from '../../src/access/address.js';
import { createFailedAttempts } from '../../src/access/failed-keys.js';
import { PUBLIC_QPS } from '../../src/access/rate-headers.js';
import { Billing } from '../../src/billing/billing.js';
import { Settling } from '../../src/billing/settling.js';
import { ServiceError } from '../../src/domain/errors.js';
import { monotonic } from '../../src/lib/monotonic.js';
import type { Lifecycle } from '../lifecycle.js';
import { CLOSED_TOGETHER, type CustomersOptions } from './options.js';

const TOO_MANY_EVENTS = 'Too many events without a valid signature from this IP address.';

/** Time between checks for open checkouts that are due. */
const POLL_EVERY_MS = 5_000;

export interface OpenBilling {
  readonly billing: Billing;
  readonly settling: Settling;
  /** Origin of the hosted checkout pages; null while checkout is closed. */
  readonly checkoutOrigin: string | null;
  /** Adds the path that receives the processor's events. */
  mount(): void;
}

/** Origin of Stripe's hosted pages. */
const STRIPE_PAGES = 'https://checkout.stripe.com';

/**
 * Billing with Stripe and Postgres. Polling of open checkouts starts now. `taken`: called with each account that loses
 * credits to a refund or dispute.
 */
export async function openBilling(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  { config, stores, shared, clock, log, startPoll }: CustomersOptions,
  taken: (accountId: string) => void,
): Promise<OpenBilling> {
  const { secretKey, webhookSecret, baseUrl } = config.stripe;
  const payments = secretKey === null ? null : createStripePayments({ secretKey, baseUrl });
  const sales = createSales(stores.sql);
  const settling = new Settling({ payments, sales, clock, log, taken });
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
  if (payments !== null) {
    await lifecycle.open(
      'poll of open checkouts',
      () => startPoll(() => settling.pollOpen(), POLL_EVERY_MS),
      (poll) => poll.close(),
      CLOSED_TOGETHER,
    );
  }
  return {
    billing,
    settling,
    checkoutOrigin: payments === null ? null : pages,
    mount: () =>
      mountStripeWebhook(app, {
        secret: payments === null ? null : webhookSecret,
        handleEvent: (event) => settling.handleEvent(event),
        clock,
        senders: createSenders(shared),
      }),
  };
}

/** After too many events without a valid signature, an address gets only ten events a second checked. */
function createSenders({ limiter, memories }: CustomersOptions['shared']): Senders {
  const failures = createFailedAttempts({ limiter, monotonic, memories, kind: 'failed_events' });
  return {
    count: failures.count,
    async admit(address) {
      if (!failures.isNoisy(address)) return;
      const rate = await limiter.take(`events:${limitAddress(address)}`, PUBLIC_QPS);
      if (!rate.allowed)
        throw new ServiceError('rate_limited', TOO_MANY_EVENTS, { retryAfter: rate.retryAfterSeconds });
    },
  };
}
