/**
 * X has two names for everything, "tweet" (up to 2.166) and "post" (from 2.167), and silently ignores field names that
 * it does not know, so a request uses one of the two throughout. Answers are read in both (schemas.ts).
 */
export type VocabularyName = 'tweet' | 'post';

export type FieldParams = Readonly<Record<string, string>>;

/** What every request for posts or users contains besides its subject. */
export interface Vocabulary {
  readonly posts: FieldParams;
  /** Users in lists. */
  readonly users: FieldParams;
  /** Users requested individually. Expanding a pinned post is billed, so lists of hundreds leave it out. */
  readonly profiles: FieldParams;
}

const USER_FIELDS =
  'id,name,username,created_at,description,entities,location,url,profile_image_url,profile_banner_url,verified,verified_type,protected,public_metrics';
/** Requested with each post at no cost, because X bills only posts and users. */
const BESIDE: FieldParams = {
  'media.fields': 'media_key,type,url,preview_image_url,width,height,variants,alt_text',
  'poll.fields': 'id,options,end_datetime',
};

const TWEET_USERS: FieldParams = { 'user.fields': `${USER_FIELDS},pinned_tweet_id` };
const POST_USERS: FieldParams = { 'user.fields': USER_FIELDS };

export const VOCABULARIES: Readonly<Record<VocabularyName, Vocabulary>> = {
  tweet: {
    posts: {
      'tweet.fields':
        'id,text,created_at,author_id,conversation_id,in_reply_to_user_id,referenced_tweets,entities,attachments,public_metrics,lang,note_tweet,article,source',
      expansions:
        'author_id,attachments.media_keys,attachments.poll_ids,referenced_tweets.id,referenced_tweets.id.attachments.media_keys',
      ...BESIDE,
      ...TWEET_USERS,
    },
    users: TWEET_USERS,
    profiles: TWEET_USERS,
  },
  post: {
    posts: {
      'post.fields':
        'id,text,created_at,conversation_id,entities,attachments,public_metrics,lang,note_post,article,source',
      // Author and references are not fields here: they are expansions.
      expansions: 'author_id,in_reply_to_user_id,referenced_posts,attachments.media_keys,attachments.poll_ids',
      ...BESIDE,
      ...POST_USERS,
    },
    users: POST_USERS,
    profiles: { ...POST_USERS, expansions: 'pinned_post_id' },
  },
};
