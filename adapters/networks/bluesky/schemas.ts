import { z } from 'zod';
import { lookedUp, readable, readableObject, readablePage } from '../upstream/readable.js';
import { parseRecordUri } from './ids.js';

/** The parts of answers that Perch reads (the lexicons of app.bsky); other members are ignored. */

const count = z.int().nonnegative();
const did = z.string().startsWith('did:');
const uri = z.string().startsWith('at://');
/** The address of a record with a DID, from which an id can be made. */
const address = uri.refine((text) => parseRecordUri(text) !== null);

/** An invalid value counts as missing: anyone may write records, and a bad one must not spoil a page. */
const maybe = <T extends z.ZodType>(schema: T) => schema.optional().catch(undefined);

/** The valid items of a list that is a part of an object. */
const some = <T>(item: z.ZodType<T>) =>
  z.array(z.unknown()).transform((all) => all.flatMap((one) => item.safeParse(one).data ?? []));

/** An unreadable label must not hide the others, which may say that a post must not be shown. */
const labels = maybe(some(z.object({ val: z.string(), neg: maybe(z.boolean()) })));

const verification = maybe(z.object({ verifiedStatus: z.string(), trustedVerifierStatus: z.string() }));

const labelled = z.object({ labels });

/** The only parts read from profiles in posts and lists, because full profiles are read separately. */
const basicProfile = labelled.extend({ did, verification });

/** The only views with counts. */
const detailedProfile = basicProfile.extend({
  handle: z.string(),
  displayName: maybe(z.string()),
  description: maybe(z.string()),
  website: maybe(z.string()),
  avatar: maybe(z.string()),
  banner: maybe(z.string()),
  createdAt: z.string().optional(),
  followersCount: maybe(count),
  followsCount: maybe(count),
  postsCount: maybe(count),
  pinnedPost: maybe(z.object({ uri })),
});

const facet = z.object({
  index: z.object({ byteStart: z.int(), byteEnd: z.int() }),
  // Includes kinds that are not known yet.
  features: some(z.object({ $type: z.string(), uri: maybe(z.string()), tag: maybe(z.string()) })),
});

/** A union of the lexicons is open: unknown kinds are read as `other`. */
function open<T extends readonly { shape: { $type: { value: string } } }[] & readonly z.ZodType[]>(...known: T) {
  const names = new Set(known.map(({ shape }) => shape.$type.value));
  const other = z
    .object({ $type: z.string().refine((name) => !names.has(name)) })
    .transform(() => ({ $type: 'other' as const }));
  return z.union([...known, other] as [...T, typeof other]);
}

const images = z.object({
  $type: z.literal('app.bsky.embed.images#view'),
  images: some(z.object({ fullsize: z.string(), alt: maybe(z.string()) })),
});

const gallery = z.object({
  $type: z.literal('app.bsky.embed.gallery#view'),
  items: some(z.object({ fullsize: maybe(z.string()), alt: maybe(z.string()) })),
});

const video = z.object({
  $type: z.literal('app.bsky.embed.video#view'),
  playlist: z.string(),
  thumbnail: maybe(z.string()),
  alt: maybe(z.string()),
  presentation: maybe(z.string()),
});

const external = z.object({
  $type: z.literal('app.bsky.embed.external#view'),
  external: z.object({ uri: z.string(), title: maybe(z.string()) }),
});

const withMedia = z.object({
  $type: z.literal('app.bsky.embed.recordWithMedia#view'),
  media: open(images, gallery, video, external),
});

const quote = z.object({ $type: z.literal('app.bsky.embed.record'), record: z.object({ uri }) });

const quoteWithMedia = z.object({
  $type: z.literal('app.bsky.embed.recordWithMedia'),
  record: z.object({ record: z.object({ uri }) }),
});

const postView = z.object({
  uri: address,
  author: basicProfile,
  record: z.object({
    text: z.string(),
    createdAt: z.string(),
    langs: maybe(some(z.string())),
    tags: maybe(some(z.string())),
    facets: maybe(some(facet)),
    reply: maybe(z.object({ root: z.object({ uri }), parent: z.object({ uri }) })),
    embed: maybe(open(quote, quoteWithMedia)),
  }),
  embed: maybe(open(images, gallery, video, external, withMedia)),
  replyCount: maybe(count),
  repostCount: maybe(count),
  likeCount: maybe(count),
  quoteCount: maybe(count),
  bookmarkCount: maybe(count),
  indexedAt: z.string(),
  labels,
});

const feedItem = z.object({
  post: postView,
  reason: z
    .object({
      $type: z.string(),
      uri: address.optional(),
      by: basicProfile.optional(),
      indexedAt: z.string().optional(),
    })
    .optional(),
});

const nextNode = z.lazy((): z.ZodType<ThreadNode> => threadNode);

const threadPost = z.object({
  $type: z.literal('app.bsky.feed.defs#threadViewPost'),
  // A post that cannot be read does not hide the posts above and below it.
  post: readableObject(postView),
  parent: maybe(nextNode),
  replies: maybe(readable(nextNode)),
});

/** Includes deleted and blocked posts, which are not shown. */
const threadNode: z.ZodType<ThreadNode> = open(threadPost);

const cursor = maybe(z.string());

export type BasicProfile = z.infer<typeof basicProfile>;
export type DetailedProfile = z.infer<typeof detailedProfile>;
export type PostView = z.infer<typeof postView>;
export type FeedItem = z.infer<typeof feedItem>;
export interface ThreadPost {
  readonly $type: 'app.bsky.feed.defs#threadViewPost';
  readonly post?: PostView | undefined;
  readonly parent?: ThreadNode | undefined;
  readonly replies?: readonly ThreadNode[] | undefined;
}
export type ThreadNode = ThreadPost | { readonly $type: 'other' };

export const ANSWERS = {
  getProfile: detailedProfile,
  getProfiles: z.object({ profiles: lookedUp(detailedProfile) }),
  getPosts: z.object({ posts: lookedUp(postView) }),
  getRecord: z.object({ uri, value: z.object({ createdAt: z.string(), subject: z.object({ uri }) }) }),
  getAuthorFeed: z.object({ feed: readablePage(feedItem), cursor }),
  getFollowers: z.object({ subject: labelled, followers: readablePage(basicProfile), cursor }),
  getFollows: z.object({ subject: labelled, follows: readablePage(basicProfile), cursor }),
  getRepostedBy: z.object({ repostedBy: readablePage(basicProfile), cursor }),
  getQuotes: z.object({ posts: readablePage(postView), cursor }),
  getPostThread: z.object({ thread: threadNode }),
  searchPosts: z.object({ posts: readablePage(postView), cursor }),
  searchActors: z.object({ actors: readablePage(basicProfile), cursor }),
  session: z.object({ accessJwt: z.string().min(1), refreshJwt: z.string().min(1) }),
  plcLog: z.array(z.object({ createdAt: z.string() })).min(1),
} as const;

/** The error body of every method. */
export const errorBody = z.object({ error: z.string(), message: z.string().default('') });
