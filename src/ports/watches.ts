/**
 * Watches: lists followed for customers. They must not be lost. The suite in `test/engine/ports` tests implementations.
 */
import type { Actor } from '../domain/audit.js';
import type { Thousandths } from '../domain/credits.js';
import type { ListKind } from '../domain/lists.js';
import type { Product } from '../domain/model.js';
import type { Caller } from './accounts.js';
import type { DeliveryRecord, NewDelivery } from './deliveries.js';

/** What a watch follows, and how it is delivered. */
export interface WatchSettings {
  readonly kind: ListKind;
  /** As the customer wrote it: a handle or id, a tweet's id, or a query. */
  readonly subject: string;
  /** The product of a search; null for other lists. */
  readonly product: Product | null;
  /** The most items in one delivery. */
  readonly count: number;
  readonly webhookUrl: string;
  /** The most that it spends on a UTC day; null: as much as its key may spend. */
  readonly dailyLimit: Thousandths | null;
}

/**
 * A `waiting` watch resumes on its own; a `paused` one waits until its customer resumes it; an `ended` one is kept only
 * for the record of its deliveries.
 */
export type WatchState = 'active' | 'waiting' | 'paused' | 'ended';

/**
 * Why a watch waits: the wallet has no credits, the key's cap or the watch's own daily limit is reached, the account is
 * frozen, or too many deliveries have not been received yet. Why it is paused: the customer paused it; its key ended or
 * may not read the list; the list can no longer be followed; or its webhook has received nothing for three days.
 */
export type WatchReason =
  | 'credits'
  | 'key_cap'
  | 'daily_limit'
  | 'frozen'
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
  /** Null for an active or ended watch. */
  readonly reason: WatchReason | null;
  /** Since when it is in this state. */
  readonly stateAt: string;
  /** When a waiting watch is tried again; null for others. */
  readonly dueAt: string | null;
  readonly createdAt: string;
  /** Deliveries of items so far, and what they cost. */
  readonly number: number;
  readonly spent: Thousandths;
  /** Spent on the current UTC day. */
  readonly spentToday: Thousandths;
  /** When the newest item found so far was made. */
  readonly newestAt: string | null;
  /** When its list was last read, how often it is, and why the last read failed, if it did; null before the first. */
  readonly checkedAt: string | null;
  readonly everyMs: number | null;
  readonly failed: string | null;
}

/** A watch as the process that follows it knows it. */
export interface HeldWatch extends WatchSettings {
  readonly accountId: string;
  readonly watchId: string;
  readonly number: number;
  /** Encoded by `src/live/positions.ts`. */
  readonly position: string;
  /** The hash (hex) of the key that pays. */
  readonly keyHash: string;
  /** An `ended` watch is still held if a call for it may have been charged without its items being stored. */
  readonly state: 'active' | 'waiting' | 'ended';
  /** What a waiting watch waits for. */
  readonly reason: WatchReason | null;
  /** What it spent on `spentOn`, a UTC day, which is null if it has spent nothing yet. */
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

/** New items that were charged, with the position after them. */
export interface WatchStep {
  /** Where the watch was before, and where it is from now on. */
  readonly from: string;
  readonly position: string;
  /** The id of the charge, which is also that of the delivery. */
  readonly requestId: string;
  readonly items: number;
  readonly charged: Thousandths;
  /** The UTC day whose limit the charge counts towards. */
  readonly day: string;
  /** Unix milliseconds. */
  readonly newestAt: number | null;
  readonly body: StepBody;
  readonly at: number;
}

/** The JSON that is sent, in three parts. The middle one, a page, is the same for all watches that get that page. */
export type StepBody = readonly [head: string, page: string, tail: string];

/** Why a watch stops for now, with the notices for its account that are stored in the same transaction. */
export interface WatchStop {
  readonly state: 'waiting' | 'paused';
  readonly reason: WatchReason;
  /** When it is tried again; null for a paused watch. */
  readonly dueAt: number | null;
  readonly at: number;
  /**
   * A mail to the account's owner, unless they have no address or have already been sent one for the same key and
   * reason within this hour of the clock; and an event to the watch's webhook. Empty if the watch was already waiting
   * for the same reason.
   */
  readonly notices: readonly Pick<NewDelivery, 'channel' | 'subject' | 'body'>[];
}

export type WatchId = Pick<HeldWatch, 'accountId' | 'watchId'>;

/** Deliveries that are stored and have not yet reached the watch's webhook. */
export interface Backlog {
  readonly deliveries: number;
  readonly bytes: number;
}

/** A watch to be added. */
export interface NewWatch extends WatchSettings {
  readonly accountId: string;
  readonly watchId: string;
  readonly keyId: string;
  /** The subject by its one name, however it was written: the id of a user or tweet, or the query. */
  readonly subjectId: string;
  /** Encoded: new items are those after it. */
  readonly position: string;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Watches for their accounts. Every change is recorded in the account's audit log. */
export interface WatchBook {
  /**
   * The newest first; after them the ended ones, of which only the 100 that ended last are listed, or as many as
   * `mostEnded` says.
   */
  list(accountId: string, nowMs: number, mostEnded?: number): Promise<WatchRecord[]>;
  get(accountId: string, watchId: string, nowMs: number): Promise<WatchRecord | undefined>;
  /**
   * The added watch, or an existing one that has not ended and follows the same list to the same address. Null if the
   * account already has `most` watches that have not ended.
   */
  add(watch: NewWatch, most: number, by: Actor): Promise<WatchRecord | null>;
  /**
   * `active` resumes a paused or waiting watch, with another of the account's keys if one is given. An ended watch
   * stays ended; if no process held it, one takes it again, for what may have been charged. Undefined if there is no
   * such watch. Idempotent.
   */
  change(
    of: { readonly accountId: string; readonly watchId: string; readonly keyId?: string },
    to: 'active' | 'paused' | 'ended',
    nowMs: number,
    by: Actor,
  ): Promise<WatchRecord | undefined>;
  /** Whether a watch of the account that has not ended sends to this origin. */
  sendsTo(accountId: string, origin: string): Promise<boolean>;
  /** The hash (hex) of one of the account's keys; undefined if it has no key with that id. */
  keyHash(accountId: string, keyId: string): Promise<string | undefined>;
  /** Deliveries, received or not, the newest first. */
  deliveries(
    accountId: string,
    watchId: string,
    range: DeliveryRange,
    signal?: AbortSignal,
  ): Promise<{ readonly nodes: readonly WatchDelivery[]; readonly hasMore: boolean }>;
}

export interface DeliveryRange {
  /** Only those with a lower number; null: all. */
  readonly below: number | null;
  readonly limit: number;
  /** The most bytes of all bodies together. The first one is returned even if it is larger. */
  readonly bytes: number;
}

/** A delivery of a watch, as its account sees it. */
export interface WatchDelivery extends Omit<DeliveryRecord, 'alertId' | 'channel' | 'subject'> {
  /** Its number among the deliveries of its watch, from 1. */
  readonly number: number;
  readonly items: number;
  readonly charged: Thousandths;
}

/** A request for a watch: each list has a parameter that names its subject, and exactly one of them is given. */
export interface WatchRequest {
  readonly subjects: Readonly<Record<string, string | null | undefined>>;
  readonly product?: Product | null | undefined;
  readonly count?: number | null | undefined;
  /** A `since_cursor`: items newer than that answer are delivered. Without it, items that are new from now on. */
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

/** Watches as callers of the API may use them. Resolvers get one such object per call. */
export interface CallerWatches {
  list(): Promise<WatchRecord[]>;
  get(watchId: string): Promise<WatchRecord>;
  add(
    request: Omit<WatchRequest, 'dailyLimit'> & { maxCreditsPerDay?: number | null | undefined },
  ): Promise<AddedWatch>;
  change(watchId: string, to: 'active' | 'paused' | 'ended'): Promise<WatchRecord>;
  deliveries(
    watchId: string,
    page: {
      readonly count: number;
      readonly after: string | null;
      /** How many times the answer has the body of each delivery. */
      readonly copies: number;
    },
  ): Promise<WatchDeliveryPage>;
  sendAgain(watchId: string, deliveryId: string): Promise<WatchRecord>;
}

/** Where calls of the API get their watches. */
export interface WatchDesk {
  /** `signal`: the call's. */
  forCaller(caller: Caller, address: string | null, signal: () => AbortSignal): CallerWatches;
}

/** How many watches wait, and for what, over all accounts. */
export interface WatchFigures {
  /** Deliveries that are stored and not yet received. */
  readonly waiting: number;
  /** How long the longest-due webhook has been due. */
  readonly overdueSeconds: number;
  /** Watches that have not ended. */
  readonly watches: readonly {
    readonly state: 'active' | 'waiting' | 'paused';
    readonly reason: WatchReason | null;
    readonly count: number;
  }[];
}

/**
 * Watches for the processes that follow them. Each watch is held by one process at a time. All leases of a process
 * expire at the same moment, which it extends for all of them at once.
 */
export interface WatchLeases {
  /** Extends the holder's leases and stores the checks. Returns its watches, without those that are paused. */
  renew(
    holder: string,
    checks: readonly WatchCheck[],
    heldTo: number,
  ): Promise<readonly (WatchId & { readonly isEnded: boolean })[]>;
  /**
   * Takes at most `limit` watches that no process holds: active ones, waiting ones that are due, and ended ones whose
   * holder died before giving them up, or that are due, too. With `only`, considers just those. `renew` must have been
   * called before.
   */
  claim(holder: string, nowMs: number, limit: number, only?: readonly WatchId[]): Promise<HeldWatch[]>;
  /** Counts the watches that are held or could be claimed, and the holders whose leases are valid. */
  count(nowMs: number): Promise<{ readonly watches: number; readonly holders: number }>;
  /**
   * Stores new items as a delivery, with the position after them. False if another process holds the watch: that
   * process starts from the position before and gets the same items free. A watch that was paused or ended meanwhile
   * still gets the delivery, because it was paid for.
   */
  step(holder: string, watch: WatchId, step: WatchStep): Promise<boolean>;
  /** Stops the watch and gives it up. False if another process holds it, or it was paused or ended meanwhile. */
  stop(holder: string, watch: WatchId, stop: WatchStop): Promise<boolean>;
  /** Marks a waiting watch that can be followed again as active. */
  wake(holder: string, watch: WatchId, at: number): Promise<void>;
  backlog(watch: WatchId): Promise<Backlog>;
  /** Other processes may take these watches at once; those that have ended only from `againAt` on, or never. */
  giveUp(holder: string, watches: readonly WatchId[], againAt?: number | undefined): Promise<void>;
  /** Gives up all watches of the holder. */
  release(holder: string, nowMs: number): Promise<void>;
  /**
   * Deletes at most `limit` watches that ended before the given time and have no delivery on its way, with their
   * deliveries. Returns how many.
   */
  forget(before: number, limit: number): Promise<number>;
}
