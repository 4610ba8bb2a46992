import { expect } from 'vitest';
import { parseRecordId, recordId, uriOfRecord, userDid, userId } from '../../../adapters/networks/bluesky/ids.js';
import type { Tweet, User } from '../../../src/domain/model.js';

// biome-ignore lint/suspicious/noExplicitAny: bodies as they came.
type Raw = any;

/** Checks that the tweet says what the post says. */
export function expectPost(tweet: Tweet, post: Raw): void {
  const { record } = post;
  const found = parseRecordId(tweet.id);
  expect(found && uriOfRecord(found)).toBe(post.uri);
  expect(tweet).toMatchObject({
    text: record.text,
    authorId: userId(post.author.did),
    author: { id: userId(post.author.did), handle: post.author.handle, followersCount: expect.any(Number) },
    repliesCount: post.replyCount,
    retweetsCount: post.repostCount,
    likesCount: post.likeCount,
    quotesCount: post.quoteCount,
    bookmarksCount: post.bookmarkCount,
    conversationId: recordId(record.reply?.root.uri ?? post.uri),
    isReply: record.reply !== undefined,
    isRetweet: false,
  });
  expect(tweet.createdAt).toBe([record.createdAt, post.indexedAt].sort()[0]);
  expect(tweet.lang).toBe(record.langs?.[0]);
  expect(tweet.inReplyToId).toBe(record.reply && recordId(record.reply.parent.uri));
  const quoted = record.embed?.record?.record?.uri ?? record.embed?.record?.uri;
  expect(tweet.quotedId).toBe(quoted && recordId(quoted));
  const media = post.embed?.media ?? post.embed;
  expect(tweet.media).toHaveLength(media?.images?.length ?? (media?.playlist ? 1 : 0));
}

/** Checks that the user says what the profile says. */
export function expectUser(user: User, profile: Raw): void {
  expect(userDid(user.id)).toBe(profile.did);
  expect(user).toMatchObject({
    handle: profile.handle,
    name: profile.displayName || profile.handle,
    protected: false,
    createdAt: profile.createdAt ?? '1970-01-01T00:00:00.000Z',
  });
  if (profile.followersCount === undefined) return;
  expect([user.followersCount, user.followingCount, user.tweetsCount]).toEqual([
    profile.followersCount,
    profile.followsCount,
    profile.postsCount,
  ]);
  expect([user.bio, user.url, user.avatarUrl, user.bannerUrl]).toEqual([
    profile.description,
    profile.website,
    profile.avatar,
    profile.banner,
  ]);
  expect(user.pinnedTweetIds).toEqual(profile.pinnedPost && [recordId(profile.pinnedPost.uri)]);
}
