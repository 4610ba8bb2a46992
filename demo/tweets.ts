/** Drafts become tweets: ids, entities found in the text, pictures, and counters that agree with the rows. */
import type { Media, Tweet } from '../src/domain/model.js';
import { SITE } from './account.js';
import type { Draft } from './draft.js';
import type { Chance } from './random.js';
import { snowflake } from './snowflake.js';
import type { Society } from './society.js';

const SIZES: Readonly<Record<string, readonly (readonly [number, number])[]>> = {
  photo: [
    [1600, 1200],
    [1200, 1600],
    [2048, 1365],
    [1080, 1080],
    [1500, 844],
  ],
  video: [
    [1280, 720],
    [1920, 1080],
    [720, 1280],
  ],
  animated_gif: [
    [480, 270],
    [498, 280],
    [400, 400],
  ],
};
const SOURCES = [
  'Demo Web',
  'Demo for Phone',
  'Demo for Phone',
  'Demo for Phone',
  'Demo for Tablet',
  'Harbor Scheduler',
];

interface Counts {
  replies: number;
  retweets: number;
  quotes: number;
}

/** Gives ids in order of time; drafts of the same millisecond get theirs in the order in which they were written. */
export function withIds(drafts: readonly Draft[]): Map<Draft, string> {
  const ids = new Map<Draft, string>();
  let [lastMs, sequence] = [0, 0];
  for (const draft of drafts.toSorted((a, b) => a.atMs - b.atMs)) {
    sequence = draft.atMs === lastMs ? sequence + 1 : 0;
    lastMs = draft.atMs;
    ids.set(draft, snowflake(draft.atMs, sequence));
  }
  return ids;
}

function countRows(drafts: Iterable<Draft>): Map<Draft, Counts> {
  const counts = new Map<Draft, Counts>();
  const add = (target: Draft | null, field: keyof Counts): void => {
    if (target === null) return;
    const entry = counts.get(target) ?? { replies: 0, retweets: 0, quotes: 0 };
    entry[field] += 1;
    counts.set(target, entry);
  };
  for (const { parent, quoted, retweeted } of drafts) {
    add(parent, 'replies');
    add(quoted, 'quotes');
    add(retweeted, 'retweets');
  }
  return counts;
}

function makeMedia({ media }: Draft, id: string, chance: Chance): Media[] {
  if (media === null) return [];
  const count = media === 'photo' && chance.happens(0.2) ? 2 + chance.int(3) : 1;
  return Array.from({ length: count }, (_, index) => {
    const [width, height] = chance.pick(SIZES[media] ?? []);
    const base = `${SITE}/media/${id}-${index + 1}`;
    return media === 'photo'
      ? { type: media, url: `${base}.jpg`, width, height }
      : { type: media, url: `${base}.mp4`, previewUrl: `${base}.jpg`, width, height };
  });
}

/** Likes grow with the number of possible readers; views with both. */
function makeFame(draft: Draft, counts: Counts, followers: number, chance: Chance): Draft['fame'] & object {
  if (draft.fame !== null) return draft.fame;
  const base = draft.parent === null ? -1.5 : -2.9;
  const appeal = chance.skewed(base, 0.95) * (draft.media === null ? 1 : 1.8);
  const likes = Math.floor(
    followers ** 0.86 * appeal + 2.5 * counts.retweets + 3 * counts.quotes + 0.6 * counts.replies,
  );
  return { likes, views: Math.floor(likes * chance.between(18, 60) + followers * chance.between(0.3, 1.4) + 3) };
}

const found = (text: string, pattern: RegExp): string[] => [
  ...new Set([...text.matchAll(pattern)].map((match) => match[1] ?? '')),
];

/** In id order. */
export function toTweets(ids: ReadonlyMap<Draft, string>, society: Society, seed: Chance): Tweet[] {
  const chance = seed.fork('counters');
  const counted = countRows(ids.keys());
  const idOf = (draft: Draft): string => ids.get(draft) ?? '';
  return [...ids].map(([draft, id]) => {
    const { author, parent, quoted, retweeted, text } = draft;
    const counts = counted.get(draft) ?? { replies: 0, retweets: 0, quotes: 0 };
    const fame = makeFame(draft, counts, society.followersCount(author), chance);
    return {
      id,
      text,
      lang: draft.lang,
      createdAt: new Date(draft.atMs).toISOString(),
      authorId: author.id,
      conversationId: idOf(draft.root ?? draft),
      ...(parent === null ? {} : { inReplyToId: idOf(parent), inReplyToUserId: parent.author.id }),
      ...(quoted === null ? {} : { quotedId: idOf(quoted) }),
      ...(retweeted === null ? {} : { retweetedId: idOf(retweeted) }),
      repliesCount: counts.replies,
      retweetsCount: counts.retweets,
      quotesCount: counts.quotes,
      // A retweet's likes and views count on the original.
      likesCount: retweeted === null ? fame.likes : 0,
      bookmarksCount: retweeted === null ? Math.floor(fame.likes / 31) : 0,
      ...(retweeted === null ? { viewsCount: fame.views } : {}),
      media: makeMedia(draft, id, chance),
      urls: found(text, /(https:\/\/[^\s…]+)/g),
      hashtags: found(text, /#([\p{L}\p{N}_]+)/gu),
      mentions: found(text, /@(\w+)/g),
      isRetweet: retweeted !== null,
      isQuote: quoted !== null,
      isReply: parent !== null,
      source: chance.pick(SOURCES),
    };
  });
}
