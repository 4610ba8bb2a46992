import { expect, test } from 'vitest';
import type { z } from 'zod';
import { accountToUser, statusToTweet } from '../../../adapters/networks/mastodon/map.js';
import * as schemas from '../../../adapters/networks/mastodon/schemas.js';
import { describeWithShared, listShared, readShared } from '../contract/shared.js';
import { aStatus } from './fixtures.js';

const FOLDER = 'contracts/mastodon/examples';
const read = <T>(schema: z.ZodType<T>, name: string): T => schema.parse(readShared(`${FOLDER}/${name}.json`));

describeWithShared(FOLDER, 'what the documentation of Mastodon shows', () => {
  test('maps a status with a link', () => {
    const tweet = statusToTweet(read(schemas.status, 'entities-Status.L21'));
    const address =
      'https://www.theguardian.com/money/2019/dec/07/i-lost-my-193000-inheritance-with-one-wrong-digit-on-my-sort-code';
    expect(tweet).toEqual({
      id: '103270115826048975',
      text: `"I lost my inheritance with one wrong digit on my sort code"\n\n${address}`,
      lang: 'en',
      createdAt: '2019-12-08T03:48:33.901Z',
      authorId: '1',
      author: expect.objectContaining({ handle: 'Gargron', name: 'Eugen', url: 'https://www.patreon.com/mastodon' }),
      repliesCount: 5,
      retweetsCount: 6,
      likesCount: 11,
      quotesCount: 2,
      media: [],
      audio: [],
      articles: [{ title: '‘I lost my £193,000 inheritance – with one wrong digit on my sort code’', url: address }],
      urls: [address],
      hashtags: [],
      mentions: [],
      isRetweet: false,
      isQuote: false,
      isReply: false,
      source: 'Web',
    });
  });

  test('maps an account of another server', () => {
    expect(accountToUser(read(schemas.account, 'entities-Account.L37'))).toEqual({
      id: '23634',
      handle: 'noiob@awoo.space',
      name: 'ikea shark fan account',
      bio: expect.stringMatching(/#awoo\.space #admin ~ .* ~ avatar by @dzuk$/),
      url: 'http://shork.xyz',
      avatarUrl: expect.stringContaining('6ca8804dc46800ad.png'),
      bannerUrl: expect.stringContaining('256eb8d7ac40f49a.png'),
      verified: true,
      protected: false,
      followersCount: 547,
      followingCount: 404,
      tweetsCount: 28468,
      createdAt: '2017-02-08T02:00:53.274Z',
    });
  });

  test('refuses an incomplete account', () => {
    expect(() => read(schemas.account, 'entities-Account.L625')).toThrow('username');
  });

  test.each(['entities-Quote.L14', 'entities-ShallowQuote.L14'])('maps a quote, whole or only its id: %s', (name) => {
    const status = schemas.status.parse(aStatus({ quote: readShared(`${FOLDER}/${name}.json`) }));
    expect(statusToTweet(status)).toMatchObject({ isQuote: true, quotedId: '103270115826048975' });
  });

  test.each([
    ['L23', 'photo', 640, 480],
    ['L56', 'video', undefined, undefined],
    ['L96', 'animated_gif', undefined, undefined],
    ['L133', undefined, undefined, undefined],
  ])('maps an attachment, %s: %s', (line, type, width, height) => {
    const attachment = readShared(`${FOLDER}/entities-MediaAttachment.${line}.json`);
    const [media] = statusToTweet(schemas.status.parse(aStatus({ media_attachments: [attachment] }))).media ?? [];
    expect(media?.type).toBe(type);
    if (width !== undefined) expect(media).toMatchObject({ width, height });
  });

  test('maps a server', () => {
    expect(read(schemas.instance, 'entities-Instance.L17')).toMatchObject({
      domain: 'mastodon.social',
      version: '4.5.0-nightly.2025-07-11',
    });
  });

  test('reads whatever else is shown of accounts and statuses, or reports an error', () => {
    const unread = listShared(FOLDER).filter((file) => {
      const json = readShared(`${FOLDER}/${file}`);
      const one = Array.isArray(json) ? json[0] : json;
      if (typeof one !== 'object' || one === null || 'error' in one || !file.startsWith('methods-')) return false;
      return ![schemas.account, schemas.status, schemas.context, schemas.found].some(
        (schema) => schema.safeParse(one).success,
      );
    });
    expect(unread).toEqual([]);
  });
});
