/**
 * What tweets and profiles are found by, as the text of a `tsvector`. The database's own parser is not used because it
 * depends on the locale. Words have positions. Everything else is a mark, which cannot be mistaken for a word:
 *
 *   :lang=en  :tag=art  :at=nasa  :cash=tsla  :url=nytimes (each part of an address)
 *   :is=reply|retweet|quote|media|image|video|link|tag|mention
 *   :likes=100 :retweets=10 (for each row of counters.ts, the powers of ten that it reaches, from the first to `MOST_POWER`)
 *   :time=long40 :time=short652 :rank=long40 :rank=short652 (the spans of time and of rank, see spans.ts)
 *   :near=bird :near=bid/2/r (for a profile: a word of its handle or name, and the word without one of its characters)
 *
 * All are in one vector, so that one index intersects any mix of operators without reading the table.
 */
import type { Media, Tweet, User } from '../../../../src/domain/model.js';
import { COUNTER_NAMES, COUNTERS, type Counter, type CounterField } from '../../search/counters.js';
import { foldWord, withoutAccents } from '../../search/fold.js';
import { LEAST_NEAR, MOST_NEAR } from '../../search/nearly.js';
import type { Flag } from '../../search/query.js';
import { signsIn } from '../../search/signs.js';
import { cut, tokenize } from '../../search/tokens.js';
import { computeRank, type RankedTweet } from './rank.js';
import { spanMarks } from './spans.js';

/** The fields of a tweet that decide how it is found; counters as a file or the database has them. */
export type SearchedTweet = RankedTweet &
  Readonly<Partial<Record<CounterField, number | string | undefined>>> &
  Readonly<
    Pick<
      Tweet,
      'text' | 'lang' | 'urls' | 'hashtags' | 'mentions' | 'isQuote' | 'isReply' | 'quotedId' | 'inReplyToId'
    > & {
      media?: readonly Pick<Media, 'type'>[] | undefined;
    }
  >;

export type SearchedUser = Readonly<Pick<User, 'handle' | 'name' | 'bio'>>;

/** Only the beginning of a longer text is searched. */
const MOST_TEXT = 50_000;
/** The last position that the database keeps: words beyond it are found, but no phrases. */
const LAST_POSITION = 16_383;
/** Bytes of lexemes and positions; the database takes a megabyte. */
const MOST_BYTES = 900_000;
/** Characters of a tag, a handle or a part of an address. */
const MOST_MARK = 100;
const MOST_URL = 2000;
/** Counters are known to the index up to ten million. */
export const MOST_POWER = 7;

export type Mark = 'lang' | 'tag' | 'at' | 'near' | 'cash' | 'url' | 'is' | 'time' | 'rank' | Counter;

/** The lexeme of a mark; a value is folded as a word is. */
export const markLexeme = (kind: Mark, value: string): string => `:${kind}=${cut(foldWord(value), MOST_MARK)}`;

/** The same for a short value that needs no folding because it has only lower case and digits. */
const plainMark = (kind: Mark, value: string): string => `:${kind}=${value}`;

const isTerm = (kind: Exclude<Flag, 'verified'>): string => plainMark('is', kind);

/** Quotes a lexeme for the text formats of `tsvector` and `tsquery`, where it needs that. */
export const quotedLexeme = (lexeme: string): string => {
  if (/^[0-9a-z]+$/.test(lexeme)) return lexeme;
  return /['\\]/.test(lexeme) ? `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : `'${lexeme}'`;
};

/** Collects lexemes up to the size that the database takes. */
class Vector {
  private readonly lexemes: string[] = [];
  private bytes = 0;

  addMark(lexeme: string): void {
    this.add(lexeme, '');
  }

  /** Adds the words of a text after the position `reached`. Returns the position of the last word. */
  addText(text: string, reached = 0, weight: 'A' | '' = ''): number {
    let position = reached;
    for (const token of tokenize(text.slice(0, MOST_TEXT))) {
      position = Math.min(reached + token.position, LAST_POSITION);
      this.add(token.lexeme, `:${position}${weight}`);
    }
    return position;
  }

  toString(): string {
    return this.lexemes.join(' ');
  }

  private add(lexeme: string, position: string): void {
    // A lexeme takes at most three bytes for each UTF-16 unit; length, alignment and positions take eight more.
    this.bytes += 3 * lexeme.length + 8;
    if (this.bytes <= MOST_BYTES) this.lexemes.push(quotedLexeme(lexeme) + position);
  }
}

export function vectorOfTweet(tweet: SearchedTweet): string {
  const vector = new Vector();
  addMarks(vector, tweet);
  vector.addText(tweet.text);
  return vector.toString();
}

/**
 * The handle itself, and the words of handle, name and bio without accents; no phrase extends from one text to the next.
 * Words of handle and name have the weight `A`, and are also found with a typing error.
 */
export function vectorOfUser({ handle, name, bio = '' }: SearchedUser): string {
  const vector = new Vector();
  vector.addMark(markLexeme('at', handle));
  let position = 0;
  for (const text of [handle, name]) {
    const plain = withoutAccents(text);
    position = vector.addText(plain, position, 'A') + 1;
    for (const { kind, lexeme } of tokenize(plain)) {
      if (kind === 'word' || kind === 'part') for (const near of nearMarks(lexeme)) vector.addMark(near);
    }
  }
  vector.addText(withoutAccents(bio), position);
  return vector.toString();
}

/** A word without one of its characters, that character, and where it was. */
export interface Shortened {
  readonly rest: string;
  readonly without: string;
  readonly index: number;
}

/** The part of a word that is compared, and that part without each of its characters in turn; null for a short word. */
export function shortenings(word: string): { word: string; shortened: Shortened[] } | null {
  const characters = [...word].slice(0, MOST_NEAR);
  if (characters.length < LEAST_NEAR) return null;
  const shortened = characters.map((without, index) => ({
    rest: [...characters.slice(0, index), ...characters.slice(index + 1)].join(''),
    without,
    index,
  }));
  return { word: characters.join(''), shortened };
}

export const nearMark = (word: string): string => markLexeme('near', word);
/** If `without` is not given, it is the beginning of the marks for any character that was there. */
export const shortenedMark = ({ rest, index }: Omit<Shortened, 'without'>, without = ''): string =>
  markLexeme('near', `${rest}/${index}/${without}`);

function nearMarks(lexeme: string): string[] {
  const { word, shortened } = shortenings(lexeme) ?? {};
  if (word === undefined) return [];
  return [nearMark(word), ...(shortened ?? []).map((each) => shortenedMark(each, each.without))];
}

function addMarks(vector: Vector, tweet: SearchedTweet): void {
  if (tweet.lang) vector.addMark(markLexeme('lang', tweet.lang));
  if (tweet.isReply ?? isThere(tweet.inReplyToId)) vector.addMark(isTerm('reply'));
  if (tweet.isRetweet ?? isThere(tweet.retweetedId)) vector.addMark(isTerm('retweet'));
  if (tweet.isQuote ?? isThere(tweet.quotedId)) vector.addMark(isTerm('quote'));
  addMediaMarks(vector, tweet.media ?? []);

  const text = tweet.text.slice(0, MOST_TEXT);
  // If a source lists no tags or mentions, those in the text are used, for the search only.
  const tags = tweet.hashtags ?? signsIn('hashtag', text);
  if (tags.length > 0) vector.addMark(isTerm('tag'));
  for (const tag of tags) vector.addMark(markLexeme('tag', tag));
  const handles = tweet.mentions ?? signsIn('mention', text);
  if (handles.length > 0) vector.addMark(isTerm('mention'));
  for (const handle of handles) vector.addMark(markLexeme('at', handle));
  for (const symbol of signsIn('cashtag', text)) vector.addMark(markLexeme('cash', symbol));

  if (tweet.urls === undefined ? /https?:\/\//.test(text) : tweet.urls.length > 0) vector.addMark(isTerm('link'));
  for (const url of tweet.urls ?? [])
    for (const part of partsOfUrl(url.slice(0, MOST_URL))) vector.addMark(markLexeme('url', part));

  for (const counter of COUNTER_NAMES) addPowers(vector, counter, tweet[COUNTERS[counter].field]);

  for (const span of spanMarks(Date.parse(tweet.createdAt))) vector.addMark(plainMark('time', span));
  for (const span of spanMarks(computeRank(tweet))) vector.addMark(plainMark('rank', span));
}

const isThere = (id: string | undefined): boolean => id !== undefined;

/** A GIF is a video here, as it is to the networks that show it. */
function addMediaMarks(vector: Vector, media: readonly Pick<Media, 'type'>[]): void {
  if (media.length > 0) vector.addMark(isTerm('media'));
  if (media.some(({ type }) => type === 'photo')) vector.addMark(isTerm('image'));
  if (media.some(({ type }) => type !== 'photo')) vector.addMark(isTerm('video'));
}

/** The parts of an address other than `http` and `https`, in lower case. */
export const partsOfUrl = (url: string): string[] =>
  (url.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((part) => part !== 'http' && part !== 'https');

function addPowers(vector: Vector, counter: Counter, value: number | string | undefined): void {
  const most = Math.min(MOST_POWER, String(value ?? 0).length - 1);
  for (let power = 1; power <= most; power += 1) vector.addMark(plainMark(counter, String(10 ** power)));
}
