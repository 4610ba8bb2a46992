import type { Stripe } from 'stripe';
import { ServiceError } from '../../src/domain/errors.js';
import { lazily } from '../../src/lib/lazily.js';
import type { CheckoutRequest, Dispute, PaymentState, Payments } from '../../src/ports/payments.js';

export interface StripeOptions {
  readonly secretKey: string;
  /** Replaces Stripe's own host; null: no replacement. */
  readonly baseUrl: string | null;
}

/** Milliseconds for one attempt. */
const TIMEOUT_MS = 10_000;
const RETRIES = 2;

/** The library is large, so it is loaded only for the first payment. */
async function createStripe({ secretKey, baseUrl }: StripeOptions): Promise<Stripe> {
  const { default: Stripe } = await import('stripe');
  return new Stripe(secretKey, {
    timeout: TIMEOUT_MS,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(baseUrl !== null && hostOptions(new URL(baseUrl))),
  });
}

const hostOptions = ({ hostname, port, protocol }: URL) => ({
  // An IPv6 address in a URL has brackets, which a socket does not accept.
  host: hostname.replace(/^\[|\]$/g, ''),
  protocol: protocol === 'http:' ? ('http' as const) : ('https' as const),
  port: port || (protocol === 'http:' ? '80' : '443'),
});

/** The most refunds and disputes of one payment that are read: far more than ever occur. */
const MOST = 1000;
const PAGE = 100;

/** Payments by Stripe Checkout. */
export function createStripePayments(options: StripeOptions): Payments {
  const client = lazily(() => createStripe(options));
  const withStripe = <T>(question: (stripe: Stripe) => Promise<T>): Promise<T> => answered(client.get().then(question));
  return {
    open: (request) => withStripe((stripe) => openPage(stripe, request)),
    lookUp: (sessionId) => withStripe((stripe) => lookAt(stripe, sessionId)),
    sessionOf: (paymentIntent) => withStripe((stripe) => findSession(stripe, paymentIntent)),
  };
}

/** Replaces the SDK's errors, whose statuses are not Perch's and whose messages are only for the operator. */
async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    throw new ServiceError('upstream_error', 'Unexpected response from the payment processor. Nothing was charged.', {
      cause,
    });
  }
}

async function findSession(stripe: Stripe, payment_intent: string): Promise<string | undefined> {
  const { data } = await stripe.checkout.sessions.list({ payment_intent, limit: 1 });
  return data[0]?.id;
}

/**
 * Sends no `expires_at`: the page then lives for 24 h after Stripe made it, and every attempt sends the same request.
 */
async function openPage(stripe: Stripe, request: CheckoutRequest): Promise<{ sessionId: string; url: string }> {
  const { saleId, pack, usd, credits, email, successUrl, cancelUrl } = request;
  const name = `${credits.toLocaleString('en-US')} credits (${pack})`;
  const metadata = { sale_id: saleId };
  const session = await stripe.checkout.sessions.create(
    {
      mode: 'payment',
      line_items: [{ quantity: 1, price_data: { currency: 'usd', unit_amount: usd * 100, product_data: { name } } }],
      client_reference_id: saleId,
      metadata,
      payment_intent_data: { metadata },
      success_url: successUrl,
      cancel_url: cancelUrl,
      ...(email !== null && { customer_email: email }),
    },
    { idempotencyKey: saleId },
  );
  if (session.url === null) throw new Error(`Stripe returned checkout session ${session.id} without a URL.`);
  return { sessionId: session.id, url: session.url };
}

async function lookAt(stripe: Stripe, sessionId: string): Promise<PaymentState | undefined> {
  const session = await retrieve(stripe, sessionId);
  if (session === undefined) return undefined;
  const intent = session.payment_intent;
  const paymentIntent = typeof intent === 'string' ? intent : (intent?.id ?? null);
  const status = paymentStatus(session);
  const isPaid = status === 'paid' && paymentIntent !== null;
  const [refundedCents, disputes] = isPaid
    ? await Promise.all([sumRefunds(stripe, paymentIntent), listDisputes(stripe, paymentIntent)])
    : [0, []];
  return {
    sessionId: session.id,
    saleId: session.metadata?.sale_id ?? null,
    status,
    paymentIntent,
    currency: session.currency,
    subtotalCents: session.amount_subtotal ?? 0,
    totalCents: session.amount_total ?? 0,
    receiptUrl: findReceiptUrl(intent),
    refundedCents,
    disputes,
  };
}

/** The receipt's address in the expanded payment, if it is one that a page may link to. */
function findReceiptUrl(intent: Stripe.Checkout.Session['payment_intent']): string | null {
  const charge = typeof intent === 'object' ? intent?.latest_charge : null;
  const url = typeof charge === 'object' ? charge?.receipt_url : null;
  return url?.startsWith('https://') ? url : null;
}

async function retrieve(stripe: Stripe, sessionId: string): Promise<Stripe.Checkout.Session | undefined> {
  try {
    return await stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent.latest_charge'] });
  } catch (error) {
    const { type, statusCode } = error as Partial<Stripe.errors.StripeError>;
    if (type === 'StripeInvalidRequestError' && statusCode === 404) return undefined;
    throw error;
  }
}

/** `complete` does not mean `paid`: a bank may take days, and then refuse. */
function paymentStatus(session: Stripe.Checkout.Session): PaymentState['status'] {
  if (session.payment_status === 'paid') return 'paid';
  if (session.status === 'expired') return 'over';
  const intent = session.payment_intent;
  const refused = typeof intent === 'object' && /^(?:requires_payment_method|canceled)$/.test(intent?.status ?? '');
  return session.status === 'complete' && refused ? 'over' : 'open';
}

async function sumRefunds(stripe: Stripe, payment_intent: string): Promise<number> {
  const refunds = await stripe.refunds.list({ payment_intent, limit: PAGE }).autoPagingToArray({ limit: MOST });
  return refunds.reduce((sum, { status, amount }) => sum + (status === 'succeeded' ? amount : 0), 0);
}

async function listDisputes(stripe: Stripe, payment_intent: string): Promise<Dispute[]> {
  const disputes = await stripe.disputes.list({ payment_intent, limit: PAGE }).autoPagingToArray({ limit: MOST });
  return disputes.flatMap(({ id, status, amount }) => {
    const state = STATES[status];
    return state === undefined ? [] : [{ disputeId: id, state, amountCents: amount }];
  });
}

/**
 * Other states are inquiries and prevented disputes, which take no money; an inquiry that becomes a dispute gets one of
 * these states. An appeal is against a lost dispute, which stays lost until the appeal is won.
 */
const STATES: Readonly<Record<string, Dispute['state']>> = {
  needs_response: 'open',
  under_review: 'open',
  won: 'won',
  lost: 'lost',
  appeal_needs_response: 'lost',
  appeal_under_review: 'lost',
};
