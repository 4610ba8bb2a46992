import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.js';
import { withTimeout } from '../lib/monotonic.js';
import type { Clock, Time } from '../ports/clock.js';
import type { Delivery, DeliveryRecord, DeliveryResult, DeliveryStore, Webhooks } from '../ports/deliveries.js';
import type { Mail } from '../ports/mail.js';
import { undeliveredNotices } from './undelivered.js';
import { NOTICE_RETRIES_MS, WebhookSender } from './webhook-sender.js';

/** Most mails of a run: the next one goes on. */
const MOST_OF_RUN = 1000;
/** After this many failures the mail server is left alone until the next run. */
const MOST_FAILURES = 3;

/** A process that ends while it sends a mail leaves it to another after this time. */
const LEASE_MS = 2 * MINUTE_MS;

/** How long notices are kept, delivered or not, and items of watches that were delivered. */
const KEPT_MS = 30 * DAY_MS;
const TAKEN_KEPT_MS = 3 * DAY_MS;
/** Those that are deleted at once, and how often in a row. */
const FORGET_BATCH = 1000;
const MOST_BATCHES = 200;
const FORGET_EVERY_MS = HOUR_MS;

/** Notices that are listed. */
const MOST_LISTED = 100;

/** Of a mail server that took a notice. */
const NO_ANSWER: DeliveryResult = { status: null, excerpt: null, fault: null };
const NOT_TAKEN: DeliveryResult = { ...NO_ANSWER, fault: 'The mail server did not take it.' };

/** How long a test waits for its outcome. */
const TEST_MS = 5_000;

export interface DeliveriesOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly time: Time;
  /** Null: no mail server. */
  readonly mail: Mail | null;
  readonly webhooks: Pick<Webhooks, 'send'>;
  /** The secrets of webhooks are derived from it. */
  readonly secret: Uint8Array;
  /** The address of the dashboard, known once the service listens. */
  readonly authUrl: () => string;
  /** Called with a mail that was not sent, or a store that failed: for the operator. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends what was written down, over all nodes each by one process at a time: a failed one is tried again, over a day or, of a
 * watch, over three. One whose process is killed between sending it and saying so is sent twice, under the same id.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #webhooks: WebhookSender;
  #running: Promise<void> | undefined;
  #mailing: Promise<void> | undefined;
  #forgotAt = 0;
  /** Whose mail was sent last: accounts take turns. */
  #mailedTo: string | null = null;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    const { mail, authUrl } = options;
    this.#webhooks = new WebhookSender({
      ...options,
      tell: (watch, result, atMs) =>
        mail === null ? [] : undeliveredNotices(watch, result, { atMs, dashboard: `${authUrl()}/dashboard` }),
    });
  }

  /** Webhooks were written down: they are sent now. Costs next to nothing while it is called again and again. */
  wake(): void {
    void this.#webhooks.start();
  }

  /** What other processes left, and what is to be tried again. Never rejects. */
  poll(): Promise<void> {
    return this.#webhooks.start();
  }

  /** Sends what is due, and mails too. Never rejects; during a run, returns the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Sends what the account was just told, and waits some seconds for it. */
  async runSoon(accountId: string): Promise<void> {
    const mailed = Promise.resolve(this.#mailing).then(() => this.#mail());
    await withTimeout(TEST_MS, Promise.all([mailed, this.#webhooks.send(accountId)]));
  }

  /** What is being sent is waited for a second. */
  close(): Promise<void> {
    return this.#webhooks.close();
  }

  /** Of the account's alerts, the newest first. */
  list(accountId: string): Promise<DeliveryRecord[]> {
    return this.#options.store.list(accountId, MOST_LISTED);
  }

  /** Makes a notice due once more, and waits some seconds for the outcome. False: the account has none with that id. */
  async again(accountId: string, deliveryId: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const found = await store.sendAgain(accountId, deliveryId, clock.now());
    if (found) await this.runSoon(accountId);
    return found;
  }

  /** The same for items of a watch: `waiting` while it is behind others. Undefined: the watch has none with that id. */
  async itemsAgain(
    accountId: string,
    watchId: string,
    deliveryId: string,
  ): ReturnType<DeliveryStore['sendItemsAgain']> {
    const { store, clock } = this.#options;
    const found = await store.sendItemsAgain(accountId, watchId, deliveryId, clock.now());
    if (found === 'due') await this.runSoon(accountId);
    return found;
  }

  async #run(): Promise<void> {
    await Promise.all([this.#mail(), this.#webhooks.send()]);
    try {
      await this.#forget();
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  #mail(): Promise<void> {
    this.#mailing ??= this.#sendMails()
      .catch(this.#options.onFailure)
      .finally(() => {
        this.#mailing = undefined;
      });
    return this.#mailing;
  }

  /** One after the other: nobody's mail server takes many at once from a stranger. */
  async #sendMails(): Promise<void> {
    const { mail, store, clock, onFailure } = this.#options;
    if (mail === null) return;
    let failures = 0;
    for (let sent = 0; sent < MOST_OF_RUN && failures < MOST_FAILURES; sent++) {
      const delivery = (await this.#nextMail(false)) ?? (await this.#nextMail(true));
      if (delivery === undefined) return;
      const { target, subject, body, tries } = delivery;
      try {
        await mail.send({ to: target, subject: subject ?? '', text: body });
      } catch (error) {
        failures++;
        onFailure(error);
        const nowMs = clock.now();
        const afterMs = NOTICE_RETRIES_MS[tries - 1];
        await store.failed(delivery, nowMs, NOT_TAKEN, afterMs === undefined ? null : nowMs + afterMs);
        continue;
      }
      await store.delivered(delivery, clock.now(), NO_ANSWER);
    }
  }

  /** Of the account whose turn it is. What failed comes after what was never tried, whatever address it is for. */
  async #nextMail(isRetry: boolean): Promise<Delivery | undefined> {
    const { store, clock } = this.#options;
    const take = (after: string | null) => {
      const nowMs = clock.now();
      return store.takeMail(nowMs, nowMs + LEASE_MS, { isRetry, after });
    };
    const behind = this.#mailedTo === null ? undefined : await take(this.#mailedTo);
    const next = behind ?? (await take(null));
    this.#mailedTo = next?.accountId ?? this.#mailedTo;
    return next;
  }

  async #forget(): Promise<void> {
    const { store, clock } = this.#options;
    const nowMs = clock.now();
    if (nowMs - this.#forgotAt < FORGET_EVERY_MS) return;
    for (let batch = 0; batch < MOST_BATCHES; batch++) {
      if ((await store.forget(nowMs - KEPT_MS, nowMs - TAKEN_KEPT_MS, FORGET_BATCH)) === 0) break;
    }
    this.#forgotAt = nowMs;
  }
}
