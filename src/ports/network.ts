/** What Perch reads: one public social network, as types. */
import type { ServiceError } from '../domain/errors.js';
import type { ListKind, ListRef } from '../domain/lists.js';
import type { Family, Highlight, Product, Tweet, User, UserRef } from '../domain/model.js';

export interface ReadContext {
  /** Fires at the deadline of the read. */
  readonly signal: AbortSignal;
  /** The name of one of the network's `sessions`, whose credentials to read with. Undefined: the first one's. */
  readonly session?: string;
  /** Called with the network's statement of how many calls this session has left for reads of this kind. */
  readonly observe?: (limit: { readonly remaining: number; readonly resetsInSeconds: number }) => void;
  /**
   * Called once for each upstream call that returned objects the network bills, also where the read fails later. Never
   * called by a network without `billing`.
   */
  readonly onBilled?: (billed: Billed) => void;
  /**
   * Called with the number of objects in an answer that could not be read, whether they were left out or requested, and
   * with what is wrong with the first of them.
   */
  readonly onUnreadable?: (objects: number, problem: string) => void;
  /** Objects that need not be asked for again to know whether they exist and are shown to everybody. */
  readonly cached?: CachedObjects;
}

/** Objects by id that Perch has, of a quarter of an hour ago at most; for a fresh read only those of its own call. */
export interface CachedObjects {
  user(id: string): Promise<CachedObject<User> | undefined>;
  tweet(id: string): Promise<CachedObject<Tweet> | undefined>;
}

export interface CachedObject<T> {
  readonly value: T;
  /** Read from the network by this very call: as good as reading it now, so it may be an item of the page. */
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

/** What one upstream call returned, as the network bills it: objects that came beside (authors, …) are not counted. */
export interface Billed {
  readonly kind: BilledKind;
  /** How many objects: at least one. */
  readonly items: number;
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

/** Which questions of a network's own check were asked: one that is billed is asked once a day by all processes. */
export interface CheckMemory {
  /**
   * `ask`: nobody has for a day, so the caller does, and notes the answer. `good`: so it was then. `unknown`: it was
   * asked, and no answer was noted. Waits for the answer of a process that is asking; rejects with the signal's reason.
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
  /** Complete objects that were read on the way and are not items: they are cached as single objects. */
  readonly beside?: { readonly users?: readonly User[]; readonly tweets?: readonly Tweet[] };
  /** How many items the network was asked for; undefined for a natural page, whose size is the adapter's alone. */
  readonly size?: number;
}

/** `bad_request` for a handle or id that nothing on the network can have; undefined for any other. */
export interface Impossible {
  user(ref: UserRef): ServiceError | undefined;
  tweet(id: string): ServiceError | undefined;
}

/** What samples on pages read. */
export interface SampleAccount {
  readonly handle: string;
  /** One of its tweets; null: none is known. */
  readonly tweetId: string | null;
}

/**
 * What it announces is a hint, which may be late, wrong or missing: lists are read as ever, only sooner. Nothing of it is
 * delivered.
 */
export interface Push {
  /** Until the returned function is called; undefined: nothing of this list is announced, or of no further ones. */
  follow(list: ListRef, listener: PushListener): (() => void) | undefined;
  readonly state: PushState;
  /** Ends its connection: nothing is announced from now on. */
  close(): void;
}

export interface PushListener {
  /** Something new is probably there, made at this time, Unix milliseconds. */
  onNew(madeAt: number): void;
  /**
   * Called as it changes; false at first. True: whatever is new in the list from now on is announced. A network that announces a
   * part of it never calls this.
   */
  onComplete(isComplete: boolean): void;
}

export interface PushState {
  readonly isConnected: boolean;
  /** Lists that are followed. It connects for the first of them. */
  readonly lists: number;
  /** Since the start: how often it announced something new, and messages that could not be read. */
  readonly announced: number;
  readonly unreadable: number;
}

/** For the operator's log. */
export interface PushLog {
  /** Its connection stands, or is lost, with the reason. */
  onConnection(isConnected: boolean, reason: string): void;
  /** So many messages were skipped that cannot be read; what is wrong with one of them. */
  onUnreadable(messages: number, problem: string): void;
}

/**
 * A read's error says what to do about the session it was made with: `access_denied` with the reason `session`, that
 * these credentials may not read this kind while others may; `upstream_rate_limited`, to make no reads of this kind for
 * `retryAfter` seconds, unless it has `isBeside`: then only a call beside the read's own was refused, which
 * another read of this kind may not need; `no_account`, that the credentials do not work at all for that long.
 */
export interface Network {
  readonly name: string;
  /** Network sessions: names of the credentials it reads with, at least one. They are shown, so they are not secret. */
  readonly sessions: readonly string[];
  /** What reading it costs the operator; null: nothing. */
  readonly billing: NetworkBilling | null;
  /** Most inputs one upstream call takes. */
  readonly batchSize: { readonly users: number; readonly tweets: number };
  /**
   * True if the network reads users by handle and by id with different calls, each with a rate limit of its own: then no
   * read has both, and one may go on while the other rests.
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
   * One page from `token` (null: the start). A subject that does not exist: as the list's `withoutSubject` says. A
   * bad query: `bad_request` saying where.
   *
   * `want`: how many items the reader needs; undefined: a natural page. Given only to a network that bills by item, which
   * asks for as many, within its bounds. Any size may follow any other: the items of a list and their order must not
   * depend on it.
   */
  page(list: ListRef, token: string | null, context: ReadContext, want?: number): Promise<NetworkPage>;
  /**
   * Throws `bad_request` saying where, if a query is invalid: called before the balance is checked (S7). Reads nothing.
   */
  checkQuery?(query: string, product: Product): void;
  /** What its grammar cannot have: asked as early. Reads nothing. */
  readonly impossible?: Impossible;
  /**
   * For a query that `checkQuery` accepts: what marks the places where it was found in a result, in order and apart from
   * each other, or says null where that can't be known. Reads nothing, and takes time linear in the result.
   */
  highlighter?(query: string, product: Product): (item: Tweet | User) => readonly Highlight[] | null;
  /**
   * Asks the network, with few calls, what can be read with this configuration. Never rejects. `memory`: ask nothing
   * that is billed and was asked in the last day.
   */
  selfCheck?(context: ReadContext, memory?: CheckMemory): Promise<NetworkReport>;
  /** An account that many follow, for samples on pages; null: the network has no account yet. */
  sample?(context: ReadContext): Promise<SampleAccount | null>;
  /** Announces what is new in its lists. Called once, where lists are followed. Absent: it cannot. */
  push?(log: PushLog): Push;
  /** Closes its connections. */
  close?(): Promise<void>;
}
