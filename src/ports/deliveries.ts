import type { Thousandths } from '../domain/credits.js';
import type { ListKind } from '../domain/lists.js';

/** Which notices were told, and what is to be told. */
/** Percent of an account's balance after its last top-up: below each of them, its owner is notified once. */
export type NoticePercent = 50 | 20 | 5;

export interface WalletLevel {
  readonly accountId: string;
  readonly email: string;
  readonly balance: Thousandths;
  /** The balance right after the last entry that was not a debit, which is 100 %, and that entry's number. */
  readonly full: Thousandths;
  readonly topupSeq: number;
  /** The lowest percentage already notified for that top-up; null: none. */
  readonly told: number | null;
}

export interface Notices {
  /** For those of the accounts that have a mail address and ever had credits. */
  levels(accountIds: readonly string[]): Promise<WalletLevel[]>;
  /**
   * Marks the percentages as notified for that top-up, and in the same transaction writes the notice down to be
   * delivered. True for only one caller, on any node, the first with the lowest.
   */
  claim(level: WalletLevel, percents: readonly NoticePercent[], notice: NewDelivery): Promise<boolean>;
  /**
   * Accounts that spent lately: those whose debits are not summed up yet, at most `limit`. A process that has just
   * started looks after them too.
   */
  recentSpenders(limit: number): Promise<string[]>;
}

/** Notices on their way to customers, which must not be lost. Times are Unix milliseconds. */

export type Channel = 'mail' | 'webhook';

export interface NewDelivery {
  readonly channel: Channel;
  /** The mail address, or the URL. */
  readonly target: string;
  /** Of a mail. */
  readonly subject: string | null;
  /** The text of a mail, or the JSON of a webhook. */
  readonly body: string;
  /** When it was written down, and may first be tried. */
  readonly dueAt: number;
}

export interface Delivery extends Omit<NewDelivery, 'dueAt'> {
  readonly accountId: string;
  readonly deliveryId: string;
  /** The alert that it tells of; null for what is no alert's. */
  readonly alertId: string | null;
  /** Tries so far, with this one. */
  readonly tries: number;
}

/** A webhook that this process may send now. */
export interface DueWebhook extends Delivery {
  /** The watch that it tells of, or null. */
  readonly watchId: string | null;
  /** Its place among its watch's; null: it is sent when it is due. */
  readonly number: number | null;
  /** It was delivered before, and is sent again by hand. */
  readonly isRepeat: boolean;
}

/** A webhook that is due. */
export interface WebhookId extends Pick<Delivery, 'accountId' | 'deliveryId'> {
  /** Its last try had no answer. */
  readonly isSilent: boolean;
}

/** A watch that takes nothing any more, and whom to tell. */
export interface UndeliveredWatch {
  readonly accountId: string;
  readonly watchId: string;
  readonly kind: ListKind;
  readonly subject: string;
  readonly webhookUrl: string;
  /** Of the account's owner; null: there is none. */
  readonly email: string | null;
}

/** What the receiver answered, or why there was no answer. */
export interface DeliveryResult {
  readonly status: number | null;
  /** How the answer's body began; null where there was none. */
  readonly excerpt: string | null;
  readonly fault: string | null;
  /** Seconds after which it asked to be tried again. */
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
  /** Of the account's alerts, the newest first. */
  list(accountId: string, limit: number): Promise<DeliveryRecord[]>;
  /** Makes one of the account's alerts due, however it went before. False if there is none with that id. */
  sendAgain(accountId: string, deliveryId: string, nowMs: number): Promise<boolean>;
  /**
   * The same for items of a watch. Those that were delivered or given up go out at once, whatever the watch waits for; one
   * that waits for those before it goes on `waiting`.
   */
  sendItemsAgain(
    accountId: string,
    watchId: string,
    deliveryId: string,
    nowMs: number,
  ): Promise<'due' | 'waiting' | undefined>;
  /**
   * Claims a mail that is due, was tried before or never was, of the next account behind `after`: until `leasedTo` no other
   * process gets it. It counts as tried; one whose process ends before it says how it went is due again after that.
   */
  takeMail(
    nowMs: number,
    leasedTo: number,
    of: { readonly isRetry: boolean; readonly after: string | null },
  ): Promise<Delivery | undefined>;
  /**
   * Webhooks that are due and in turn, of the first `accounts` accounts behind `after` in the order of their ids, at most
   * `each` of an account: first the one of each that is due longest, then the second, and so on.
   */
  dueWebhooks(nowMs: number, after: string | null, accounts: number, each: number): Promise<WebhookId[]>;
  /** Claims those of them that are still due, as `takeMail` does. */
  claim(due: readonly WebhookId[], nowMs: number, leasedTo: number): Promise<DueWebhook[]>;
  /** The next one of its watch is then in turn. */
  delivered(delivery: Delivery | DueWebhook, nowMs: number, result: DeliveryResult): Promise<void>;
  /** `dueAt`: when to try again; null: given up, and the next one of its watch is in turn. */
  failed(delivery: Delivery | DueWebhook, nowMs: number, result: DeliveryResult, dueAt: number | null): Promise<void>;
  /**
   * Given up, and with it, in one transaction, its watch is paused, unless that was paused for this already, and what `tell`
   * makes is written down: no second mail for watches of the same key within the hour of the clock. What comes behind it stays
   * as it is until the watch is resumed; of one that ended, it is given up too.
   */
  giveUp(
    delivery: DueWebhook,
    nowMs: number,
    result: DeliveryResult,
    tell: (watch: UndeliveredWatch) => readonly NewDelivery[],
  ): Promise<void>;
  /**
   * Deletes what was written down before `madeBefore`, and items of watches that were delivered before `takenBefore`; at
   * most `limit` of each. Returns how many.
   */
  forget(madeBefore: number, takenBefore: number, limit: number): Promise<number>;
}

/** Sends signed events to addresses that customers choose, and never to private ones. */
export interface Webhooks {
  /**
   * Throws `bad_request` (param `webhook_url`) with the reason for an address that nothing may be sent to, and
   * `rate_limited` while the account has its share of the checks under way.
   */
  check(url: string, accountId: string): Promise<void>;
  /**
   * What was answered, or why nothing was, in words for the customer; no redirect is followed. Within 11 seconds, or when
   * the signal aborts. Never rejects.
   */
  send(
    url: string,
    headers: Readonly<Record<string, string>>,
    body: string,
    signal?: AbortSignal,
  ): Promise<DeliveryResult>;
}
