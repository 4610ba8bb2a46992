import { DAY_MS, HOUR_MS } from '../lib/durations.js';
import { withTimeout } from '../lib/monotonic.js';
import type { Clock } from '../ports/clock.js';
import type { Delivery, DeliveryRecord, DeliveryResult, DeliveryStore, Webhooks } from '../ports/deliveries.js';
import type { Mail } from '../ports/mail.js';
import { webhookHeaders, webhookSecret } from './webhook-signature.js';

const MINUTE_MS = 60_000;

/** How long after each failed try the next one follows: ten tries in a day. */
const RETRY_AFTER_MS = [0.5, 2, 10, 30, 60, 120, 240, 480, 480].map((minutes) => minutes * MINUTE_MS);

/** Webhooks that are sent at once. */
const MOST_AT_ONCE = 16;
/** Most notices of a run: the next one goes on. */
const MOST_OF_RUN = 1000;
/** After this many failures the mail server is left alone until the next run. */
const MOST_FAILURES = 3;

/** A process that ends during a try leaves its notice to another after this time. */
const LEASE_MS = 2 * MINUTE_MS;

/** How long notices are kept, delivered or not. */
const KEPT_MS = 30 * DAY_MS;
const FORGET_EVERY_MS = HOUR_MS;

/** Notices that are listed. */
const MOST_LISTED = 100;

/** Of a mail server that took a notice. */
const NO_ANSWER: DeliveryResult = { status: null, excerpt: null, fault: null };

/** How long a test waits for its outcome. */
const TEST_MS = 5_000;

export interface DeliveriesOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  /** Null: no mail server. */
  readonly mail: Mail | null;
  readonly webhooks: Pick<Webhooks, 'send'>;
  /** The secrets of webhooks are derived from it. */
  readonly secret: Uint8Array;
  /** Called with a mail that was not sent, or a store that failed: for the operator. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends notices that were written down, over all nodes each by one process at a time: a failed one is tried again over a
 * day. One whose process is killed between sending it and saying so is sent twice, under the same id.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  #running: Promise<void> | undefined;
  #forgotAt = 0;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
  }

  /** Sends what is due. Never rejects; during a run, returns the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Sends what is due, and waits some seconds for it: what was written down before is among it. */
  async runSoon(): Promise<void> {
    await withTimeout(
      TEST_MS,
      Promise.resolve(this.#running).then(() => this.run()),
    );
  }

  /** Of the account's alerts, the newest first. */
  list(accountId: string): Promise<DeliveryRecord[]> {
    return this.#options.store.list(accountId, MOST_LISTED);
  }

  /** Makes a notice due once more, and waits some seconds for the outcome. False: the account has none with that id. */
  async again(accountId: string, deliveryId: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const found = await store.sendAgain(accountId, deliveryId, clock.now());
    if (found) await this.runSoon();
    return found;
  }

  async #run(): Promise<void> {
    try {
      await Promise.all([this.#sendMails(), this.#sendWebhooks()]);
      await this.#forget();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** One after the other: nobody's mail server takes many at once from a stranger. */
  async #sendMails(): Promise<void> {
    const { mail } = this.#options;
    if (mail === null) return;
    let failures = 0;
    for (let sent = 0; sent < MOST_OF_RUN && failures < MOST_FAILURES; sent++) {
      const [delivery] = await this.#take('mail', 1);
      if (delivery === undefined) return;
      const { target, subject, body } = delivery;
      try {
        await mail.send({ to: target, subject: subject ?? '', text: body });
      } catch (error) {
        failures++;
        this.#options.onFailure(error);
        await this.#failed(delivery, { status: null, excerpt: null, fault: 'The mail server did not take it.' });
        continue;
      }
      await this.#options.store.delivered(delivery, this.#options.clock.now(), NO_ANSWER);
    }
  }

  async #sendWebhooks(): Promise<void> {
    for (let sent = 0; sent < MOST_OF_RUN; sent += MOST_AT_ONCE) {
      const due = await this.#take('webhook', MOST_AT_ONCE);
      await Promise.all(due.map((delivery) => this.#sendWebhook(delivery)));
      if (due.length < MOST_AT_ONCE) return;
    }
  }

  async #sendWebhook(delivery: Delivery): Promise<void> {
    const { webhooks, store, clock, secret } = this.#options;
    const { accountId, alertId, deliveryId, target, body } = delivery;
    const key = webhookSecret(secret, accountId, alertId ?? '');
    const headers = webhookHeaders(key, { id: `msg_${deliveryId}`, atMs: clock.now(), body });
    const result = await webhooks.send(target, headers, body);
    if (isTaken(result)) await store.delivered(delivery, clock.now(), result);
    else await this.#failed(delivery, result);
  }

  #take(channel: Delivery['channel'], limit: number): Promise<Delivery[]> {
    const nowMs = this.#options.clock.now();
    return this.#options.store.take(channel, nowMs, nowMs + LEASE_MS, limit);
  }

  async #failed(delivery: Delivery, result: DeliveryResult): Promise<void> {
    const afterMs = RETRY_AFTER_MS[delivery.tries - 1];
    const dueAt = afterMs === undefined ? null : this.#options.clock.now() + afterMs;
    await this.#options.store.failed(delivery, result, dueAt);
  }

  async #forget(): Promise<void> {
    const { store, clock } = this.#options;
    const nowMs = clock.now();
    if (nowMs - this.#forgotAt < FORGET_EVERY_MS) return;
    await store.forget(nowMs - KEPT_MS);
    this.#forgotAt = nowMs;
  }
}

/** Any 2xx. */
const isTaken = ({ status }: DeliveryResult): boolean => status !== null && status >= 200 && status < 300;
