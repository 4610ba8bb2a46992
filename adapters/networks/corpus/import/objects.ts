import type { CorpusRow } from '../rows.js';
import { interfaceRow, type Kind } from './interface-row.js';
import { asRecord, asRecords, isRecord, type Json } from './reading.js';
import { type V2Includes, v2Tweet } from './v2-tweet.js';
import { v2User } from './v2-user.js';

/** The results from one JSON value of a file: rows, and a message for each object that is not valid. */
export type Given = CorpusRow | string;

const NO_INCLUDES: V2Includes = { media: new Map(), tweets: new Map() };

/** Fields that only X's API v2 writes. */
const V2_FIELDS = [
  'username',
  'public_metrics',
  'referenced_tweets',
  'referenced_posts',
  'edit_history_tweet_ids',
  'edit_history_post_ids',
  'note_tweet',
  'note_post',
];

const ASK_FOR_FIELDS = ' (request pages with tweet.fields=author_id,created_at)';

const has = (value: Json, name: string): boolean => Object.hasOwn(value, name);

const isPage = (value: Json): boolean =>
  !has(value, 'id') && ['data', 'includes', 'meta', 'errors'].some((name) => has(value, name));

/**
 * An answer that only reports a fault of the request; partial errors beside data, or of a lookup, are not faults of the
 * file.
 */
const isRefusal = (value: Json): boolean =>
  !has(value, 'id') && !has(value, 'data') && typeof value.title === 'string' && typeof value.detail === 'string';

const at = (given: Given, where: string): Given => (typeof given === 'string' ? `${where}${given}` : given);

function v2Object(value: Json, includes: V2Includes, where: string): Given[] {
  if (has(value, 'username')) return [at(interfaceRow('user', v2User(value)), where)];
  if (!has(value, 'text')) return [`${where}neither a user (username) nor a tweet (text) of X API v2`];
  const row = interfaceRow('tweet', v2Tweet(value, includes));
  const tweet = at(typeof row === 'string' && row.includes(' is missing') ? row + ASK_FOR_FIELDS : row, where);
  // Tools that flatten pages put the author inside the post.
  return isRecord(value.author) ? [...v2Object(value.author, includes, `${where}author: `), tweet] : [tweet];
}

function v2Page(page: Json): Given[] {
  const included = asRecord(page.includes);
  const tweets = asRecords(included.tweets ?? included.posts);
  const includes: V2Includes = {
    media: new Map(asRecords(included.media).map((medium) => [medium.media_key, medium])),
    tweets: new Map(tweets.map((tweet) => [tweet.id, tweet])),
  };
  const data = page.data === undefined || page.data === null ? [] : [page.data].flat();
  const each = (values: readonly unknown[], where: string): Given[] =>
    values.flatMap((value, index) => {
      const place = `${where}[${index}]: `;
      return isRecord(value) ? v2Object(value, includes, place) : [`${place}must be an object`];
    });
  return [
    ...each(asRecords(included.users), 'includes.users'),
    ...each(tweets, 'includes.tweets'),
    ...each(data, 'data'),
  ];
}

function kindOf(value: Json): Kind | undefined {
  if (has(value, 'follower_id') || has(value, 'followed_id')) return 'follow';
  if (has(value, 'text') || has(value, 'author_id')) return 'tweet';
  return has(value, 'handle') ? 'user' : undefined;
}

/**
 * The rows of one JSON value: the interface's own names, or a page or object of X's API v2. `expected` is the kind from
 * the file's name.
 */
export function rowsOf(value: unknown, expected: Kind | undefined): Given[] {
  if (!isRecord(value)) return ['must be a JSON object'];
  if (isRefusal(value)) return [`an error response ("${value.title}: ${value.detail}"), not a page`];
  if (isPage(value)) return v2Page(value);
  if (V2_FIELDS.some((name) => has(value, name))) return v2Object(value, NO_INCLUDES, '');
  const kind = expected ?? kindOf(value);
  if (kind === undefined) {
    return [
      'neither a user (id, handle, name), a tweet (id, text, created_at, author_id) nor a follow (follower_id, followed_id)',
    ];
  }
  const row = interfaceRow(kind, value);
  // A tweet as the interface serves it may contain its author.
  if (kind === 'tweet' && isRecord(value.author)) return [at(interfaceRow('user', value.author), 'author: '), row];
  return [row];
}
