import { knownLanguage } from '../../../../../src/domain/model.js';
import { articlesIn, decodeEntities, expandLinks, linksIn, targetOf } from './escaped-text.js';
import { altText, counter, moment, optionSchema, pollSchema, valid } from './fields.js';
import { asRecord, asRecords, isRecord, type Json } from './reading.js';

/** The objects that a page includes in addition to its posts, by key and id. */
export interface V2Includes {
  readonly media: ReadonlyMap<unknown, Json>;
  readonly polls: ReadonlyMap<unknown, Json>;
  readonly tweets: ReadonlyMap<unknown, Json>;
  /** Whether references were requested. If so, a post without any refers to nothing; if not, that is unknown. */
  readonly listsReferences: boolean;
}

/** An edited post has an id for each version, in their order. */
export function earlierIds(id: unknown, versions: unknown): unknown[] | undefined {
  const earlier = Array.isArray(versions) ? versions.slice(0, Math.max(versions.indexOf(id), 0)) : [];
  return earlier.length === 0 ? undefined : earlier;
}

/** Posts name their references in either vocabulary. */
export const referencesOf = (tweet: Json): Json[] => asRecords(tweet.referenced_tweets ?? tweet.referenced_posts);

const referenceTo = (tweet: Json, type: string): unknown =>
  referencesOf(tweet).find((reference) => reference.type === type)?.id;

/** The best-quality variant. Archives write the bit rate as text. */
export function bestVideo(variants: unknown, rateName: string): unknown {
  const rate = (variant: Json): number => Number(variant[rateName] ?? 0);
  return asRecords(variants)
    .filter((variant) => variant.content_type === 'video/mp4')
    .reduce<Json | undefined>((best, variant) => (best && rate(best) >= rate(variant) ? best : variant), undefined)
    ?.url;
}

function v2Media(medium: Json): Json {
  const { type, width, height, preview_image_url: preview } = medium;
  const alt_text = valid(altText, decodeEntities(medium.alt_text));
  if (type === 'photo') return { type, url: medium.url, width, height, alt_text };
  const url = bestVideo(medium.variants, 'bit_rate') ?? preview;
  return { type, url, preview_url: preview, width, height, alt_text };
}

function attachedMedia(tweet: Json, includes: V2Includes): Json[] | undefined {
  const keys = asRecord(tweet.attachments).media_keys;
  if (!Array.isArray(keys)) return undefined;
  const found = keys.map((key) => includes.media.get(key)).filter((medium) => medium !== undefined);
  return found.length === 0 ? undefined : found.map(v2Media);
}

function pollOf(tweet: Json, includes: V2Includes): Json | undefined {
  const ids = asRecord(tweet.attachments).poll_ids;
  const poll = (Array.isArray(ids) ? ids : []).map((id) => includes.polls.get(id)).find(isRecord);
  if (!Array.isArray(poll?.options)) return undefined;
  const options = asRecords(poll.options)
    .toSorted((one, other) => Number(one.position) - Number(other.position))
    .map(({ label, votes }) => ({ text: decodeEntities(label), votes: valid(counter, votes) }))
    .flatMap((option) => valid(optionSchema, option) ?? []);
  return valid(pollSchema, { options, ends_at: valid(moment, poll.end_datetime) });
}

const pluck = (list: unknown, name: string): unknown[] | undefined =>
  Array.isArray(list) ? asRecords(list).map((item) => item[name]) : undefined;

const longOf = (tweet: Json): Json => asRecord(tweet.note_tweet ?? tweet.note_post);

/** A post of X's API v2, in either vocabulary, under the interface's names; a retweet has what its original shows. */
export function v2Tweet(tweet: Json, includes: V2Includes): Json {
  const metrics = asRecord(tweet.public_metrics);
  const long = longOf(tweet);
  const entities = asRecord(long.entities ?? tweet.entities);
  const retweeted = referenceTo(tweet, 'retweeted');
  const original = retweeted === undefined ? undefined : includes.tweets.get(retweeted);
  const types = new Set(referencesOf(tweet).map((reference) => reference.type));
  const hasReference = (type: string): boolean | undefined =>
    types.size > 0 || includes.listsReferences ? types.has(type) : undefined;
  const text = long.text ?? tweet.text;
  const content = original ?? tweet;
  return {
    id: tweet.id,
    text: decodeEntities(text),
    lang: knownLanguage(tweet.lang),
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
    media: attachedMedia(content, includes),
    poll: pollOf(content, includes),
    articles: articlesIn(content.article, asRecord(longOf(content).entities ?? content.entities).urls),
    urls: linksIn(text, entities.urls),
    hashtags: pluck(entities.hashtags, 'tag'),
    mentions: pluck(entities.mentions, 'username'),
    is_retweet: hasReference('retweeted'),
    is_quote: hasReference('quoted'),
    is_reply: hasReference('replied_to'),
    source: tweet.source,
    earlier_ids: earlierIds(tweet.id, tweet.edit_history_tweet_ids ?? tweet.edit_history_post_ids),
  };
}

/** A user of X's API v2, in either vocabulary, under the interface's names. */
export function v2User(user: Json): Json {
  const metrics = asRecord(user.public_metrics);
  const entities = asRecord(user.entities);
  const [link] = asRecords(asRecord(entities.url).urls);
  const badge = user.verified_type;
  const pinned = user.pinned_tweet_id ?? user.pinned_post_id;
  return {
    id: user.id,
    handle: user.username,
    name: decodeEntities(user.name),
    bio: decodeEntities(expandLinks(user.description, asRecords(asRecord(entities.description).urls))),
    location: decodeEntities(user.location),
    url: targetOf({ ...link, url: user.url }),
    avatar_url: user.profile_image_url,
    banner_url: user.profile_banner_url,
    verified: typeof badge === 'string' && badge !== 'none' ? true : user.verified, // any current badge
    protected: user.protected,
    followers: metrics.followers_count,
    following: metrics.following_count,
    tweets: metrics.tweet_count ?? metrics.post_count,
    likes: metrics.like_count,
    listed: metrics.listed_count,
    created_at: user.created_at,
    pinned_tweet_ids: pinned === undefined ? undefined : [pinned],
  };
}
