import { describe, expect, test } from 'vitest';
import { accountToUser, statusToTweet } from '../../../adapters/networks/mastodon/map.js';
import { account, status } from '../../../adapters/networks/mastodon/schemas.js';
import { anAccount, aStatus } from './fixtures.js';

const tweet = (more: object) => statusToTweet(status.parse(aStatus(more)));
const user = (more: object) => accountToUser(account.parse(anAccount(more)));

describe('a profile', () => {
  test('has what is known, and leaves out the rest', () => {
    expect(user({})).toEqual({
      id: '7',
      handle: 'ada',
      name: 'Ada',
      url: 'https://server.example/@ada',
      avatarUrl: 'https://server.example/avatar.png',
      verified: false,
      protected: false,
      followersCount: 3,
      followingCount: 2,
      tweetsCount: 1,
      createdAt: '2024-02-01T00:00:00.000Z',
    });
  });

  test.each<[more: object, shown: object]>([
    [{ display_name: '' }, { name: 'ada' }],
    [{ locked: true }, { protected: false }],
    [{ created_at: '2024-02-01' }, { createdAt: '2024-02-01T00:00:00.000Z' }],
    [{ created_at: '2024-02-01T01:30:00.5+01:00' }, { createdAt: '2024-02-01T00:30:00.500Z' }],
    [{ note: '<p>One &amp; two</p>' }, { bio: 'One & two' }],
    [
      {
        fields: [
          { name: 'Site', value: '<a href="https://ada.example">ada.example</a>', verified_at: '2020-01-01T00:00:00Z' },
        ],
      },
      { url: 'https://ada.example', verified: true },
    ],
  ])('%j shows as %j', (more, shown) => {
    expect(user(more)).toMatchObject(shown);
  });

  test.each([-1, 2 ** 53, null, undefined, '3'])('does not know a count of %j (T21)', (count) => {
    const known = user({ followers_count: count });
    expect(known).toMatchObject({ id: '7', followingCount: 2 });
    expect(known).not.toHaveProperty('followersCount');
  });

  test.each([
    ['id', 'abc'],
    ['id', 7],
    ['created_at', 'yesterday'],
    ['acct', undefined],
  ])('is no answer with a %s of %j', (field, value) => {
    expect(() => account.parse(anAccount({ [field]: value }))).toThrow(field);
  });
});

describe('a tweet', () => {
  test('is one of its own for a boost, with all that is boosted', () => {
    const boosted = aStatus({
      id: '50',
      content: `<p>${'long '.repeat(400)}<a href="https://a.example">a</a></p>`,
      account: anAccount({ id: '8', acct: 'ben' }),
      tags: [{ name: 'sea' }],
      quote: { state: 'accepted', quoted_status_id: '49' },
    });
    const shown = tweet({ content: '', reblog: boosted, quote: null });
    expect(shown).toMatchObject({ id: '100', authorId: '7', retweetedId: '50', isRetweet: true, isQuote: false });
    expect(shown).toMatchObject({ hashtags: ['sea'], urls: ['https://a.example'] });
    expect(shown.text).toBe(`${'long '.repeat(400)}a`);
    expect(shown).not.toHaveProperty('quotedId');
  });

  test.each(['und', 'zxx', 'qme', null])('has no language if its code is %s (T28)', (language) => {
    expect(tweet({ language })).not.toHaveProperty('lang');
    expect(tweet({ language: 'ja' }).lang).toBe('ja');
  });

  test('begins with the warning and an empty line', () => {
    expect(tweet({ spoiler_text: 'Food', content: '<p>Soup</p>' }).text).toBe('Food\n\nSoup');
    expect(tweet({ spoiler_text: 'Food', content: '' }).text).toBe('Food');
  });

  test.each<[quote: object | null | undefined, shown: object, id: string | undefined]>([
    [undefined, {}, undefined],
    [null, { isQuote: false }, undefined],
    [{ state: 'accepted', quoted_status: { id: '5' } }, { isQuote: true }, '5'],
    [{ state: 'accepted', quoted_status_id: '5' }, { isQuote: true }, '5'],
    [{ state: 'pending', quoted_status: null }, { isQuote: true }, undefined],
    [{ state: 'revoked', quoted_status_id: '5' }, { isQuote: true }, undefined],
    [{ state: 'deleted', quoted_status: null }, { isQuote: true }, undefined],
  ])('maps a quote %j', (quote, shown, id) => {
    const found = tweet({ quote });
    expect(found).toMatchObject(shown);
    expect(found.quotedId).toBe(id);
    if (quote === undefined) expect(found).not.toHaveProperty('isQuote');
  });

  test('has pictures, videos and animations as media, and sounds separately (T22)', () => {
    const of = (type: string, more: object = {}) => ({
      type,
      url: `https://a.example/${type}`,
      preview_url: 'https://a.example/p',
      ...more,
    });
    const media = [
      of('image', { description: 'A ferry', meta: { original: { width: 640, height: 480 } } }),
      of('video', { meta: { original: { width: 64, height: 48, frame_rate: '30/1' } } }),
      of('gifv', { meta: [] }),
      of('audio', { description: 'Fog horn' }),
      of('unknown', { url: null }),
    ];
    expect(tweet({ media_attachments: media }).media).toEqual([
      { type: 'photo', url: 'https://a.example/image', width: 640, height: 480, altText: 'A ferry' },
      { type: 'video', url: 'https://a.example/video', previewUrl: 'https://a.example/p', width: 64, height: 48 },
      { type: 'animated_gif', url: 'https://a.example/gifv', previewUrl: 'https://a.example/p' },
    ]);
    expect(tweet({ media_attachments: media }).audio).toEqual([
      { url: 'https://a.example/audio', altText: 'Fog horn' },
    ]);
  });

  test('has the poll, and the title and link of the card (T22)', () => {
    const shown = tweet({
      content: '<p><a href="https://a.example/1">a</a></p>',
      card: { url: 'https://a.example/1', title: 'A' },
      poll: {
        id: '1',
        expires_at: '2026-10-02T08:30:00Z',
        options: [
          { title: 'Tea', votes_count: 3 },
          { title: 'Salt', votes_count: null },
        ],
      },
    });
    expect(shown.urls).toEqual(['https://a.example/1']);
    expect(shown.articles).toEqual([{ title: 'A', url: 'https://a.example/1' }]);
    expect(shown.poll).toEqual({
      options: [{ text: 'Tea', votes: 3 }, { text: 'Salt' }],
      endsAt: '2026-10-02T08:30:00.000Z',
    });
    expect(tweet({ card: null, poll: null })).toMatchObject({ articles: [] });
    expect(tweet({ card: undefined })).not.toHaveProperty('articles');
  });

  test('can be a reply', () => {
    expect(tweet({ in_reply_to_id: '99', in_reply_to_account_id: '8' })).toMatchObject({
      inReplyToId: '99',
      inReplyToUserId: '8',
      isReply: true,
    });
  });
});
