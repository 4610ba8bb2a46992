import { Chance } from '../../demo/random.js';
import { Texts, wordOf } from './texts.js';

/** Generated rows in the NDJSON of the interface; always the same for the same size. */
export interface CorpusSize {
  readonly users: number;
  readonly tweets: number;
}

export const SMALL: CorpusSize = { users: 2000, tweets: 10_000 };

export const largeOf = (tweets: number): CorpusSize => ({ users: Math.max(2000, Math.ceil(tweets / 20)), tweets });

const SEED = 20_060_321;
const FIRST_USER = 1000;
const FIRST_TWEET = 1_000_000_000_000;
const BEGIN_MS = Date.UTC(2020, 0, 1);
const END_MS = Date.UTC(2026, 0, 1);
/** One in this many tweets is by the subject. */
const SUBJECT_SHARE = 50;
const SUBJECT_FOLLOWERS = 400;
/** The number of users with a full timeline. They write every second tweet. */
const BUSY_USERS = 200;

/** The user whom all read scenarios read. */
export const SUBJECT = { id: String(FIRST_USER), handle: 'bench_subject' };

/** The user with that index; 0 is the subject. */
export const handleOf = (index: number): string => (index === 0 ? SUBJECT.handle : `user_${index}`);
const idOf = (index: number): string => String(FIRST_USER + index);

/** Users besides the subject with at least 20 tweets in a corpus of any size. */
export const BUSY = Array.from({ length: BUSY_USERS }, (_, nth) => ({ id: idOf(nth + 1), handle: handleOf(nth + 1) }));
const at = (ms: number): string => new Date(Math.floor(ms)).toISOString();

export function* users({ users: count }: CorpusSize): Generator<object> {
  const chance = new Chance(SEED).fork('users');
  const texts = new Texts(chance.fork('texts'));
  for (let index = 0; index < count; index += 1) {
    yield {
      id: idOf(index),
      handle: handleOf(index),
      name: texts.sentence(2, 3),
      bio: texts.sentence(12, 24),
      location: texts.word(),
      url: `https://${texts.word()}.example/${index}`,
      avatar_url: `https://images.example/avatars/${index}/normal.jpg`,
      banner_url: `https://images.example/banners/${index}/1500x500.jpg`,
      verified: chance.happens(0.1),
      protected: false,
      followers: Math.floor(chance.skewed(5, 2)),
      following: Math.floor(chance.skewed(5, 1)),
      tweets: Math.floor(chance.skewed(6, 1)),
      likes: Math.floor(chance.skewed(6, 1)),
      listed: chance.int(50),
      created_at: at(chance.between(Date.UTC(2010, 0, 1), BEGIN_MS)),
    };
  }
}

/** The author of the tweet with that index, or undefined if chance decides. */
function authorOf(index: number): number | undefined {
  if (index % SUBJECT_SHARE === 0) return 0;
  return index % 2 === 1 ? 1 + (((index - 1) / 2) % BUSY_USERS) : undefined;
}

/** A word in every tenth tweet of the older half, and in no newer one. */
export const OLD_WORD = 'bygone';
const isOld = (index: number, count: number): boolean => index < count / 2 && index % 10 === 3;

export function* tweets({ users: authors, tweets: count }: CorpusSize): Generator<object> {
  const chance = new Chance(SEED).fork('tweets');
  const texts = new Texts(chance.fork('texts'));
  for (let index = 0; index < count; index += 1) {
    const author = authorOf(index) ?? 1 + chance.int(authors - 1);
    const id = String(FIRST_TWEET + index);
    const tag = chance.happens(0.2) ? wordOf(1 + chance.int(500)) : null;
    const mention = chance.happens(0.3) ? handleOf(chance.int(authors)) : null;
    yield {
      id,
      text: [texts.sentence(12, 28), isOld(index, count) && OLD_WORD, tag && `#${tag}`, mention && `@${mention}`]
        .filter(Boolean)
        .join(' '),
      lang: chance.pick(['en', 'en', 'en', 'es', 'ja', 'de']),
      created_at: at(BEGIN_MS + ((END_MS - BEGIN_MS) * index) / count),
      author_id: idOf(author),
      conversation_id: id,
      replies: Math.floor(chance.skewed(1, 1)),
      retweets: Math.floor(chance.skewed(1.5, 1.5)),
      likes: Math.floor(chance.skewed(2.5, 2)),
      quotes: chance.int(5),
      views: Math.floor(chance.skewed(6, 2)),
      ...(tag && { hashtags: [tag] }),
      ...(mention && { mentions: [mention] }),
      ...(chance.happens(0.15) && { media: [photo(id)] }),
      is_retweet: false,
      is_quote: false,
      is_reply: false,
      source: 'Web',
    };
  }
}

const photo = (id: string) => ({
  type: 'photo',
  url: `https://images.example/media/${id}.jpg`,
  width: 1200,
  height: 800,
});

export function* follows({ users: count }: CorpusSize): Generator<object> {
  for (let index = 1; index <= Math.min(SUBJECT_FOLLOWERS, count - 1); index += 1) {
    yield { follower_id: idOf(index), followed_id: SUBJECT.id };
  }
}
