/** The payment processor: it opens checkout pages, and reports their state. */

/** A purchase on the terms at which it is sold. */
export interface CheckoutRequest {
  /** Perch's own id; it also makes repeated requests open only one page. */
  readonly saleId: string;
  readonly pack: string;
  /** Whole US dollars, before tax. */
  readonly usd: number;
  readonly credits: number;
  readonly email: string | null;
  readonly successUrl: string;
  readonly cancelUrl: string;
}

/** A dispute of a payment. No state is final: one that was lost can be won on appeal. */
export interface Dispute {
  readonly disputeId: string;
  readonly state: 'open' | 'won' | 'lost';
  /** Cents of the amount paid. */
  readonly amountCents: number;
}

/** A checkout as the processor knows it now. */
export interface PaymentState {
  readonly sessionId: string;
  /** The sale it was opened for, as Perch sent it to the processor; null if it names none. */
  readonly saleId: string | null;
  /** `paid` once the money is certain (W5); `over`: it can no longer be paid. */
  readonly status: 'open' | 'paid' | 'over';
  readonly paymentIntent: string | null;
  /** Lower case, as in `usd`. */
  readonly currency: string | null;
  /** Cents before tax and discounts. */
  readonly subtotalCents: number;
  /** Cents actually paid, including tax and discounts. */
  readonly totalCents: number;
  /** Where the processor shows its own receipt; null if it has none. */
  readonly receiptUrl: string | null;
  /** Cents of refunds that succeeded, and have not failed since. */
  readonly refundedCents: number;
  readonly disputes: readonly Dispute[];
}

/** Throws `upstream_error` if the processor fails or does not answer. */
export interface Payments {
  /** Opens a checkout page; always the same one for the same sale. */
  open(request: CheckoutRequest): Promise<{ sessionId: string; url: string }>;
  /** Undefined: the processor knows no such session. */
  lookUp(sessionId: string): Promise<PaymentState | undefined>;
  /** The session in which a payment was made; undefined if it was made in another way. */
  sessionOf(paymentIntent: string): Promise<string | undefined>;
}

/** An event from the processor, used only as a hint where to look. */
export interface PaymentEvent {
  readonly eventId: string;
  readonly type: string;
  /** At most one of the two; neither if the event is about something else. */
  readonly sessionId: string | null;
  readonly paymentIntent: string | null;
}
