/** The payment processor: it opens checkout pages, and is asked what became of them. */

/** What is paid for, as it is sold (W3). */
export interface CheckoutRequest {
  /** Ours; also what makes repeated asks one page. */
  readonly saleId: string;
  readonly pack: string;
  /** Whole US dollars, before tax. */
  readonly usd: number;
  readonly credits: number;
  readonly email: string | null;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** A dispute of a payment. Won and lost are final. */
export interface Dispute {
  readonly disputeId: string;
  readonly state: 'open' | 'won' | 'lost';
  /** Cents, of what was paid. */
  readonly amountCents: number;
}

/** A checkout as the processor knows it now. */
export interface PaymentState {
  readonly sessionId: string;
  /** The sale it was opened for, as we told the processor; null where it names none. */
  readonly saleId: string | null;
  /** `paid` once the money is sure (W5); `over`: it will not be paid any more. */
  readonly status: 'open' | 'paid' | 'over';
  readonly paymentIntent: string | null;
  /** Lower case, as in `usd`. */
  readonly currency: string | null;
  /** Cents before tax and discounts. */
  readonly subtotalCents: number;
  /** Cents, all in: what was paid. */
  readonly totalCents: number;
  /** Cents, of refunds that went through. */
  readonly refundedCents: number;
  readonly disputes: readonly Dispute[];
}

/** Throws `upstream_error` when the processor fails or does not answer. */
export interface Payments {
  /** Opens a checkout page; for the same sale always the same one. */
  open(request: CheckoutRequest): Promise<{ sessionId: string; url: string }>;
  /** Undefined: the processor knows no such session. */
  lookUp(sessionId: string): Promise<PaymentState | undefined>;
  /** The session that a payment was made in; undefined where it was made otherwise. */
  sessionOf(paymentIntent: string): Promise<string | undefined>;
}

/** An event of the processor: only a hint where to look. */
export interface PaymentEvent {
  readonly eventId: string;
  readonly type: string;
  /** One of them, or neither where the event is about something else. */
  readonly sessionId: string | null;
  readonly paymentIntent: string | null;
}
