import { decodeEntities } from './escaped-text.js';
import { interfaceRow, type RowKind, tweetRows } from './interface-row.js';
import { asRecord, asRecords, type Given, isRecord, type Json } from './reading.js';
import { referencesOf, type V2Includes, v2Tweet, v2User } from './v2.js';
import { type StatusFormat, statusTweet, v11User } from './v11.js';

const NO_INCLUDES: V2Includes = {
  media: new Map(),
  polls: new Map(),
  tweets: new Map(),
  listsReferences: false,
};
/** The deepest nesting of objects that is read: a post, the one it quotes, an account that one mentions, … */
const MOST_LEVELS = 4;

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

const REQUEST_FIELDS_HINT = ' (request pages with tweet.fields=author_id,created_at)';

const has = (value: Json, name: string): boolean => Object.hasOwn(value, name);

/** Lists of objects that a page includes; tools save them without the page. */
const INCLUDED = ['users', 'tweets', 'posts', 'media', 'polls', 'statuses'];

const isPage = (value: Json): boolean =>
  !has(value, 'id') &&
  !has(value, 'id_str') &&
  (['data', 'includes', 'meta', 'errors'].some((name) => has(value, name)) ||
    INCLUDED.some((name) => Array.isArray(value[name])));

/**
 * An answer that only reports a fault of the request; partial errors beside data, or of a lookup, are not faults of the
 * file.
 */
const isRefusal = (value: Json): boolean =>
  !has(value, 'id') && !has(value, 'data') && typeof value.title === 'string' && typeof value.detail === 'string';

const at = (given: Given, where: string): Given => (typeof given === 'string' ? `${where}${given}` : given);

/** Only v1.1 has ids as text in `id_str`, because its numeric ids may be rounded. */
const isV11 = (value: Json): boolean =>
  typeof value.id_str === 'string' && ['text', 'full_text', 'screen_name'].some((name) => has(value, name));

/** Reads an object of X's API, of either version, and the objects inside it. */
type Read = (value: Json, where: string, level: number) => Given[];

const inside = (read: Read, value: unknown, where: string, level: number): Given[] =>
  isRecord(value) && level < MOST_LEVELS ? read(value, `${where}: `, level + 1) : [];

/** A status or user of X's API v1.1, or of an archive of its time. */
export function v11Object(value: Json, where: string, level = 0, from: StatusFormat = 'answer'): Given[] {
  const read: Read = (...each) => v11Object(...each, from);
  if (has(value, 'screen_name')) {
    // Lists of users have the latest status of each, without its author.
    const status = asRecord(value.status);
    const latest = has(status, 'id_str') ? { ...status, user: { id_str: value.id_str } } : undefined;
    return [at(interfaceRow('user', v11User(value)), where), ...inside(read, latest, `${where}status`, level)];
  }
  const user = asRecord(value.user);
  const within = (name: string) => inside(read, value[name], `${where}${name}`, level);
  // What the latest status of a user repeats or quotes has no author there, and so is a mere reference.
  const withinOf = (name: string) => (isRecord(asRecord(value[name]).user) ? within(name) : []);
  return [
    // If users were not requested, this is only an id.
    ...(has(user, 'screen_name') ? within('user') : []),
    ...withinOf('retweeted_status'),
    ...withinOf('quoted_status'),
    ...tweetRows(statusTweet(value, { authorId: user.id_str, from })).map((row) => at(row, where)),
  ];
}

/**
 * The objects inside a post: tools that flatten pages put there what a page includes. A mere reference has no text, and
 * a mention has no name.
 */
function v2Inside(includes: V2Includes, value: Json, where: string, level: number): Given[] {
  const read: Read = (each, place, depth) => v2Object(each, includes, place, depth);
  const users = [value.author, value.in_reply_to_user, ...asRecords(asRecord(value.entities).mentions)];
  const posts = [...referencesOf(value), value.pinned_tweet, value.pinned_post];
  return [
    ...users
      .filter((user) => has(asRecord(user), 'name') && has(asRecord(user), 'username'))
      .flatMap((user) => inside(read, user, `${where}user inside`, level)),
    ...posts
      .filter((post) => has(asRecord(post), 'text'))
      .flatMap((post) => inside(read, post, `${where}post inside`, level)),
  ];
}

function v2Object(value: Json, includes: V2Includes, where: string, level = 0): Given[] {
  const around = v2Inside(includes, value, where, level);
  if (has(value, 'username')) return [...around, at(interfaceRow('user', v2User(value)), where)];
  if (!has(value, 'text')) return [`${where}neither a user (username) nor a tweet (text) of X API v2`];
  const rows = tweetRows(v2Tweet(value, withOwn(includes, value)));
  const hinted = (row: Given): Given =>
    typeof row === 'string' && row.includes(' is missing: a tweet') ? row + REQUEST_FIELDS_HINT : row;
  return [...around, ...rows.map((row) => at(hinted(row), where))];
}

/** Adds the media, polls and references that are inside the post. */
function withOwn(includes: V2Includes, value: Json): V2Includes {
  const posts = referencesOf(value).filter((post) => has(post, 'text'));
  const attached = [value, ...posts].map((post) => asRecord(post.attachments));
  const media = attached.flatMap((inside) => asRecords(inside.media));
  const polls = attached.flatMap((inside) => asRecords([inside.poll]));
  if (posts.length + media.length + polls.length === 0) return includes;
  return {
    ...includes,
    media: new Map([...includes.media, ...byKey(media, 'media_key')]),
    polls: new Map([...includes.polls, ...byKey(polls, 'id')]),
    tweets: new Map([...includes.tweets, ...byKey(posts, 'id')]),
  };
}

const byKey = (values: readonly Json[], key: string): Map<unknown, Json> =>
  new Map(values.map((value) => [value[key], value]));

/** Whether references were requested, as the request or one post shows: then each post with references lists them. */
function listsReferences(page: Json, posts: readonly Json[]): boolean {
  const { url } = asRecord(page.__twarc);
  const params = typeof url === 'string' && URL.canParse(url) ? new URL(url).searchParams : new URLSearchParams();
  const fields = [params.get('tweet.fields'), params.get('post.fields')].flatMap((names) => names?.split(',') ?? []);
  if (fields.includes('referenced_tweets') || fields.includes('referenced_posts')) return true;
  return posts.some((post) => has(post, 'referenced_tweets') || has(post, 'referenced_posts'));
}

function page(value: Json): Given[] {
  const isBare = INCLUDED.some((name) => Array.isArray(value[name]));
  const included = isBare ? value : asRecord(value.includes);
  const tweets = asRecords(included.tweets ?? included.posts);
  const data = value.data === undefined || value.data === null ? [] : [value.data].flat();
  const includes: V2Includes = {
    media: byKey(asRecords(included.media), 'media_key'),
    polls: byKey(asRecords(included.polls), 'id'),
    tweets: byKey(tweets, 'id'),
    listsReferences: listsReferences(value, [...tweets, ...asRecords(data)]),
  };
  const each = (values: readonly unknown[], where: string): Given[] =>
    values.flatMap((one, index) => {
      const place = `${where}[${index}]: `;
      if (!isRecord(one)) return [`${place}must be an object`];
      return isV11(one) ? v11Object(one, place) : v2Object(one, includes, place);
    });
  const prefix = isBare ? '' : 'includes.';
  return [
    ...each(asRecords(included.users), `${prefix}users`),
    ...each(tweets, `${prefix}tweets`),
    ...each(asRecords(included.statuses), `${prefix}statuses`),
    ...each(data, 'data'),
  ];
}

/** Fields of a kind that no other kind has. */
const TELLING: readonly (readonly [RowKind, readonly string[]])[] = [
  ['follow', ['follower_id', 'followed_id']],
  ['tweet', ['text', 'author_id']],
  ['user', ['handle']],
];

/** The kind that the fields tell: the expected one if they tell several, as with a tool's own fields, or none. */
function kindOf(value: Json, expected?: RowKind): RowKind | undefined {
  const told = TELLING.flatMap(([kind, names]) => (names.some((name) => has(value, name)) ? [kind] : []));
  return expected !== undefined && told.includes(expected) ? expected : (told[0] ?? expected);
}

/** How a file's rows under the interface's names are to be read. */
export interface OwnRows {
  /** The kind that the file's name says, for rows whose fields tell none or several. */
  readonly expected?: RowKind | undefined;
  /** Their texts are escaped as X escapes them, and are decoded. */
  readonly areEscaped?: boolean | undefined;
}

const ESCAPED = ['text', 'name', 'bio', 'location', 'alt_text', 'title'] as const;

const withDecodedTexts = (value: unknown): unknown => {
  if (!isRecord(value)) return value;
  const given = ESCAPED.filter((name) => has(value, name));
  return { ...value, ...Object.fromEntries(given.map((name) => [name, decodeEntities(value[name])])) };
};

/** Decodes the texts of a row and of a tweet's parts. Its author is a row of its own. */
function unescaped(value: Json): Json {
  const { media, audio, articles, poll } = value;
  const inEach = (list: unknown): unknown => (Array.isArray(list) ? list.map(withDecodedTexts) : list);
  return {
    ...asRecord(withDecodedTexts(value)),
    ...{ media: inEach(media), audio: inEach(audio), articles: inEach(articles) },
    poll: isRecord(poll) ? { ...poll, options: inEach(poll.options) } : poll,
  };
}

/** A row under the interface's names: texts are taken as they are. A tweet may have its author inside. */
function ownRow(kind: RowKind, given: Json, areEscaped: boolean): Given[] {
  const value = areEscaped ? unescaped(given) : given;
  if (kind !== 'tweet') return [interfaceRow(kind, value)];
  const { author } = given;
  const authors = isRecord(author) ? ownRow('user', author, areEscaped) : [];
  return [...authors.map((row) => at(row, 'author: ')), ...tweetRows(value)];
}

function ownObject(value: Json, kind: RowKind | undefined, areEscaped: boolean): Given[] {
  if (kind !== undefined) return ownRow(kind, value, areEscaped);
  return [
    'neither a user (id, handle, name), a tweet (id, text, created_at, author_id) nor a follow (follower_id, followed_id)',
  ];
}

/** Whether it is an answer of Perch's REST interface: each has its price beside its data. */
const isOwnAnswer = (value: Json): boolean => has(value, 'credits_charged');

/** The rows in such an answer: a page, a batch or one object. Its objects have all fields that tell their kinds. */
function ownAnswer({ data }: Json, areEscaped: boolean): Given[] {
  if (data === undefined) return ['an answer without data'];
  const all: unknown[] = [data].flat();
  if (all.length > 0 && all.every((one) => typeof one === 'string'))
    return ['data: ids alone say nothing of the account whose followers they are'];
  return all.flatMap((one, index) => {
    const rows = isRecord(one) ? ownObject(one, kindOf(one), areEscaped) : ['must be an object'];
    return rows.map((row) => at(row, Array.isArray(data) ? `data[${index}]: ` : 'data: '));
  });
}

/** The rows of one JSON value: the interface's own names, or a page or object of X's API. */
export function parseRows(value: unknown, { expected, areEscaped = false }: OwnRows = {}): Given[] {
  if (!isRecord(value)) return ['must be a JSON object'];
  if (isRefusal(value)) return [`an error response ("${value.title}: ${value.detail}"), not a page`];
  if (isOwnAnswer(value)) return ownAnswer(value, areEscaped);
  if (isPage(value)) return page(value);
  if (isV11(value)) return v11Object(value, '');
  if (V2_FIELDS.some((name) => has(value, name))) return v2Object(value, NO_INCLUDES, '');
  return ownObject(value, kindOf(value, expected), areEscaped);
}
