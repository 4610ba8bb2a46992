/** Every outside thing the engine needs, as types. Each has a suite in `test/ports` that any implementation must pass. */
import type { Thousandths } from './core/credits.js';
import type { ServiceError } from './core/errors.js';
import type { Family, ListRef, Product, Tweet, User, UserRef } from './core/model.js';
import type { ItemCache, Unit } from './core/prices.js';

// ---- the network ------------------------------------------------------------------------------------------------

export interface ReadContext {
  /** Fires at the deadline of the read. */
  readonly signal: AbortSignal;
  /** One of the network's `sessions`: whose credentials to read with. Undefined: the first one's. */
  readonly session?: string;
}

/** One outcome per input: the object, or why there is none (`not_found` with a reason, `bad_request`, an upstream code). */
export type Found<T> = { readonly ok: T } | { readonly fail: ServiceError };

/** One natural page of the network; the engine cuts `count` items out of it. */
export interface NetworkPage {
  /** In the list's order. The entities are complete objects; a list of profiles has `users`, any other has `tweets`. */
  readonly users?: readonly User[];
  readonly tweets?: readonly Tweet[];
  /** The network's own token for what follows, or null at the end. */
  readonly next: string | null;
  /** True when a `next` that is not null promises at least one more item (no look-ahead is needed, C15). */
  readonly nextIsCertain?: boolean;
  /** Why a list ends before its data does (C17). */
  readonly endReason?: 'network_limit';
}

/**
 * What a read throws says what to do about the session it was made with: `access_denied` with the reason `session`, that these
 * credentials may not read this kind while others may; `upstream_rate_limited`, to leave this kind alone for `retryAfter`
 * seconds; `no_account`, that the credentials do not work at all for that long.
 */
export interface Network {
  readonly name: string;
  /** Reading sessions: names of the credentials it reads with, at least one. They are shown, so they are no secrets. */
  readonly sessions: readonly string[];
  /** Most inputs one upstream call takes. */
  readonly batchSize: { readonly users: number; readonly tweets: number };
  /** Upstream calls per second of each session, by family; null: no pace. */
  readonly pace: Record<Family, number | null>;
  readonly products: readonly Product[];
  /** In input order, one outcome each. Inputs are distinct. */
  users(refs: readonly UserRef[], context: ReadContext): Promise<Found<User>[]>;
  tweets(ids: readonly string[], context: ReadContext): Promise<Found<Tweet>[]>;
  /**
   * One page from `token` (null: the start). A subject that does not exist: `not_found` for timeline, followers, following,
   * thread and replies; an empty page for quotes and retweeters (T6). A bad query: `bad_request` saying where.
   */
  page(list: ListRef, token: string | null, context: ReadContext): Promise<NetworkPage>;
  /** Throws `bad_request` saying where, when a query is wrong: asked before the balance is looked at (S7). Reads nothing. */
  checkQuery?(query: string, product: Product): void;
}

// ---- what may be lost: held things, buckets, pace, flights --------------------------------------------------------

/** A held value and when it was read from the network (Unix milliseconds). */
export interface Held<T> {
  readonly value: T;
  readonly fetchedAt: number;
}

/** A store of what was read. Losing any of it costs an upstream read and nothing else. Values are never changed after `set`. */
export interface Cache {
  get<T>(key: string): Promise<Held<T> | undefined>;
  /** In the order of the keys. */
  getMany<T>(keys: readonly string[]): Promise<(Held<T> | undefined)[]>;
  set<T>(key: string, held: Held<T>, ttlMs: number): Promise<void>;
  delete(keys: readonly string[]): Promise<void>;
}

export interface RateDecision {
  readonly allowed: boolean;
  /** Requests per window, which is also the capacity of the bucket (L3). */
  readonly limit: number;
  /** Whole requests left after this one. */
  readonly remaining: number;
  /** Seconds until the bucket is full, rounded up. */
  readonly resetSeconds: number;
  /** Seconds until the next whole request, rounded up, at least 1; 0 when allowed (L5). */
  readonly retryAfterSeconds: number;
}

/** Token buckets with continuous refill; a refused request takes nothing (L3, L4). */
export interface Limiter {
  /**
   * The bucket holds `limit` requests (a whole number, at least 1) and refills evenly, all of it in `windowSeconds` (default
   * 1): the `q` and `w` of a policy. Another limit counts from the next take on and loses no tokens; a bucket's window never
   * changes.
   */
  take(bucket: string, limit: number, windowSeconds?: number): Promise<RateDecision>;
}

/** The network's pace, one for all nodes: who may send when. Lanes are independent of each other. */
export interface Pace {
  /**
   * Books the lane's next place in time and tells how many milliseconds from now it is: 0, send at once. Places lie
   * `1000 / perSecond` apart; an idle lane saves nothing up, but up to 10 ms of lateness are caught up, so that late timers do
   * not lower the pace. In any t milliseconds there are at most `1 + (t + 10) * perSecond / 1000` places.
   */
  book(lane: string, perSecond: number): Promise<number>;
}

/** One read at a time per key on all nodes: who comes second waits for the first one's result (M7). */
export interface Flights {
  /**
   * `led` tells the caller whether it ran `read` itself. A failure reaches all who joined and is not remembered; a leader that
   * dies is succeeded by one of those who wait. Values are plain JSON.
   */
  join<T>(key: string, read: () => Promise<T>): Promise<{ value: T; led: boolean }>;
}

/** A name that went (`gone`), or came back: what every node must know (M25). */
export interface Tombstone {
  readonly key: string;
  readonly gone: boolean;
}

/** What went and came back on any node, in one order for all. */
export interface Tombstones {
  add(tombstones: readonly Tombstone[]): Promise<void>;
  /**
   * Calls with everything that any node adds from now on, this one included, in order; first with what was added within
   * the last `sinceMs`. Resolves when that is done. Returns an unsubscriber.
   */
  follow(sinceMs: number, listener: (tombstones: readonly Tombstone[]) => void): Promise<() => Promise<void>>;
}

// ---- truth: accounts, keys, the ledger ------------------------------------------------------------------------------

/** Whoever holds a live key: resolved once per request. */
export interface Caller {
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** `perch_live_` and six characters (A11). */
  readonly keyPrefix: string;
  /** Requests per second of the account (section 8, or an operator's override). */
  readonly qps: number;
  /** The key's own ceiling on total spend, or null (U6). */
  readonly capThousandths: Thousandths | null;
}

export type KeyLookup =
  | { readonly state: 'live'; readonly caller: Caller }
  | { readonly state: 'revoked'; readonly revokedAt: string }
  | { readonly state: 'frozen' };

export interface AccountRecord {
  readonly accountId: string;
  readonly walletId: string;
  readonly name: string;
  readonly email: string | null;
  readonly balance: Thousandths;
  readonly paidUsd: number;
  readonly qps: number;
  readonly keys: readonly KeyRecord[];
}

export interface KeyRecord {
  readonly keyId: string;
  readonly prefix: string;
  readonly name: string;
  readonly createdAt: string;
  readonly capThousandths: Thousandths | null;
  readonly spent: Thousandths;
  /** When it stops or stopped working; null while it is live without an end. */
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
}

export interface NewKey {
  readonly accountId: string;
  readonly hash: Buffer;
  readonly prefix: string;
  readonly name: string;
  readonly capThousandths: Thousandths | null;
}

export interface Accounts {
  /** By the key's hash (A11); undefined when there is no such key. */
  findKey(hash: Buffer): Promise<KeyLookup | undefined>;
  create(account: {
    name: string;
    email: string | null;
    paidUsd: number;
    qpsOverride: number | null;
  }): Promise<{ accountId: string; walletId: string }>;
  get(accountId: string): Promise<AccountRecord | undefined>;
  addKey(key: NewKey): Promise<KeyRecord>;
  keyByPrefix(prefix: string): Promise<(KeyRecord & { accountId: string }) | undefined>;
  /** Ends a key now (null) or at a time (RFC 3339): rotation with an overlap (A10). */
  endKey(keyId: string, at: string | null): Promise<void>;
  /** Called with the hash (hex) of a key whose state changed on any node, as soon as the store tells. Returns an unsubscriber. */
  onKeyChange(listener: (hashHex: string) => void): Promise<() => Promise<void>>;
}

/** One line of a receipt: so many items of one unit at one price, under one path of the operation. */
export interface ReceiptLine {
  readonly path: string;
  readonly unit: Unit;
  readonly cache: ItemCache;
  readonly items: number;
  /** Thousandths of a credit per item. */
  readonly unitPrice: Thousandths;
}

/** One paid request: what the ledger keeps of it. `amount` is the sum of the lines and above zero. */
export interface Debit {
  readonly requestId: string;
  readonly accountId: string;
  readonly walletId: string;
  readonly keyId: string;
  /** The endpoint's or operation's name, for usage. */
  readonly operation: string;
  readonly amount: Thousandths;
  readonly items: number;
  readonly cacheHits: number;
  readonly lines: readonly ReceiptLine[];
}

/** `uncovered`: the wallet, or the key's cap, did not cover it; nothing was written (M17). */
export type Posted =
  | { readonly ok: true; readonly balance: Thousandths }
  | { readonly ok: false; readonly reason: 'balance' | 'key_cap' };

export interface UsageRow {
  readonly day?: string;
  readonly endpoint?: string;
  readonly keyPrefix?: string;
  readonly requests: number;
  readonly items: number;
  readonly cacheHits: number;
  readonly amount: Thousandths;
}

export type UsageGroup = 'day' | 'endpoint' | 'key';

export interface Receipt {
  readonly requestId: string;
  readonly at: string;
  readonly operation: string;
  readonly keyPrefix: string;
  readonly amount: Thousandths;
  readonly balanceAfter: Thousandths;
  readonly items: number;
  readonly cacheHits: number;
  readonly lines: readonly ReceiptLine[];
}

export interface LedgerFault {
  readonly invariant: string;
  readonly walletId: string;
  readonly detail: string;
}

export interface Ledger {
  /** Durable when it resolves; together with whatever else waits, in one statement. Idempotent under the request id. */
  post(debit: Debit): Promise<Posted>;
  /** A grant: credits in, as a ledger row. Idempotent under the request id. Returns the balance after. */
  grant(grant: { requestId: string; accountId: string; amount: Thousandths; reason: string }): Promise<Thousandths>;
  /** The balance, and what the key has spent so far, as they are now. */
  balance(walletId: string, keyId: string): Promise<{ balance: Thousandths; keySpent: Thousandths }>;
  /** Debits from one time (RFC 3339, it counts) to another (it does not). */
  usage(accountId: string, range: { from: string; to: string; group: readonly UsageGroup[] }): Promise<UsageRow[]>;
  receipt(accountId: string, requestId: string): Promise<Receipt | undefined>;
  /** Every invariant over the whole database. */
  check(): Promise<{ wallets: number; entries: number; faults: LedgerFault[] }>;
}

// ---- clock and ids --------------------------------------------------------------------------------------------------

export interface Clock {
  /** Unix milliseconds. */
  now(): number;
}

export interface Ids {
  /** A UUID v7 (H8). */
  requestId(): string;
}
