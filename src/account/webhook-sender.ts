import { channel } from 'node:diagnostics_channel';
import { WEBHOOK_TRIES, type WebhookTry } from '../domain/usage.js';
import { HOUR_MS, MINUTE_MS } from '../lib/durations.js';
import { FairShare, type HeldSlot } from '../lib/fair-share.js';
import { withTimeout } from '../lib/monotonic.js';
import type { Clock, Time } from '../ports/clock.js';
import type {
  DeliveryResult,
  DeliveryStore,
  DueWebhook,
  NewDelivery,
  UndeliveredWatch,
  WebhookId,
  Webhooks,
} from '../ports/deliveries.js';
import { webhookHeaders, webhookSecret } from './webhook-signature.js';

/** The delay after each failed try of a notice: ten tries in a day. */
export const NOTICE_RETRIES_MS = [0.5, 2, 10, 30, 60, 120, 240, 480, 480].map((minutes) => minutes * MINUTE_MS);
/** The same for deliveries of watches: fifteen tries in three days. */
const WATCH_RETRIES_MS = [
  5_000,
  30_000,
  ...[2, 10, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 4, 8, 12, 12, 12, 12, 8].map((hours) => hours * HOUR_MS),
];
/** The longest delay that an answer's Retry-After can cause. */
const MOST_RETRY_AFTER_MS = HOUR_MS;

/**
 * Webhooks sent at once, shared fairly among accounts; and, counted separately, those that got no answer the last time
 * or belong to slow accounts.
 */
const MOST_QUICK = 64;
const MOST_SLOW = 32;
/**
 * A webhook that takes longer than `SLOW_MS` gives back its slot among the quick ones, and its account counts as slow
 * for `SLOW_FOR_MS`; at most `MOST_SLOW_ACCOUNTS` are remembered.
 */
const SLOW_MS = 2_000;
const SLOW_FOR_MS = 5 * MINUTE_MS;
const MOST_SLOW_ACCOUNTS = 10_000;
/** Longer than any try, which the deadline of `Webhooks` ends. */
const LONGEST_MS = 11_000;

/** Accounts per query, webhooks of each, and most queries in a row. */
const ACCOUNTS = 64;
const EACH = 16;
const MOST_ROUNDS = 16;

/** If a process ends during a try, another process may take over the webhook after this time. */
const LEASE_MS = 30_000;

const tried = channel(WEBHOOK_TRIES);

/** How long a stop waits for webhooks being sent. */
const CLOSE_MS = 1_000;

export interface WebhookSenderOptions {
  readonly store: Pick<DeliveryStore, 'dueWebhooks' | 'claim' | 'delivered' | 'failed' | 'giveUp'>;
  readonly webhooks: Pick<Webhooks, 'send'>;
  readonly clock: Clock;
  readonly time: Time;
  /** The root that the secrets of webhooks are derived from. */
  readonly secret: Uint8Array;
  /** Returns the notices for the owner of a watch that is paused because its webhook accepted nothing. */
  readonly noticesOf: (watch: UndeliveredWatch, result: DeliveryResult, atMs: number) => readonly NewDelivery[];
  readonly onFailure: (error: unknown) => void;
}

/**
 * Sends due webhooks, as many at once as there are slots. No account can take so many slots that another has to wait,
 * and slow accounts do not slow down the others.
 */
export class WebhookSender {
  readonly #options: WebhookSenderOptions;
  readonly #quick: FairShare;
  readonly #slow: FairShare;
  /** The time until which each account counts as slow. */
  readonly #slowUntil = new Map<string, number>();
  readonly #sending = new Map<Promise<void>, string>();
  readonly #closing = new AbortController();
  #starting: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #after: string | null = null;

  constructor(options: WebhookSenderOptions) {
    this.#options = options;
    const { monotonic } = options.time;
    this.#quick = new FairShare({ total: MOST_QUICK, longestMs: LONGEST_MS, monotonic });
    this.#slow = new FairShare({ total: MOST_SLOW, longestMs: LONGEST_MS, monotonic });
  }

  /**
   * Starts sending everything that is due, including what was stored before the call, as far as there are slots. The
   * rest follows when slots become free. Never rejects.
   */
  start(): Promise<void> {
    this.#again = !this.#closed;
    this.#starting ??= this.#start().finally(() => {
      this.#starting = undefined;
    });
    return this.#starting;
  }

  /** Starts, and waits for the webhooks that this call started or, with `accountId`, for all of that account. */
  async send(accountId?: string): Promise<void> {
    const before = new Set(this.#sending.keys());
    await this.start();
    const awaited = [...this.#sending].filter(([sent, of]) =>
      accountId === undefined ? !before.has(sent) : of === accountId,
    );
    await Promise.all(awaited.map(([sent]) => sent));
  }

  /** Webhooks that are not answered within a second become due at once, for another process. */
  async close(): Promise<void> {
    this.#closed = true;
    await withTimeout(CLOSE_MS, Promise.all(this.#sending.keys()));
    this.#closing.abort();
    await this.#starting;
    await Promise.all(this.#sending.keys());
  }

  async #start(): Promise<void> {
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        await this.#startDue();
      }
    } catch (error) {
      this.#options.onFailure(error);
    }
  }

  /** Goes round all accounts, and continues next time where it stopped. */
  async #startDue(): Promise<void> {
    const { store, clock } = this.#options;
    let isFromFirst = this.#after === null;
    for (let round = 0; round < MOST_ROUNDS && this.#hasRoom(); round++) {
      const due = await store.dueWebhooks(clock.now(), this.#after, ACCOUNTS, EACH);
      await this.#startThose(due);
      const accounts = new Set(due.map(({ accountId }) => accountId));
      if (accounts.size === ACCOUNTS) {
        this.#after = [...accounts].sort().at(-1) ?? null;
        continue;
      }
      this.#after = null;
      if (isFromFirst) return;
      isFromFirst = true;
    }
  }

  #hasRoom(): boolean {
    if (this.#closed) return false;
    return this.#quick.taken < MOST_QUICK || this.#slow.taken < MOST_SLOW;
  }

  async #startThose(due: readonly WebhookId[]): Promise<void> {
    const slots = new Map<string, Room>();
    const chosen: WebhookId[] = [];
    for (const id of due) {
      const isSlow = id.isSilent || this.#isSlow(id.accountId);
      const slot = (isSlow ? this.#slow : this.#quick).take(id.accountId);
      if (slot === null) continue;
      slots.set(nameOf(id), { slot, isSlow });
      chosen.push(id);
    }
    if (chosen.length === 0) return;
    const { store, clock } = this.#options;
    const nowMs = clock.now();
    try {
      for (const delivery of await store.claim(chosen, nowMs, nowMs + LEASE_MS)) {
        const name = nameOf(delivery);
        const room = slots.get(name);
        slots.delete(name);
        if (room !== undefined) this.#begin(delivery, room);
      }
    } finally {
      // Those left were claimed by another process.
      for (const { slot } of slots.values()) slot.release();
    }
  }

  #begin(delivery: DueWebhook, { slot, isSlow }: Room): void {
    const { time, onFailure } = this.#options;
    const { accountId } = delivery;
    // Gives its slot to others. Few webhooks are sent without a slot, because a slow account gets few slots from now
    // on.
    const onTime = time.timers.after(SLOW_MS, () => {
      this.#rememberSlow(accountId);
      if (isSlow) return;
      slot.release();
      void this.start();
    });
    const sending = this.#send(delivery)
      .catch(onFailure)
      .then(() => {
        onTime();
        slot.release();
        this.#sending.delete(sending);
        // Starts the next one of its watch, or one that found no slot before.
        void this.start();
      });
    this.#sending.set(sending, accountId);
  }

  async #send(delivery: DueWebhook): Promise<void> {
    const { webhooks, store, clock, time, secret } = this.#options;
    const { accountId, alertId, watchId, deliveryId, target, body } = delivery;
    const key = webhookSecret(secret, accountId, watchId ?? alertId ?? '');
    const headers = webhookHeaders(key, { id: `msg_${deliveryId}`, atMs: clock.now(), body });
    const beganMs = time.monotonic.now();
    const result = await webhooks.send(target, headers, body, this.#closing.signal);
    const nowMs = clock.now();
    const dueAt = isTaken(result) ? null : this.#nextTry(delivery, result, nowMs);
    tried.publish({
      of: watchId === null ? 'notice' : 'watch',
      outcome: isTaken(result) ? 'delivered' : dueAt === null ? 'given up' : 'failed',
      ms: time.monotonic.now() - beganMs,
    } satisfies WebhookTry);
    if (isTaken(result)) await store.delivered(delivery, nowMs, result);
    else await this.#failed(delivery, nowMs, result, dueAt);
  }

  async #failed(delivery: DueWebhook, nowMs: number, result: DeliveryResult, dueAt: number | null): Promise<void> {
    const { store, noticesOf } = this.#options;
    if (dueAt === null && delivery.number !== null && !delivery.isRepeat)
      await store.giveUp(delivery, nowMs, result, (watch) => noticesOf(watch, result, nowMs));
    else await store.failed(delivery, nowMs, result, dueAt);
  }

  #nextTry({ watchId, tries, isRepeat }: DueWebhook, result: DeliveryResult, nowMs: number): number | null {
    if (this.#closing.signal.aborted && result.status === null) return nowMs;
    if (isRepeat || (watchId !== null && result.status === GONE)) return null;
    const afterMs = (watchId === null ? NOTICE_RETRIES_MS : WATCH_RETRIES_MS)[tries - 1];
    if (afterMs === undefined) return null;
    const retryAfterMs = Math.min((result.retryAfterS ?? 0) * 1000, MOST_RETRY_AFTER_MS);
    return nowMs + Math.max(afterMs, retryAfterMs);
  }

  #isSlow(accountId: string): boolean {
    return (this.#slowUntil.get(accountId) ?? 0) > this.#options.time.monotonic.now();
  }

  #rememberSlow(accountId: string): void {
    // Deleted first, so that the map stays in order of time.
    this.#slowUntil.delete(accountId);
    this.#slowUntil.set(accountId, this.#options.time.monotonic.now() + SLOW_FOR_MS);
    const [oldest] = this.#slowUntil.keys();
    if (oldest !== undefined && (this.#slowUntil.size > MOST_SLOW_ACCOUNTS || !this.#isSlow(oldest)))
      this.#slowUntil.delete(oldest);
  }
}

/** The slot that a webhook holds. */
interface Room {
  readonly slot: HeldSlot;
  readonly isSlow: boolean;
}

const nameOf = ({ accountId, deliveryId }: Pick<WebhookId, 'accountId' | 'deliveryId'>): string =>
  `${accountId} ${deliveryId}`;

/** The status by which a receiver says that it wants no more webhooks. */
const GONE = 410;

/** Any 2xx. */
const isTaken = ({ status }: DeliveryResult): boolean => status !== null && status >= 200 && status < 300;
