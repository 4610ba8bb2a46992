import type { NetworkPage } from '../../../../src/ports/network.js';
import { isHiddenPost } from '../hidden.js';
import { recordId } from '../ids.js';
import { ANSWERS, type PostView, type ThreadNode, type ThreadPost } from '../schemas.js';
import { earlierOf } from '../times.js';
import type { ListRead } from './lists.js';
import { noTweet } from './subject.js';

/** Levels above and below; the network may give fewer. */
const HEIGHT = 80;
const DEPTH = 100;
/** The network gives a thread in one piece: pages of it are cut here. */
const PAGE = 50;

/** The post, those above it from the root on, and what follows, oldest first. Posts that are gone or blocked are left out. */
export async function readThread(read: ListRead, uri: string): Promise<NetworkPage> {
  const focal = await readTree(read, uri, { depth: DEPTH, parentHeight: HEIGHT });
  const top = read.token === null ? [focal.post, ...above(focal)] : [];
  return pageOf(read, top, below(focal));
}

/** Direct replies, oldest first. */
export async function readReplies(read: ListRead, uri: string): Promise<NetworkPage> {
  const focal = await readTree(read, uri, { depth: 1, parentHeight: 0 });
  const replies = postsIn(focal.replies).map(({ post }) => post);
  return pageOf(
    read,
    [],
    replies.filter(({ record }) => record.reply?.parent.uri === uri),
  );
}

async function readTree(
  { ask, context }: ListRead,
  uri: string,
  levels: { depth: number; parentHeight: number },
): Promise<ThreadPost> {
  const method = 'app.bsky.feed.getPostThread';
  const { thread } = await ask({ method, params: { uri, ...levels }, schema: ANSWERS.getPostThread, context });
  if (thread.$type === 'other' || isHiddenPost(thread.post)) throw noTweet();
  return thread;
}

const postsIn = (nodes: readonly ThreadNode[] = []): ThreadPost[] => nodes.filter((node) => node.$type !== 'other');

function above(focal: ThreadPost): PostView[] {
  const posts: PostView[] = [];
  for (let node = focal.parent; node !== undefined && node.$type !== 'other'; node = node.parent) posts.push(node.post);
  return posts.reverse();
}

function below(focal: ThreadPost): PostView[] {
  const posts: PostView[] = [];
  const open = postsIn(focal.replies);
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    posts.push(node.post);
    open.push(...postsIn(node.replies));
  }
  return posts;
}

/** Where a post stands among those that follow: by time, and by id within the same moment. */
const placeOf = ({ uri, record, indexedAt }: PostView): string =>
  `${earlierOf(record.createdAt, indexedAt)} ${recordId(uri)}`;

/** A page after the place that the token is: what comes or goes meanwhile moves nothing else. */
async function pageOf(
  { profiles, token, context }: ListRead,
  top: readonly PostView[],
  posts: readonly PostView[],
): Promise<NetworkPage> {
  const placed = posts.map((post) => ({ post, place: placeOf(post) }));
  const rest = placed.filter(({ place }) => token === null || place > token);
  rest.sort((a, b) => (a.place < b.place ? -1 : 1));
  const page = rest.slice(0, PAGE);
  const last = rest.length > PAGE ? page.at(-1) : undefined;
  const items = [...top, ...page.map(({ post }) => post)].map((post) => ({ post }));
  return { tweets: await profiles.tweets(items, context), next: last?.place ?? null };
}
