import { DAY_MS, HOUR_MS, MINUTE_MS } from '../lib/durations.js';
import { withTimeout } from '../lib/monotonic.js';
import type { Clock, Time } from '../ports/clock.js';
import type { Delivery, DeliveryRecord, DeliveryResult, DeliveryStore, Webhooks } from '../ports/deliveries.js';
import type { Mail } from '../ports/mail.js';
import { undeliveredNotices } from './undelivered.js';
import { NOTICE_RETRIES_MS, WebhookSender } from './webhook-sender.js';

/** Most mails sent in one run; the next run sends the rest. */
const MOST_OF_RUN = 1000;
/** After this many failures the mail server is left alone until the next run. */
const MOST_FAILURES = 3;

/** If a process ends while it sends a mail, another process may take over after this time. */
const LEASE_MS = 2 * MINUTE_MS;

/** How long notices are kept, delivered or not; and how long delivered items of watches are kept. */
const KEPT_MS = 30 * DAY_MS;
const TAKEN_KEPT_MS = 3 * DAY_MS;
/** Rows deleted in one statement, and most such statements in a row. */
const FORGET_BATCH = 1000;
const MOST_BATCHES = 200;
const FORGET_EVERY_MS = HOUR_MS;

/** Most notices listed. */
const MOST_LISTED = 100;

/** The results of mails: accepted by the mail server, or not. */
const NO_ANSWER: DeliveryResult = { status: null, excerpt: null, fault: null };
const NOT_TAKEN: DeliveryResult = { ...NO_ANSWER, fault: 'The mail server did not accept it.' };

/** How long a test waits for its outcome. */
const TEST_MS = 5_000;

export interface DeliveriesOptions {
  readonly store: DeliveryStore;
  readonly clock: Clock;
  readonly time: Time;
  /** Null: no mail server. */
  readonly mail: Mail | null;
  readonly webhooks: Pick<Webhooks, 'send'>;
  /** The root that the secrets of webhooks are derived from. */
  readonly secret: Uint8Array;
  /** The address of the dashboard, known once the service listens. */
  readonly authUrl: () => string;
  /** Called with the error if a mail was not sent or the store failed; reported to the operator. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends stored notices and items of watches. Each is sent by one process at a time over all nodes. A failed notice is
 * retried for a day, a watch's items for three days. If the process is killed after sending and before recording it,
 * the delivery is sent twice, under the same id.
 */
export class Deliveries {
  readonly #options: DeliveriesOptions;
  readonly #webhooks: WebhookSender;
  #running: Promise<void> | undefined;
  #mailing: Promise<void> | undefined;
  #forgotAt = 0;
  /** The account whose mail was sent last: accounts take turns. */
  #mailedTo: string | null = null;

  constructor(options: DeliveriesOptions) {
    this.#options = options;
    const { mail, authUrl } = options;
    this.#webhooks = new WebhookSender({
      ...options,
      noticesOf: (watch, result, atMs) =>
        mail === null ? [] : undeliveredNotices(watch, result, { atMs, dashboard: `${authUrl()}/dashboard` }),
    });
  }

  /** Call when webhooks were stored: sends them now. Cheap, however often it is called. */
  wake(): void {
    void this.#webhooks.start();
  }

  /** Sends webhooks that other processes left and those due for a retry. Never rejects. */
  poll(): Promise<void> {
    return this.#webhooks.start();
  }

  /** Sends everything that is due, mails included. Never rejects; during a run, returns the same promise. */
  run(): Promise<void> {
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Sends what was just stored for the account, and waits a few seconds for the outcome. */
  async runSoon(accountId: string): Promise<void> {
    const mailed = Promise.resolve(this.#mailing).then(() => this.#mail());
    await withTimeout(TEST_MS, Promise.all([mailed, this.#webhooks.send(accountId)]));
  }

  /** Waits up to a second for deliveries in progress. */
  close(): Promise<void> {
    return this.#webhooks.close();
  }

  /** The deliveries of the account's alerts, newest first. */
  list(accountId: string): Promise<DeliveryRecord[]> {
    return this.#options.store.list(accountId, MOST_LISTED);
  }

  /** Makes a notice due again, and waits a few seconds for the outcome. False if the account has none with that id. */
  async again(accountId: string, deliveryId: string): Promise<boolean> {
    const { store, clock } = this.#options;
    const found = await store.sendAgain(accountId, deliveryId, clock.now());
    if (found) await this.runSoon(accountId);
    return found;
  }

  /**
   * The same for items of a watch. `waiting`: other deliveries come first. Undefined: the watch has none with that id.
   */
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

  /** Sends mails one after another, because mail servers reject many at once from an unknown sender. */
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

  /** The next mail, from the account whose turn it is. Callers ask for retries only after all first tries. */
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
