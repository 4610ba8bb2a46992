/** What Perch reads: one public social network, as types. */
import type { ServiceError } from '../domain/errors.js';
import type { ListKind, ListRef } from '../domain/lists.js';
import type { Family, Highlight, Product, Tweet, User, UserRef } from '../domain/model.js';

export interface ReadContext {
  /** Fires at the deadline of the read. */
  readonly signal: AbortSignal;
  /** The name of the session (one of the network's `sessions`) to read with. Undefined: the first one. */
  readonly session?: string;
  /** Called when the network states how many calls this session has left for reads of this kind. */
  readonly observe?: (limit: { readonly remaining: number; readonly resetsInSeconds: number }) => void;
  /**
   * Called once for each upstream call that returned objects the network bills, even if the read fails later. Never
   * called by a network without `billing`.
   */
  readonly onBilled?: (billed: Billed) => void;
  /**
   * Called with the number of objects in an answer that could not be read, whether they were requested or came along
   * with the answer and were left out, and with what is wrong with the first of them.
   */
  readonly onUnreadable?: (objects: number, problem: string) => void;
  /** Objects that the network need not be asked for again to know whether they exist and are public. */
  readonly cached?: CachedObjects;
}

/** Objects that Perch has read in the last quarter of an hour, by id; for a fresh read, only those of its own call. */
export interface CachedObjects {
  user(id: string): Promise<CachedObject<User> | undefined>;
  tweet(id: string): Promise<CachedObject<Tweet> | undefined>;
}

export interface CachedObject<T> {
  readonly value: T;
  /** Whether this very call read it from the network: it is as good as read now, so it may be an item of the page. */
  readonly isOfThisCall: boolean;
}

/** What a network bills: each tweet, or each profile. */
export type BilledKind = 'tweet' | 'user';

/** The price list of a network that bills its reader. */
export interface NetworkBilling {
  /** `item`: each object that a call returns; `call`: each call, whatever it returns. */
  readonly per: 'item' | 'call';
  /** US dollars for one object, or for one call that returns such objects. */
  readonly usd: Readonly<Record<BilledKind, number>>;
}

/** What one upstream call returned, as the network bills it. Objects that came along (authors, …) are not counted. */
export interface Billed {
  readonly kind: BilledKind;
  /** How many objects: at least one. */
  readonly items: number;
}

/** Records how much of the network the calls of one operation use, for the operator. */
export interface UpstreamSpending {
  called(): void;
  /** A call's part of what one upstream call returned. `calls`: whether it also pays for the upstream call itself. */
  billed(billed: Billed, calls: 0 | 1): void;
}

/**
 * What a configuration of a network can and cannot read: for operators (`perch doctor`, `/status`, the log at start).
 */
export interface NetworkReport {
  readonly ok: boolean;
  readonly findings: readonly Finding[];
}

/** One sentence. */
export interface Finding {
  readonly ok: boolean;
  readonly what: string;
}

/** Remembers which questions a network's self-check has asked: all processes together ask a billed one once a day. */
export interface CheckMemory {
  /**
   * `ask`: no process has asked for a day, so the caller asks and notes the answer. `good`: the noted answer was good.
   * `unknown`: the question was asked, but no answer was noted. Waits for the answer of a process that is asking;
   * rejects with the signal's reason.
   */
  claim(question: string, signal: AbortSignal): Promise<'ask' | 'good' | 'unknown'>;
  /** A bad answer is forgotten, so that the next start asks again: networks do not bill refusals. */
  note(question: string, isGood: boolean): Promise<void>;
}

/** One outcome per input: the object, or the failure (`not_found` with a reason, `bad_request`, an upstream code). */
export type Found<T> = { readonly ok: T } | { readonly fail: ServiceError };

/** One page of the network; the engine cuts `count` items out of it. */
export interface NetworkPage {
  /** In the list's order. The entities are complete objects; a list of profiles has `users`, any other has `tweets`. */
  readonly users?: readonly User[];
  readonly tweets?: readonly Tweet[];
  /** The network's own token for the next page, or null at the end. */
  readonly next: string | null;
  /** True when a `next` that is not null promises at least one more item (no look-ahead is needed). */
  readonly nextIsCertain?: boolean;
  /** Why a list ends before its data does (C17). */
  readonly endReason?: 'network_limit';
  /** Complete objects that came along and are not items: they are cached as single objects. */
  readonly beside?: { readonly users?: readonly User[]; readonly tweets?: readonly Tweet[] };
  /** How many items the network was asked for; undefined for a natural page, whose size is the adapter's alone. */
  readonly size?: number;
}

/** Returns `bad_request` for a handle or id that nothing on the network can have; undefined for any other. */
export interface Impossible {
  user(ref: UserRef): ServiceError | undefined;
  tweet(id: string): ServiceError | undefined;
}

/** What the sample requests on web pages read. */
export interface SampleAccount {
  readonly handle: string;
  /** One of its tweets; null: none is known. */
  readonly tweetId: string | null;
}

/**
 * Announces new items. An announcement is only a hint, which may be late, wrong or missing: the list is read as usual,
 * only sooner. Nothing of the announcement itself is delivered.
 */
export interface Push {
  /** Follows until the returned function is called; undefined if this list, or any further one, cannot be announced. */
  follow(list: ListRef, listener: PushListener): (() => void) | undefined;
  readonly state: PushState;
  /** Closes the connection: nothing is announced from then on. */
  close(): void;
}

export interface PushListener {
  /** There is probably something new, made at this time (Unix milliseconds). */
  onNew(madeAt: number): void;
  /**
   * Called when it changes; false at first. True: everything that is new in the list from now on is announced. A
   * network that announces only a part never calls this.
   */
  onComplete(isComplete: boolean): void;
}

export interface PushState {
  readonly isConnected: boolean;
  /** Lists that are followed. The first one opens the connection. */
  readonly lists: number;
  /** Since the start: how many announcements came, and how many messages could not be read. */
  readonly announced: number;
  readonly unreadable: number;
}

/** For the operator's log. */
export interface PushLog {
  /** The connection was opened, or lost for this reason. */
  onConnection(isConnected: boolean, reason: string): void;
  /** So many messages were skipped because they could not be read; `problem`: what is wrong with one of them. */
  onUnreadable(messages: number, problem: string): void;
}

/**
 * A read's error says what to do about the session it was made with. `access_denied` with the reason `session`: these
 * credentials may not read this kind, but others may. `upstream_rate_limited`: make no reads of this kind for
 * `retryAfter` seconds, unless it has `isBeside`, which means that only an auxiliary call of the read was refused, one
 * that another read of this kind may not need. `no_account`: the credentials do not work at all for that long.
 */
export interface Network {
  readonly name: string;
  /** Network sessions: names of the credentials it reads with, at least one. They are shown, so they are not secret. */
  readonly sessions: readonly string[];
  /**
   * Whether a session is meant for a kind of read: `users`, `tweets` or a kind of list; `search:Top` and the like for
   * searches other than Latest. No other is asked for it. By default each session is meant for all.
   */
  isFor?(session: string, kind: string): boolean;
  /** What reading it costs the operator; null: nothing. */
  readonly billing: NetworkBilling | null;
  /** Most inputs one upstream call takes. */
  readonly batchSize: { readonly users: number; readonly tweets: number };
  /**
   * True if the network reads users by handle and by id with different calls, each with a rate limit of its own. Then
   * no read mixes the two, and one kind can continue while the other rests.
   */
  readonly handlesApart?: boolean;
  /** Upstream calls per second of each session, by family; null: no pace. */
  readonly pace: Record<Family, number | null>;
  readonly products: readonly Product[];
  /** Which lists it has. No page of any other list is ever requested. */
  readonly lists: Readonly<Record<ListKind, boolean>>;
  /** In input order, one outcome each. Inputs are distinct. */
  users(refs: readonly UserRef[], context: ReadContext): Promise<Found<User>[]>;
  tweets(ids: readonly string[], context: ReadContext): Promise<Found<Tweet>[]>;
  /**
   * Reads one page from `token` (null: the start). For a subject that does not exist, answers as the list's
   * `withoutSubject` says. Throws `bad_request` saying where, if the query is invalid.
   *
   * `want`: how many items the reader needs; undefined: a natural page. Given only to a network that bills by item,
   * which then asks for that many, within its bounds. Pages of different sizes may follow each other: the items of a
   * list and their order must not depend on the size.
   */
  page(list: ListRef, token: string | null, context: ReadContext, want?: number): Promise<NetworkPage>;
  /**
   * Throws `bad_request` saying where, if a query is invalid: called before the balance is checked (S7). Reads nothing.
   */
  checkQuery?(query: string, product: Product): void;
  /**
   * The spelling of a handle that its answers have, if it accepts several and knows this one; otherwise the handle as
   * it is. Reads of one account by several spellings are then one, and share what is cached. Reads nothing.
   */
  canonicalHandle?(handle: string): string;
  /** Handles and ids that its grammar rules out: asked just as early. Reads nothing. */
  readonly impossible?: Impossible;
  /**
   * For a query that `checkQuery` accepts: returns a function that gives the places where a result matches it, in order
   * and without overlap, or null if that cannot be known. Reads nothing, and takes time linear in the result.
   */
  highlighter?(query: string, product: Product): (item: Tweet | User) => readonly Highlight[] | null;
  /**
   * Asks the network, with few calls, what can be read with this configuration. Never rejects. With `memory`, asks no
   * billed question that was already asked in the last day.
   */
  selfCheck?(context: ReadContext, memory?: CheckMemory): Promise<NetworkReport>;
  /** An account with many followers, for the samples on web pages; null: the network has no account yet. */
  sample?(context: ReadContext): Promise<SampleAccount | null>;
  /** Announces new items in its lists. Called once, if lists are followed. Absent if the network cannot do so. */
  push?(log: PushLog): Push;
  /** Closes its connections. */
  close?(): Promise<void>;
}
