import type { Thousandths } from '../domain/credits.js';

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
  /** The alert that it tells of; null for a notice that every customer gets. */
  readonly alertId: string | null;
  /** Tries so far, with this one. */
  readonly tries: number;
}

/** What the receiver answered, or why there was no answer. */
export interface DeliveryResult {
  readonly status: number | null;
  /** How the answer's body began; null where there was none. */
  readonly excerpt: string | null;
  readonly fault: string | null;
}

/** A notice of an alert, as members see it. Times are RFC 3339. */
export interface DeliveryRecord extends DeliveryResult, Omit<Delivery, 'accountId'> {
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
   * Claims notices that are due, those never tried first: until `leasedTo` no other process gets them. Each counts as
   * tried; one whose process ends before it says how it went is due again after that.
   */
  take(channel: Channel, nowMs: number, leasedTo: number, limit: number): Promise<Delivery[]>;
  delivered(delivery: Delivery, nowMs: number, result: DeliveryResult): Promise<void>;
  /** `dueAt`: when to try again; null: given up. */
  failed(delivery: Delivery, result: DeliveryResult, dueAt: number | null): Promise<void>;
  /** Deletes notices that were written down before that time. */
  forget(before: number): Promise<void>;
}

/** Sends signed events to addresses that customers choose, and never to private ones. */
export interface Webhooks {
  /**
   * Throws `bad_request` (param `webhook_url`) with the reason for an address that nothing may be sent to, and
   * `rate_limited` while the account has its share of the checks under way.
   */
  check(url: string, accountId: string): Promise<void>;
  /** What was answered, or why nothing was, in words for the customer; no redirect is followed. Never rejects. */
  send(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<DeliveryResult>;
}
