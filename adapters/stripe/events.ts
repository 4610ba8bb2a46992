import type Stripe from 'stripe';
import { badRequest } from '../../src/core/errors.js';
import type { Clock } from '../../src/ports/clock.js';
import type { PaymentEvent } from '../../src/ports/payments.js';

/** The greatest age of an event, in seconds. */
const TOLERANCE_S = 300;

/** An event, once its signature over the raw bytes is verified (W1). Throws `bad_request` for an invalid one. */
export async function readEvent(
  body: Buffer,
  signature: string | undefined,
  { secret, clock }: { secret: string; clock: Clock },
): Promise<PaymentEvent> {
  const event = await proven(body, signature ?? '', secret, clock.now());
  const about = event.data.object as AboutPayment;
  const isSession = about.object === 'checkout.session';
  return {
    eventId: event.id,
    type: event.type,
    sessionId: isSession ? (about.id ?? null) : null,
    paymentIntent: isSession ? null : idOf(about.payment_intent),
  };
}

/** The members of an event's object that lead to a session: sessions, charges, refunds and disputes have them. */
interface AboutPayment {
  readonly object?: string;
  readonly id?: string;
  readonly payment_intent?: string | { readonly id: string } | null;
}

const idOf = (reference: AboutPayment['payment_intent']): string | null =>
  typeof reference === 'object' ? (reference?.id ?? null) : (reference ?? null);

async function proven(body: Buffer, signature: string, secret: string, nowMs: number): Promise<Stripe.Event> {
  // The library is large: it is loaded with the first event.
  const { default: Stripe } = await import('stripe');
  try {
    return Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_S, undefined, nowMs);
  } catch {
    throw badRequest('Not a signed event from the payment processor, or too old.');
  }
}
