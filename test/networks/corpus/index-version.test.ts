import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { INDEX_VERSION } from '../../../adapters/networks/corpus/import/index-corpus.js';
import { computeRank } from '../../../adapters/networks/corpus/search/rank.js';
import { vectorOfTweet, vectorOfUser } from '../../../adapters/networks/corpus/search/vector.js';
import type { Tweet } from '../../../src/domain/model.js';

it('changes the version of the index with its contents', () => {
  const full: Tweet = {
    id: '1',
    text: 'Ahoy “naïve—word” don’t #スター・ウォーズ #a_b @ada $TSLA http://harbour.example/fog 墜落事故 👍🏽 السَّلام',
    createdAt: '2020-01-01T00:00:00.000Z',
    authorId: '7',
    lang: 'en',
    repliesCount: 12,
    retweetsCount: 123,
    likesCount: 1234,
    quotesCount: 12345,
    bookmarksCount: 123456,
    viewsCount: 1234567,
    isReply: true,
    media: [{ type: 'video' }],
    urls: ['https://harbour.example/quay'],
  };
  const { urls, ...unlisted } = full;
  const user = { handle: 'tide.table', name: 'Ännchen Harbour', bio: 'Keeper' };
  const held = [vectorOfTweet(full), vectorOfTweet(unlisted), vectorOfUser(user), computeRank(full)].join('\n');
  const digest = createHash('md5').update(held).digest('hex');
  // After a change, raise INDEX_VERSION and write both here.
  expect([INDEX_VERSION, digest]).toEqual([2, '2c788dfef5bd554af6881111a3359e2f']);
});
