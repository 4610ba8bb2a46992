import { fromPlain, type PlainFailure, plainFailure, ServiceError } from '../core/errors.js';
import type { Tweet, User, UserRef } from '../core/model.js';
import type { ItemCache } from '../core/prices.js';
import type { Cache, Cached } from '../ports/cache.js';
import type { Clock } from '../ports/clock.js';
import type { Found } from '../ports/network.js';
import { type Absence, absenceOf, notFoundFrom } from './absence.js';
import type { CallContext } from './call-context.js';
import { absentKey, namesOfUser, tweetKey, userKey } from './keys.js';
import type { Lifetimes } from './lifetimes.js';
import type { Pool } from './pool/pool.js';
import type { SharedReads } from './shared-reads.js';
import type { Tombstones } from './tombstones.js';
import type { Waiters } from './waiters.js';

/** An object and how it was obtained, or the failure. */
export type Lookup<T> =
  | { readonly ok: T; readonly cache: ItemCache; readonly fetchedAt: number }
  | { readonly fail: ServiceError };

/** Single objects of one kind: from the cache, from remembered 404s, or read from the network. */
export interface Entities<Ref, T> {
  /** The cache key of an object. */
  readonly keyOf: (ref: Ref) => string;
  /** Cached objects and remembered 404s (M24), without reading; undefined if a read is needed. */
  peek(refs: readonly Ref[]): Promise<(Lookup<T> | undefined)[]>;
  read(ref: Ref, fresh: boolean, callContext: CallContext): Promise<Lookup<T>>;
  /** Caches complete objects that came with a list (M13). `noted`: see `Tombstones`. */
  store(values: readonly T[], fetchedAt: number, noted: number): Promise<void>;
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
  /** Every cache key of the object. */
  readonly names: (value: T) => string[];
  readonly read: (ref: Ref, waiters: Waiters) => Promise<Found<T>>;
  readonly lifetimeMs: number;
}

export const createUsers = (options: EntitiesOptions): Entities<UserRef, User> =>
  createEntities(options, {
    keyOf: userKey,
    names: namesOfUser,
    read: async (ref, waiters) => withIdHint(ref, await options.pool.user(ref, waiters)),
    lifetimeMs: options.lifetimes.profileMs,
  });

export const createTweets = (options: EntitiesOptions): Entities<string, Tweet> =>
  createEntities(options, {
    keyOf: tweetKey,
    names: (tweet) => [tweetKey(tweet.id)],
    read: (id, waiters) => options.pool.tweet(id, waiters),
    lifetimeMs: options.lifetimes.tweetMs,
  });

function createEntities<Ref, T>(options: EntitiesOptions, kind: Kind<Ref, T>): Entities<Ref, T> {
  const { cache, unpaid, shared, tombstones, clock, lifetimes } = options;

  async function store(values: readonly T[], fetchedAt: number, noted: number): Promise<void> {
    const sets: Promise<void>[] = [];
    for (const value of values) {
      for (const name of kind.names(value)) {
        tombstones.remove(name, noted);
        sets.push(cache.set(name, { value, fetchedAt }, kind.lifetimeMs));
      }
    }
    await Promise.all(sets);
  }

  /**
   * Called when the network says the object does not exist: removes every cached copy, and remembers the 404 for a
   * while (M24, M25).
   */
  async function markDeleted(key: string, failure: ServiceError, accountId: string): Promise<void> {
    const cached = await cache.get<T>(key);
    const names = cached ? [...new Set([key, ...kind.names(cached.value)])] : [key];
    if (cached) for (const name of names) tombstones.add(name, accountId);
    const mayBeCached = cached !== undefined || (await tombstones.addIfCached(key, accountId));
    if (mayBeCached) await cache.delete(names);
    await unpaid.set(absentKey(key), { value: absenceOf(failure), fetchedAt: clock.now() }, lifetimes.absentMs);
  }

  async function readNow(ref: Ref, waiters: Waiters): Promise<Lookup<T>> {
    const key = kind.keyOf(ref);
    const { noted } = tombstones;
    const found = await kind.read(ref, waiters);
    if ('ok' in found) {
      const fetchedAt = clock.now();
      await Promise.all([store([found.ok], fetchedAt, noted), unpaid.delete([absentKey(key)])]);
      return { ok: found.ok, cache: 'miss', fetchedAt };
    }
    if (found.fail.code === 'not_found') await markDeleted(key, found.fail, waiters.accountId);
    return { fail: found.fail };
  }

  const peek = (refs: readonly Ref[]): Promise<(Lookup<T> | undefined)[]> => lookUp(options, refs.map(kind.keyOf));

  return {
    keyOf: kind.keyOf,
    store,
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

/** Looks up cache keys: each gives the object or a remembered 404. */
async function lookUp<T>(
  { cache, unpaid, tombstones, pool }: EntitiesOptions,
  keys: readonly string[],
): Promise<(Lookup<T> | undefined)[]> {
  const all = await cache.getMany<T>(keys);
  // Another node may have learned of the deletion while this one still has a copy.
  const cachedAt = (index: number): Cached<T> | undefined =>
    tombstones.has(keys[index] as string) ? undefined : all[index];
  const missing = keys.filter((_, index) => cachedAt(index) === undefined);
  const told = missing.length > 0 ? await unpaid.getMany<Absence>(missing.map(absentKey)) : [];
  const absences = new Map(missing.map((key, index) => [key, told[index]]));
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

/** Digits are read as a handle here (I4); the message tells callers who meant an id where ids are accepted. */
function withIdHint(ref: UserRef, found: Found<User>): Found<User> {
  if ('ok' in found || found.fail.code !== 'not_found' || !('handle' in ref) || !/^[0-9]+$/.test(ref.handle))
    return found;
  const message = `No user has the handle ${ref.handle}. If it is an id, use the lists under /v1/users/{user}/…, which accept ids.`;
  return { fail: new ServiceError('not_found', message, found.fail.detail) };
}

/** As plain JSON, for waiters on other nodes. */
const serialized = <T>(got: Lookup<T>): Extract<Lookup<T>, { ok: T }> | { readonly fail: PlainFailure } =>
  'fail' in got ? { fail: plainFailure(got.fail) } : got;

const relabel = <T>(got: Lookup<T>, cache: ItemCache): Lookup<T> => ('ok' in got ? { ...got, cache } : got);
