import DataLoader from 'dataloader';
import type { Thousandths } from '../domain/credits.js';
import { badRequest, ServiceError } from '../domain/errors.js';
import { isId, parseHandle, parseUserRef } from '../domain/ids.js';
import { hasSince, LISTS, type ListKind, type ListRef, unitOfList } from '../domain/lists.js';
import type { Highlight, Product, Tweet, User, UserRef } from '../domain/model.js';
import type { ItemCache } from '../domain/prices.js';
import type { Meter } from '../metering/meter.js';
import type { Clock } from '../ports/clock.js';
import type { Impossible, Network } from '../ports/network.js';
import { type Batch, batch, fold } from './batch.js';
import type { CallContext } from './call-context.js';
import { type Anchor, type Cursors, type Instant, knownAs, type Position } from './cursor.js';
import { CallObjects, type Entities, type Lookup } from './entities.js';
import { type Filled, fill } from './fill.js';
import { namesOfItem, tweetKey, userKey } from './keys.js';
import { type Loaded, type LoadOptions, type LoadRequest, loadWithinBudget } from './load-within-budget.js';
import { anchorOf, type FollowCall, type Newer, newer } from './newer.js';
import type { Pages } from './pages.js';
import { impossibleId, impossibleName, namedAlone, normaliseQuery, sinceAndCursor } from './subjects.js';
import type { Tombstones } from './tombstones.js';

export interface ReadOptions {
  /** The field's path in the operation. */
  readonly path: string;
  /** Whether the caller wants a fresh read. */
  readonly fresh: boolean;
}

export interface PageParams extends ReadOptions {
  readonly kind: ListKind;
  /** A user (id or handle), a tweet id, or a query: as the caller wrote it. */
  readonly subject: string;
  readonly product?: Product | undefined;
  /** Items on the page. */
  readonly count: number;
  readonly after?: string | null | undefined;
  /** Only what is newer than the answer that this cursor came with, oldest first. */
  readonly since?: string | null | undefined;
  /** Return only ids, at the price of ids; the page is the same. */
  readonly idsOnly?: boolean;
}

export interface Page {
  readonly nodes: readonly (User | Tweet)[];
  readonly endCursor: string | null;
  readonly truncated: string | null;
  readonly endReason: string | null;
  readonly cache: ItemCache;
  readonly cacheHits: number;
  readonly charged: Thousandths;
  /** The value of `since` that asks for items newer than this page; null if the list does not support it. */
  readonly sinceCursor: () => string | null;
  /** With `since`: whether there are more new items, and whether some may be missing; null without `since`. */
  readonly hasNewer: boolean | null;
  readonly gap: boolean | null;
  /** Whether a cursor was given: the list has items before this page, or had some. */
  readonly isContinued: boolean;
  /** The cursor that continues after a node, by its index. */
  readonly cursorAfter: (index: number) => string | null;
  /** For a search: where one of the nodes matches the query, or null if that is unknown. */
  readonly highlight?: (node: User | Tweet) => readonly Highlight[] | null;
}

/** Where a page begins: after a position, or with the items newer than an anchor. */
interface Start {
  readonly position: Position | null;
  readonly anchor: Anchor | 'now' | null;
}

/** Shared by all operations. */
export interface Sources {
  readonly users: Entities<UserRef, User>;
  readonly tweets: Entities<string, Tweet>;
  readonly pages: Pages;
  readonly cursors: Cursors;
  readonly tombstones: Tombstones;
  readonly clock: Clock;
  readonly highlighter?: Network['highlighter'];
  readonly impossible?: Impossible | undefined;
}

/** The reads of one operation, as resolvers call them. Objects are loaded in batches and once each (U51). */
export class Reads {
  readonly #sources: Sources;
  readonly #meter: Meter;
  readonly #callContext: CallContext;
  readonly #objects: CallObjects;
  readonly #users: Loaders<UserRef, User> = new Map();
  readonly #tweets: Loaders<string, Tweet> = new Map();

  constructor(sources: Sources, meter: Meter, callContext: CallContext) {
    this.#sources = sources;
    this.#meter = meter;
    this.#callContext = callContext;
    this.#objects = new CallObjects(sources.users, sources.tweets);
  }

  async user(ref: UserRef, options: ReadOptions): Promise<User> {
    const loader = this.#loader(this.#users, this.#sources.users, this.#userOptions(options.fresh), options);
    return unwrap(await loader.load({ ref, path: options.path }));
  }

  async tweet(id: string, options: ReadOptions): Promise<Tweet> {
    if (!isId(id)) throw impossibleId(id);
    const loader = this.#loader(this.#tweets, this.#sources.tweets, this.#tweetOptions(options.fresh), options);
    return unwrap(await loader.load({ ref: id, path: options.path }));
  }

  /** The author of a tweet that the network sent without one. Free; null if the profile cannot be read (T23). */
  async author(id: string): Promise<User | null> {
    try {
      const got = await this.#free({ id }, false, this.#callContext.spare());
      return 'ok' in got ? got.ok : null;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      this.#meter.receipt.markNotRepeatable();
      return null;
    }
  }

  users(handles: readonly string[], options: ReadOptions): Promise<Batch<User>> {
    const inputs = fold(handles, (text) => {
      const handle = parseHandle(text);
      return handle === null ? null : { key: this.#sources.users.keyOf({ handle }), ref: { handle } };
    });
    return this.#meter.turn(options.path, () =>
      batch(inputs, options.path, options.fresh, (requests) =>
        this.#load(this.#sources.users, requests, this.#userOptions(options.fresh)),
      ),
    );
  }

  tweets(ids: readonly string[], options: ReadOptions): Promise<Batch<Tweet>> {
    const inputs = fold(ids, (text) => (isId(text) ? { key: text, ref: text } : null));
    return this.#meter.turn(options.path, () =>
      batch(inputs, options.path, options.fresh, (requests) =>
        this.#load(this.#sources.tweets, requests, this.#tweetOptions(options.fresh)),
      ),
    );
  }

  page(params: PageParams): Promise<Page> {
    return this.#meter.turn(params.path, () => this.#page(params));
  }

  /** Reads the new items of a followed list, and stores what it found in `follow`. */
  async follow(params: PageParams, follow: FollowCall): Promise<Page> {
    const count = Math.min(params.count, follow.paid?.items ?? params.count);
    const page = await this.#meter.turn(params.path, () =>
      this.#page({ ...params, count, since: follow.since ?? params.since }, follow),
    );
    return follow.paid === null ? page : { ...page, charged: 0 };
  }

  async #page(params: PageParams, follow?: FollowCall): Promise<Page> {
    const { pages, cursors, tombstones, clock } = this.#sources;
    const { kind, product, fresh, path, idsOnly = false } = params;
    const unit = unitOfList(params, idsOnly);
    const listOf = (subject: string): ListRef => ({ kind, subject, ...(product && { product }) });
    const { after, since } = params;
    if (since != null && after != null) throw sinceAndCursor();
    if ((since != null || follow) && !hasSince(params)) {
      throw badRequest(
        `Only lists ordered by time have newer items: ${follow ? '' : 'leave out since, or '}choose another product.`,
        follow ? 'product' : 'since',
      );
    }
    const none = follow ? 'now' : null;
    const startIn = (list: ListRef): Start => ({
      position: after == null ? null : cursors.decode(list, after, clock.now()),
      anchor: since == null ? none : cursors.decodeSince(list, since, clock.now(), follow?.expires),
    });
    // A fault of the request is reported whatever the balance is.
    const subject = follow?.subject ?? this.#subject(params);
    const known = typeof subject === 'string' ? listOf(subject) : null;
    const knownStart = known && startIn(known);
    // If something has already been paid for, this read may ask for the same object, which is then free.
    const { receipt } = this.#meter;
    const least = fresh ? 'bypass' : 'hit';
    if (receipt.amount === 0 && !this.#meter.covers(unit, least)) throw this.#meter.noCredits(unit, least);
    const list = known ?? listOf(await this.#userId(subject as UserRef, fresh));
    const { position, anchor } = knownStart ?? startIn(list);
    const context = {
      pages,
      meter: this.#meter,
      callContext: this.#callContext,
      cached: this.#objects.for(fresh),
      isGone: (item: User | Tweet) => isGone(tombstones, item),
    };
    const objectOf = (item: User | Tweet): string =>
      idsOnly ? `${fresh ? 'fresh ' : ''}id:${item.id}` : billingName(item, fresh);
    const wanted = { list, count: params.count, fresh, unit, path, objectOf };
    const slice: Filled & Partial<Newer> = anchor
      ? await newer(context, { ...wanted, anchor, notBefore: follow?.notBefore, follow })
      : await fill(context, { ...wanted, position });
    const encode = (place: Position | null | undefined) => (place ? cursors.encode(list, place, clock.now()) : null);
    // Each cursor is signed once, however many aliases ask for it.
    const signed: (string | null)[] = [];
    let sinceCursor: string | null | undefined;
    const page = {
      ...toPage(slice, encode(slice.next)),
      isContinued: position !== null,
      cursorAfter(index: number) {
        signed[index] ??= encode(slice.places[index]);
        return signed[index] ?? null;
      },
      sinceCursor() {
        if (sinceCursor !== undefined || !hasSince(list)) return sinceCursor ?? null;
        const has = slice.anchor ?? (slice.head && anchorOf(list, slice.head));
        sinceCursor = has ? cursors.encodeSince(list, has, clock.now()) : null;
        return sinceCursor;
      },
    };
    if (follow) {
      const { hasNewer = false, oldest = null, gap = false, newestAt = null, top = null } = slice;
      const items = page.nodes.length;
      const floor = top ?? slice.anchor?.floor ?? null;
      const short = cursors.encodeSince(list, shortAnchor(floor), clock.now());
      follow.followed = { list, since: page.sinceCursor() ?? '', short, top, items, hasNewer, oldest, gap, newestAt };
    }
    const { highlighter } = this.#sources;
    if (LISTS[kind].subject !== 'query' || highlighter === undefined) return page;
    let highlight: ReturnType<typeof highlighter> | undefined;
    return {
      ...page,
      highlight(node) {
        highlight ??= highlighter(list.subject, product ?? 'Latest');
        return highlight(node);
      },
    };
  }

  /**
   * The subject as list keys use it, as far as that is known without reading: a normalised query, an id, or (still to
   * be resolved) a user's handle.
   */
  #subject({ kind, subject }: PageParams): string | UserRef {
    const { subject: what } = LISTS[kind];
    if (what === 'query') return normaliseQuery(subject);
    const impossible = impossibleName(what === 'tweet' ? 'tweetId' : 'user', subject, this.#sources.impossible);
    if (impossible) throw namedAlone(impossible);
    const ref = what === 'user' ? parseUserRef(subject) : null;
    return ref === null ? subject : 'id' in ref ? ref.id : ref;
  }

  async #userId(ref: UserRef, fresh: boolean): Promise<string> {
    const own = fresh ? this.#objects.ownUser(ref) : undefined;
    if (own) return own.id;
    const got = await this.#free(ref, fresh);
    if ('fail' in got) throw namedAlone(got.fail);
    return got.ok.id;
  }

  /** A profile that is not an item of the answer: to resolve a handle, or to show who wrote a tweet. */
  async #free(ref: UserRef, fresh: boolean, callContext = this.#callContext): Promise<Lookup<User>> {
    const { users } = this.#sources;
    const [cached] = fresh ? [] : await users.peek([ref]);
    const got = cached ?? (await users.read(ref, fresh, callContext));
    const key = users.keyOf(ref);
    this.#objects.note(got, key);
    if ('ok' in got) this.#meter.receipt.noteDependency(key, got.ok);
    else this.#meter.receipt.markNotRepeatable();
    return got;
  }

  #userOptions(fresh: boolean): LoadOptions<UserRef, User> {
    const impossible = this.#sources.impossible?.user;
    const objectOf = (user: User) => billingName(user, fresh);
    return { unit: 'profile', fresh, callContext: this.#callContext, impossible, objectOf };
  }

  #tweetOptions(fresh: boolean): LoadOptions<string, Tweet> {
    const impossible = this.#sources.impossible?.tweet;
    const objectOf = (tweet: Tweet) => billingName(tweet, fresh);
    return { unit: 'tweet', fresh, callContext: this.#callContext, impossible, objectOf };
  }

  async #load<Ref, T extends User | Tweet>(
    entities: Entities<Ref, T>,
    requests: readonly LoadRequest<Ref>[],
    options: LoadOptions<Ref, T>,
  ): Promise<Loaded<T>[]> {
    const loaded = await loadWithinBudget(entities, this.#meter, requests, options);
    for (const [index, { ref }] of requests.entries()) {
      const got = loaded[index];
      if (got) this.#objects.note(got, entities.keyOf(ref));
    }
    return loaded;
  }

  /**
   * One loader for all fields, or one per field when money is tight, so that they are charged in document order (G9).
   */
  #loader<Ref, T extends User | Tweet>(
    loaders: Loaders<Ref, T>,
    entities: Entities<Ref, T>,
    options: LoadOptions<Ref, T>,
    { path, fresh }: ReadOptions,
  ): DataLoader<LoadRequest<Ref>, Loaded<T>, string> {
    const name = `${fresh ? 'fresh' : ''} ${this.#meter.isTight ? path : ''}`;
    const existing = loaders.get(name);
    if (existing) return existing;
    const loader = new DataLoader<LoadRequest<Ref>, Loaded<T>, string>(
      (requests) => this.#meter.turn(path, () => this.#load(entities, requests, options)),
      { cacheKeyFn: (request) => entities.keyOf(request.ref) },
    );
    loaders.set(name, loader);
    return loader;
  }
}

type Loaders<Ref, T> = Map<string, DataLoader<LoadRequest<Ref>, Loaded<T>, string>>;

const objectKey = (item: User | Tweet): string => ('text' in item ? tweetKey(item.id) : userKey(item));

/** The name under which an object is billed once per operation. A fresh read of it is billed separately. */
const billingName = (item: User | Tweet, fresh: boolean): string => `${fresh ? 'fresh ' : ''}${objectKey(item)}`;

/**
 * An anchor of the newest item alone. A long id doesn't fit: the item is then named, and others of its time are new.
 */
function shortAnchor(floor: Instant | null): Anchor {
  if (floor === null) return { known: [], floor };
  const [at, id] = floor;
  return knownAs(id) === id ? { known: [], floor } : { known: [knownAs(id)], floor: [at, '0'] };
}

/** A tombstone is named by the id or, if only the handle was requested, by the handle. */
const isGone = (tombstones: Tombstones, item: User | Tweet): boolean =>
  !tombstones.isEmpty && namesOfItem(item).some((name) => tombstones.has(name));

function unwrap<T>(loaded: Loaded<T>): T {
  if ('fail' in loaded) throw namedAlone(loaded.fail);
  return loaded.ok;
}

function toPage(
  slice: Filled & Partial<Newer>,
  endCursor: string | null,
): Omit<Page, 'isContinued' | 'cursorAfter' | 'sinceCursor'> {
  const { items: nodes, cache, cacheHits, charged } = slice;
  const { truncated = null, endReason = null, hasNewer = null, gap = null } = slice;
  return { nodes, endCursor, truncated, endReason, hasNewer, gap, cache, cacheHits, charged };
}
