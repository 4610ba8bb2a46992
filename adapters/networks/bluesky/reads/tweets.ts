import { isUnreadable, ServiceError } from '../../../../src/domain/errors.js';
import type { Tweet } from '../../../../src/domain/model.js';
import type { Found, ReadContext } from '../../../../src/ports/network.js';
import { unreadable } from '../../upstream/failures.js';
import { isAmong, type LookedUp } from '../../upstream/readable.js';
import { IMPOSSIBLE, noTweet, POST, parseRecordId, parseRecordUri, type RecordUri, uriOfRecord } from '../ids.js';
import type { Item } from '../map.js';
import { chunks, type Profiles } from '../profiles.js';
import { ANSWERS, type PostView } from '../schemas.js';
import { repostedAt } from '../times.js';
import type { Xrpc } from '../xrpc.js';

const GET_POSTS = 'app.bsky.feed.getPosts';
/** Records of reposts take one call each; this many calls run at once. */
const MOST_AT_ONCE = 4;

/** One outcome per input: posts, and reposts under their own ids. */
export async function readTweets(
  xrpc: Xrpc,
  profiles: Profiles,
  ids: readonly string[],
  context: ReadContext,
): Promise<Found<Tweet>[]> {
  const records = ids.map(parseRecordId);
  const subjects: (Subject | { readonly fail: ServiceError } | null)[] = [];
  for (const some of chunks(records, MOST_AT_ONCE)) {
    subjects.push(...(await Promise.all(some.map((record) => record && findSubject(xrpc, record, context)))));
  }
  const known = subjects.map((subject) => (subject && 'uri' in subject ? subject : undefined));
  const uris = [...new Set(known.flatMap((subject) => subject?.uri ?? []))];
  const { objects, unread } = await readPosts(xrpc, uris, context);
  const posts = new Map(objects.map((post) => [post.uri, post]));
  const items = known.flatMap((subject): Item[] => {
    const post = subject && posts.get(subject.uri);
    return post ? [{ post, ...(subject.repost && { repost: subject.repost }) }] : [];
  });
  const tweets = await profiles.tweets(items, context);
  const byId = new Map(tweets.map((tweet) => [tweet.id, tweet]));
  return ids.map((id, index) => {
    const tweet = byId.get(id);
    if (tweet) return { ok: tweet };
    const subject = subjects[index];
    if (subject && 'fail' in subject) return subject;
    const isUnread = subject && !posts.has(subject.uri) && isAmong(unread, 'uri', subject.uri);
    if (isUnread) return { fail: unreadable(GET_POSTS, subject.uri) };
    return { fail: IMPOSSIBLE.tweet(id) ?? noTweet() };
  });
}

/** Deleted posts are left out. */
async function readPosts(xrpc: Xrpc, all: readonly string[], context: ReadContext): Promise<LookedUp<PostView>> {
  const calls = chunks(all).map((uris) =>
    xrpc({ method: GET_POSTS, params: { uris }, schema: ANSWERS.getPosts, context }),
  );
  const found = (await Promise.all(calls)).map(({ posts }) => posts);
  return { objects: found.flatMap(({ objects }) => objects), unread: found.flatMap(({ unread }) => unread) };
}

interface Subject {
  readonly uri: string;
  readonly repost?: NonNullable<Item['repost']>;
}

/** The post that the record is or reposts; null if there is none. */
async function findSubject(
  xrpc: Xrpc,
  record: RecordUri,
  context: ReadContext,
): Promise<Subject | { readonly fail: ServiceError } | null> {
  const uri = uriOfRecord(record);
  if (record.collection === POST) return { uri };
  const { did, collection, rkey } = record;
  const method = 'com.atproto.repo.getRecord';
  try {
    const { value } = await xrpc({
      method,
      params: { repo: did, collection, rkey },
      schema: ANSWERS.getRecord,
      context,
    });
    if (parseRecordUri(value.subject.uri)?.collection !== POST) return null;
    return { uri: value.subject.uri, repost: { uri, did, at: repostedAt(value.createdAt) } };
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null;
    if (error instanceof ServiceError && isUnreadable(error)) return { fail: error };
    throw error;
  }
}
