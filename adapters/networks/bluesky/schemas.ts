import { z } from 'zod';
import { partsOf } from './ids.js';

/** Answers as far as they are read (the lexicons of app.bsky): members that are not named here are let go. */

const count = z.int().nonnegative();
const did = z.string().startsWith('did:');
const uri = z.string().startsWith('at://');
/** Of a record, with a DID: what an id can be made of. */
const address = uri.refine((text) => partsOf(text) !== null);
const labels = z.array(z.object({ val: z.string(), neg: z.boolean().optional() })).optional();

const verification = z.object({ verifiedStatus: z.string(), trustedVerifierStatus: z.string() }).optional();

const basicProfile = z.object({ did, handle: z.string(), labels, verification });

/** The only views with counts. */
const detailedProfile = basicProfile.extend({
  displayName: z.string().optional(),
  description: z.string().optional(),
  website: z.string().optional(),
  avatar: z.string().optional(),
  banner: z.string().optional(),
  createdAt: z.string().optional(),
  followersCount: count,
  followsCount: count,
  postsCount: count,
  pinnedPost: z.object({ uri }).optional(),
});

const facet = z.object({
  index: z.object({ byteStart: z.int(), byteEnd: z.int() }),
  // Of kinds that are not known yet, too.
  features: z.array(
    z.object({ $type: z.string(), uri: z.string().optional(), tag: z.string().optional(), did: z.string().optional() }),
  ),
});

/** A union of the lexicons is open: kinds that are not known here are read as `other`. */
function open<T extends readonly { shape: { $type: { value: string } } }[] & readonly z.ZodType[]>(...known: T) {
  const names = new Set(known.map(({ shape }) => shape.$type.value));
  const other = z
    .object({ $type: z.string().refine((name) => !names.has(name)) })
    .transform(() => ({ $type: 'other' as const }));
  return z.union([...known, other] as [...T, typeof other]);
}

const images = z.object({
  $type: z.literal('app.bsky.embed.images#view'),
  images: z.array(z.object({ fullsize: z.string() })),
});

const gallery = z.object({
  $type: z.literal('app.bsky.embed.gallery#view'),
  items: z.array(z.object({ fullsize: z.string().optional() })),
});

const video = z.object({
  $type: z.literal('app.bsky.embed.video#view'),
  playlist: z.string(),
  thumbnail: z.string().optional(),
  presentation: z.string().optional(),
});

const external = z.object({
  $type: z.literal('app.bsky.embed.external#view'),
  external: z.object({ uri: z.string() }),
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
    langs: z.array(z.string()).optional(),
    tags: z.array(z.string()).optional(),
    facets: z.array(facet).optional(),
    reply: z.object({ root: z.object({ uri }), parent: z.object({ uri }) }).optional(),
    embed: open(quote, quoteWithMedia).optional(),
  }),
  embed: open(images, gallery, video, external, withMedia).optional(),
  replyCount: count.optional(),
  repostCount: count.optional(),
  likeCount: count.optional(),
  quoteCount: count.optional(),
  bookmarkCount: count.optional(),
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

const nextNode = z.lazy((): z.ZodType<ThreadNode> => threadNode).optional();

const threadPost = z.object({
  $type: z.literal('app.bsky.feed.defs#threadViewPost'),
  post: postView,
  parent: nextNode,
  replies: z.array(nextNode.unwrap()).optional(),
});

/** Posts that are gone or blocked are not seen, either. */
const threadNode: z.ZodType<ThreadNode> = open(threadPost);

const cursor = z.string().optional();

export type BasicProfile = z.infer<typeof basicProfile>;
export type DetailedProfile = z.infer<typeof detailedProfile>;
export type PostView = z.infer<typeof postView>;
export type FeedItem = z.infer<typeof feedItem>;
export interface ThreadPost {
  readonly $type: 'app.bsky.feed.defs#threadViewPost';
  readonly post: PostView;
  readonly parent?: ThreadNode | undefined;
  readonly replies?: readonly ThreadNode[] | undefined;
}
export type ThreadNode = ThreadPost | { readonly $type: 'other' };

export const ANSWERS = {
  getProfile: detailedProfile,
  getProfiles: z.object({ profiles: z.array(detailedProfile) }),
  getPosts: z.object({ posts: z.array(postView) }),
  getRecord: z.object({ uri, value: z.object({ createdAt: z.string(), subject: z.object({ uri }) }) }),
  getAuthorFeed: z.object({ feed: z.array(feedItem), cursor }),
  getFollowers: z.object({ subject: basicProfile, followers: z.array(basicProfile), cursor }),
  getFollows: z.object({ subject: basicProfile, follows: z.array(basicProfile), cursor }),
  getRepostedBy: z.object({ repostedBy: z.array(basicProfile), cursor }),
  getQuotes: z.object({ posts: z.array(postView), cursor }),
  getPostThread: z.object({ thread: threadNode }),
  searchPosts: z.object({ posts: z.array(postView), cursor }),
  searchActors: z.object({ actors: z.array(basicProfile), cursor }),
  session: z.object({ accessJwt: z.string().min(1), refreshJwt: z.string().min(1) }),
  plcLog: z.array(z.object({ createdAt: z.string() })).min(1),
} as const;

/** The error body of every method. */
export const errorBody = z.object({ error: z.string(), message: z.string().default('') });
