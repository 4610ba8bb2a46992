import type { FastifyInstance } from 'fastify';
import { badRequest, ServiceError } from '../../src/core/errors.js';
import type { Clock } from '../../src/ports/clock.js';
import type { PaymentEvent } from '../../src/ports/payments.js';
import { readEvent } from './events.js';

/** Bytes: events with many lines are larger than callers' requests. */
const BODY_LIMIT = 1024 * 1024;

export interface WebhookOptions {
  /** Null: events are refused (503), and only the poll finds payments. */
  readonly secret: string | null;
  /** Resolves once every effect of the event is committed; only then is it acknowledged. */
  readonly handleEvent: (event: PaymentEvent) => Promise<void>;
  readonly clock: Clock;
}

/** POST /webhooks/stripe: events from Stripe (W1). It resends unacknowledged events for up to three days. */
export function mountStripeWebhook(app: FastifyInstance, { secret, handleEvent, clock }: WebhookOptions): void {
  app.route({
    method: 'POST',
    url: '/webhooks/stripe',
    bodyLimit: BODY_LIMIT,
    handler: async (request, reply) => {
      if (secret === null)
        throw new ServiceError('billing_disabled', 'Payment events are not accepted on this server.');
      if (!Buffer.isBuffer(request.body)) throw badRequest('The body is missing.');
      const header = request.headers['stripe-signature'];
      await handleEvent(await readEvent(request.body, Array.isArray(header) ? header[0] : header, { secret, clock }));
      return reply.send({ received: true });
    },
  });
}
