import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Stripe from 'stripe';
import { type FakeAnswer, type FakeRequest, listenLocally, refusal } from './fake-stripe-http.js';
import {
  type FakeDispute,
  type FakeEvent,
  type FakeIntent,
  type FakeObject,
  type FakeRefund,
  type FakeSession,
  payPage,
  sessionOf,
} from './fake-stripe-objects.js';

/** Long enough for another request with the same idempotency key to arrive meanwhile. */
const CREATING_MS = 15;

const nowS = (): number => Math.floor(Date.now() / 1000);
const mint = (prefix: string): string => `${prefix}_${randomBytes(9).toString('hex')}`;

/**
 * A host that answers like Stripe, as far as the service uses it. Its methods are what customers, banks and operators
 * do.
 */
export class FakeStripe {
  readonly secretKey: string;
  readonly webhookSecret = mint('whsec');
  readonly sessions = new Map<string, FakeSession>();
  /** Everything that happened, oldest first. It is sent only if `webhookUrl` is set. */
  readonly events: FakeEvent[] = [];
  /** The requests, such as `POST /v1/checkout/sessions`. */
  readonly requests: string[] = [];
  /** Where to send events as they happen, or null. */
  webhookUrl: string | null = null;
  /** While set, the answer to every call to the API. */
  failure: FakeAnswer | null = null;
  /** Awaited before an answer is sent; the answer still says what was true when the request came. */
  delay: ((path: string) => Promise<void>) | null = null;
  /** The statuses of the answers to what was sent to `webhookUrl`. */
  readonly deliveries: Promise<number>[] = [];
  readonly #intents = new Map<string, FakeIntent>();
  readonly #refunds: FakeRefund[] = [];
  readonly #disputes: FakeDispute[] = [];
  readonly #byKey = new Map<string, { params: string; answer: FakeAnswer | null }>();
  #host: Awaited<ReturnType<typeof listenLocally>> | undefined;

  private constructor(mode: 'test' | 'live') {
    this.secretKey = mint(`sk_${mode}`);
  }

  static async start(mode: 'test' | 'live' = 'test'): Promise<FakeStripe> {
    const fake = new FakeStripe(mode);
    fake.#host = await listenLocally(async (request) => {
      const answer = structuredClone(await fake.#answer(request));
      await fake.delay?.(request.path);
      return answer;
    });
    return fake;
  }

  get url(): string {
    return this.#host?.url ?? '';
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.deliveries);
    await this.#host?.close();
  }

  /** The settings of a service that uses this host. */
  get env(): Record<string, string> {
    const { secretKey, webhookSecret, url } = this;
    return { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret, STRIPE_BASE_URL: url };
  }

  /** Lets the customer pay by card; tax, in cents, is added. */
  pay(sessionId: string, taxCents = 0): void {
    const session = this.#complete(sessionId, 'succeeded', taxCents);
    session.payment_status = 'paid';
    this.#emit('checkout.session.completed', session);
  }

  /** Lets the customer pay through a bank, which takes days (W5). */
  payLater(sessionId: string): void {
    this.#emit('checkout.session.completed', this.#complete(sessionId, 'processing', 0));
  }

  /** Ends such a payment: the bank has paid, or has not. */
  clear(sessionId: string, paid: boolean): void {
    const session = this.#session(sessionId);
    const intent = this.#intents.get(session.payment_intent ?? '');
    if (intent) intent.status = paid ? 'succeeded' : 'requires_payment_method';
    if (paid) session.payment_status = 'paid';
    this.#emit(`checkout.session.async_payment_${paid ? 'succeeded' : 'failed'}`, session);
  }

  expire(sessionId: string): void {
    const session = this.#session(sessionId);
    session.status = 'expired';
    session.url = null;
    this.#emit('checkout.session.expired', session);
  }

  refund(sessionId: string, cents: number, status = 'succeeded'): FakeRefund {
    const refund: FakeRefund = { id: mint('re'), object: 'refund', status, amount: cents, ...this.#payment(sessionId) };
    this.#refunds.push(refund);
    const { payment_intent, amount } = { ...refund, amount: this.#session(sessionId).amount_total ?? 0 };
    const charge = { id: mint('ch'), object: 'charge', amount, amount_refunded: cents, payment_intent } as const;
    this.#emit('refund.created', refund);
    this.#emit('charge.refunded', charge);
    return refund;
  }

  setRefund(refund: FakeRefund, status: string): void {
    refund.status = status;
    this.#emit(status === 'failed' ? 'refund.failed' : 'refund.updated', refund);
  }

  dispute(sessionId: string, cents: number, status: Stripe.Dispute.Status = 'needs_response'): FakeDispute {
    const payment = this.#payment(sessionId);
    const dispute: FakeDispute = { id: mint('du'), object: 'dispute', status, amount: cents, ...payment };
    this.#disputes.push(dispute);
    this.#emit('charge.dispute.created', dispute);
    return dispute;
  }

  setDispute(dispute: FakeDispute, status: Stripe.Dispute.Status): void {
    dispute.status = status;
    this.#emit(status === 'won' || status === 'lost' ? 'charge.dispute.closed' : 'charge.dispute.updated', dispute);
  }

  /** Sends an event, signed now by default. Returns the answer. */
  send(event: FakeEvent | string, url: string, by: { secret?: string; timestamp?: number } = {}): Promise<Response> {
    const payload = typeof event === 'string' ? event : JSON.stringify(event);
    const { secret = this.webhookSecret, timestamp = nowS() } = by;
    const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    return fetch(url, { method: 'POST', headers, body: payload });
  }

  event(type: string, object: FakeObject): FakeEvent {
    return { id: mint('evt'), object: 'event', created: nowS(), type: type as FakeEvent['type'], data: { object } };
  }

  #emit(type: FakeEvent['type'], object: FakeObject): void {
    const event = this.event(type, { ...object });
    this.events.push(event);
    if (this.webhookUrl === null) return;
    this.deliveries.push(this.send(event, this.webhookUrl).then(({ status }) => status));
  }

  #session(sessionId: string): FakeSession {
    const session = this.sessions.get(sessionId);
    if (session === undefined) throw new Error(`no session ${sessionId}`);
    return session;
  }

  #payment(sessionId: string): { payment_intent: string; currency: string } {
    const { payment_intent, currency } = this.#session(sessionId);
    if (payment_intent === null) throw new Error(`${sessionId} is not paid`);
    return { payment_intent, currency: currency ?? 'usd' };
  }

  #complete(sessionId: string, status: FakeIntent['status'], taxCents: number): FakeSession {
    const session = this.#session(sessionId);
    if (session.status !== 'open') throw new Error(`${sessionId} is ${session.status}`);
    const amount = (session.amount_total ?? 0) + taxCents;
    const currency = session.currency ?? 'usd';
    const charge = mint('ch');
    const latest_charge = {
      id: charge,
      object: 'charge',
      receipt_url: `https://pay.stripe.example/${charge}`,
    } as const;
    const common = { object: 'payment_intent', metadata: {}, latest_charge } as const;
    const intent: FakeIntent = { id: mint('pi'), status, amount, currency, ...common };
    this.#intents.set(intent.id, intent);
    return Object.assign(session, { status: 'complete', url: null, amount_total: amount, payment_intent: intent.id });
  }

  async #answer(request: FakeRequest): Promise<FakeAnswer> {
    const { method, path } = request;
    this.requests.push(`${method} ${path}`);
    const page = /^\/pay\/(\w+)$/.exec(path)?.[1];
    if (page !== undefined) return this.#page(page, method);
    if (this.failure !== null) return this.failure;
    if (request.headers.authorization !== `Bearer ${this.secretKey}`) return refusal(401, 'Invalid API Key provided');
    if (path === '/v1/checkout/sessions' && method === 'POST') return this.#create(request);
    const id = /^\/v1\/checkout\/sessions\/(\w+)$/.exec(path)?.[1];
    if (id !== undefined) return this.#retrieve(id, request.query.has('expand[0]'));
    const list = {
      '/v1/checkout/sessions': [...this.sessions.values()],
      '/v1/refunds': this.#refunds,
      '/v1/disputes': this.#disputes,
    }[path];
    if (list === undefined) return refusal(404, `Unrecognized request URL (${method}: ${path}).`);
    const payment = request.query.get('payment_intent');
    const data = (list as { payment_intent: string | null }[]).filter((one) => one.payment_intent === payment);
    return { status: 200, json: { object: 'list', url: path, has_more: false, data } };
  }

  /** Runs once per idempotency key; a repeat while the session is being made gets 409. */
  async #create({ form, headers }: FakeRequest): Promise<FakeAnswer> {
    const key = String(headers['idempotency-key'] ?? mint('key'));
    const params = form.toString();
    const before = this.#byKey.get(key);
    if (before?.answer === null) return refusal(409, 'Key in use', 'idempotency_error', 'idempotency_key_in_use');
    if (before && before.params !== params)
      return refusal(400, 'Keys are for the same parameters', 'idempotency_error');
    if (before?.answer) return before.answer;
    const making: { params: string; answer: FakeAnswer | null } = { params, answer: null };
    this.#byKey.set(key, making);
    await sleep(CREATING_MS);
    making.answer = this.#made(form);
    return making.answer;
  }

  #made(form: URLSearchParams): FakeAnswer {
    try {
      const session = sessionOf(mint('cs_test'), form, this.url, nowS());
      this.sessions.set(session.id, session);
      return { status: 200, json: { ...session } };
    } catch (error) {
      return refusal(400, String(error));
    }
  }

  #retrieve(id: string, expand: boolean): FakeAnswer {
    const session = this.sessions.get(id);
    if (session === undefined)
      return refusal(404, 'No such checkout.session', 'invalid_request_error', 'resource_missing');
    const intent = this.#intents.get(session.payment_intent ?? '') ?? null;
    return { status: 200, json: { ...session, ...(expand && { payment_intent: intent }) } };
  }

  #page(id: string, method: string): FakeAnswer {
    const session = this.sessions.get(id);
    if (session === undefined) return { status: 404, html: 'No such page.' };
    if (method === 'GET') return { status: 200, html: payPage(session) };
    this.pay(id);
    return { status: 303, location: (session.success_url ?? '').replace('{CHECKOUT_SESSION_ID}', id) };
  }
}
