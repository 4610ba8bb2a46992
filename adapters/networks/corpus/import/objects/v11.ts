import { knownLanguage } from '../../../../../src/domain/model.js';
import { decodeEntities, expandLinks, linksIn, targetOf } from './escaped-text.js';
import { altText, valid } from './fields.js';
import { asRecord, asRecords, isRecord, type Json } from './reading.js';
import { bestVideo, earlierIds } from './v2.js';

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MOMENT = /^[A-Z][a-z]{2} ([A-Z][a-z]{2}) (\d{2}) (\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2}) (\d{4})$/;
/** The format of archives from before 2018. */
const OLD_MOMENT = /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) ([+-]\d{2})(\d{2})$/;

/** "Sat Nov 09 12:14:18 +0000 2024" as RFC 3339; anything else is returned unchanged for the later check. */
function normaliseMoment(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  const [, date, clock, offset, rest] = OLD_MOMENT.exec(value) ?? [];
  if (date !== undefined) return `${date}T${clock}${offset}:${rest}`;
  const [, month, day, time, hours, minutes, year] = MOMENT.exec(value) ?? [];
  const number = MONTHS.indexOf(month ?? '') + 1;
  if (number === 0) return value;
  return `${year}-${String(number).padStart(2, '0')}-${day}T${time}${hours}:${minutes}`;
}

/** An archive writes numbers as text. */
const parseNumber = (value: unknown): unknown =>
  typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

/** The greatest of a medium's sizes that shows all of it. Old archives list the sizes without their names. */
function wholeSize(sizes: unknown): Json {
  if (!Array.isArray(sizes)) return asRecord(asRecord(sizes).large);
  return asRecords(sizes)
    .filter(({ resize }) => resize === 'fit')
    .reduce((most, size) => (Number(size.w) > Number(most.w ?? 0) ? size : most), {});
}

function v11Media(medium: Json, from: StatusFormat): Json {
  const { w, h } = wholeSize(medium.sizes);
  const still = medium.media_url_https ?? medium.media_url;
  // Archives have no alternative texts; answers have them if they were requested.
  const alt_text = valid(altText, decodeEntities(medium.ext_alt_text));
  const rest = { width: parseNumber(w), height: parseNumber(h), alt_text };
  // Before 2018 there were only photos.
  const type = medium.type ?? (from === 'old archive' ? 'photo' : undefined);
  if (type === 'photo') return { type, url: still, ...rest };
  const video = bestVideo(asRecord(medium.video_info).variants, 'bitrate');
  return { type, url: video ?? still, preview_url: still, ...rest };
}

/** Archives and v1.1 list all tags and mentions, so an empty list means none. */
const texts = (list: unknown, name: string): unknown[] | undefined =>
  Array.isArray(list) ? asRecords(list).map((item) => item[name]) : undefined;

/**
 * `archive`: the status leaves out fields that do not apply, and shows only in its text that it is a retweet. `old
 * archive`, from before 2018: it leaves them out, too, but a retweet has its original inside, and "RT @" alone was typed;
 * media have no type. `answer`: it has every field, unless a tool has removed some.
 */
export type StatusFormat = 'archive' | 'old archive' | 'answer';

/** What is known of a status that is not in the status itself. */
interface Beside {
  readonly authorId: unknown;
  readonly from: StatusFormat;
}

/** A status, as X's API v1.1 and archives have it, under the interface's names; a retweet keeps its own text. */
export function statusTweet(status: Json, { authorId, from }: Beside): Json {
  // A stream cuts long statuses, and has their full content here.
  const long = asRecord(status.extended_tweet);
  // A cut status without it lists only what is in its beginning, and a link to itself: the rest is unknown.
  const isCut = status.truncated === true && !isRecord(status.extended_tweet);
  const entities = isCut ? {} : asRecord(long.entities ?? status.entities);
  const listed = asRecord(long.extended_entities ?? status.extended_entities).media ?? entities.media;
  const media = asRecords(listed);
  const text = long.full_text ?? status.full_text ?? status.text;
  const repliedTo = status.in_reply_to_status_id_str ?? undefined;
  const isRetweet = isRecord(status.retweeted_status);
  // A retweet repeats what its original quotes, but quotes nothing itself.
  const quoted = isRetweet ? undefined : (status.quoted_status_id_str ?? undefined);
  const isShownAsRetweet = typeof text === 'string' && /^RT @\w+: /.test(text);
  return {
    id: status.id_str ?? status.id,
    text: decodeEntities(text),
    lang: knownLanguage(status.lang),
    created_at: normaliseMoment(status.created_at),
    author_id: authorId,
    in_reply_to_id: repliedTo,
    in_reply_to_user_id: status.in_reply_to_user_id_str,
    quoted_id: quoted,
    retweeted_id: asRecord(status.retweeted_status).id_str,
    retweets: parseNumber(status.retweet_count),
    likes: parseNumber(status.favorite_count),
    media: media.length > 0 ? media.map((medium) => v11Media(medium, from)) : undefined,
    urls: linksIn(text, entities.urls, media),
    hashtags: texts(entities.hashtags, 'text'),
    mentions: texts(entities.user_mentions, 'screen_name'),
    is_retweet: isRetweet || (from === 'archive' && isShownAsRetweet),
    is_quote: quoted === undefined ? !isRetweet && status.is_quote_status : true,
    is_reply: repliedTo === undefined ? isNoReply(status, from) : true,
    source: typeof status.source === 'string' ? status.source.replace(/<[^<>]*>/g, '') : undefined,
    earlier_ids: earlierIds(status.id_str, versionIds(status)),
  };
}

/** Archives have all versions of an edited tweet, each with the ids of all versions. */
function versionIds({ edit_info: info }: Json): unknown {
  const { initial, edit } = asRecord(info);
  return asRecord(initial ?? asRecord(edit).editControlInitial).editTweetIds;
}

const isNoReply = (status: Json, from: StatusFormat): false | undefined =>
  from !== 'answer' || 'in_reply_to_status_id_str' in status ? false : undefined;

/** A user of X's API v1.1 under the interface's names. */
export function v11User(user: Json): Json {
  const entities = asRecord(user.entities);
  const [link] = asRecords(asRecord(entities.url).urls);
  return {
    id: user.id_str,
    handle: user.screen_name,
    name: decodeEntities(user.name),
    bio: decodeEntities(expandLinks(user.description, asRecords(asRecord(entities.description).urls))),
    location: decodeEntities(user.location),
    url: targetOf({ ...link, url: user.url }),
    avatar_url: user.profile_image_url_https,
    banner_url: user.profile_banner_url,
    verified: user.verified,
    protected: user.protected,
    followers: user.followers_count,
    following: user.friends_count,
    tweets: user.statuses_count,
    likes: user.favourites_count,
    listed: user.listed_count,
    created_at: normaliseMoment(user.created_at),
  };
}
