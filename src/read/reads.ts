import DataLoader from 'dataloader';
import type { Thousandths } from '../core/credits.js';
import { isId, parseHandle, parseUserRef } from '../core/ids.js';
import type { ListKind, Product, Tweet, User, UserRef } from '../core/model.js';
import { type ItemCache, unitOfList } from '../core/prices.js';
import type { Meter } from '../metering/meter.js';
import type { Clock } from '../ports.js';
import { type Batch, batch, fold } from './batch.js';
import type { Cursors } from './cursor.js';
import type { Entities, Got } from './entities.js';
import { fill, type Slice } from './fill.js';
import { type Funded, fund, type Want } from './fund.js';
import type { Gone } from './gone.js';
import { tweetKey, userKey } from './keys.js';
import type { Pages } from './pages.js';
import { impossibleId, impossibleUser, normaliseQuery } from './subjects.js';

/** Where in the operation a read stands, and whether the caller wants it anew. */
export interface Site {
  readonly path: string;
  readonly fresh: boolean;
}

export interface ListAsk extends Site {
  readonly kind: ListKind;
  /** A user (id or handle), a tweet id, or a query: as the caller wrote it. */
  readonly subject: string;
  readonly product?: Product | undefined;
  readonly first: number;
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
}

/** The reads of one operation: what resolvers may ask for. Objects are loaded in batches and once each (U51). */
export class Reads {
  readonly #sources: Sources;
  readonly #meter: Meter;
  readonly #loaders: Record<'users' | 'freshUsers', DataLoader<Want<UserRef>, Funded<User>, string>> &
    Record<'tweets' | 'freshTweets', DataLoader<Want<string>, Funded<Tweet>, string>>;

  constructor(sources: Sources, meter: Meter) {
    this.#sources = sources;
    this.#meter = meter;
    this.#loaders = {
      users: this.#userLoader(false),
      freshUsers: this.#userLoader(true),
      tweets: this.#tweetLoader(false),
      freshTweets: this.#tweetLoader(true),
    };
  }

  async user(ref: UserRef, at: Site): Promise<User> {
    const loader = at.fresh ? this.#loaders.freshUsers : this.#loaders.users;
    return opened(await loader.load({ ref, path: at.path }));
  }

  async tweet(id: string, at: Site): Promise<Tweet> {
    if (!isId(id)) throw impossibleId(id);
    const loader = at.fresh ? this.#loaders.freshTweets : this.#loaders.tweets;
    return opened(await loader.load({ ref: id, path: at.path }));
  }

  /** The author of a tweet whose network did not send it along: free, and null where there is none (M22). */
  async author(id: string): Promise<User | null> {
    const got = await this.#free({ id });
    return 'ok' in got ? got.ok : null;
  }

  users(handles: readonly string[], at: Site): Promise<Batch<User>> {
    const inputs = fold(handles, (text) => {
      const handle = parseHandle(text);
      return handle === null ? null : { key: userKey({ handle }), ref: { handle } };
    });
    return this.#meter.turn(() =>
      batch(inputs, at.path, at.fresh, (wants) =>
        fund(this.#sources.users, this.#meter, wants, this.#userTerms(at.fresh)),
      ),
    );
  }

  tweets(ids: readonly string[], at: Site): Promise<Batch<Tweet>> {
    const inputs = fold(ids, (text) => (isId(text) ? { key: text, ref: text } : null));
    return this.#meter.turn(() =>
      batch(inputs, at.path, at.fresh, (wants) =>
        fund(this.#sources.tweets, this.#meter, wants, this.#tweetTerms(at.fresh)),
      ),
    );
  }

  page(ask: ListAsk): Promise<Page> {
    return this.#meter.turn(() => this.#page(ask));
  }

  async #page(ask: ListAsk): Promise<Page> {
    const { pages, cursors, gone, clock } = this.#sources;
    const unit = ask.idsOnly ? 'follower_id' : unitOfList(ask);
    if (!this.#meter.covers(unit, ask.fresh ? 'bypass' : 'hit')) throw this.#meter.noCredits(unit, 'hit');
    const list = { kind: ask.kind, subject: await this.#subject(ask), ...(ask.product && { product: ask.product }) };
    const position = ask.after == null ? null : cursors.decode(list, ask.after, clock.now());
    const slice = await fill(
      { pages, meter: this.#meter, isGone: (item) => gone.has(keyOf(item)) },
      {
        list,
        want: ask.first,
        position,
        fresh: ask.fresh,
        unit,
        path: ask.path,
        objectOf: (item) => `${ask.fresh ? 'fresh ' : ''}${ask.idsOnly ? `id:${item.id}` : keyOf(item)}`,
      },
    );
    return toPage(slice, slice.next && cursors.encode(list, slice.next, clock.now()));
  }

  /** The subject as lists are keyed by it: ids for users, whatever they were called by; a query in one spelling (P9). */
  async #subject(ask: ListAsk): Promise<string> {
    if (ask.kind === 'search') return normaliseQuery(ask.subject);
    if (ask.kind !== 'timeline' && ask.kind !== 'followers' && ask.kind !== 'following') {
      if (!isId(ask.subject)) throw impossibleId(ask.subject);
      return ask.subject;
    }
    const ref = parseUserRef(ask.subject);
    if (ref === null) throw impossibleUser(ask.subject);
    if ('id' in ref) return ref.id;
    const got = await this.#free(ref);
    if ('fail' in got) throw got.fail;
    return got.ok.id;
  }

  /** A profile that is no item of the answer: whom a handle means, or who wrote a tweet. */
  async #free(ref: UserRef): Promise<Got<User>> {
    const { users } = this.#sources;
    const [held] = await users.peek([ref]);
    const got = held ?? (await users.read(ref, false));
    if ('ok' in got) this.#meter.receipt.used(users.keyOf(ref), got.ok);
    else this.#meter.receipt.onlyOnce();
    return got;
  }

  #userTerms(fresh: boolean) {
    return { unit: 'profile' as const, fresh, objectOf: userKey };
  }

  #tweetTerms(fresh: boolean) {
    return { unit: 'tweet' as const, fresh, objectOf: (tweet: Tweet) => tweetKey(tweet.id) };
  }

  #userLoader(fresh: boolean) {
    const { users } = this.#sources;
    return new DataLoader<Want<UserRef>, Funded<User>, string>(
      (wants) => this.#meter.turn(() => fund(users, this.#meter, wants, this.#userTerms(fresh))),
      { cacheKeyFn: (want) => userKey(want.ref) },
    );
  }

  #tweetLoader(fresh: boolean) {
    const { tweets } = this.#sources;
    return new DataLoader<Want<string>, Funded<Tweet>, string>(
      (wants) => this.#meter.turn(() => fund(tweets, this.#meter, wants, this.#tweetTerms(fresh))),
      { cacheKeyFn: (want) => want.ref },
    );
  }
}

const keyOf = (item: User | Tweet): string => ('text' in item ? tweetKey(item.id) : userKey(item));

function opened<T>(funded: Funded<T>): T {
  if ('fail' in funded) throw funded.fail;
  return funded.ok;
}

function toPage(slice: Slice, endCursor: string | null): Page {
  const { items: nodes, cache, cacheHits, charged } = slice;
  const { truncated = null, endReason = null } = slice;
  return { nodes, endCursor, truncated, endReason, cache, cacheHits, charged };
}
