import { ServiceError } from '../../../src/domain/errors.js';
import { handleKey } from '../../../src/domain/ids.js';
import { holdsUsers, LISTS, type ListRef } from '../../../src/domain/lists.js';
import { PRODUCTS, type Tweet, type User } from '../../../src/domain/model.js';
import type { Found, Network, NetworkPage } from '../../../src/ports/network.js';
import { type Faults, withFaults } from './faults.js';
import { EVERY_LIST } from './lists.js';

export interface ListScript {
  /** Items in each of the network's natural pages. */
  readonly pageSize?: number;
  readonly product?: ListRef['product'];
  /** Whether the network promises that its `next` leads to more items (C15). */
  readonly nextIsCertain?: boolean;
  readonly endReason?: 'network_limit';
}

export type PageScript = (token: string | null) => NetworkPage;

export interface ScriptedNetwork extends Faults {
  /** Adds a profile; makes up the handle and every other field not given. */
  user(fields: { id: string } & Partial<User>): User;
  /** Adds a tweet. Tweets are a second apart, the one with the higher id later. */
  tweet(fields: { id: string } & Partial<Tweet>): Tweet;
  /** Adds tweets (or users) with these numbers and returns their ids. */
  tweets(numbers: readonly number[], fields?: Partial<Tweet>): string[];
  users(numbers: readonly number[], fields?: Partial<User>): string[];
  /** Sets what a list holds. Its tokens name the last item passed, so new items on top shift nothing. */
  list(kind: ListRef['kind'], subject: string, ids: readonly string[], script?: ListScript): void;
  /** A list whose pages are written by the test: short ones, repeated tokens, duplicates. */
  pages(kind: ListRef['kind'], subject: string, page: PageScript, product?: ListRef['product']): void;
  /** Makes the network refuse this object and serve all others. */
  refuse(id: string, failure: ServiceError): void;
  /** Removes an object: it is `not_found` with this reason, and in no list. */
  remove(id: string, reason?: string): void;
  /** Brings a removed object back. */
  restore(id: string): void;
}

const START = Date.UTC(2020, 0, 1);

export const range = (count: number, first = 1): number[] => Array.from({ length: count }, (_, i) => first + i);

const keyOf = ({ kind, subject, product }: ListRef): string =>
  `${kind} ${subject} ${kind === 'search' ? (product ?? 'Latest') : ''}`;

/** A network in memory with just the data it is given. A test can make it fail or wait. */
export function createScriptedNetwork(
  options: Partial<Pick<Network, 'batchSize' | 'canonicalHandle' | 'impossible' | 'lists' | 'products'>> = {},
): ScriptedNetwork {
  const people = new Map<string, User>();
  const posts = new Map<string, Tweet>();
  const lists = new Map<string, PageScript>();
  const removed = new Map<string, string>();
  const refused = new Map<string, ServiceError>();

  const outcome = <T>(id: string | undefined, held: ReadonlyMap<string, T>): Found<T> => {
    const failure = refused.get(id ?? '');
    if (failure) return { fail: failure };
    const reason = removed.get(id ?? '');
    const value = reason === undefined ? held.get(id ?? '') : undefined;
    if (value !== undefined) return { ok: value };
    return { fail: new ServiceError('not_found', 'There is none.', { reason: reason ?? 'unknown' }) };
  };
  const idOfHandle = (handle: string): string | undefined =>
    [...people.values()].find((user) => handleKey(user.handle) === handleKey(handle))?.id;

  const network: Network = {
    name: 'scripted',
    sessions: ['only'],
    billing: null,
    batchSize: options.batchSize ?? { users: 100, tweets: 100 },
    pace: { fast: null, slow: null },
    products: options.products ?? PRODUCTS,
    lists: options.lists ?? EVERY_LIST,
    ...(options.canonicalHandle && { canonicalHandle: options.canonicalHandle }),
    ...(options.impossible && { impossible: options.impossible }),
    users: async (refs) => refs.map((ref) => outcome('id' in ref ? ref.id : idOfHandle(ref.handle), people)),
    tweets: async (ids) => ids.map((id) => outcome(id, posts)),
    async page(list, token) {
      const script = lists.get(keyOf(list));
      if (script) return script(token);
      if (LISTS[list.kind].withoutSubject === 'empty') return { next: null };
      throw new ServiceError('not_found', 'There is no such list.', { reason: 'unknown' });
    },
  };

  function pageOf(list: ListRef, ids: readonly string[], script: ListScript): PageScript {
    return (token) => {
      const { pageSize = 50, nextIsCertain = false, endReason } = script;
      const start = token === null ? 0 : ids.indexOf(token.slice('after:'.length)) + 1;
      const part = ids.slice(start, start + pageSize);
      const here = part.filter((id) => !removed.has(id));
      const last = part.at(-1);
      const more = start + pageSize < ids.length && last !== undefined;
      const items = holdsUsers(list)
        ? { users: here.flatMap((id) => people.get(id) ?? []) }
        : { tweets: here.flatMap((id) => posts.get(id) ?? []) };
      const next = more ? `after:${last}` : null;
      return { ...items, next, nextIsCertain, ...(!more && endReason && { endReason }) };
    };
  }

  const script: Omit<ScriptedNetwork, keyof Faults> = {
    user(fields) {
      const counts = { followersCount: 0, followingCount: 0, tweetsCount: 0 };
      const createdAt = new Date(START).toISOString();
      const user = { handle: `user${fields.id}`, name: `User ${fields.id}`, ...counts, createdAt, ...fields };
      people.set(user.id, user);
      return user;
    },
    tweet(fields) {
      const { createdAt = new Date(START + Number(fields.id) * 1000).toISOString() } = fields;
      const tweet = { text: `tweet ${fields.id}`, authorId: '1', createdAt, ...fields };
      posts.set(tweet.id, tweet);
      return tweet;
    },
    tweets: (numbers, fields = {}) => numbers.map((id) => script.tweet({ id: String(id), ...fields }).id),
    users: (numbers, fields = {}) => numbers.map((id) => script.user({ id: String(id), ...fields }).id),
    list(kind, subject, ids, how = {}) {
      const list = { kind, subject, ...(how.product && { product: how.product }) };
      lists.set(keyOf(list), pageOf(list, [...ids], how));
    },
    pages(kind, subject, page, product) {
      lists.set(keyOf({ kind, subject, ...(product && { product }) }), page);
    },
    refuse: (id, failure) => void refused.set(id, failure),
    remove: (id, reason = 'deleted') => void removed.set(id, reason),
    restore: (id) => void removed.delete(id),
  };
  return { ...script, ...withFaults(network) };
}
