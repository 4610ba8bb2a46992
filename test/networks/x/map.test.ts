import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mapTweets, mapUsers } from '../../../adapters/networks/x/map.js';
import { tweetsAnswer, usersAnswer } from '../../../adapters/networks/x/schemas.js';
import { type Json, POST, tweetOf, USER } from './support/mapped.js';

describe('posts of X', () => {
  it('distinguish fields that are known to be empty from unknown ones (T10)', () => {
    expect(tweetOf({})).toEqual({
      id: '100',
      text: 'low tide',
      createdAt: '2026-01-02T03:04:05.000Z',
      authorId: '12',
      media: [],
      audio: [],
      articles: [],
      urls: [],
      hashtags: [],
      mentions: [],
      isRetweet: false,
      isQuote: false,
      isReply: false,
    });
  });

  it.each([
    ['tweet', 'referenced_tweets', 'note_tweet', 'retweet_count'],
    ['post', 'referenced_posts', 'note_post', 'repost_count'],
  ])(
    'are mapped in the vocabulary of %ss: references, counters and long texts with their parts',
    (_, references, note, retweets) => {
      const tweet = tweetOf({
        text: 'cut …',
        lang: 'en',
        conversation_id: '90',
        in_reply_to_user_id: '13',
        [references]: [
          { type: 'replied_to', id: '98' },
          { type: 'quoted', id: '97' },
        ],
        entities: { hashtags: [{ tag: 'cut' }] },
        [note]: {
          text: 'the whole of it, &lt;3',
          entities: {
            hashtags: [{ start: 0, end: 1, tag: 'whole' }],
            mentions: [{ start: 0, end: 1, username: 'tern', id: '14' }],
            urls: [
              { url: 'https://t.co/c', expanded_url: 'https://bit.example/c', unwound_url: 'https://example.org/c' },
            ],
          },
        },
        public_metrics: {
          reply_count: 1,
          [retweets]: 2,
          like_count: 3,
          quote_count: 4,
          bookmark_count: 5,
          impression_count: 6_000_000_000,
        },
        source: 'X Web App',
      });
      expect(tweet).toMatchObject({
        text: 'the whole of it, <3',
        lang: 'en',
        conversationId: '90',
        inReplyToId: '98',
        inReplyToUserId: '13',
        quotedId: '97',
        repliesCount: 1,
        retweetsCount: 2,
        likesCount: 3,
        quotesCount: 4,
        bookmarksCount: 5,
        viewsCount: 6_000_000_000,
        hashtags: ['whole'],
        mentions: ['tern'],
        urls: ['https://example.org/c'],
        isReply: true,
        isQuote: true,
        isRetweet: false,
        source: 'X Web App',
      });
    },
  );

  it.each(['und', 'zxx', 'qme', 'qam', 'art'])('have no language for %s', (lang) => {
    expect(tweetOf({ lang })).not.toHaveProperty('lang');
  });

  describe('posts that repeat another', () => {
    const repost = {
      text: 'RT @tern: the whole of w…',
      referenced_tweets: [{ type: 'retweeted', id: '50' }],
      entities: { mentions: [{ username: 'tern' }] },
      attachments: { media_keys: ['3_1'] },
    };
    const original = {
      ...POST,
      id: '50',
      author_id: '14',
      text: 'cut',
      note_tweet: { text: 'the whole of what was said', entities: { hashtags: [{ tag: 'said' }] } },
      attachments: { media_keys: ['3_1'] },
    };
    const media = [{ media_key: '3_1', type: 'photo', url: 'https://pbs.twimg.com/p.jpg', width: 2, height: 1 }];

    it.each(['tweets', 'posts'])(
      'carry its whole text, without a prefix, and with its parts (M23): includes.%s',
      (name) => {
        expect(tweetOf(repost, { [name]: [original], media, users: [USER] })).toMatchObject({
          authorId: '12',
          author: { handle: 'gull' },
          text: 'the whole of what was said',
          hashtags: ['said'],
          mentions: [],
          media: [{ type: 'photo', url: 'https://pbs.twimg.com/p.jpg', width: 2, height: 1 }],
          retweetedId: '50',
          isRetweet: true,
        });
      },
    );

    it('carry what X cut it to if the original is not visible', () => {
      expect(tweetOf(repost)).toMatchObject({ text: 'the whole of w…', mentions: ['tern'] });
    });
  });

  it("leaves out links to a post's own pictures, and repeated links", () => {
    const urls = [
      { url: 'https://t.co/1', expanded_url: 'https://example.org/a' },
      { url: 'https://t.co/2', expanded_url: 'https://example.org/a' },
      { url: 'https://t.co/3', expanded_url: 'https://x.com/gull/status/1/photo/1', media_key: '3_1' },
      {
        url: 'https://t.co/4',
        expanded_url: 'https://twitter.com/gull/status/1/video/1',
        display_url: 'pic.twitter.com/4',
      },
      { url: 'https://t.co/5' },
    ];
    expect(tweetOf({ entities: { urls } })?.urls).toEqual(['https://example.org/a', 'https://t.co/5']);
  });

  it('serves alternative texts, the poll in its order, and an article with its link (T22)', () => {
    const tweet = tweetOf(
      {
        text: 'https://t.co/a',
        attachments: { media_keys: ['3_1'], poll_ids: ['7'] },
        article: { title: 'On tides &amp; ferries' },
        entities: {
          urls: [
            { url: 'https://t.co/a', expanded_url: 'https://x.com/i/article/55' },
            { url: 'https://t.co/b', expanded_url: 'https://example.org/b', title: 'B' },
          ],
        },
      },
      {
        media: [{ media_key: '3_1', type: 'photo', url: 'https://pbs.twimg.com/p.jpg', alt_text: 'A ferry' }],
        polls: [
          {
            id: '7',
            end_datetime: '2026-01-03T00:00:00Z',
            options: [
              { position: 2, label: 'Salt', votes: 0 },
              { position: 1, label: 'Tea', votes: 4 },
            ],
          },
        ],
      },
    );
    expect(tweet?.media).toEqual([{ type: 'photo', url: 'https://pbs.twimg.com/p.jpg', altText: 'A ferry' }]);
    expect(tweet?.articles).toEqual([
      { title: 'On tides & ferries', url: 'https://x.com/i/article/55' },
      { title: 'B', url: 'https://example.org/b' },
    ]);
    expect(tweet?.poll).toEqual({
      options: [
        { text: 'Tea', votes: 4 },
        { text: 'Salt', votes: 0 },
      ],
      endsAt: '2026-01-03T00:00:00.000Z',
    });
  });

  it.each([
    [
      'a video: the best MP4, and its still (T15)',
      {
        type: 'video',
        preview_image_url: 'https://pbs.twimg.com/v.jpg',
        width: 1280,
        height: 720,
        variants: [
          { content_type: 'application/x-mpegURL', url: 'https://video.twimg.com/v.m3u8' },
          { content_type: 'video/mp4', bit_rate: 256000, url: 'https://video.twimg.com/low.mp4' },
          { content_type: 'video/mp4', bit_rate: 2176000, url: 'https://video.twimg.com/high.mp4' },
        ],
      },
      {
        type: 'video',
        url: 'https://video.twimg.com/high.mp4',
        previewUrl: 'https://pbs.twimg.com/v.jpg',
        width: 1280,
        height: 720,
      },
    ],
    [
      'a GIF, whose bit rate is 0',
      {
        type: 'animated_gif',
        variants: [{ content_type: 'video/mp4', bit_rate: 0, url: 'https://video.twimg.com/g.mp4' }],
      },
      { type: 'animated_gif', url: 'https://video.twimg.com/g.mp4' },
    ],
    [
      'a video without MP4: its still',
      { type: 'video', preview_image_url: 'https://pbs.twimg.com/v.jpg' },
      { type: 'video', url: 'https://pbs.twimg.com/v.jpg', previewUrl: 'https://pbs.twimg.com/v.jpg' },
    ],
  ])('%s', (_, medium, expected) => {
    const tweet = { attachments: { media_keys: ['7_1'] } };
    expect(tweetOf(tweet, { media: [{ media_key: '7_1', ...medium }] })?.media).toEqual([expected]);
    expect(tweetOf(tweet)).not.toHaveProperty('media');
  });

  it('treats invalid members as missing; without a required one, the post is unreadable', () => {
    const odd = { lang: 7, entities: 'none', public_metrics: { like_count: 2 ** 60, reply_count: 3 }, source: null };
    const tweet = tweetOf(odd, { users: [{ id: '12' }, 7], tweets: 'none' });
    expect(tweet).toMatchObject({ repliesCount: 3 });
    for (const name of ['lang', 'likesCount', 'source', 'author']) expect(tweet).not.toHaveProperty(name);
    for (const name of ['id', 'text', 'created_at', 'author_id']) {
      const parsed = tweetsAnswer.safeParse({ data: [{ ...POST, [name]: 7 }] });
      expect(parsed.data).toMatchObject({ data: [], unread: [{ problem: expect.stringMatching(`^${name}: `) }] });
    }
  });

  it('leaves an unreadable post out of its page and marks the answer as partial', () => {
    const answer = tweetsAnswer.parse({ data: [{ ...POST, id: 7 }, POST] });
    expect(answer.unread).toMatchObject([{ value: { id: 7 } }]);
    expect(mapTweets(answer).map(({ id }) => id)).toEqual(['100']);
    expect(tweetsAnswer.parse({ data: [POST] }).unread).toEqual([]);
  });

  it('leaves out posts of protected authors, whatever the token may see (T8)', () => {
    const users = [{ ...USER, protected: true }];
    expect(tweetOf({}, { users })).toBeUndefined();
    expect(tweetOf({ author_id: '13' }, { users })).toMatchObject({ id: '100' });
  });

  it('rejects an answer without data, errors and meta', () => {
    expect(tweetsAnswer.safeParse({}).success).toBe(false);
    expect(tweetsAnswer.safeParse({ meta: { result_count: 0 } }).success).toBe(true);
  });

  it('maps or rejects anything that X sends without crashing', () => {
    const names = fc.constantFrom(
      'data',
      'includes',
      'users',
      'tweets',
      'media',
      'entities',
      'urls',
      'attachments',
      ...Object.keys(POST),
    );
    const { any } = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 5 }, fc.jsonValue(), fc.constant(POST), fc.constant(USER), tie('list'), tie('object')),
      list: fc.array(tie('any'), { maxLength: 3 }),
      object: fc.dictionary(names, tie('any'), { maxKeys: 8 }),
    }));
    fc.assert(
      fc.property(any, any, (data, includes) => {
        for (const body of [data, { data: [data], includes }, { data: [{ ...POST, ...(data as Json) }], includes }]) {
          const parsed = tweetsAnswer.safeParse(body);
          if (parsed.success) for (const tweet of mapTweets(parsed.data)) expect(tweet.createdAt).toMatch(/Z$/);
          const users = usersAnswer.safeParse(body);
          if (users.success) mapUsers(users.data);
        }
      }),
      { numRuns: 500 },
    );
  });
});
