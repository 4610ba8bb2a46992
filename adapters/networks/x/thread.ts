import { foreignCursor } from '../../../src/domain/errors.js';
import type { Tweet } from '../../../src/domain/model.js';
import type { NetworkPage } from '../../../src/ports/network.js';
import { findTweet, findTweets } from './entities.js';
import { requireSearchUnder, type SearchPlace, searchUnder } from './search.js';

/** The most calls for a post's ancestors, and for finding out whether replies belong under it. */
const MAX_ABOVE = 30;
const MAX_PARENT_CALLS = 10;

/** Direct replies: X's search finds them, and its other results are left out. */
export async function readReplies(reading: SearchPlace, id: string): Promise<NetworkPage> {
  const { api, context, token } = reading;
  if (token === null) await requireSearchUnder(reading, id);
  // The search finds nothing under a post without replies or one that does not exist; this distinguishes the two.
  const isKnown = token !== null || (await context.cached?.tweet(id)) !== undefined;
  const search = searchUnder(reading, `in_reply_to_tweet_id:${id}`, id);
  const [page, focal] = await Promise.all([search, isKnown ? undefined : findTweet(api, id, context)]);
  const tweets = page.tweets.filter(({ inReplyToId }) => inReplyToId === id);
  return { ...page, tweets, ...(focal && { beside: { tweets: [focal] } }) };
}

/**
 * The focal post, its ancestors from the root down, and its descendants. These come from the pages of X's search,
 * newest page first, but oldest post first within each page. Their order therefore depends on the page size, so that is
 * the same for all readers. A token contains the conversation and the search's own token.
 */
export async function readThread(reading: SearchPlace, id: string): Promise<NetworkPage> {
  const { token } = reading;
  if (token !== null) {
    const [, conversation, searched] = /^([0-9]{1,19}):(.+)$/s.exec(token) ?? [];
    if (conversation === undefined || searched === undefined) {
      throw foreignCursor();
    }
    return below(reading, id, conversation, searched);
  }
  await requireSearchUnder(reading, id);
  const cached = await reading.context.cached?.tweet(id);
  const focal = cached?.isOfThisCall ? cached.value : await findTweet(reading.api, id, reading.context);
  const [above, page] = await Promise.all([
    readAbove(reading, focal),
    below(reading, id, focal.conversationId ?? id, null),
  ]);
  return { ...page, tweets: [focal, ...above, ...page.tweets] };
}

/** The ancestors up to the first one that is not visible; the root of the conversation still comes first. */
async function readAbove({ api, context }: SearchPlace, focal: Tweet): Promise<Tweet[]> {
  const root = focal.conversationId;
  const seen = new Map<string, Tweet>([[focal.id, focal]]);
  const above: Tweet[] = [];
  let next = focal.inReplyToId;
  for (let calls = 0; next !== undefined && calls < MAX_ABOVE; calls += 1) {
    if (!seen.has(next)) {
      const ids: readonly string[] = calls === 0 && root !== undefined ? [...new Set([next, root])] : [next];
      const found = await findTweets(api, ids, context);
      for (const each of found) if ('ok' in each) seen.set(each.ok.id, each.ok);
    }
    const parent = seen.get(next);
    if (parent === undefined || parent === focal) break;
    above.unshift(parent);
    next = parent.inReplyToId;
  }
  const first = root === undefined ? undefined : seen.get(root);
  return first === undefined || first === focal || above.includes(first) ? above : [first, ...above];
}

async function below(
  reading: SearchPlace,
  id: string,
  conversation: string,
  token: string | null,
): Promise<NetworkPage & { tweets: readonly Tweet[] }> {
  const query = `conversation_id:${conversation}`;
  const page = await searchUnder({ ...reading, token, want: undefined }, query, id);
  const younger = page.tweets.filter((tweet) => BigInt(tweet.id) > BigInt(id)).toReversed();
  const tweets = conversation === id ? younger : await descendants(reading, id, younger);
  const next = page.next === null ? null : `${conversation}:${page.next}`;
  return { ...page, tweets, next };
}

/** The posts of a conversation that reply to this post or to a reply below it. Looks up parents on other pages. */
async function descendants({ api, context }: SearchPlace, id: string, tweets: readonly Tweet[]): Promise<Tweet[]> {
  const parents = new Map<string, string | undefined>(tweets.map((tweet) => [tweet.id, tweet.inReplyToId]));
  /** The first ancestor that is unknown, is the focal post, or is too old to be below it; undefined at a root. */
  const top = (of: string): string | undefined => {
    let at: string | undefined = of;
    while (at !== undefined && at !== id && parents.has(at)) at = parents.get(at);
    return at;
  };
  for (let calls = 0; calls < MAX_PARENT_CALLS; calls += 1) {
    const tops = new Set(tweets.flatMap((tweet) => top(tweet.id) ?? []));
    const unknown = [...tops].filter((each) => BigInt(each) > BigInt(id));
    if (unknown.length === 0) break;
    const found = await findTweets(api, unknown, context);
    for (const [index, each] of unknown.entries()) {
      const outcome = found[index];
      parents.set(each, outcome && 'ok' in outcome ? outcome.ok.inReplyToId : undefined);
    }
  }
  return tweets.filter((tweet) => top(tweet.id) === id);
}
