/** Watches, which must not be lost: lists that are followed for customers. `test/engine/ports` has a suite for implementations. */
import type { Actor } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';
import type { ListKind } from '../domain/lists.js';
import type { Product } from '../domain/model.js';
import type { Caller } from './accounts.js';
import type { DeliveryRecord, NewDelivery } from './deliveries.js';

/** What a watch follows, and how it is delivered. */
export interface WatchSettings {
  readonly kind: ListKind;
  /** As it was asked for: a handle or id, a tweet's id, or a query. */
  readonly subject: string;
  /** Of a search; null for other lists. */
  readonly product: Product | null;
  /** The most items of a delivery. */
  readonly count: number;
  readonly webhookUrl: string;
  /** The most that it spends on a UTC day; null: whatever its key may. */
  readonly dailyLimit: Thousandths | null;
}

/**
 * `waiting` goes on by itself; `paused` until somebody resumes it; an `ended` watch is kept only for what it delivered.
 */
export type WatchState = 'active' | 'waiting' | 'paused' | 'ended';

/**
 * Why a watch waits: for credits of the wallet or under the key's cap or its own daily limit, or for deliveries that were
 * not taken yet. Why it is paused: by somebody; its key ended or may not read the list; the list cannot be followed any
 * more; or its webhook took nothing for three days.
 */
export type WatchReason =
  | 'credits'
  | 'key_cap'
  | 'daily_limit'
  | 'backlog'
  | 'by_hand'
  | 'key'
  | 'list'
  | 'undelivered';

/** A watch as its account sees it. Times are RFC 3339. */
export interface WatchRecord extends WatchSettings {
  readonly accountId: string;
  readonly watchId: string;
  readonly keyId: string;
  readonly keyPrefix: string;
  readonly state: WatchState;
  /** Null for one that is active or ended. */
  readonly reason: WatchReason | null;
  /** Since when. */
  readonly stateAt: string;
  /** When a waiting one goes on; null for others. */
  readonly dueAt: string | null;
  readonly createdAt: string;
  /** Deliveries of items so far, and what they cost. */
  readonly number: number;
  readonly spent: Thousandths;
  /** Of the current UTC day. */
  readonly spentToday: Thousandths;
  /** When the newest item that it found was made. */
  readonly newestAt: string | null;
  /** When its list was last read, how often it is, and why that failed if it did; null before the first time. */
  readonly checkedAt: string | null;
  readonly everyMs: number | null;
  readonly failed: string | null;
}

/** A watch as the process has it that follows it. */
export interface HeldWatch extends WatchSettings {
  readonly accountId: string;
  readonly watchId: string;
  readonly number: number;
  /** Encoded: `src/live/positions.ts`. */
  readonly position: string;
  /** Hex, of the key that pays. */
  readonly keyHash: string;
  /** `ended`: a call for it may have been charged when its process died. */
  readonly state: 'active' | 'waiting' | 'ended';
  /** What it waited for. */
  readonly reason: WatchReason | null;
  /** What it spent on `spentOn`, a UTC day; null: it spent nothing yet. */
  readonly spentThatDay: Thousandths;
  readonly spentOn: string | null;
}

/** What the process that follows a watch knows of its list. Times are Unix milliseconds. */
export interface WatchCheck {
  readonly accountId: string;
  readonly watchId: string;
  readonly checkedAt: number;
  readonly everyMs: number;
  readonly failed: string | null;
}

/** New items, which were charged: with the position behind them. */
export interface WatchStep {
  /** Where it was before, and is from now on. */
  readonly from: string;
  readonly position: string;
  /** Of the charge, and so of the delivery. */
  readonly requestId: string;
  readonly items: number;
  readonly charged: Thousandths;
  /** The UTC day that it counts for. */
  readonly day: string;
  /** Unix milliseconds. */
  readonly newestAt: number | null;
  readonly body: StepBody;
  readonly at: number;
}

/** The JSON that is sent, in three parts. The middle one, a page, is the same for all watches that were given that page. */
export type StepBody = readonly [head: string, page: string, tail: string];

/** Why a watch that is followed stops for now: with notices for its account, written down in the same transaction. */
export interface WatchStop {
  readonly state: 'waiting' | 'paused';
  readonly reason: WatchReason;
  /** When it is tried again; null for a paused one. */
  readonly dueAt: number | null;
  readonly at: number;
  /**
   * A mail goes to the account's owner, if they have an address and had none for the same key and reason within the hour of the
   * clock, and a webhook to the watch's. Left out where it waited for the same already.
   */
  readonly notices: readonly Pick<NewDelivery, 'channel' | 'subject' | 'body'>[];
}

export type WatchId = Pick<HeldWatch, 'accountId' | 'watchId'>;

/** What is written down and on its way to a watch's address. */
export interface Backlog {
  readonly deliveries: number;
  readonly bytes: number;
}

/** A watch that is added. */
export interface NewWatch extends WatchSettings {
  readonly accountId: string;
  readonly watchId: string;
  readonly keyId: string;
  /** Encoded: what it has already. */
  readonly position: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Watches for their accounts. Every change is recorded in the account's audit log. */
export interface WatchBook {
  /** The newest first, those that ended last: of these, the 100 that ended last. */
  list(accountId: string, nowMs: number): Promise<WatchRecord[]>;
  get(accountId: string, watchId: string, nowMs: number): Promise<WatchRecord | undefined>;
  /**
   * The watch as it was added, or one that follows the same list to the same address and has not ended; null: the account has
   * `most` that have not.
   */
  add(watch: NewWatch, most: number, by: Actor): Promise<WatchRecord | null>;
  /**
   * `active` resumes one that is paused or waits, with one of the account's keys if that is given. One that ended stays so.
   * Undefined: there is none. Idempotent.
   */
  change(
    of: { readonly accountId: string; readonly watchId: string; readonly keyId?: string },
    to: 'active' | 'paused' | 'ended',
    nowMs: number,
    by: Actor,
  ): Promise<WatchRecord | undefined>;
  /** The hash (hex) of one of the account's keys; undefined: it has none with that id. */
  keyHash(accountId: string, keyId: string): Promise<string | undefined>;
  /** Items that were delivered or are on their way, the newest first, below a number: at most `limit`. */
  deliveries(accountId: string, watchId: string, below: number | null, limit: number): Promise<WatchDelivery[]>;
}

/** A delivery of a watch, as its account sees it. */
export interface WatchDelivery extends Omit<DeliveryRecord, 'alertId' | 'channel' | 'subject'> {
  /** Its place among its watch's, from 1. */
  readonly number: number;
  readonly items: number;
  readonly charged: Thousandths;
}

/** A watch as it is asked for: each list by the parameter that names its subject, one of them given. */
export interface WatchRequest {
  readonly subjects: Readonly<Record<string, string | null | undefined>>;
  readonly product?: Product | null | undefined;
  readonly count?: number | null | undefined;
  /** A `since_cursor`: what is newer than that answer is delivered; otherwise what is new from now on. */
  readonly since?: string | null | undefined;
  readonly webhookUrl: string;
  readonly dailyLimit: Thousandths | null;
}

/** A new watch, with the secret that its deliveries are signed with. */
export interface AddedWatch {
  readonly watch: WatchRecord;
  readonly secret: string;
}

/** A page of deliveries, the newest first. */
export interface WatchDeliveryPage {
  readonly nodes: readonly WatchDelivery[];
  /** Null on the last page. */
  readonly endCursor: string | null;
}

/** Watches as callers of the API may use them: resolvers get one per call. */
export interface CallerWatches {
  list(): Promise<WatchRecord[]>;
  get(watchId: string): Promise<WatchRecord>;
  add(
    request: Omit<WatchRequest, 'dailyLimit'> & { maxCreditsPerDay?: number | null | undefined },
  ): Promise<AddedWatch>;
  change(watchId: string, to: 'active' | 'paused' | 'ended'): Promise<WatchRecord>;
  deliveries(
    watchId: string,
    page: { readonly count: number; readonly after: string | null },
  ): Promise<WatchDeliveryPage>;
  sendAgain(watchId: string, deliveryId: string): Promise<WatchRecord>;
}

/** Where calls of the API get their watches. */
export interface WatchDesk {
  /** `signal` is that of the call. */
  forCaller(caller: Caller, address: string | null, signal: () => AbortSignal): CallerWatches;
}

/** What watches wait for, over all accounts. */
export interface WatchFigures {
  /** Deliveries that are written and not received. */
  readonly waiting: number;
  /** Since when the webhook is due that is due longest. */
  readonly overdueSeconds: number;
  /** Those that have not ended. */
  readonly watches: readonly {
    readonly state: 'active' | 'waiting' | 'paused';
    readonly reason: WatchReason | null;
    readonly count: number;
  }[];
}

/**
 * Watches for the processes that follow them: each is held by one process at a time. What a process holds, it holds until a
 * moment that it puts off for all of them at once.
 */
export interface WatchLeases {
  /** Holds what it has until then, and notes what was checked. Which of them are still to be followed. */
  renew(holder: string, checks: readonly WatchCheck[], heldTo: number): Promise<WatchId[]>;
  /**
   * Takes watches that nobody holds, at most `limit`: active ones, waiting ones that are due, and those that ended whose
   * holder was gone before it gave them up. Only some, if they are named. Not before `renew`.
   */
  claim(holder: string, nowMs: number, limit: number, only?: readonly WatchId[]): Promise<HeldWatch[]>;
  /** What there is to share: watches that are held or could be claimed, and holders that were renewed in time. */
  count(nowMs: number): Promise<{ readonly watches: number; readonly holders: number }>;
  /**
   * Writes down new items as a delivery, with the position behind them. False if another process holds the watch: it
   * starts from the position before, and gets the same items free. One that was paused or ended meanwhile is told all the
   * same: they were paid for.
   */
  step(holder: string, watch: WatchId, step: WatchStep): Promise<boolean>;
  /** False if another process holds it, or it was paused or ended meanwhile. It is given up. */
  stop(holder: string, watch: WatchId, stop: WatchStop): Promise<boolean>;
  /** A waiting watch that could go on is active again. */
  wake(holder: string, watch: WatchId, at: number): Promise<void>;
  backlog(watch: WatchId): Promise<Backlog>;
  /** Others may take them at once. */
  giveUp(holder: string, watches: readonly WatchId[]): Promise<void>;
  /** All that it holds. */
  release(holder: string, nowMs: number): Promise<void>;
  /** Deletes watches that ended before that time, with their deliveries: at most `limit`. How many they were. */
  forget(before: number, limit: number): Promise<number>;
}
