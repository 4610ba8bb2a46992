import DataLoader from 'dataloader';
import type { Thousandths } from '../core/credits.js';
import { isId, parseHandle, parseUserRef } from '../core/ids.js';
import { LISTS, type ListKind, unitOfList } from '../core/lists.js';
import type { Product, Tweet, User, UserRef } from '../core/model.js';
import type { ItemCache } from '../core/prices.js';
import { notServed } from '../core/served-lists.js';
import type { Meter } from '../metering/meter.js';
import type { Clock } from '../ports/clock.js';
import type { Network } from '../ports/network.js';
import { type Batch, batch, fold } from './batch.js';
import type { Cursors } from './cursor.js';
import type { Entities, Got } from './entities.js';
import type { Errand } from './errand.js';
import { fill, type Slice } from './fill.js';
import { type Funded, fund, type Terms, type Want } from './fund.js';
import type { Gone } from './gone.js';
import { namesOfItem, tweetKey, userKey } from './keys.js';
import type { Pages } from './pages.js';
import { impossibleId, impossibleUser, normaliseQuery } from './subjects.js';

export interface ReadOptions {
  /** Where in the operation the read stands. */
  readonly path: string;
  /** Whether the caller wants it anew. */
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
  /** Only ids are wanted, at the price of ids; the page is the same (M15). */
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
}

/** What every operation shares. */
export interface Sources {
  readonly users: Entities<UserRef, User>;
  readonly tweets: Entities<string, Tweet>;
  readonly pages: Pages;
  readonly cursors: Cursors;
  readonly gone: Gone;
  readonly clock: Clock;
  /** The lists that the network has. */
  readonly served: Network['lists'];
}

/** The reads of one operation: what resolvers may ask for. Objects are loaded in batches and once each (U51). */
export class Reads {
  readonly #sources: Sources;
  readonly #meter: Meter;
  readonly #errand: Errand;
  readonly #users: Loaders<UserRef, User> = new Map();
  readonly #tweets: Loaders<string, Tweet> = new Map();

  constructor(sources: Sources, meter: Meter, errand: Errand) {
    this.#sources = sources;
    this.#meter = meter;
    this.#errand = errand;
  }

  async user(ref: UserRef, options: ReadOptions): Promise<User> {
    const loader = this.#loader(this.#users, this.#sources.users, this.#userTerms(options.fresh), options);
    return opened(await loader.load({ ref, path: options.path }));
  }

  async tweet(id: string, options: ReadOptions): Promise<Tweet> {
    if (!isId(id)) throw impossibleId(id);
    const loader = this.#loader(this.#tweets, this.#sources.tweets, this.#tweetTerms(options.fresh), options);
    return opened(await loader.load({ ref: id, path: options.path }));
  }

  /** The author of a tweet whose network did not send it along: free, and null where there is none (M22). */
  async author(id: string): Promise<User | null> {
    const got = await this.#free({ id });
    return 'ok' in got ? got.ok : null;
  }

  users(handles: readonly string[], options: ReadOptions): Promise<Batch<User>> {
    const inputs = fold(handles, (text) => {
      const handle = parseHandle(text);
      return handle === null ? null : { key: userKey({ handle }), ref: { handle } };
    });
    return this.#meter.turn(options.path, () =>
      batch(inputs, options.path, options.fresh, (wants) =>
        fund(this.#sources.users, this.#meter, wants, this.#userTerms(options.fresh)),
      ),
    );
  }

  tweets(ids: readonly string[], options: ReadOptions): Promise<Batch<Tweet>> {
    const inputs = fold(ids, (text) => (isId(text) ? { key: text, ref: text } : null));
    return this.#meter.turn(options.path, () =>
      batch(inputs, options.path, options.fresh, (wants) =>
        fund(this.#sources.tweets, this.#meter, wants, this.#tweetTerms(options.fresh)),
      ),
    );
  }

  page(params: PageParams): Promise<Page> {
    return this.#meter.turn(params.path, () => this.#page(params));
  }

  async #page(params: PageParams): Promise<Page> {
    const { pages, cursors, gone, clock, served } = this.#sources;
    const { kind, product, fresh, path, idsOnly = false } = params;
    // Before the money is looked at: nobody is to pay for hearing that it is not to be had.
    if (!served[kind]) throw notServed(kind);
    const unit = unitOfList(params, idsOnly);
    // With something paid already, what is asked for here may be the same once more, which is free (G3).
    const { receipt } = this.#meter;
    const least = fresh ? 'bypass' : 'hit';
    if (receipt.amount === 0 && !this.#meter.covers(unit, least)) throw this.#meter.noCredits(unit, least);
    const list = { kind, subject: await this.#subject(params), ...(product && { product }) };
    const position = params.after == null ? null : cursors.decode(list, params.after, clock.now());
    const slice = await fill(
      { pages, meter: this.#meter, errand: this.#errand, isGone: (item) => isGone(gone, item) },
      {
        list,
        count: params.count,
        position,
        fresh,
        unit,
        path,
        objectOf: (item) => (idsOnly ? `${fresh ? 'fresh ' : ''}id:${item.id}` : nameOf(item, fresh)),
      },
    );
    return toPage(slice, slice.next && cursors.encode(list, slice.next, clock.now()));
  }

  /** The subject as lists are keyed by it: ids for users, whatever they were called by; a query in one spelling (P9). */
  async #subject({ kind, subject }: PageParams): Promise<string> {
    switch (LISTS[kind].subject) {
      case 'query':
        return normaliseQuery(subject);
      case 'tweet':
        if (!isId(subject)) throw impossibleId(subject);
        return subject;
      case 'user':
        return this.#userId(subject);
    }
  }

  async #userId(text: string): Promise<string> {
    const ref = parseUserRef(text);
    if (ref === null) throw impossibleUser(text);
    if ('id' in ref) return ref.id;
    const got = await this.#free(ref);
    if ('fail' in got) throw got.fail;
    return got.ok.id;
  }

  /** A profile that is no item of the answer: whom a handle means, or who wrote a tweet. */
  async #free(ref: UserRef): Promise<Got<User>> {
    const { users } = this.#sources;
    const [held] = await users.peek([ref]);
    const got = held ?? (await users.read(ref, false, this.#errand));
    if ('ok' in got) this.#meter.receipt.used(users.keyOf(ref), got.ok);
    else this.#meter.receipt.onlyOnce();
    return got;
  }

  #userTerms(fresh: boolean): Terms<User> {
    return { unit: 'profile', fresh, errand: this.#errand, objectOf: (user) => nameOf(user, fresh) };
  }

  #tweetTerms(fresh: boolean): Terms<Tweet> {
    return { unit: 'tweet', fresh, errand: this.#errand, objectOf: (tweet) => nameOf(tweet, fresh) };
  }

  /** One loader for all fields, or where money is tight one for each, so that they can be funded in their order (G9). */
  #loader<Ref, T>(
    loaders: Loaders<Ref, T>,
    entities: Entities<Ref, T>,
    terms: Terms<T>,
    { path, fresh }: ReadOptions,
  ): DataLoader<Want<Ref>, Funded<T>, string> {
    const name = `${fresh ? 'fresh' : ''} ${this.#meter.isTight ? path : ''}`;
    const existing = loaders.get(name);
    if (existing) return existing;
    const loader = new DataLoader<Want<Ref>, Funded<T>, string>(
      (wants) => this.#meter.turn(path, () => fund(entities, this.#meter, wants, terms)),
      { cacheKeyFn: (want) => entities.keyOf(want.ref) },
    );
    loaders.set(name, loader);
    return loader;
  }
}

type Loaders<Ref, T> = Map<string, DataLoader<Want<Ref>, Funded<T>, string>>;

const keyOf = (item: User | Tweet): string => ('text' in item ? tweetKey(item.id) : userKey(item));

/** What an object is billed as, once in an operation (G3); read anew it is another thing. */
const nameOf = (item: User | Tweet, fresh: boolean): string => `${fresh ? 'fresh ' : ''}${keyOf(item)}`;

/** Under the id or, where only that was asked for, the handle. */
const isGone = (gone: Gone, item: User | Tweet): boolean =>
  !gone.isEmpty && namesOfItem(item).some((name) => gone.has(name));

function opened<T>(funded: Funded<T>): T {
  if ('fail' in funded) throw funded.fail;
  return funded.ok;
}

function toPage(slice: Slice, endCursor: string | null): Page {
  const { items: nodes, cache, cacheHits, charged } = slice;
  const { truncated = null, endReason = null } = slice;
  return { nodes, endCursor, truncated, endReason, cache, cacheHits, charged };
}
