import { ServiceError } from '../../../src/domain/errors.js';
import { holdsUsers, type ListKind, type ListRef } from '../../../src/domain/lists.js';
import { PRODUCTS, type Tweet, type User } from '../../../src/domain/model.js';
import type { Found, Network, NetworkPage, ReadContext } from '../../../src/ports/network.js';
import { EVERY_LIST } from '../../kit/networks/lists.js';

/** How the network behaves from now on. With `only`, reads of other kinds are unaffected. */
export type Weather =
  | { readonly kind: 'well' }
  | { readonly kind: 'hangs'; readonly only?: ListKind }
  | { readonly kind: 'fails'; readonly only?: ListKind }
  /** Serves this many calls a second, one after the other; others wait until their signal fires. */
  | { readonly kind: 'slow'; readonly perSecond: number };

export interface HostileNetwork {
  readonly network: Network;
  become(weather: Weather): void;
  /** Removes a tweet. */
  remove(tweetId: string): void;
}

/** Ids below are people; this and higher ones are tweets. */
export const FIRST_TWEET = 1_000_000;
const TWEETS = 1_000_000;
const LIST_SIZE = 60;
const PAGE_SIZE = 20;
const AT = Date.UTC(2024, 0, 1);

/** Has a person or tweet for every number. It stores nothing, so the memory of the process is the service's own. */
export function createHostileNetwork(): HostileNetwork {
  const removed = new Set<string>();
  let weather: Weather = { kind: 'well' };
  let turnAtMs = 0;

  async function through<T>(kind: ListKind | null, { signal }: ReadContext, answer: () => T): Promise<T> {
    const now = weather;
    if (now.kind === 'hangs' && (now.only ?? kind) === kind) await aborted(signal);
    if (now.kind === 'fails' && (now.only ?? kind) === kind)
      throw new ServiceError('upstream_error', 'It is not well.');
    if (now.kind === 'slow') {
      turnAtMs = Math.max(turnAtMs, performance.now()) + 1000 / now.perSecond;
      await waited(turnAtMs - performance.now(), signal);
    }
    return answer();
  }

  const network: Network = {
    name: 'hostile',
    sessions: ['first', 'second', 'third'],
    billing: null,
    batchSize: { users: 100, tweets: 100 },
    // For each session: thirty searches a second in all, and single objects as fast as an attack may need.
    pace: { fast: 300, slow: 10 },
    products: PRODUCTS,
    lists: EVERY_LIST,
    users: (refs, context) =>
      through(null, context, () => refs.map((ref) => ('id' in ref ? userOfId(ref.id) : userOfHandle(ref.handle)))),
    tweets: (ids, context) => through(null, context, () => ids.map((id) => tweetOf(id, removed))),
    page: (list, token, context) => through(list.kind, context, () => pageOf(list, token, removed)),
  };
  return {
    network,
    become(next) {
      weather = next;
      turnAtMs = 0;
    },
    remove: (id) => void removed.add(id),
  };
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason);
      },
      { once: true },
    );
  });
}

const missing = { fail: new ServiceError('not_found', 'There is none.', { reason: 'unknown' }) } as const;

function user(number: number): User {
  const counts = { followersCount: LIST_SIZE, followingCount: LIST_SIZE, tweetsCount: LIST_SIZE };
  const createdAt = new Date(AT).toISOString();
  return {
    id: String(number),
    handle: `person_${number}`,
    name: `Person ${number}`,
    bio: 'Writes.',
    createdAt,
    ...counts,
  };
}

const userOfHandle = (handle: string): Found<User> => {
  const number = /^person_(\d{1,6})$/i.exec(handle)?.[1];
  return number === undefined ? missing : { ok: user(Number(number)) };
};

const userOfId = (id: string): Found<User> => (Number(id) < FIRST_TWEET ? { ok: user(Number(id)) } : missing);

const tweet = (id: number): Tweet => ({
  id: String(id),
  text: `tweet ${id}`,
  authorId: String(id % 1000),
  createdAt: new Date(AT + (id - FIRST_TWEET) * 1000).toISOString(),
});

function tweetOf(id: string, removed: ReadonlySet<string>): Found<Tweet> {
  if (removed.has(id)) return { fail: new ServiceError('not_found', 'It was deleted.', { reason: 'deleted' }) };
  const number = Number(id);
  return number >= FIRST_TWEET && number < FIRST_TWEET + TWEETS ? { ok: tweet(number) } : missing;
}

/** Where a list's items begin, which depends only on its subject. */
function startOf({ kind, subject }: ListRef): number {
  let sum = kind.length;
  for (const letter of subject) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 900_000;
  return sum;
}

function pageOf(list: ListRef, token: string | null, removed: ReadonlySet<string>): NetworkPage {
  const from = token === null ? 0 : Number(token);
  const until = Math.min(from + PAGE_SIZE, LIST_SIZE);
  // Newest first.
  const numbers = Array.from({ length: until - from }, (_, index) => startOf(list) + LIST_SIZE - from - index);
  const next = until < LIST_SIZE ? String(until) : null;
  if (holdsUsers(list)) return { users: numbers.map(user), next, nextIsCertain: true };
  const tweets = numbers.map((number) => tweet(FIRST_TWEET + number)).filter(({ id }) => !removed.has(id));
  return { tweets, next, nextIsCertain: true };
}
