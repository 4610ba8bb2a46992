import type { Article, Media, Poll, PollOption, Tweet, User } from '../../../src/domain/model.js';
import { knownLanguage } from '../../../src/domain/model.js';
import { withoutUnknown } from '../upstream/readable.js';
import type { Includes, TweetsAnswer, UsersAnswer, XMedia, XPoll, XTweet, XUser } from './schemas.js';

/** A post's links include those to its own pictures, which older posts do not mark. */
const OWN_MEDIA = /^pic\.(?:twitter|x)\.com\//;
/** The prefix of X's shortened copy of a retweeted text. */
const RETWEET_PREFIX = /^RT @[A-Za-z0-9_]{1,15}: /;

export const mapUsers = ({ data }: UsersAnswer): User[] => (data ?? []).map(toUser);

export function mapTweets({ data, includes }: TweetsAnswer): Tweet[] {
  const beside = indexed(includes);
  return (data ?? []).flatMap((tweet) => (isHidden(tweet, beside) ? [] : [toTweet(tweet, beside)]));
}

/** Ids of the posts that `mapTweets` leaves out. */
export function hiddenIn({ data, includes }: TweetsAnswer): string[] {
  const beside = indexed(includes);
  return (data ?? []).filter((tweet) => isHidden(tweet, beside)).map(({ id }) => id);
}

/** X shows a user's token the posts of protected accounts that this user follows; callers must not see them. */
const isHidden = ({ author_id }: XTweet, { isProtected }: Beside): boolean => isProtected.has(author_id);

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** A time in Perch's format, to the millisecond. */
const toIsoTime = (text: string): string => new Date(text).toISOString();

/** X writes '' for empty fields. */
const filled = (text: string | null | undefined): string | undefined => (text ? decoded(text) : undefined);

function toUser(user: XUser): User {
  const { public_metrics: metrics, entities, verified_type: badge } = user;
  const [link] = entities?.url?.urls ?? [];
  const pinned = user.pinned_tweet_id ?? user.pinned_post_id;
  return withoutUnknown<User>({
    id: user.id,
    handle: user.username,
    name: filled(user.name) ?? user.username,
    bio: filled(user.description && withLinks(user.description, entities?.description?.urls ?? [])),
    location: filled(user.location),
    url: (link?.expanded_url ?? user.url) || undefined,
    avatarUrl: user.profile_image_url || undefined,
    bannerUrl: user.profile_banner_url || undefined,
    verified: badge && badge !== 'none' ? true : user.verified, // T14: any current badge
    protected: user.protected,
    followersCount: metrics?.followers_count,
    followingCount: metrics?.following_count,
    tweetsCount: metrics?.tweet_count ?? metrics?.post_count,
    likesCount: metrics?.like_count,
    listedCount: metrics?.listed_count,
    createdAt: toIsoTime(user.created_at),
    pinnedTweetIds: pinned ? [pinned] : undefined,
    lostHandle: undefined,
  });
}

/** The objects that an answer includes in addition to its posts, by id and key. */
interface Beside {
  readonly users: ReadonlyMap<string, XUser>;
  /** Ids of protected users. */
  readonly isProtected: ReadonlySet<unknown>;
  readonly tweets: ReadonlyMap<string, XTweet>;
  readonly media: ReadonlyMap<string, XMedia>;
  readonly polls: ReadonlyMap<string, XPoll>;
}

function indexed(includes: Includes): Beside {
  const { objects: users = [], unread = [] } = includes?.users ?? {};
  const all: readonly unknown[] = [...users, ...unread.map(({ value }) => value)];
  return {
    users: new Map(users.map((user) => [user.id, user])),
    isProtected: new Set(all.flatMap((user) => (isRecord(user) && user.protected === true ? [user.id] : []))),
    tweets: new Map((includes?.tweets ?? includes?.posts)?.map((tweet) => [tweet.id, tweet])),
    media: new Map(includes?.media?.map((medium) => [medium.media_key, medium])),
    polls: new Map(includes?.polls?.map((poll) => [poll.id, poll])),
  };
}

/** All fields were requested and X leaves out empty ones, so a missing list is known to be empty. */
function toTweet(tweet: XTweet, beside: Beside): Tweet {
  const metrics = tweet.public_metrics;
  const author = beside.users.get(tweet.author_id);
  const references = tweet.referenced_tweets ?? tweet.referenced_posts ?? [];
  const referenceTo = (type: string) => references.find((reference) => reference.type === type)?.id;
  const retweetedId = referenceTo('retweeted');
  const original = retweetedId === undefined ? undefined : beside.tweets.get(retweetedId);
  const content = tweetContent(original ?? tweet);
  return withoutUnknown<Tweet>({
    id: tweet.id,
    // X shortens the text of a retweet; the original has the full text.
    text: retweetedId === undefined || original ? content.text : content.text.replace(RETWEET_PREFIX, ''),
    lang: knownLanguage(tweet.lang),
    createdAt: toIsoTime(tweet.created_at),
    authorId: tweet.author_id,
    author: author && toUser(author),
    conversationId: tweet.conversation_id,
    inReplyToId: referenceTo('replied_to'),
    inReplyToUserId: tweet.in_reply_to_user_id,
    quotedId: referenceTo('quoted'),
    retweetedId,
    retweetedAuthorId: original?.author_id,
    repliesCount: metrics?.reply_count,
    retweetsCount: metrics?.retweet_count ?? metrics?.repost_count,
    likesCount: metrics?.like_count,
    quotesCount: metrics?.quote_count,
    bookmarksCount: metrics?.bookmark_count,
    viewsCount: metrics?.impression_count,
    media: findMedia([original, tweet], beside),
    // X has no posts with audio.
    audio: [],
    poll: findPoll(original ?? tweet, beside),
    articles: content.articles,
    urls: content.urls,
    hashtags: content.hashtags,
    mentions: content.mentions,
    isRetweet: retweetedId !== undefined,
    isQuote: referenceTo('quoted') !== undefined,
    isReply: referenceTo('replied_to') !== undefined,
    source: filled(tweet.source),
  });
}

/** The text and its entities: the long text's, if there is one. */
function tweetContent(tweet: XTweet): Required<Pick<Tweet, 'text' | 'urls' | 'articles' | 'hashtags' | 'mentions'>> {
  const long = tweet.note_tweet ?? tweet.note_post;
  const entities = long?.entities ?? tweet.entities;
  const links = (entities?.urls ?? []).filter((link) => !link.media_key && !OWN_MEDIA.test(link.display_url ?? ''));
  return {
    text: decoded(long?.text ?? tweet.text),
    urls: [...new Set(links.flatMap((link) => linkUrl(link) ?? []))],
    articles: articlesIn(tweet, links),
    hashtags: (entities?.hashtags ?? []).map(({ tag }) => tag),
    mentions: (entities?.mentions ?? []).map(({ username }) => username),
  };
}

type XLink = NonNullable<NonNullable<XTweet['entities']>['urls']>[number];

const linkUrl = (link: XLink): string | null | undefined => link.unwound_url ?? link.expanded_url ?? link.url;

/** The link to an article on X. A post of one contains only this link; the article's title is a separate field. */
const ON_X = /^https?:\/\/(?:\w+\.)?(?:x|twitter)\.com\/\w+\/article\/\d+/;

function articlesIn({ article }: XTweet, links: readonly XLink[]): Article[] {
  const own = links.find((link) => ON_X.test(linkUrl(link) ?? ''));
  return [
    ...(article?.title ? [{ title: article.title, url: own && linkUrl(own) }] : []),
    ...links.flatMap((link) =>
      link.title && !(article?.title && link === own) ? [{ title: link.title, url: linkUrl(link) }] : [],
    ),
  ].map(({ title, url }) => withoutUnknown<Article>({ title: decoded(title), url }));
}

function findPoll({ attachments }: XTweet, { polls }: Beside): Poll | undefined {
  const [poll] = (attachments?.poll_ids ?? []).flatMap((id) => polls.get(id) ?? []);
  if (!poll?.options) return undefined;
  const options = poll.options.toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
  return withoutUnknown<Poll>({
    options: options.map(({ label, votes }) => withoutUnknown<PollOption>({ text: decoded(label), votes })),
    endsAt: poll.end_datetime && toIsoTime(poll.end_datetime),
  });
}

/** The media of the first post whose media were included; undefined if there are media but none were included. */
function findMedia(tweets: readonly (XTweet | undefined)[], beside: Beside): Media[] | undefined {
  const keys = tweets.flatMap((tweet) =>
    tweet?.attachments?.media_keys?.length ? [tweet.attachments.media_keys] : [],
  );
  if (keys.length === 0) return [];
  for (const each of keys) {
    const found = each.flatMap((key) => beside.media.get(key) ?? []);
    if (found.length > 0) return found.map(toMedia);
  }
  return undefined;
}

function toMedia({ type, url, preview_image_url: preview, variants, width, height, alt_text: alt }: XMedia): Media {
  const video = (variants ?? [])
    .filter(({ content_type: kind }) => kind === 'video/mp4')
    .toSorted((one, other) => (other.bit_rate ?? 0) - (one.bit_rate ?? 0))[0];
  return withoutUnknown<Media>({
    type,
    url: type === 'photo' ? url : (video?.url ?? preview),
    previewUrl: type === 'photo' ? undefined : preview,
    width,
    height,
    altText: filled(alt),
  });
}

const ENTITY = /&(?:amp|lt|gt|quot|apos|#0?39|#x27);/gi;

const CHARACTERS: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"' };

/** Text as people wrote it, which X escapes. Decoded once only, so that `&amp;lt;` stays a visible `&lt;`. */
const decoded = (text: string): string => text.replace(ENTITY, (entity) => CHARACTERS[entity.toLowerCase()] ?? "'");

interface Link {
  readonly url?: string | null | undefined;
  readonly expanded_url?: string | null | undefined;
}

/** Replaces short links with their targets. Finds them by their text, because X's positions count code points. */
const withLinks = (text: string, links: readonly Link[]): string =>
  links.reduce(
    (out, { url, expanded_url: expanded }) => (url && expanded ? out.replace(url, () => expanded) : out),
    text,
  );
