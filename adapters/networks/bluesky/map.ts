import { knownLanguage, type Tweet, type User } from '../../../src/domain/model.js';
import { embeddedIn, quotedId } from './embeds.js';
import { parseRecordUri, recordId, userId } from './ids.js';
import type { BasicProfile, DetailedProfile, PostView } from './schemas.js';
import { earlierTime } from './times.js';

/** A post in a list, or an account's repost of it. */
export interface Item {
  readonly post: PostView;
  readonly repost?: {
    readonly uri: string;
    readonly did: string;
    readonly at: string;
    /** The account as the list shows it; undefined where only its DID is known. */
    readonly by?: BasicProfile;
  };
}

export function profileToUser(profile: DetailedProfile, createdAt: string): User {
  const { did, handle, displayName, description, website, avatar, banner, pinnedPost } = profile;
  const { followersCount, followsCount, postsCount } = profile;
  return {
    id: userId(did),
    handle,
    name: displayName || handle,
    ...(description && { bio: description }),
    ...(website && { url: website }),
    ...(avatar && { avatarUrl: avatar }),
    ...(banner && { bannerUrl: banner }),
    verified: isVerified(profile),
    // Bluesky has no private accounts.
    protected: false,
    ...(followersCount !== undefined && { followersCount }),
    ...(followsCount !== undefined && { followingCount: followsCount }),
    ...(postsCount !== undefined && { tweetsCount: postsCount }),
    createdAt,
    ...(pinnedPost && parseRecordUri(pinnedPost.uri) && { pinnedTweetIds: [recordId(pinnedPost.uri)] }),
  };
}

export const isVerified = ({ verification }: BasicProfile): boolean =>
  verification?.verifiedStatus === 'valid' || verification?.trustedVerifierStatus === 'valid';

export const authorDid = ({ post, repost }: Item): string => repost?.did ?? post.author.did;

export const itemToTweet = (item: Item, author?: User): Tweet => ({
  ...(item.repost ? repostToTweet(item.post, item.repost) : postToTweet(item.post)),
  ...(author && { author }),
});

function postToTweet(post: PostView): Tweet {
  const { record, author } = post;
  const { reply } = record;
  const id = recordId(post.uri);
  const quoted = quotedId(record.embed);
  const parent = reply && parseRecordUri(reply.parent.uri);
  return {
    id,
    text: record.text,
    ...tweetLanguage(record.langs),
    createdAt: earlierTime(record.createdAt, post.indexedAt),
    authorId: userId(author.did),
    conversationId: reply && parseRecordUri(reply.root.uri) ? recordId(reply.root.uri) : id,
    ...(reply && parent && { inReplyToId: recordId(reply.parent.uri), inReplyToUserId: userId(parent.did) }),
    ...(quoted && { quotedId: quoted }),
    ...tweetCounts(post),
    ...tweetContents(post),
    isRetweet: false,
    isQuote: quoted !== undefined,
    isReply: reply !== undefined,
  };
}

/** A repost has the full text of the original, without a prefix (M23), and its entities. */
function repostToTweet(post: PostView, { uri, did, at }: NonNullable<Item['repost']>): Tweet {
  const id = recordId(uri);
  return {
    id,
    text: post.record.text,
    ...tweetLanguage(post.record.langs),
    createdAt: at,
    authorId: userId(did),
    conversationId: id,
    retweetedId: recordId(post.uri),
    retweetedAuthorId: userId(post.author.did),
    ...tweetContents(post),
    isRetweet: true,
    isQuote: false,
    isReply: false,
  };
}

function tweetCounts(post: PostView): Partial<Tweet> {
  const { replyCount, repostCount, likeCount, quoteCount, bookmarkCount } = post;
  return {
    ...(replyCount !== undefined && { repliesCount: replyCount }),
    ...(repostCount !== undefined && { retweetsCount: repostCount }),
    ...(likeCount !== undefined && { likesCount: likeCount }),
    ...(quoteCount !== undefined && { quotesCount: quoteCount }),
    ...(bookmarkCount !== undefined && { bookmarksCount: bookmarkCount }),
  };
}

/** The first of them that is a known language. */
function tweetLanguage(langs: readonly string[] | undefined): Pick<Tweet, 'lang'> {
  const lang = langs?.find((each) => knownLanguage(each));
  return lang === undefined ? {} : { lang };
}

const distinct = (texts: readonly string[]): readonly string[] => [...new Set(texts)];

/** All contents are known, so an empty list means that there are none. */
function tweetContents({ record, embed }: PostView): Partial<Tweet> {
  const marks = marksIn(record.text, record.facets);
  const { media, links, articles } = embeddedIn(embed);
  return {
    media,
    // Posts on this network can have neither audio nor polls.
    audio: [],
    articles,
    urls: distinct([...marks.links, ...links]),
    hashtags: distinct([...marks.hashtags, ...(record.tags ?? [])]),
    mentions: distinct(marks.mentions),
  };
}

type Facet = NonNullable<PostView['record']['facets']>[number];

interface Marks {
  readonly links: readonly string[];
  readonly hashtags: readonly string[];
  /** Handles as they are written in the text, without the @. */
  readonly mentions: readonly string[];
}

/** The links, hashtags and mentions marked in a text. Positions count bytes of UTF-8. */
function marksIn(text: string, facets: readonly Facet[] = []): Marks {
  const bytes = Buffer.from(text, 'utf8');
  const marks = facets.flatMap(({ index, features }) => features.map((feature) => ({ ...feature, index })));
  const features = (kind: string) => marks.filter(({ $type }) => $type === `app.bsky.richtext.facet#${kind}`);
  const sliceOf = ({ index }: { index: Facet['index'] }): string =>
    bytes.subarray(Math.max(0, index.byteStart), Math.max(0, index.byteEnd)).toString('utf8');
  return {
    links: features('link').flatMap(({ uri }) => uri ?? []),
    hashtags: features('tag').flatMap(({ tag }) => tag ?? []),
    mentions: features('mention').flatMap((mention) => /^@(.+)$/.exec(sliceOf(mention))?.[1] ?? []),
  };
}

/** Labels of content that must not be shown to people who are not signed in, or to anyone: all callers see answers. */
const OPT_OUTS: ReadonlySet<string> = new Set(['!no-unauthenticated', '!hide', '!takedown']);

interface Labelled {
  readonly labels?: PostView['labels'];
}

export const isHidden = ({ labels = [] }: Labelled): boolean =>
  labels.some(({ val, neg }) => OPT_OUTS.has(val) && neg !== true);

export const isHiddenPost = (post: PostView): boolean => isHidden(post) || isHidden(post.author);

export const isHiddenItem = ({ post, repost }: Item): boolean =>
  isHiddenPost(post) || (repost?.by !== undefined && isHidden(repost.by));
