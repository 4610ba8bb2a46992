/** What Perch reads: one public social network, as types. */
import type { ServiceError } from '../core/errors.js';
import type { ListKind } from '../core/lists.js';
import type { Family, ListRef, Product, Tweet, User, UserRef } from '../core/model.js';

export interface ReadContext {
  /** Fires at the deadline of the read. */
  readonly signal: AbortSignal;
  /** One of the network's `sessions`: whose credentials to read with. Undefined: the first one's. */
  readonly session?: string;
  /** Called with what the network said of the calls that are left to this session for reads of this kind. */
  readonly observe?: (limit: { readonly remaining: number; readonly resetsInSeconds: number }) => void;
}

/** What a configuration of a network can read, and what not: for operators (`perch doctor`, `/status`, the log at start). */
export interface NetworkReport {
  readonly ok: boolean;
  /** One sentence each. */
  readonly findings: readonly { readonly ok: boolean; readonly what: string }[];
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
  /** Network sessions: names of the credentials it reads with, at least one. They are shown, so they are no secrets. */
  readonly sessions: readonly string[];
  /** Most inputs one upstream call takes. */
  readonly batchSize: { readonly users: number; readonly tweets: number };
  /** Upstream calls per second of each session, by family; null: no pace. */
  readonly pace: Record<Family, number | null>;
  readonly products: readonly Product[];
  /** Which lists it has. Of the others no page is ever asked for. */
  readonly lists: Readonly<Record<ListKind, boolean>>;
  /** In input order, one outcome each. Inputs are distinct. */
  users(refs: readonly UserRef[], context: ReadContext): Promise<Found<User>[]>;
  tweets(ids: readonly string[], context: ReadContext): Promise<Found<Tweet>[]>;
  /**
   * One page from `token` (null: the start). A subject that does not exist: what `withoutSubject` of the list says (T6). A bad
   * query: `bad_request` saying where.
   */
  page(list: ListRef, token: string | null, context: ReadContext): Promise<NetworkPage>;
  /** Throws `bad_request` saying where, when a query is wrong: asked before the balance is looked at (S7). Reads nothing. */
  checkQuery?(query: string, product: Product): void;
  /** Asks the network, with few calls, what can be read with this configuration. Never rejects. */
  selfCheck?(context: ReadContext): Promise<NetworkReport>;
  /** Closes its connections. */
  close?(): Promise<void>;
}
