import type { Thousandths } from '../domain/credits.js';
import type { ListKind } from '../domain/lists.js';

/** Percentages of the balance after an account's last top-up: below each of them, the owner is notified once. */
export type NoticePercent = 50 | 20 | 5;

export interface WalletLevel {
  readonly accountId: string;
  readonly email: string;
  readonly balance: Thousandths;
  /** The balance right after the last entry that was not a debit, which counts as 100 %, and that entry's number. */
  readonly full: Thousandths;
  readonly topupSeq: number;
  /** The lowest percentage that the owner was notified of since that top-up; null: none. */
  readonly notified: number | null;
}

export interface Notices {
  /** Only of accounts that have a mail address and have had credits. */
  levels(accountIds: readonly string[]): Promise<WalletLevel[]>;
  /**
   * Marks the percentages as notified for that top-up, and in the same transaction stores the notice to be delivered.
   * True only for the first caller, on any node, with the lowest percentage.
   */
  claim(level: WalletLevel, percents: readonly NoticePercent[], notice: NewDelivery): Promise<boolean>;
  /**
   * Accounts that spent recently, which are those whose debits are not summed up yet: at most `limit`. A process that
   * has just started checks them as well.
   */
  recentSpenders(limit: number): Promise<string[]>;
}

/** Notices on their way to customers, which must not be lost. Times are Unix milliseconds. */

export type Channel = 'mail' | 'webhook';

export interface NewDelivery {
  readonly channel: Channel;
  /** The mail address, or the URL. */
  readonly target: string;
  /** The subject of a mail; null for a webhook. */
  readonly subject: string | null;
  /** The text of a mail, or the JSON of a webhook. */
  readonly body: string;
  /** When it was stored, which is also when it may first be tried. */
  readonly dueAt: number;
}

export interface Delivery extends Omit<NewDelivery, 'dueAt'> {
  readonly accountId: string;
  readonly deliveryId: string;
  /** The alert that it is about; null if it is not about an alert. */
  readonly alertId: string | null;
  /** Tries so far, including this one. */
  readonly tries: number;
}

/** A webhook that this process may send now. */
export interface DueWebhook extends Delivery {
  /** The watch that it is about, or null. */
  readonly watchId: string | null;
  /** Its number among the deliveries of its watch, which are sent in order; null: it is sent as soon as it is due. */
  readonly number: number | null;
  /** Whether it was delivered before and is sent again at the customer's request. */
  readonly isRepeat: boolean;
}

/** A webhook that is due. */
export interface WebhookId extends Pick<Delivery, 'accountId' | 'deliveryId'> {
  /** Whether its last try got no answer. */
  readonly isSilent: boolean;
}

/** A watch whose webhook no longer receives anything, and whom to notify. */
export interface UndeliveredWatch {
  readonly accountId: string;
  readonly watchId: string;
  readonly kind: ListKind;
  readonly subject: string;
  readonly webhookUrl: string;
  /** The mail address of the account's owner; null: there is none. */
  readonly email: string | null;
}

/** What the receiver answered, or why there was no answer. */
export interface DeliveryResult {
  readonly status: number | null;
  /** The beginning of the answer's body; null if there was none. */
  readonly excerpt: string | null;
  readonly fault: string | null;
  /** Seconds after which the receiver asked for another try. */
  readonly retryAfterS?: number;
}

/** A notice of an alert, as members see it. Times are RFC 3339. */
export interface DeliveryRecord extends Omit<DeliveryResult, 'retryAfterS'>, Omit<Delivery, 'accountId'> {
  readonly createdAt: string;
  readonly triedAt: string | null;
  readonly deliveredAt: string | null;
  /** When it is tried again; null once it is delivered or given up. */
  readonly dueAt: string | null;
}

export interface DeliveryStore {
  /** The deliveries of the account's alerts, the newest first. */
  list(accountId: string, limit: number): Promise<DeliveryRecord[]>;
  /** Makes a delivery of the account's alerts due, whatever its outcome so far. False if there is none with that id. */
  sendAgain(accountId: string, deliveryId: string, nowMs: number): Promise<boolean>;
  /**
   * The same for a delivery of a watch. One that was delivered or given up is sent at once, whatever the watch waits
   * for; one that waits for earlier deliveries keeps `waiting`.
   */
  sendItemsAgain(
    accountId: string,
    watchId: string,
    deliveryId: string,
    nowMs: number,
  ): Promise<'due' | 'waiting' | undefined>;
  /**
   * Claims a mail that is due, of the next account after `after`: one that was tried before, or one that was not
   * (`isRetry`). No other process gets it until `leasedTo`. It counts as tried at once. If the process dies before it
   * stores the outcome, the mail is due again at `leasedTo`.
   */
  takeMail(
    nowMs: number,
    leasedTo: number,
    of: { readonly isRetry: boolean; readonly after: string | null },
  ): Promise<Delivery | undefined>;
  /**
   * Webhooks that are due and whose turn it is, of the first `accounts` accounts after `after` in order of their ids,
   * at most `each` of an account: first the longest-due one of each account, then the second of each, and so on.
   */
  dueWebhooks(nowMs: number, after: string | null, accounts: number, each: number): Promise<WebhookId[]>;
  /** Claims those that are still due, as `takeMail` does. */
  claim(due: readonly WebhookId[], nowMs: number, leasedTo: number): Promise<DueWebhook[]>;
  /** Stores a success. It is then the turn of the next delivery of the watch. */
  delivered(delivery: Delivery | DueWebhook, nowMs: number, result: DeliveryResult): Promise<void>;
  /** `dueAt`: when to try again. Null gives it up, and it is the turn of the next delivery of the watch. */
  failed(delivery: Delivery | DueWebhook, nowMs: number, result: DeliveryResult, dueAt: number | null): Promise<void>;
  /**
   * Gives a delivery up. In the same transaction it pauses the watch, unless it is already paused for this reason, and
   * stores the notices that `noticesOf` makes; watches of the same key send no second mail within the same hour of the
   * clock. Later deliveries stay as they are until the watch is resumed; if the watch has ended, they are given up.
   */
  giveUp(
    delivery: DueWebhook,
    nowMs: number,
    result: DeliveryResult,
    noticesOf: (watch: UndeliveredWatch) => readonly NewDelivery[],
  ): Promise<void>;
  /**
   * Deletes notices stored before `madeBefore`, items of watches stored before then that are not on their way any more,
   * and what watches delivered before `takenBefore`; at most `limit` of each. Returns how many.
   */
  forget(madeBefore: number, takenBefore: number, limit: number): Promise<number>;
}

/** Sends signed events to addresses that customers choose, and never to private ones. */
export interface Webhooks {
  /**
   * The address in its one spelling, which is to be stored. Throws `bad_request` (param `webhook_url`) with the reason
   * if nothing may be sent to it, and `rate_limited` if the account already has its full share of checks in progress.
   */
  check(url: string, accountId: string): Promise<string>;
  /**
   * Resolves with the answer, or with the reason why there was none, in words for the customer. Follows no redirect.
   * Takes at most 11 seconds, and ends when the signal aborts. Never rejects.
   */
  send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<DeliveryResult>;
}
