import { type Person, type Post, timelineOf, WORLD } from '../contract/world.js';
import { basicOf, CID, detailedOf, didOf, feedItem, handleOf, isServed, known, postView, uriOf } from './objects.js';

/** An answer: a body, or the name and message of an error with status 400. */
export type Answer = { readonly body: unknown } | { readonly error: string; readonly message: string };

/** Selects the part of a list to return, and the cursor to the next. */
export type Cut = <T>(items: readonly T[], limit: number, cursor: string | null) => { items: T[]; cursor?: string };

interface MethodCall {
  readonly query: URLSearchParams;
  readonly cut: Cut;
}

type Method = (call: MethodCall) => Answer;

const invalid = (message: string): Answer => ({ error: 'InvalidRequest', message });

const actor = (text: string): Person | undefined =>
  WORLD.people.find(({ name }) => didOf(name) === text || handleOf(name) === text.toLowerCase());

const limitOf = (query: URLSearchParams): number => Number(query.get('limit') ?? 50);

/** By address, in constant time, because the suite's lists are long. */
const BY_URI = new Map(WORLD.posts.map((post) => [uriOf(post), post]));
const postAt = (uri: string): Post | undefined => {
  const post = BY_URI.get(uri);
  return post && !post.deleted && post.reposts === undefined && isServed(post.by) ? post : undefined;
};
const isVisible = (post: Post): boolean => !post.deleted && isServed(post.by);

/** A list of an actor's people, as `{subject, <name>, cursor}`. */
const peopleOf =
  (name: string, choose: (person: Person) => Person[]): Method =>
  ({ query, cut }) => {
    const text = query.get('actor') ?? '';
    const person = actor(text);
    if (person === undefined || !isServed(person.name)) return invalid(`Actor not found: ${text}`);
    const { items, cursor } = cut(choose(person), limitOf(query), query.get('cursor'));
    return { body: { subject: basicOf(person), [name]: items.map(basicOf), ...(cursor && { cursor }) } };
  };

const found = (posts: readonly Post[], { query, cut }: MethodCall): Answer => {
  const { items, cursor } = cut(posts, limitOf(query), query.get('cursor'));
  return { body: { posts: items.map(postView), ...(cursor && { cursor }) } };
};

function threadNode(post: Post, depth: number, height: number): Record<string, unknown> {
  const parent = post.replyTo === undefined ? undefined : known(post.replyTo);
  const replies = depth === 0 ? [] : WORLD.posts.filter((one) => one.replyTo === post.key && isVisible(one));
  return {
    $type: 'app.bsky.feed.defs#threadViewPost',
    post: postView(post),
    ...(parent && height > 0 && { parent: threadNode(parent, 0, height - 1) }),
    replies: replies.map((reply) => threadNode(reply, depth - 1, 0)),
    threadContext: {},
  };
}

const search: Method = (call) => {
  const words = (call.query.get('q') ?? call.query.get('query') ?? '').toLowerCase().split(' ');
  const matches = WORLD.posts.filter(
    (post) => isVisible(post) && words.every((word) => word === '*' || post.text.toLowerCase().includes(word)),
  );
  return found(matches.reverse(), call);
};

export const METHODS: Readonly<Record<string, Method>> = {
  'app.bsky.actor.getProfile': ({ query }) => {
    const person = actor(query.get('actor') ?? '');
    if (person?.state === 'suspended') return { error: 'AccountTakedown', message: 'Account has been suspended' };
    return person && isServed(person.name) ? { body: detailedOf(person) } : invalid('Profile not found');
  },
  'app.bsky.actor.getProfiles': ({ query }) => {
    const actors = query.getAll('actors');
    if (actors.length > 25) return invalid('Invalid app.bsky.actor.getProfiles params: array too big (maximum 25)');
    const people = actors.map(actor).filter((person) => person !== undefined && isServed(person.name));
    return { body: { profiles: people.map((person) => detailedOf(person as Person)) } };
  },
  'app.bsky.feed.getPosts': ({ query }) => {
    const uris = query.getAll('uris');
    if (uris.length > 25) return invalid('Invalid app.bsky.feed.getPosts params: array too big (maximum 25)');
    return { body: { posts: uris.flatMap((uri) => postAt(uri) ?? []).map(postView) } };
  },
  'com.atproto.repo.getRecord': ({ query }) => {
    const uri = `at://${query.get('repo')}/${query.get('collection')}/${query.get('rkey')}`;
    const post = BY_URI.get(uri);
    const subject = post?.reposts === undefined ? undefined : known(post.reposts);
    if (post === undefined || subject === undefined) {
      return { error: 'RecordNotFound', message: `Could not locate record: ${uri}` };
    }
    const value = { $type: 'app.bsky.feed.repost', subject: { uri: uriOf(subject), cid: CID }, createdAt: post.at };
    return { body: { uri, cid: CID, value } };
  },
  'app.bsky.feed.getAuthorFeed': ({ query, cut }) => {
    const person = actor(query.get('actor') ?? '');
    if (person === undefined || !isServed(person.name)) return invalid('Profile not found');
    const { items, cursor } = cut(timelineOf(WORLD, person.name), limitOf(query), query.get('cursor'));
    return { body: { feed: items.map(feedItem), ...(cursor && { cursor }) } };
  },
  'app.bsky.graph.getFollowers': peopleOf('followers', ({ followers }) =>
    followers.flatMap((name) => WORLD.people.filter((one) => one.name === name)),
  ),
  'app.bsky.graph.getFollows': peopleOf('follows', ({ name }) =>
    WORLD.people.filter(({ followers }) => followers.includes(name)),
  ),
  'app.bsky.feed.getRepostedBy': ({ query, cut }) => {
    const post = postAt(query.get('uri') ?? '');
    const names = WORLD.posts.filter(({ reposts }) => post && reposts === post.key).map(({ by }) => by);
    const people = WORLD.people.filter(({ name }) => names.includes(name));
    const { items, cursor } = cut(people, limitOf(query), query.get('cursor'));
    return { body: { uri: query.get('uri'), repostedBy: items.map(basicOf), ...(cursor && { cursor }) } };
  },
  'app.bsky.feed.getQuotes': (call) => {
    const post = postAt(call.query.get('uri') ?? '');
    return found(WORLD.posts.filter((one) => post && one.quotes === post.key && isVisible(one)).reverse(), call);
  },
  'app.bsky.feed.getPostThread': ({ query }) => {
    const uri = query.get('uri') ?? '';
    const post = postAt(uri);
    if (post === undefined) return { error: 'NotFound', message: `Post not found: ${uri}` };
    return { body: { thread: threadNode(post, Number(query.get('depth')), Number(query.get('parentHeight'))) } };
  },
  'app.bsky.feed.searchPosts': search,
  'app.bsky.feed.searchPostsV2': search,
  'app.bsky.actor.searchActors': ({ query, cut }) => {
    const words = (query.get('q') ?? '').toLowerCase();
    const people = WORLD.people.filter(({ name }) => isServed(name) && name.includes(words));
    const { items, cursor } = cut(people, limitOf(query), query.get('cursor'));
    return { body: { actors: items.map(basicOf), ...(cursor && { cursor }) } };
  },
};
