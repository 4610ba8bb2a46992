import type { FastifyInstance, FastifyRequest } from 'fastify';
import { badRequest, ServiceError } from '../../src/domain/errors.js';
import type { Clock } from '../../src/ports/clock.js';
import type { PaymentEvent } from '../../src/ports/payments.js';
import { readEvent, refuseUnsigned, UNSIGNED } from './events.js';

/** Bytes: events with many lines are larger than callers' requests. */
const BODY_LIMIT = 1024 * 1024;

export interface WebhookOptions {
  /** Null: events are refused (503), and only the poll finds payments. */
  readonly secret: string | null;
  /** Resolves once every effect of the event is committed; only then is it acknowledged. */
  readonly handleEvent: (event: PaymentEvent) => Promise<void>;
  readonly clock: Clock;
  readonly senders: Senders;
}

/** Decides whether an address may have its next event checked: a check takes longer the larger the event is (L14). */
export interface Senders {
  /** Throws `rate_limited` for an address that sent too many events without a valid signature. */
  admit(address: string): Promise<void>;
  /** Counts an event without a valid signature, and returns the error to throw. */
  count(address: string, failure: ServiceError): Promise<ServiceError>;
}

/** POST /webhooks/stripe: events from Stripe. It resends unacknowledged events for up to three days. */
export function mountStripeWebhook(
  app: FastifyInstance,
  { secret, handleEvent, clock, senders }: WebhookOptions,
): void {
  app.route({
    method: 'POST',
    url: '/webhooks/stripe',
    bodyLimit: BODY_LIMIT,
    // Runs before the body is read, because a stranger can send bodies as large as an event.
    onRequest: async (request, reply) => {
      if (secret === null)
        throw new ServiceError('billing_disabled', 'Payment events are not accepted on this server.');
      // The framework refuses such a body without reading it.
      if (Number(request.headers['content-length']) > BODY_LIMIT) return;
      reply.header('Connection', 'close');
      refuseUnsigned(signatureHeader(request), clock.now());
      await senders.admit(request.ip);
      reply.removeHeader('Connection');
    },
    handler: async (request, reply) => {
      if (!Buffer.isBuffer(request.body)) throw badRequest('The body is missing.');
      const event = await readEvent(request.body, signatureHeader(request), { secret: secret ?? '', clock }).catch(
        async (error: unknown) => {
          const isForged = error instanceof ServiceError && error.detail.reason === UNSIGNED;
          throw isForged ? await senders.count(request.ip, error) : error;
        },
      );
      await handleEvent(event);
      return reply.send({ received: true });
    },
  });
}

const signatureHeader = ({ headers }: FastifyRequest): string | undefined => [headers['stripe-signature']].flat()[0];
