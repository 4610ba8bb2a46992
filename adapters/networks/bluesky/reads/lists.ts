import type { NetworkPage, ReadContext } from '../../../../src/ports/network.js';
import { noUser } from '../ids.js';
import { type Item, isHidden } from '../map.js';
import type { Profiles } from '../profiles.js';
import { ANSWERS, type BasicProfile, type FeedItem, type PostView } from '../schemas.js';
import { repostedAt } from '../times.js';
import type { Xrpc } from '../xrpc.js';

/** The most items on a page. */
const LIMIT = 100;

export interface BlueskyListRead {
  readonly xrpc: Xrpc;
  readonly profiles: Profiles;
  readonly token: string | null;
  readonly context: ReadContext;
}

const REPOST = 'app.bsky.feed.defs#reasonRepost';

/** An account's posts and reposts, newest first. */
export async function readTimeline(
  { xrpc, profiles, token, context }: BlueskyListRead,
  did: string,
): Promise<NetworkPage> {
  const { feed, cursor } = await xrpc({
    method: 'app.bsky.feed.getAuthorFeed',
    params: { actor: did, limit: LIMIT, cursor: token, filter: 'posts_with_replies', includePins: false },
    schema: ANSWERS.getAuthorFeed,
    context,
  });
  const people = feed.flatMap(({ post, reason }) => [post.author, ...(reason?.by ? [reason.by] : [])]);
  if (people.some((person) => person.did === did && isHidden(person))) throw noUser();
  return { tweets: await profiles.tweets(feed.flatMap(toItems), context), next: cursor || null };
}

/** Any other reason only explains why the post is in the list. */
function toItems({ post, reason }: FeedItem): Item[] {
  if (reason?.$type !== REPOST) return [{ post }];
  const { uri, by, indexedAt } = reason;
  // Without an address the repost has no id, and cannot be distinguished from the post.
  if (uri === undefined || by === undefined) return [];
  return [{ post, repost: { uri, did: by.did, at: repostedAt(indexedAt), by } }];
}

export async function readFollowers(
  { xrpc, profiles, token, context }: BlueskyListRead,
  did: string,
): Promise<NetworkPage> {
  const { subject, followers, cursor } = await xrpc({
    method: 'app.bsky.graph.getFollowers',
    params: { actor: did, limit: LIMIT, cursor: token },
    schema: ANSWERS.getFollowers,
    context,
  });
  return userPage(profiles, followers, cursor, context, subject);
}

export async function readFollowing(
  { xrpc, profiles, token, context }: BlueskyListRead,
  did: string,
): Promise<NetworkPage> {
  const { subject, follows, cursor } = await xrpc({
    method: 'app.bsky.graph.getFollows',
    params: { actor: did, limit: LIMIT, cursor: token },
    schema: ANSWERS.getFollows,
    context,
  });
  return userPage(profiles, follows, cursor, context, subject);
}

/** Empty for a post that does not exist. */
export async function readRetweeters(
  { xrpc, profiles, token, context }: BlueskyListRead,
  uri: string,
): Promise<NetworkPage> {
  const { repostedBy, cursor } = await xrpc({
    method: 'app.bsky.feed.getRepostedBy',
    params: { uri, limit: LIMIT, cursor: token },
    schema: ANSWERS.getRepostedBy,
    context,
  });
  return userPage(profiles, repostedBy, cursor, context);
}

/** Empty for a post that does not exist. */
export async function readQuotes(
  { xrpc, profiles, token, context }: BlueskyListRead,
  uri: string,
): Promise<NetworkPage> {
  const { posts, cursor } = await xrpc({
    method: 'app.bsky.feed.getQuotes',
    params: { uri, limit: LIMIT, cursor: token },
    schema: ANSWERS.getQuotes,
    context,
  });
  const items = posts.map((post) => ({ post }));
  return { tweets: await profiles.tweets(items, context), next: cursor || null };
}

/** Profiles in a list have no counts, so they are read again in full. */
export async function userPage(
  profiles: Profiles,
  listed: readonly BasicProfile[],
  cursor: string | undefined,
  context: ReadContext,
  subject?: Pick<PostView, 'labels'>,
): Promise<NetworkPage> {
  if (subject && isHidden(subject)) throw noUser();
  const shown = listed.filter((profile) => !isHidden(profile)).map(({ did }) => did);
  return { users: await profiles.users(shown, context), next: cursor || null };
}
