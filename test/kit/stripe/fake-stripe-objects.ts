import type Stripe from 'stripe';

/** The fields that the service or a test reads, with the SDK's own types. */
export type FakeSession = Pick<
  Stripe.Checkout.Session,
  | 'id'
  | 'object'
  | 'mode'
  | 'status'
  | 'payment_status'
  | 'url'
  | 'currency'
  | 'amount_subtotal'
  | 'amount_total'
  | 'client_reference_id'
  | 'metadata'
  | 'customer_email'
  | 'success_url'
  | 'cancel_url'
  | 'created'
  | 'expires_at'
> & { payment_intent: string | null };
export type FakeIntent = Pick<Stripe.PaymentIntent, 'id' | 'object' | 'status' | 'amount' | 'currency' | 'metadata'> & {
  latest_charge: Pick<Stripe.Charge, 'id' | 'object' | 'receipt_url'>;
};
export type FakeRefund = Pick<Stripe.Refund, 'id' | 'object' | 'status' | 'amount' | 'currency'> & {
  payment_intent: string;
};
export type FakeDispute = Pick<Stripe.Dispute, 'id' | 'object' | 'status' | 'amount' | 'currency'> & {
  payment_intent: string;
};
export type FakeCharge = Pick<Stripe.Charge, 'id' | 'object' | 'amount' | 'amount_refunded'> & {
  payment_intent: string;
};
export type FakeObject = FakeSession | FakeRefund | FakeDispute | FakeCharge | FakeIntent;

/** An event as Stripe would send it. */
export interface FakeEvent extends Pick<Stripe.Event, 'id' | 'object' | 'created'> {
  readonly type: Stripe.Event['type'];
  readonly data: { readonly object: FakeObject };
}

/** Seconds. */
const DAY_S = 86_400;

/** The session that Stripe would make from the parameters; throws what Stripe would refuse. */
export function sessionOf(id: string, params: URLSearchParams, baseUrl: string, nowS: number): FakeSession {
  const amount = Number(params.get('line_items[0][price_data][unit_amount]'));
  const quantity = Number(params.get('line_items[0][quantity]'));
  const currency = params.get('line_items[0][price_data][currency]');
  const name = params.get('line_items[0][price_data][product_data][name]');
  if (params.get('mode') !== 'payment') throw new RangeError('Invalid mode');
  if (!Number.isSafeInteger(amount) || amount < 50 || quantity !== 1 || !currency || !name) {
    throw new RangeError('Invalid line_items');
  }
  for (const field of ['success_url', 'cancel_url']) new URL(params.get(field) ?? '');
  const expiresAt = Number(params.get('expires_at') ?? nowS + DAY_S);
  if (expiresAt < nowS + 1800 || expiresAt > nowS + DAY_S) throw new RangeError('Invalid expires_at');
  return {
    id,
    object: 'checkout.session',
    mode: 'payment',
    status: 'open',
    payment_status: 'unpaid',
    url: `${baseUrl}/pay/${id}`,
    currency,
    amount_subtotal: amount * quantity,
    amount_total: amount * quantity,
    client_reference_id: params.get('client_reference_id'),
    metadata: metadataOf(params),
    customer_email: params.get('customer_email'),
    success_url: params.get('success_url'),
    cancel_url: params.get('cancel_url'),
    created: nowS,
    expires_at: expiresAt,
    payment_intent: null,
  };
}

function metadataOf(params: URLSearchParams): Record<string, string> {
  const entries = [...params].flatMap(([key, value]) => {
    const name = /^metadata\[(\w+)\]$/.exec(key)?.[1];
    return name === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries);
}

/** The hosted page: one button, which pays. */
export const payPage = ({ id, amount_total, cancel_url }: FakeSession): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Pay</title></head><body><main>
<h1>Pay US$${(amount_total ?? 0) / 100}</h1>
<form method="post" action="/pay/${id}"><button type="submit">Pay</button></form>
<a href="${cancel_url}">Back</a>
</main></body></html>`;
