import type { NetworkPage } from '../../../../src/ports/network.js';
import { unreadable } from '../../upstream/failures.js';
import { noTweet, recordId } from '../ids.js';
import { isHiddenPost } from '../map.js';
import { ANSWERS, type PostView, type ThreadNode, type ThreadPost } from '../schemas.js';
import { earlierTime } from '../times.js';
import type { BlueskyListRead } from './lists.js';

/** Levels above and below; the network may return fewer. */
const HEIGHT = 80;
const DEPTH = 100;
/** The network returns a thread in one piece, which is cut into pages here. */
const PAGE = 50;

/**
 * The post, its ancestors from the root on, and its descendants, oldest first. Deleted and blocked posts are left
 * out.
 */
export async function readThread(read: BlueskyListRead, uri: string): Promise<NetworkPage> {
  const focal = await readTree(read, uri, { depth: DEPTH, parentHeight: HEIGHT });
  const top = read.token === null ? [focal.post, ...above(focal)] : [];
  const page = await pageAfterToken(read, top, below(focal));
  return page.next === null && isCut(focal) ? { ...page, endReason: 'network_limit' } : page;
}

/** Direct replies, oldest first. */
export async function readReplies(read: BlueskyListRead, uri: string): Promise<NetworkPage> {
  const focal = await readTree(read, uri, { depth: 1, parentHeight: 0 });
  const replies = postsIn(focal.replies).flatMap(({ post }) => post ?? []);
  return pageAfterToken(
    read,
    [],
    replies.filter(({ record }) => record.reply?.parent.uri === uri),
  );
}

async function readTree(
  { xrpc, context }: BlueskyListRead,
  uri: string,
  levels: { depth: number; parentHeight: number },
): Promise<ThreadPost & { readonly post: PostView }> {
  const method = 'app.bsky.feed.getPostThread';
  const { thread } = await xrpc({ method, params: { uri, ...levels }, schema: ANSWERS.getPostThread, context });
  if (thread.$type === 'other') throw noTweet();
  const { post } = thread;
  if (post === undefined) throw unreadable(method, uri);
  if (isHiddenPost(post)) throw noTweet();
  return { ...thread, post };
}

const postsIn = (nodes: readonly ThreadNode[] = []): ThreadPost[] => nodes.filter((node) => node.$type !== 'other');

/**
 * Whether the network left out posts above or below. It says so only by what is missing: a post at the last level has no
 * list of replies, not even an empty one, and a reply at the first level has no parent, not even a deleted one.
 */
function isCut(focal: ThreadPost): boolean {
  let top = focal;
  while (top.parent !== undefined && top.parent.$type !== 'other') top = top.parent;
  if (top.parent === undefined && top.post?.record.reply !== undefined) return true;
  const open = [focal];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.replies === undefined && (node.post?.replyCount ?? 0) > 0) return true;
    open.push(...postsIn(node.replies));
  }
  return false;
}

function above(focal: ThreadPost): PostView[] {
  const posts: PostView[] = [];
  for (let node = focal.parent; node !== undefined && node.$type !== 'other'; node = node.parent) {
    if (node.post) posts.push(node.post);
  }
  return posts.reverse();
}

function below(focal: ThreadPost): PostView[] {
  const posts: PostView[] = [];
  const open = postsIn(focal.replies);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (node.post) posts.push(node.post);
    open.push(...postsIn(node.replies));
  }
  return posts;
}

/** A post's position among the descendants: by time, and by id within the same moment. */
const sortKey = ({ uri, record, indexedAt }: PostView): string =>
  `${earlierTime(record.createdAt, indexedAt)} ${recordId(uri)}`;

/** The page after the position in the token. Posts added or deleted in the meantime do not shift others. */
async function pageAfterToken(
  { profiles, token, context }: BlueskyListRead,
  top: readonly PostView[],
  posts: readonly PostView[],
): Promise<NetworkPage> {
  const placed = posts.map((post) => ({ post, place: sortKey(post) }));
  const rest = placed.filter(({ place }) => token === null || place > token);
  rest.sort((a, b) => (a.place < b.place ? -1 : 1));
  const page = rest.slice(0, PAGE);
  const last = rest.length > PAGE ? page.at(-1) : undefined;
  const items = [...top, ...page.map(({ post }) => post)].map((post) => ({ post }));
  return { tweets: await profiles.tweets(items, context), next: last?.place ?? null };
}
