import { z } from 'zod';
import { badRequest, ServiceError } from '../../src/domain/errors.js';
import type { Clock } from '../../src/ports/clock.js';
import type { PaymentEvent } from '../../src/ports/payments.js';

/** The greatest age of an event, in seconds. */
const TOLERANCE_S = 300;

/** Verifies the signature over the raw bytes, and returns the event. Throws `bad_request` for an invalid one. */
export async function readEvent(
  body: Buffer,
  signature: string | undefined,
  { secret, clock }: { secret: string; clock: Clock },
): Promise<PaymentEvent> {
  const read = eventShape.safeParse(await proven(body, signature ?? '', secret, clock.now()));
  if (!read.success)
    throw badRequest('The event is signed, but has no form that an event of the payment processor has.');
  const { id: eventId, type, data } = read.data;
  const about = data.object;
  const isSession = about.object === 'checkout.session';
  return {
    eventId,
    type,
    sessionId: isSession ? (about.id ?? null) : null,
    paymentIntent: isSession ? null : referenceId(about.payment_intent),
  };
}

/** Ids go into URLs and into the database, so only the characters of real ids are accepted. */
const id = z.string().regex(/^[\w.-]{1,255}$/);

/** The members of an event that lead to a session: sessions, charges, refunds and disputes have them. */
const eventShape = z.object({
  id,
  type: id,
  data: z.object({
    object: z.object({
      object: z.string().optional(),
      id: id.nullish(),
      payment_intent: z.union([id, z.object({ id })]).nullish(),
    }),
  }),
});

const referenceId = (reference: z.infer<typeof eventShape>['data']['object']['payment_intent']): string | null =>
  typeof reference === 'object' ? (reference?.id ?? null) : (reference ?? null);

/** Checks the header before the body is read. Throws `bad_request` for one that no validly signed event can have. */
export function refuseUnsigned(signature: string | undefined, nowMs: number): void {
  const at = /(?:^|,)t=(\d{1,12})(?:,|$)/.exec(signature ?? '')?.[1];
  const isSigned = at !== undefined && /(?:^|,)v1=[0-9a-f]{64}(?:,|$)/.test(signature ?? '');
  if (!isSigned || nowMs / 1000 - Number(at) > TOLERANCE_S) throw unproven();
}

/** `reason` of the refusal of an event without a valid signature. */
export const UNSIGNED = 'unsigned';

const unproven = () =>
  new ServiceError('bad_request', 'Not a signed event from the payment processor, or too old.', { reason: UNSIGNED });

async function proven(body: Buffer, signature: string, secret: string, nowMs: number): Promise<unknown> {
  // The library is large, so it is loaded only with the first event.
  const { default: Stripe } = await import('stripe');
  try {
    return Stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE_S, undefined, nowMs);
  } catch {
    throw unproven();
  }
}
