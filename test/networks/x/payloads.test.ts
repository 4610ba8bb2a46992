import { describe, expect, it } from 'vitest';
import { mapTweets, mapUsers } from '../../../adapters/networks/x/map.js';
import { isOfInput, problemFailure } from '../../../adapters/networks/x/problems.js';
import {
  problemSchema,
  tweetSchema,
  tweetsAnswer,
  userSchema,
  usersAnswer,
} from '../../../adapters/networks/x/schemas.js';
import type { Tweet, User } from '../../../src/domain/model.js';
import { describeWithShared, listShared, readShared, readSharedText } from '../contract/shared.js';

type Json = Record<string, unknown>;

const FOLDERS = ['payloads/v2', 'payloads/v2-twarc', 'contracts/x-api-v2/examples'];

/** Every answer with 200 in the folder; of files with one a line, each line that is JSON. */
function bodiesOf(folder: string): [where: string, body: Json][] {
  return listShared(folder).flatMap((file): [string, Json][] => {
    if (/\.(?:[45]\d\d\.json|html)$/.test(file)) return [];
    if (file.endsWith('.json')) return [[file, readShared(`${folder}/${file}`) as Json]];
    return readSharedText(`${folder}/${file}`)
      .split('\n')
      .flatMap((line, index): [string, Json][] => {
        try {
          return [[`${file}:${index + 1}`, JSON.parse(line) as Json]];
        } catch {
          return [];
        }
      });
  });
}

const objects = (value: unknown): Json[] =>
  [value].flat().filter((each): each is Json => typeof each === 'object' && each !== null);
const at = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => (inner as Json | undefined | null)?.[name], value);
const text = (value: unknown): string =>
  String(value).replaceAll('&amp;', '&').replaceAll('&lt;', '<').replaceAll('&gt;', '>');
const filled = (value: unknown): string | undefined => (value === undefined || value === '' ? undefined : text(value));
const moment = (value: unknown): string => String(value).replace(/(?:\.\d+)?Z$/, '.000Z');

/** Each member of a body in its field of the interface. Written anew, without the code of the mapping. */
function expectedUser(raw: Json): Json {
  const count = (name: string) => at(raw, 'public_metrics', name);
  const link = at(raw, 'entities', 'url', 'urls', '0', 'expanded_url');
  return {
    id: raw.id,
    handle: raw.username,
    name: text(raw.name ?? raw.username),
    location: filled(raw.location),
    url: link ?? filled(raw.url),
    avatarUrl: filled(raw.profile_image_url),
    bannerUrl: filled(raw.profile_banner_url),
    protected: raw.protected,
    verified: ['blue', 'business', 'government'].includes(String(raw.verified_type)) || raw.verified,
    followersCount: count('followers_count'),
    followingCount: count('following_count'),
    tweetsCount: count('tweet_count'),
    likesCount: count('like_count'),
    listedCount: count('listed_count'),
    createdAt: moment(raw.created_at),
    pinnedTweetIds: raw.pinned_tweet_id === undefined ? undefined : [raw.pinned_tweet_id],
  };
}

function expectedTweet(raw: Json, includes: Json): Json {
  const referenceTo = (type: string) => objects(raw.referenced_tweets ?? []).find((each) => each.type === type)?.id;
  const retweeted = referenceTo('retweeted');
  const original = objects(includes.tweets ?? []).find(({ id }) => retweeted !== undefined && id === retweeted);
  const source = original && 'created_at' in original && 'author_id' in original ? original : raw;
  const count = (name: string) => at(raw, 'public_metrics', name);
  const entities = at(source, 'note_tweet', 'entities') ?? source.entities;
  return {
    id: raw.id,
    lang: /^(?:und|zxx|art|q..)$/.test(String(raw.lang)) ? undefined : raw.lang,
    createdAt: moment(raw.created_at),
    authorId: raw.author_id,
    conversationId: raw.conversation_id,
    inReplyToId: referenceTo('replied_to'),
    inReplyToUserId: raw.in_reply_to_user_id,
    quotedId: referenceTo('quoted'),
    retweetedId: retweeted,
    repliesCount: count('reply_count'),
    retweetsCount: count('retweet_count'),
    likesCount: count('like_count'),
    quotesCount: count('quote_count'),
    bookmarksCount: count('bookmark_count'),
    viewsCount: count('impression_count'),
    hashtags: objects(at(entities, 'hashtags') ?? []).map(({ tag }) => tag),
    mentions: objects(at(entities, 'mentions') ?? []).map(({ username }) => username),
    source: filled(raw.source),
    isRetweet: retweeted !== undefined,
    isQuote: referenceTo('quoted') !== undefined,
    isReply: referenceTo('replied_to') !== undefined,
    ...(source === raw && retweeted === undefined && { text: text(at(raw, 'note_tweet', 'text') ?? raw.text) }),
    ...(source !== raw && { text: text(at(source, 'note_tweet', 'text') ?? source.text) }),
  };
}

/** Every address in the body must be in the field, in its longest form, except those of its own pictures. */
function expectUrls(raw: Json, mapped: Tweet): void {
  for (const link of objects(at(raw, 'entities', 'urls') ?? [])) {
    const isOwn = 'media_key' in link || /^pic\./.test(String(link.display_url));
    const address = String(link.unwound_url ?? link.expanded_url ?? link.url);
    if (!isOwn && !mapped.isRetweet) expect(mapped.urls).toContain(address);
  }
}

const MUST_USER = ['created_at'];
const MUST_TWEET = ['created_at', 'author_id'];

const known = (fields: Json): Json =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/**
 * Maps one object of a body with the adapter: it must lose nothing, or be refused because it lacks what was not
 * requested.
 */
function checkObject(raw: Json, includes: Json): 'user' | 'tweet' | 'refused' | 'other' {
  if (typeof raw.username === 'string') {
    const missing = MUST_USER.filter((name) => !(name in raw));
    const parsed = usersAnswer.safeParse({ data: [raw] });
    if (missing.length > 0) return refused(parsed, missing);
    const [mapped] = mapUsers(usersAnswer.parse({ data: [raw] })) as [User];
    expect(mapped).toMatchObject(known(expectedUser(raw)));
    expect('bio' in mapped).toBe(Boolean(raw.description));
    return 'user';
  }
  if (typeof raw.text !== 'string' || raw.start !== undefined) return 'other';
  const missing = MUST_TWEET.filter((name) => !(name in raw));
  const parsed = tweetsAnswer.safeParse({ data: [raw], includes });
  if (missing.length > 0) return refused(parsed, missing);
  const [mapped] = mapTweets(tweetsAnswer.parse({ data: [raw], includes })) as [Tweet];
  expect(mapped).toMatchObject(known(expectedTweet(raw, includes)));
  expectUrls(raw, mapped);
  checkBeside(raw, includes, mapped);
  return 'tweet';
}

function checkBeside(raw: Json, includes: Json, mapped: Tweet): void {
  const author = objects(includes.users ?? []).find(({ id }) => id === raw.author_id);
  const isWhole = author !== undefined && MUST_USER.every((name) => name in author);
  if (isWhole) expect(mapped.author).toMatchObject(known(expectedUser(author)));
  const keys = (at(raw, 'attachments', 'media_keys') as string[] | undefined) ?? [];
  const media = objects(includes.media ?? []).filter(({ media_key: key }) => keys.includes(String(key)));
  if (media.length > 0) {
    expect(mapped.media).toEqual(media.map(expectedMedium));
  }
}

function expectedMedium(raw: Json): Json {
  const { type, width, height, preview_image_url: preview } = raw;
  const altText = filled(raw.alt_text);
  if (type === 'photo') return known({ type, url: raw.url, width, height, altText });
  const rates = objects(raw.variants ?? []).filter((each) => each.content_type === 'video/mp4');
  const best = Math.max(...rates.map((each) => Number(each.bit_rate)));
  const video = rates.find((each) => Number(each.bit_rate) === best);
  return known({ type, url: video?.url ?? preview, previewUrl: preview, width, height, altText });
}

function refused(parsed: { data?: { unread: readonly { problem: string }[] } }, missing: readonly string[]): 'refused' {
  expect(missing).toContain(parsed.data?.unread[0]?.problem.split(':')[0]);
  return 'refused';
}

describe.each(FOLDERS)('answers of X in %s', (folder) => {
  describeWithShared(folder, 'as they were sent', () => {
    it('are mapped without loss, each object, or refused for what was not requested', () => {
      const totals = { user: 0, tweet: 0, refused: 0, other: 0 };
      for (const [where, body] of bodiesOf(folder)) {
        const includes = (body.includes ?? {}) as Json;
        const beside = ['users', 'tweets', 'posts'].flatMap((name) => objects(includes[name] ?? []));
        const all = [...objects(body.data ?? []), ...beside];
        for (const raw of all) {
          try {
            totals[checkObject(raw, includes)] += 1;
          } catch (error) {
            throw new Error(`${where}, ${String(raw.id)}: ${(error as Error).message}`, { cause: error });
          }
        }
      }
      expect(totals.user + totals.tweet).toBeGreaterThan(5);
    });

    it('pass whole as pages if their fields were requested', () => {
      for (const [, body] of bodiesOf(folder)) {
        const items = Array.isArray(body.data) ? objects(body.data) : [];
        if (items.length === 0) continue;
        if (items.every((raw) => userSchema.safeParse(raw).success)) {
          expect(mapUsers(usersAnswer.parse(body)).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
        }
        if (items.every((raw) => tweetSchema.safeParse(raw).success)) {
          expect(mapTweets(tweetsAnswer.parse(body)).map(({ id }) => id)).toEqual(items.map(({ id }) => id));
        }
      }
    });

    it('name only missing inputs as problems, or unrelated objects', () => {
      for (const [where, body] of bodiesOf(folder)) {
        for (const raw of objects(body.errors ?? [])) {
          const each = problemSchema.parse(raw);
          if (!isOfInput(each)) continue;
          expect([where, problemFailure(each, 'user').code]).toEqual([where, 'not_found']);
        }
      }
    });

    it('can be empty pages', () => {
      for (const [where, body] of bodiesOf(folder)) {
        if (!where.includes('empty')) continue;
        expect(mapTweets(tweetsAnswer.parse(body))).toEqual([]);
        expect(mapUsers(usersAnswer.parse(body))).toEqual([]);
      }
    });
  });
});
