import { asRecord, asRecords, type Json } from './reading.js';

/** The objects that a page includes beside its posts, by key and id. */
export interface V2Includes {
  readonly media: ReadonlyMap<unknown, Json>;
  readonly tweets: ReadonlyMap<unknown, Json>;
}

/** The network's codes for "no language". */
const NO_LANGUAGE = /^(?:und|zxx|art|q[a-z]{2})$/;

/** Posts name their references in either vocabulary. */
const referencesOf = (tweet: Json): Json[] => asRecords(tweet.referenced_tweets ?? tweet.referenced_posts);

const referenceTo = (tweet: Json, type: string): unknown =>
  referencesOf(tweet).find((reference) => reference.type === type)?.id;

/** The best-quality variant (T15). Archives write the bit rate as text. */
export function bestVideo(variants: unknown, rateName: string): unknown {
  const rate = (variant: Json): number => Number(variant[rateName] ?? 0);
  return asRecords(variants)
    .filter((variant) => variant.content_type === 'video/mp4')
    .reduce<Json | undefined>((best, variant) => (best && rate(best) >= rate(variant) ? best : variant), undefined)
    ?.url;
}

function mediaOf(medium: Json): Json {
  const { type, width, height, preview_image_url: preview } = medium;
  if (type === 'photo') return { type, url: medium.url, width, height };
  return { type, url: bestVideo(medium.variants, 'bit_rate') ?? preview, preview_url: preview, width, height };
}

function attachedMedia(tweet: Json, includes: V2Includes): Json[] | undefined {
  const keys = asRecord(tweet.attachments).media_keys;
  if (!Array.isArray(keys)) return undefined;
  const found = keys.map((key) => includes.media.get(key)).filter((medium) => medium !== undefined);
  return found.length === 0 ? undefined : found.map(mediaOf);
}

/** Links to a post's own pictures are among its links; older pages don't mark them. */
const isOwnMedia = (link: Json): boolean =>
  link.media_key !== undefined ||
  (typeof link.display_url === 'string' && /^pic\.(?:twitter|x)\.com\//.test(link.display_url));

function linksOf(entities: Json): unknown[] | undefined {
  if (!Array.isArray(entities.urls)) return undefined;
  const links = asRecords(entities.urls).filter((link) => !isOwnMedia(link));
  return [...new Set(links.map((link) => link.unwound_url ?? link.expanded_url ?? link.url))];
}

const textsOf = (list: unknown, name: string): unknown[] | undefined =>
  Array.isArray(list) ? asRecords(list).map((item) => item[name]) : undefined;

/** A post of X's API v2, in either vocabulary, under the interface's names; a retweet has its original's text (M23). */
export function v2Tweet(tweet: Json, includes: V2Includes): Json {
  const metrics = asRecord(tweet.public_metrics);
  const long = asRecord(tweet.note_tweet ?? tweet.note_post);
  const entities = asRecord(long.entities ?? tweet.entities);
  const retweeted = referenceTo(tweet, 'retweeted');
  const original = retweeted === undefined ? undefined : includes.tweets.get(retweeted);
  const types = new Set(referencesOf(tweet).map((reference) => reference.type));
  const language = typeof tweet.lang === 'string' && NO_LANGUAGE.test(tweet.lang) ? undefined : tweet.lang;
  return {
    id: tweet.id,
    text: long.text ?? tweet.text,
    lang: language,
    created_at: tweet.created_at,
    author_id: tweet.author_id,
    conversation_id: tweet.conversation_id,
    in_reply_to_id: referenceTo(tweet, 'replied_to'),
    in_reply_to_user_id: tweet.in_reply_to_user_id,
    quoted_id: referenceTo(tweet, 'quoted'),
    retweeted_id: retweeted,
    replies: metrics.reply_count,
    retweets: metrics.retweet_count ?? metrics.repost_count,
    likes: metrics.like_count,
    quotes: metrics.quote_count,
    bookmarks: metrics.bookmark_count,
    views: metrics.impression_count,
    media: attachedMedia(original ?? tweet, includes),
    urls: linksOf(entities),
    hashtags: textsOf(entities.hashtags, 'tag'),
    mentions: textsOf(entities.mentions, 'username'),
    is_retweet: types.has('retweeted'),
    is_quote: types.has('quoted'),
    is_reply: types.has('replied_to'),
    source: tweet.source,
  };
}
