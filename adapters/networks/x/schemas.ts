import { z } from 'zod';
import { lookedUp, readable } from '../upstream/readable.js';

/** An optional member. An invalid value counts as missing, because X changes members without notice. */
const maybe = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);

const id = z.string().regex(/^[0-9]{1,19}$/);
const text = maybe(z.string());
const count = maybe(z.int().nonnegative());
const moment = z.string().refine((value) => !Number.isNaN(Date.parse(value)), 'not a date-time');
/** An optional list, of which only valid items are kept. */
const lenientList = <T extends z.ZodType>(schema: T) =>
  maybe(
    z
      .array(z.unknown())
      .transform((items) => items.flatMap((item) => [schema.safeParse(item)].flatMap((one) => one.data ?? []))),
  );

const link = z.object({
  url: text,
  expanded_url: text,
  unwound_url: text,
  display_url: text,
  media_key: text,
  title: text,
});

const entities = maybe(
  z.object({
    urls: lenientList(link),
    hashtags: lenientList(z.object({ tag: z.string() })),
    mentions: lenientList(z.object({ username: z.string() })),
  }),
);

const links = maybe(z.object({ urls: lenientList(link) }));

export const userSchema = z.object({
  id,
  username: z.string().min(1),
  name: text,
  created_at: moment,
  description: text,
  entities: maybe(z.object({ url: links, description: links })),
  location: text,
  url: text,
  profile_image_url: text,
  profile_banner_url: text,
  verified: maybe(z.boolean()),
  verified_type: text,
  protected: maybe(z.boolean()),
  pinned_tweet_id: text,
  pinned_post_id: text,
  public_metrics: maybe(
    z.object({
      followers_count: count,
      following_count: count,
      tweet_count: count,
      post_count: count,
      like_count: count,
      listed_count: count,
    }),
  ),
});
export type XUser = z.infer<typeof userSchema>;

const references = lenientList(z.object({ type: z.string(), id }));
const note = maybe(z.object({ text: z.string(), entities }));

export const tweetSchema = z.object({
  id,
  text: z.string(),
  created_at: moment,
  author_id: id,
  conversation_id: text,
  in_reply_to_user_id: text,
  referenced_tweets: references,
  referenced_posts: references,
  note_tweet: note,
  note_post: note,
  entities,
  attachments: maybe(z.object({ media_keys: lenientList(z.string()), poll_ids: lenientList(z.string()) })),
  article: maybe(z.object({ title: text })),
  public_metrics: maybe(
    z.object({
      reply_count: count,
      retweet_count: count,
      repost_count: count,
      like_count: count,
      quote_count: count,
      bookmark_count: count,
      impression_count: count,
    }),
  ),
  lang: text,
  source: text,
});
export type XTweet = z.infer<typeof tweetSchema>;

const mediaSchema = z.object({
  media_key: z.string(),
  type: z.enum(['photo', 'video', 'animated_gif']),
  url: text,
  preview_image_url: text,
  alt_text: text,
  width: count,
  height: count,
  variants: lenientList(z.object({ content_type: text, bit_rate: count, url: z.string() })),
});
export type XMedia = z.infer<typeof mediaSchema>;

const pollSchema = z.object({
  id: z.string(),
  options: lenientList(z.object({ position: count, label: z.string(), votes: count })),
  end_datetime: maybe(moment),
});
export type XPoll = z.infer<typeof pollSchema>;

/** The part of a 200 answer that says why an object is missing from it. */
export const problemSchema = z.object({
  type: text,
  title: text,
  detail: text,
  parameter: text,
  value: text,
  resource_id: text,
  section: text,
});
export type Problem = z.infer<typeof problemSchema>;

/** An invalid included object must not make the answer unreadable. */
const includes = maybe(
  z.object({
    // Users that cannot be read may still say that they are protected.
    users: maybe(lookedUp(userSchema)),
    tweets: maybe(readable(tweetSchema)),
    posts: maybe(readable(tweetSchema)),
    media: lenientList(mediaSchema),
    polls: lenientList(pollSchema),
  }),
);
export type Includes = z.infer<typeof includes>;

/**
 * If there is nothing, `data` is absent, not empty, and `meta` or `errors` says so. Invalid objects are in `unread` as
 * they arrived. `returned` counts valid and invalid objects, because X bills both.
 */
const answerSchema = <T>(item: z.ZodType<T>) =>
  z
    .object({
      data: lookedUp(item).nullish(),
      includes,
      errors: lenientList(problemSchema),
      meta: z.object({ next_token: text, result_count: count }).nullish(),
    })
    .refine(({ data, errors, meta }) => Boolean(data ?? errors ?? meta), 'neither data nor errors nor meta')
    .transform(({ data, ...rest }) => {
      const { objects, unread = [] } = data ?? {};
      return { ...rest, data: objects, unread, returned: (objects?.length ?? 0) + unread.length };
    });

export const usersAnswer = answerSchema(userSchema);
export const tweetsAnswer = answerSchema(tweetSchema);
export type UsersAnswer = z.infer<typeof usersAnswer>;
export type TweetsAnswer = z.infer<typeof tweetsAnswer>;

/** The body of a refusal, in either of its two forms. */
export const refusalSchema = problemSchema.extend({
  reason: text,
  errors: lenientList(z.object({ message: text, parameters: maybe(z.record(z.string(), z.unknown())) })),
});
