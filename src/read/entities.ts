import { fromPlain, type PlainFailure, plainFailure, ServiceError } from '../domain/errors.js';
import type { Tweet, User, UserRef } from '../domain/model.js';
import type { ItemCache } from '../domain/prices.js';
import type { Cache, Cached } from '../ports/cache.js';
import type { Clock } from '../ports/clock.js';
import type { CachedObject, CachedObjects, Found, Network } from '../ports/network.js';
import { type Absence, notFoundFrom, toAbsence } from './absence.js';
import type { CallContext } from './call-context.js';
import { absentKey, isHandleKey, namesOfItem, namesOfUser, postsKey, tweetKey, userKey } from './keys.js';
import type { Lifetimes } from './lifetimes.js';
import type { Pool } from './pool/pool.js';
import type { SharedReads } from './shared-reads.js';
import type { Tombstones } from './tombstones.js';
import type { Waiters } from './waiters.js';

/** An object and how it was obtained, or a failure. */
type Got<T> = { readonly ok: T; readonly cache: ItemCache } | { readonly fail: unknown };
type Source<Ref, T> = Pick<Entities<Ref, T>, 'keyOf' | 'peek'>;

/** The single objects that one call has read from the network itself. An adapter need not ask for them again. */
export class CallObjects {
  readonly #users: Source<UserRef, User>;
  readonly #tweets: Source<string, Tweet>;
  /** By cache key. */
  readonly #own = new Map<string, User | Tweet>();

  constructor(users: Source<UserRef, User>, tweets: Source<string, Tweet>) {
    this.#users = users;
    this.#tweets = tweets;
  }

  /** `key`: the key that it was read by. */
  note(got: Got<User | Tweet>, key: string): void {
    if (!('ok' in got) || got.cache === 'hit') return;
    for (const name of [this.#keyOf(got.ok), key]) this.#own.set(name, got.ok);
  }

  /** The user, if the call has read this very name. */
  ownUser(ref: UserRef): User | undefined {
    return this.#own.get(this.#users.keyOf(ref)) as User | undefined;
  }

  /** For a read of the call: a fresh one uses nothing that others have read (M8). */
  for(fresh: boolean): CachedObjects {
    const find = async <Ref, T extends User | Tweet>(
      source: Source<Ref, T>,
      ref: Ref,
    ): Promise<CachedObject<T> | undefined> => {
      const own = this.#own.get(source.keyOf(ref)) as T | undefined;
      if (own !== undefined) return { value: own, isOfThisCall: true };
      const [got] = fresh ? [] : await source.peek([ref]);
      return got && 'ok' in got ? { value: got.ok, isOfThisCall: false } : undefined;
    };
    return { user: (id) => find(this.#users, { id }), tweet: (id) => find(this.#tweets, id) };
  }

  #keyOf(object: User | Tweet): string {
    return 'text' in object ? this.#tweets.keyOf(object.id) : this.#users.keyOf({ id: object.id });
  }
}

/** What to cache under each key. Null: two accounts claim the handle, so reads by that handle go to the network. */
export type Filed<T> = ReadonlyMap<string, T | null>;

/**
 * Files profiles by id and handle (I9). The answer to a read by handle (`requestedKey`) settles who holds the handle.
 * A profile that came in any other way is filed under its handle only if nothing contradicts that: another account is
 * known to have the handle, this account was known under another handle, or no account had the handle a while ago.
 */
async function filedUsers(
  { cache, unpaid, tombstones }: Pick<EntitiesOptions, 'cache' | 'unpaid' | 'tombstones'>,
  users: readonly User[],
  requestedKey?: string,
): Promise<Filed<User>> {
  const names = [...new Set(users.flatMap(namesOfUser))];
  const [answer] = users;
  // The answer to a read by this handle is filed whatever is known, so nothing need be looked up.
  if (answer && requestedKey !== undefined && requestedKey === namesOfUser(answer)[1])
    return new Map(names.map((name) => [name, answer]));
  const handles = [...new Set(users.flatMap((user) => namesOfUser(user).slice(1)))];
  const [cached, absences] = await Promise.all([
    cache.getMany<User | null>(names),
    unpaid.getMany<Absence>(handles.map(absentKey)),
  ]);
  const known = new Map(names.map((name, index) => [name, cached[index]?.value]));
  const gone = new Set(handles.filter((handle, index) => absences[index] !== undefined || tombstones.has(handle)));
  const filed = new Map<string, User | null>();
  const file = (name: string, user: User | null): void => {
    known.set(name, user);
    filed.set(name, user);
  };
  for (const user of users) {
    const [id = '', handle] = namesOfUser(user);
    const before = known.get(id);
    const formerHandle = before ? namesOfUser(before)[1] : undefined;
    const isRenamed = formerHandle !== undefined && formerHandle !== handle;
    file(id, user);
    if (isRenamed) file(formerHandle, null);
    if (handle === undefined) continue;
    const holder = known.get(handle);
    const isUndisputed = !isRenamed && !gone.has(handle) && (holder === undefined || holder?.id === user.id);
    file(handle, isUndisputed ? user : null);
  }
  return filed;
}

/** An object and how it was obtained, or the failure. */
export type Lookup<T> =
  | { readonly ok: T; readonly cache: ItemCache; readonly fetchedAt: number }
  | { readonly fail: ServiceError };

/** Single objects of one kind: from the cache, from remembered 404s, or read from the network. */
export interface Entities<Ref, T> {
  /** The cache key of an object. */
  readonly keyOf: (ref: Ref) => string;
  /** Cached objects and remembered 404s, without reading; undefined if a read is needed. */
  peek(refs: readonly Ref[]): Promise<(Lookup<T> | undefined)[]>;
  read(ref: Ref, fresh: boolean, callContext: CallContext): Promise<Lookup<T>>;
  /** Caches complete objects that came with a list (M13). */
  store(values: readonly T[], origin: Origin): Promise<unknown>;
  /** Removes an object from the cache, because the network says with this failure that it is gone. */
  withdraw(ref: Ref, failure: ServiceError, accountId: string): Promise<void>;
}

/** The answer of the network in which objects came. */
export interface Origin {
  readonly fetchedAt: number;
  /** When the read began, before its request left. */
  readonly beganAt: number;
  /** `Tombstones.noted` when the read began. */
  readonly noted: number;
  /** The account whose read it was. */
  readonly accountId: string;
  /** Users whose tweets are in the answer: whatever their profiles say, the network shows their posts. */
  readonly writers?: ReadonlySet<string>;
}

export interface EntitiesOptions {
  readonly cache: Cache;
  /** For remembered 404s, separate from objects that were paid for. */
  readonly unpaid: Cache;
  readonly shared: SharedReads;
  readonly pool: Pool;
  readonly tombstones: Tombstones;
  readonly clock: Clock;
  readonly lifetimes: Lifetimes;
}

interface Kind<Ref, T> {
  readonly keyOf: (ref: Ref) => string;
  /** Every cache key of the object, that of its id first. */
  readonly names: (value: T) => string[];
  /** The names under which a tombstone hides the object. */
  readonly hiddenBy: (value: T) => string[];
  /** `requestedKey`: the key of the object that was asked for. */
  readonly file: (values: readonly T[], requestedKey?: string) => Filed<T> | Promise<Filed<T>>;
  /** The id of the account that the object belongs to; undefined if that is unknown. */
  readonly ownerOf: (value: T | Ref) => string | undefined;
  /** Whether the object is an account that says that only its profile is public. */
  readonly isPrivate: (value: T) => boolean;
  /** Whether the loss of an object, cached or not, means that everything its account posted is hidden. */
  readonly hidesPosts: (failure: ServiceError, isCached: boolean) => boolean;
  readonly read: (ref: Ref, waiters: Waiters) => Promise<Found<T>>;
  readonly lifetimeMs: number;
}

/** Whether the 404 is for an object that never existed, as far as the network says. */
const isUnknown = ({ detail }: ServiceError): boolean => (detail.reason ?? 'unknown') === 'unknown';

export const createUsers = (
  options: EntitiesOptions & { readonly network: Pick<Network, 'canonicalHandle'> },
): Entities<UserRef, User> =>
  createEntities<UserRef, User>(options, {
    keyOf: (ref) =>
      userKey('id' in ref ? ref : { handle: options.network.canonicalHandle?.(ref.handle) ?? ref.handle }),
    names: namesOfUser,
    hiddenBy: namesOfUser,
    file: (users, requestedKey) => filedUsers(options, users, requestedKey),
    ownerOf: (user) => ('id' in user ? user.id : undefined),
    isPrivate: (user) => user.protected === true,
    // A network may have tweets of an account without its profile, so an unknown profile says nothing about them.
    hidesPosts: (failure, isCached) => isCached || !isUnknown(failure),
    read: async (ref, waiters) => withIdHint(ref, await options.pool.user(ref, waiters)),
    lifetimeMs: options.lifetimes.profileMs,
  });

export const createTweets = (options: EntitiesOptions): Entities<string, Tweet> =>
  createEntities<string, Tweet>(options, {
    keyOf: tweetKey,
    names: (tweet) => [tweetKey(tweet.id)],
    hiddenBy: namesOfItem,
    file: (tweets) => new Map(tweets.map((tweet) => [tweetKey(tweet.id), tweet])),
    ownerOf: (tweet) => (typeof tweet === 'string' ? undefined : tweet.authorId),
    isPrivate: () => false,
    hidesPosts: ({ detail }) => detail.isOfAccount === true,
    read: (id, waiters) => options.pool.tweet(id, waiters),
    lifetimeMs: options.lifetimes.tweetMs,
  });

function createEntities<Ref, T>(options: EntitiesOptions, kind: Kind<Ref, T>): Entities<Ref, T> {
  const { unpaid, shared, tombstones, clock } = options;

  const store = (values: readonly T[], origin: Origin, requestedKey?: string) =>
    storeAs(options, kind, values, origin, requestedKey);
  const withdraw = (ref: Ref, failure: ServiceError, accountId: string) =>
    withdrawAs(options, kind, ref, failure, accountId);

  /**
   * If the object was withdrawn after the read began: the 404 that is remembered for it, or undefined. If it was found
   * after the read began, but not by it: undefined, unless this is the last attempt.
   */
  async function readOnce(ref: Ref, waiters: Waiters, isLast = false): Promise<Lookup<T> | undefined> {
    const key = kind.keyOf(ref);
    const { noted } = tombstones;
    const beganAt = clock.now();
    const found = await kind.read(ref, waiters);
    if ('ok' in found) {
      const fetchedAt = clock.now();
      const origin = { fetchedAt, beganAt, noted, accountId: waiters.accountId };
      const isShown = await store([found.ok], origin, key);
      // A tombstone that the answer did not remove was noted after the read began.
      if (!isShown || kind.hiddenBy(found.ok).some(tombstones.has)) return (await peek([ref]))[0];
      await unpaid.delete([absentKey(key)]);
      return { ok: found.ok, cache: 'miss', fetchedAt };
    }
    if (found.fail.code !== 'not_found') return { fail: found.fail };
    const [known] = isLast ? [] : await peek([ref]);
    if (known && 'ok' in known && known.fetchedAt > beganAt) return undefined;
    await markDeletedAs(options, kind, ref, found.fail, waiters.accountId);
    return { fail: found.fail };
  }

  /**
   * Without a 404 of its own, the object was withdrawn with its account or under another name; or another read found it,
   * and may have begun before this one or after it. Only the network can tell whether it is still shown, and if not,
   * why, so it is asked once more.
   */
  const readNow = async (ref: Ref, waiters: Waiters): Promise<Lookup<T>> =>
    (await readOnce(ref, waiters)) ?? (await readOnce(ref, waiters, true)) ?? { fail: withdrawnMeanwhile() };

  const peek = (refs: readonly Ref[]): Promise<(Lookup<T> | undefined)[]> =>
    lookUp(options, refs.map(kind.keyOf), kind.hiddenBy);

  return {
    keyOf: kind.keyOf,
    store: (values, origin) => store(values, origin),
    withdraw,
    peek,
    async read(ref, fresh, callContext) {
      if (fresh) return relabel(await shared.alone(callContext, (waiters) => readNow(ref, waiters)), 'bypass');
      // Checks the cache again: an earlier flight may have ended meanwhile, for instance on another node.
      const lead = async (waiters: Waiters) => serialized((await peek([ref]))[0] ?? (await readNow(ref, waiters)));
      const { value, led } = await shared.join(kind.keyOf(ref), callContext, lead);
      if ('fail' in value) return { fail: fromPlain(value.fail) };
      return led ? value : { ...value, cache: 'hit' };
    },
  };
}

/**
 * Caches the objects of an answer, and notes what it says about their accounts. `requestedKey`: the key of the object
 * that was asked for. False if some were not cached, because they were withdrawn after the read began.
 */
async function storeAs<Ref, T>(
  { cache, tombstones }: EntitiesOptions,
  kind: Kind<Ref, T>,
  values: readonly T[],
  origin: Origin,
  requestedKey?: string,
): Promise<boolean> {
  const { fetchedAt, beganAt, noted, accountId, writers } = origin;
  const filed = await kind.file(values, requestedKey);
  const hiddenBy = new Map<string, string[]>();
  for (const value of values) for (const name of kind.names(value)) hiddenBy.set(name, kind.hiddenBy(value));
  const read = { beganAt, without: () => undefined };
  const withheld = new Set<string>();
  const sets = [...filed].map(async ([name, value]) => {
    const stored = await cache.set(name, { value, fetchedAt }, kind.lifetimeMs, hiddenBy.get(name), read);
    if (stored === undefined) withheld.add(name);
  });
  await Promise.all(sets);
  const withdrawn: Promise<unknown>[] = [];
  for (const value of values) {
    if (kind.names(value).some((name) => withheld.has(name))) continue;
    const names = kind.hiddenBy(value);
    const owner = kind.ownerOf(value) ?? '';
    const isPrivate = kind.isPrivate(value) && !writers?.has(owner);
    if (isPrivate) withdrawn.push(tombstones.addIfCached(postsKey(owner), accountId));
    for (const name of isPrivate ? names : [...names, postsKey(owner)]) tombstones.remove(name, noted);
  }
  await Promise.all(withdrawn);
  return withheld.size === 0;
}

/** Called when the network says the object does not exist: also remembers the 404 for a while. */
async function markDeletedAs<Ref, T>(
  options: EntitiesOptions,
  kind: Kind<Ref, T>,
  ref: Ref,
  failure: ServiceError,
  accountId: string,
): Promise<void> {
  await withdrawAs(options, kind, ref, failure, accountId);
  const absence = { value: toAbsence(failure), fetchedAt: options.clock.now() };
  await options.unpaid.set(absentKey(kind.keyOf(ref)), absence, options.lifetimes.absentMs);
}

async function withdrawAs<Ref, T>(
  { cache, tombstones, clock }: EntitiesOptions,
  kind: Kind<Ref, T>,
  ref: Ref,
  failure: ServiceError,
  accountId: string,
): Promise<void> {
  const key = kind.keyOf(ref);
  const cached = await cache.get<T | null>(key);
  const value = cached?.value ?? undefined;
  const names = value ? kind.names(value) : [];
  if (isHandleKey(key) && (await isGivenUp())) {
    // No answer from before is filed under it.
    await cache.shows([key]);
  } else {
    const owner = kind.ownerOf(value ?? ref);
    const [mayBeCached] = await Promise.all([
      // Hidden by its id: another account may have its handle, or it may itself be shown under another one.
      value ? tombstones.add(names[0] ?? key, accountId) : tombstones.addIfCached(key, accountId),
      owner !== undefined &&
        kind.hidesPosts(failure, value !== undefined) &&
        tombstones.addIfCached(postsKey(owner), accountId),
    ]);
    if (value || mayBeCached) await cache.delete([...new Set([key, ...names])]);
  }
  // No list from before gives the handle back to the account.
  if (cached && isHandleKey(key)) await cache.set(key, { value: null, fetchedAt: clock.now() }, kind.lifetimeMs);

  /** Whether an account that had the handle may still exist: it has another one now, or nobody is known to have it. */
  async function isGivenUp(): Promise<boolean> {
    if (!value) return isUnknown(failure);
    const own = (await cache.get<T>(names[0] ?? key))?.value;
    return own != null && !kind.names(own).includes(key);
  }
}

/** Looks up cache keys. Each gives an object, a remembered 404, or undefined. */
async function lookUp<T>(
  { cache, unpaid, tombstones, pool }: EntitiesOptions,
  keys: readonly string[],
  hiddenBy: (value: T) => string[],
): Promise<(Lookup<T> | undefined)[]> {
  const all = await cache.getMany<T | null>(keys);
  // Another node may have learned of the deletion while this one still has a copy.
  const isHidden = (key: string, value: T): boolean =>
    !tombstones.isEmpty && (tombstones.has(key) || hiddenBy(value).some(tombstones.has));
  const cachedAt = (index: number): Cached<T> | undefined => {
    const cached = all[index];
    const isShown = cached && cached.value !== null && !isHidden(keys[index] as string, cached.value);
    return isShown ? (cached as Cached<T>) : undefined;
  };
  const missing = keys.filter((_, index) => cachedAt(index) === undefined);
  const cachedAbsences = missing.length > 0 ? await unpaid.getMany<Absence>(missing.map(absentKey)) : [];
  const absences = new Map(missing.map((key, index) => [key, cachedAbsences[index]]));
  return keys.map((key, index) => {
    const cached = cachedAt(index);
    if (cached) {
      pool.countCacheHit('fast');
      return { ok: cached.value, cache: 'hit', fetchedAt: cached.fetchedAt };
    }
    const absence = absences.get(key);
    return absence && { fail: notFoundFrom(absence.value) };
  });
}

/** Digits are read as a handle here (I4); the message tells callers who meant an id which endpoints accept ids. */
function withIdHint(ref: UserRef, found: Found<User>): Found<User> {
  if ('ok' in found || found.fail.code !== 'not_found' || !('handle' in ref) || !/^[0-9]+$/.test(ref.handle))
    return found;
  const message = `No user has the handle ${ref.handle}. If it is an id, use the lists under /v1/users/{user}/…, which accept ids.`;
  return { fail: new ServiceError('not_found', message, found.fail.detail) };
}

const withdrawnMeanwhile = (): ServiceError =>
  new ServiceError('not_found', 'This was withdrawn while it was being read.');

/** As plain JSON, for waiters on other nodes. */
const serialized = <T>(got: Lookup<T>): Extract<Lookup<T>, { ok: T }> | { readonly fail: PlainFailure } =>
  'fail' in got ? { fail: plainFailure(got.fail) } : got;

const relabel = <T>(got: Lookup<T>, cache: ItemCache): Lookup<T> => ('ok' in got ? { ...got, cache } : got);
