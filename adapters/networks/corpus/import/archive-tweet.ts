import { asRecord, asRecords, type Json } from './reading.js';
import { bestVideo } from './v2-tweet.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MOMENT = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{2}) (\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2}) (\d{4})$/;

/** "Sat Nov 09 12:14:18 +0000 2024" as RFC 3339; anything else is returned unchanged for the later check. */
function momentOf(value: unknown): unknown {
  const [, month, day, time, hours, minutes, year] = typeof value === 'string' ? (MOMENT.exec(value) ?? []) : [];
  const number = MONTHS.indexOf(month ?? '') + 1;
  if (number === 0) return value;
  return `${year}-${String(number).padStart(2, '0')}-${day}T${time}${hours}:${minutes}`;
}

/** An archive writes numbers as text. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

function mediaOf(medium: Json): Json {
  const { w, h } = asRecord(asRecord(medium.sizes).large);
  const still = medium.media_url_https ?? medium.media_url;
  const size = { width: numberOf(w), height: numberOf(h) };
  if (medium.type === 'photo') return { type: 'photo', url: still, ...size };
  const video = bestVideo(asRecord(medium.video_info).variants, 'bitrate');
  return { type: medium.type, url: video ?? still, preview_url: still, ...size };
}

/** An archive lists all links, tags and mentions, so an empty list means none. */
const texts = (list: unknown, ...names: string[]): unknown[] | undefined =>
  Array.isArray(list)
    ? asRecords(list).map((item) => names.map((name) => item[name]).find((value) => value !== undefined))
    : undefined;

/** One entry of an archive's `tweets.js` under the interface's names; the author is the archive's owner. */
export function archiveTweet(tweet: Json, authorId: string): Json {
  const entities = asRecord(tweet.entities);
  const media = asRecords(asRecord(tweet.extended_entities).media ?? entities.media);
  const text = tweet.full_text ?? tweet.text;
  const repliedTo = tweet.in_reply_to_status_id_str ?? tweet.in_reply_to_status_id;
  const quoted = tweet.quoted_status_id_str ?? tweet.quoted_status_id;
  return {
    id: tweet.id_str ?? tweet.id,
    text,
    lang: tweet.lang,
    created_at: momentOf(tweet.created_at),
    author_id: authorId,
    in_reply_to_id: repliedTo,
    in_reply_to_user_id: tweet.in_reply_to_user_id_str ?? tweet.in_reply_to_user_id,
    quoted_id: quoted,
    retweets: numberOf(tweet.retweet_count),
    likes: numberOf(tweet.favorite_count),
    media: media.length > 0 ? media.map(mediaOf) : undefined,
    urls: texts(entities.urls, 'expanded_url', 'url'),
    hashtags: texts(entities.hashtags, 'text'),
    mentions: texts(entities.user_mentions, 'screen_name'),
    // A retweet has no reference to the original; only its text shows it.
    is_retweet: typeof text === 'string' ? /^RT @\w+: /.test(text) : undefined,
    is_quote: quoted === undefined ? undefined : true,
    is_reply: repliedTo !== undefined && repliedTo !== null,
    source: typeof tweet.source === 'string' ? tweet.source.replace(/<[^<>]*>/g, '') : undefined,
  };
}
