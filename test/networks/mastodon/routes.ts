import { isShown, type Post, timelineOf, type World } from '../contract/world.js';
import type { Words } from './objects.js';

/** An answer of the server: a body, or a refusal. A list's items have positions, which decrease. */
export type Answer =
  | { readonly status: number; readonly body: unknown }
  | { readonly list: readonly { readonly position: bigint; readonly item: object }[]; readonly most: number };

export interface ApiRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly hasToken: boolean;
}

const NOT_FOUND: Answer = { status: 404, body: { error: 'Record not found' } };
const LOGIN: Answer = { status: 401, body: { error: 'This API requires an authenticated user' } };

/** The endpoints that are read, over the world. */
export function answerTo(world: World, words: Words, { path, query, hasToken }: ApiRequest): Answer {
  const ok = (body: unknown): Answer => ({ status: 200, body });
  const personBy = (of: (name: string) => string, text: string) =>
    world.people.find(({ name, state }) => of(name).toLowerCase() === text.toLowerCase() && state !== 'deleted');
  /** The token belongs to a follower of `shy`. */
  const isSeen = (post: Post): boolean =>
    !post.deleted &&
    (isShown(world, post.by) ||
      (hasToken && world.people.some((one) => one.name === post.by && one.state === 'private')));
  const seen = world.posts.filter(isSeen);
  const postById = (id: string) => seen.find(({ key }) => words.statusId(key) === id);
  const byTime = (posts: readonly Post[], most: number): Answer => ({
    list: posts.map((post) => ({ position: BigInt(words.statusId(post.key)), item: words.status(post) })),
    most,
  });
  /** Positions are those of the follows and boosts, not of the people. */
  const people = (names: readonly string[]): Answer => ({
    list: names.map((name, index) => ({
      position: BigInt(9000 + 10 * (names.length - index)),
      item: words.account(name),
    })),
    most: 80,
  });
  const below = (post: Post): Post[] =>
    seen.filter(({ replyTo }) => replyTo === post.key).flatMap((reply) => [reply, ...below(reply)]);
  const above = (post: Post): Post[] => {
    const parent = seen.find(({ key }) => key === post.replyTo);
    return parent ? [...above(parent), parent] : [];
  };

  if (path === '/api/v2/instance') {
    const contact = { account: { id: '1', acct: 'harbor' } };
    return ok({ domain: 'server.example', version: '4.5.2', api_versions: { mastodon: 7 }, contact });
  }
  if (path === '/api/v1/accounts/lookup') {
    const person = personBy(words.acct, query.get('acct') ?? '');
    return person ? ok(words.account(person.name)) : NOT_FOUND;
  }
  if (path === '/api/v1/statuses') {
    const ids = query.getAll('id[]');
    if (ids.length > 20) return { status: 422, body: { error: 'Validation failed: too many' } };
    return ok(ids.flatMap((id) => postById(id) ?? []).map(words.status));
  }
  if (path === '/api/v2/search') {
    const offset = Number(query.get('offset') ?? 0);
    if (query.get('type') === 'accounts') {
      const q = (query.get('q') ?? '').toLowerCase();
      const names = world.people.filter(({ name }) => isShown(world, name) && name.includes(q)).map(({ name }) => name);
      const people = names.slice(offset, offset + 40);
      return ok({ accounts: people.map(words.account), statuses: [], hashtags: [] });
    }
    if (!hasToken) return ok({ accounts: [], statuses: [], hashtags: [] });
    const wanted = (query.get('q') ?? '').split(' ').filter((word) => !word.includes(':'));
    const hits = seen
      .filter(({ text }) => wanted.every((word) => text.toLowerCase().includes(word.toLowerCase())))
      .reverse();
    return ok({ accounts: [], statuses: hits.slice(offset, offset + 40).map(words.status), hashtags: [] });
  }

  const [, kind, id = '', of] = /^\/api\/v1\/(accounts|statuses)\/(\d+)(?:\/(\w+))?$/.exec(path) ?? [];
  if (kind === 'accounts') {
    const person = personBy(words.accountId, id);
    if (person === undefined) return NOT_FOUND;
    if (of === undefined) return ok(words.account(person.name));
    const isBanned = person.state === 'suspended';
    if (of === 'statuses') return byTime(isBanned ? [] : timelineOf(world, person.name).filter(isSeen), 40);
    if (of === 'followers') return people(isBanned ? [] : person.followers);
    const followed = world.people.filter(({ followers }) => followers.includes(person.name)).map(({ name }) => name);
    if (of === 'following') return people(isBanned ? [] : followed);
  }
  if (kind === 'statuses') {
    const post = postById(id);
    if (of === 'quotes' && !hasToken) return LOGIN;
    if (post === undefined) return NOT_FOUND;
    if (of === undefined) return ok(words.status(post));
    if (of === 'context')
      return ok({ ancestors: above(post).map(words.status), descendants: below(post).map(words.status) });
    if (of === 'reblogged_by') return people(seen.filter(({ reposts }) => reposts === post.key).map(({ by }) => by));
    if (of === 'quotes') return byTime(seen.filter(({ quotes }) => quotes === post.key).reverse(), 40);
  }
  return { status: 404, body: { error: 'Not Found' } };
}
