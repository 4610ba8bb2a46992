import { foreignCursor } from '../../../src/domain/errors.js';
import type { Tweet } from '../../../src/domain/model.js';
import type { NetworkPage } from '../../../src/ports/network.js';
import { findTweet, findTweets } from './entities.js';
import { type PostPage, requireSearchUnder, type SearchPlace, searchUnder } from './search.js';

/** The most posts above a post, and the most calls for finding out whether replies belong under it. */
const MAX_ABOVE = 30;
const MAX_PARENT_CALLS = 10;

/** Posts of a thread. `isCut`: some were left out, because they are too far from the focal post. */
interface Part {
  readonly tweets: readonly Tweet[];
  readonly isCut: boolean;
}

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
 * the same for all readers. A token contains the conversation, a mark if the thread is cut, and the search's own token.
 */
export async function readThread(reading: SearchPlace, id: string): Promise<NetworkPage> {
  const { token } = reading;
  if (token !== null) {
    const [, conversation, mark, searched] = /^([0-9]{1,19})(!?):(.+)$/s.exec(token) ?? [];
    if (conversation === undefined || searched === undefined) {
      throw foreignCursor();
    }
    const page = await below(reading, id, conversation, searched);
    return toPage({ ...page, isCut: page.isCut || mark === '!' }, conversation);
  }
  await requireSearchUnder(reading, id);
  const cached = await reading.context.cached?.tweet(id);
  const focal = cached?.isOfThisCall ? cached.value : await findTweet(reading.api, id, reading.context);
  const conversation = focal.conversationId ?? id;
  const [above, page] = await Promise.all([readAbove(reading, focal), below(reading, id, conversation, null)]);
  const tweets = [focal, ...above.tweets, ...page.tweets];
  return toPage({ ...page, tweets, isCut: above.isCut || page.isCut }, conversation);
}

/** The last page says that the thread is cut, whichever page it is cut on. */
function toPage({ isCut, next, ...page }: PostPage & Part, conversation: string): NetworkPage {
  if (next !== null) return { ...page, next: `${conversation}${isCut ? '!' : ''}:${next}` };
  return { ...page, next, ...(isCut && { endReason: 'network_limit' }) };
}

/** The ancestors up to the first one that is not visible; the root of the conversation still comes first. */
async function readAbove({ api, context }: SearchPlace, focal: Tweet): Promise<Part> {
  const root = focal.conversationId;
  const seen = new Map<string, Tweet>([[focal.id, focal]]);
  const above: Tweet[] = [];
  let next = focal.inReplyToId;
  while (next !== undefined && above.length < MAX_ABOVE) {
    if (!seen.has(next)) {
      const ids: readonly string[] = above.length === 0 && root !== undefined ? [...new Set([next, root])] : [next];
      const found = await findTweets(api, ids, context);
      for (const each of found) if ('ok' in each) seen.set(each.ok.id, each.ok);
    }
    const parent = seen.get(next);
    if (parent === undefined || parent === focal) break;
    above.unshift(parent);
    next = parent.inReplyToId;
  }
  const first = root === undefined ? undefined : seen.get(root);
  const isCut = above.length === MAX_ABOVE && next !== undefined && next !== first?.id;
  return { tweets: first === undefined || first === focal || above.includes(first) ? above : [first, ...above], isCut };
}

async function below(
  reading: SearchPlace,
  id: string,
  conversation: string,
  token: string | null,
): Promise<PostPage & Part> {
  const query = `conversation_id:${conversation}`;
  const page = await searchUnder({ ...reading, token, want: undefined }, query, id);
  const younger = page.tweets.filter((tweet) => BigInt(tweet.id) > BigInt(id)).toReversed();
  const part = conversation === id ? { tweets: younger, isCut: false } : await descendants(reading, id, younger);
  return { ...page, ...part };
}

/** The posts of a conversation that reply to this post or to a reply below it. Looks up parents on other pages. */
async function descendants({ api, context }: SearchPlace, id: string, tweets: readonly Tweet[]): Promise<Part> {
  const parents = new Map<string, string | undefined>(tweets.map((tweet) => [tweet.id, tweet.inReplyToId]));
  /** The first ancestor that is unknown, is the focal post, or is too old to be below it; undefined at a root. */
  const top = (of: string): string | undefined => {
    let at: string | undefined = of;
    while (at !== undefined && at !== id && parents.has(at)) at = parents.get(at);
    return at;
  };
  /** Tops that may be below the focal post. */
  const unknown = (): string[] =>
    [...new Set(tweets.flatMap((tweet) => top(tweet.id) ?? []))].filter((each) => BigInt(each) > BigInt(id));
  let open = unknown();
  for (let calls = 0; open.length > 0 && calls < MAX_PARENT_CALLS; calls += 1) {
    const found = await findTweets(api, open, context);
    for (const [index, each] of open.entries()) {
      const outcome = found[index];
      parents.set(each, outcome && 'ok' in outcome ? outcome.ok.inReplyToId : undefined);
    }
    open = unknown();
  }
  return { tweets: tweets.filter((tweet) => top(tweet.id) === id), isCut: open.length > 0 };
}
