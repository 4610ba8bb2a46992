import { decodeEntities, expandLinks } from './escaped-text.js';
import { asRecord, asRecords, type Json } from './reading.js';

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
    url: link?.expanded_url ?? user.url,
    avatar_url: user.profile_image_url,
    banner_url: user.profile_banner_url,
    verified: typeof badge === 'string' && badge !== 'none' ? true : user.verified, // T14: any current badge
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
