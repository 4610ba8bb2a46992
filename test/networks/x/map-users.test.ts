import { describe, expect, it } from 'vitest';
import { usersAnswer } from '../../../adapters/networks/x/schemas.js';
import { type Json, USER, userOf } from './support/mapped.js';

describe('users of X', () => {
  it('with every field', () => {
    const whole = {
      description: 'Tides &amp; ferries https://t.co/a',
      entities: {
        description: {
          urls: [{ start: 14, end: 28, url: 'https://t.co/a', expanded_url: 'https://example.org/tides' }],
        },
        url: { urls: [{ start: 0, end: 9, url: 'https://t.co/b', expanded_url: 'https://example.org' }] },
      },
      location: 'Harbour',
      url: 'https://t.co/b',
      profile_image_url: 'https://pbs.twimg.com/a_normal.jpg',
      profile_banner_url: 'https://pbs.twimg.com/b',
      verified: false,
      protected: true,
      pinned_tweet_id: '99',
      public_metrics: { followers_count: 1, following_count: 2, tweet_count: 3, like_count: 5, listed_count: 4 },
    };
    expect(userOf(whole)).toEqual({
      id: '12',
      handle: 'gull',
      name: 'Gull',
      bio: 'Tides & ferries https://example.org/tides',
      location: 'Harbour',
      url: 'https://example.org',
      avatarUrl: 'https://pbs.twimg.com/a_normal.jpg',
      bannerUrl: 'https://pbs.twimg.com/b',
      verified: false,
      protected: true,
      followersCount: 1,
      followingCount: 2,
      tweetsCount: 3,
      likesCount: 5,
      listedCount: 4,
      createdAt: '2009-12-31T23:59:59.000Z',
      pinnedTweetIds: ['99'],
    });
  });

  it('leave out what is unknown or was never filled in (T10)', () => {
    expect(userOf({ description: '', location: '', url: '', entities: null })).toEqual({
      id: '12',
      handle: 'gull',
      name: 'Gull',
      followersCount: 1,
      followingCount: 2,
      tweetsCount: 3,
      listedCount: 4,
      createdAt: '2009-12-31T23:59:59.000Z',
    });
  });

  it('can have the other vocabulary', () => {
    const metrics = { followers_count: 1, following_count: 2, post_count: 8, listed_count: 4 };
    expect(userOf({ public_metrics: metrics, pinned_post_id: '7' })).toMatchObject({
      tweetsCount: 8,
      pinnedTweetIds: ['7'],
    });
  });

  it.each([
    [{ verified: false, verified_type: 'blue' }, true],
    [{ verified: true, verified_type: 'none' }, true],
    [{ verified: false, verified_type: 'none' }, false],
    [{}, undefined],
  ])('are verified with a badge of any kind (T14): %j', (user, verified) => {
    expect(userOf(user)?.verified).toBe(verified);
  });

  it.each([
    [{ public_metrics: undefined }, [undefined, undefined, undefined]],
    [{ public_metrics: { ...(USER.public_metrics as Json), followers_count: 2 ** 60 } }, [undefined, 2, 3]],
    [{ public_metrics: { ...(USER.public_metrics as Json), following_count: -1 } }, [1, undefined, 3]],
    [{ public_metrics: { followers_count: 1, following_count: 1 } }, [1, 1, undefined]],
  ])('keep their place without a count that X does not send: %j', (user, counts) => {
    const { followersCount, followingCount, tweetsCount } = userOf(user) ?? {};
    expect([followersCount, followingCount, tweetsCount]).toEqual(counts);
  });

  it.each([
    ['username', { username: undefined }],
    ['created_at', { created_at: 'yesterday' }],
  ])('without %s are no users', (path, user) => {
    const parsed = usersAnswer.safeParse({ data: [{ ...USER, ...user }] });
    expect(parsed.data).toMatchObject({ data: [], unread: [{ problem: expect.stringMatching(`^${path}: `) }] });
  });
});
