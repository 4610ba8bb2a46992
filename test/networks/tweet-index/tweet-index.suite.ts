import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CorpusRow, CorpusTweet } from '../../../adapters/networks/corpus/rows.js';
import { computeRank } from '../../../adapters/networks/corpus/search/rank.js';
import type { IndexPosition, TweetIndex, TweetSearch } from '../../../adapters/networks/corpus/search/tweet-index.js';
import { parseQuery } from '../../../adapters/networks/search/parse.js';

export interface IndexUnderTest {
  readonly index: TweetIndex;
  drop(): Promise<void>;
}

const EPOCH_MS = 1_288_834_974_657;
const BEGIN_MS = Date.UTC(2020, 0, 1);
const HOUR_MS = 3_600_000;
const COUNT = 3000;
const EDITED = 2500;

/** Made from the time, like ids of the network. */
const idAt = (ms: number): string => String(BigInt(ms - EPOCH_MS) << 22n);

function tweet(nth: number): CorpusTweet {
  // Now and then, three at the same time.
  const ms = BEGIN_MS + (nth - (nth % 50 < 3 ? nth % 50 : 0)) * HOUR_MS;
  const words = [
    'tide',
    ...(nth % 7 === 0 ? ['spring'] : []),
    ...(nth < COUNT / 2 && nth % 5 === 0 ? ['bygone', 'days'] : []),
    ...(nth % 1000 === 1 ? ['comet'] : []),
    ...(nth % 3 === 0 ? ['東京の空'] : []),
  ];
  return {
    id: String(BigInt(idAt(ms)) + BigInt(nth % 50)),
    text: (nth % 2 === 0 ? words : words.reverse()).join(' '),
    createdAt: new Date(ms).toISOString(),
    authorId: nth % 11 === 0 ? '2' : nth % 13 === 0 ? '3' : '1',
    likesCount: (nth * 7919) % 5000,
    isRetweet: nth % 17 === 0,
    ...(nth === EDITED && { earlierIds: [idAt(BEGIN_MS + (EDITED - 10) * HOUR_MS)] }),
  };
}

/** Ids unlike the network's: small ones, and large ones of old tweets, which fall between the others by time. */
const FOREIGN: CorpusTweet[] = Array.from({ length: 60 }, (_, nth) => ({
  id: nth % 2 === 0 ? String(1000 + nth) : String(9_000_000_000_000_000_000n + BigInt(nth)),
  text: `tide ${nth % 3 === 0 ? 'spring comet' : 'ebb'}`,
  createdAt: new Date(BEGIN_MS + (nth * 97 + 0.5) * HOUR_MS).toISOString(),
  authorId: '1',
  likesCount: nth * 100,
}));

const tweetsOf = (isForeign: boolean): CorpusTweet[] => [
  ...Array.from({ length: COUNT }, (_, nth) => tweet(nth)),
  ...(isForeign ? FOREIGN : []),
];

const rowsOf = (tweets: readonly CorpusTweet[]): CorpusRow[] => [
  ...['one', 'two', 'three'].map(
    (handle, index): CorpusRow => ({
      kind: 'user',
      user: { id: String(index + 1), handle, name: handle, protected: handle === 'three' } as never,
    }),
  ),
  ...tweets.map((each): CorpusRow => ({ kind: 'tweet', tweet: each })),
];

const has = (text: string) => (each: CorpusTweet) => each.text.split(' ').includes(text);

/** A search, and its results in another formulation. */
const SEARCHES: readonly (readonly [q: string, finds: (tweet: CorpusTweet) => boolean])[] = [
  ['tide', () => true],
  ['spring', has('spring')],
  ['bygone', has('bygone')],
  ['"bygone days"', ({ text }) => text.includes('bygone days')],
  ['comet', has('comet')],
  ['comet OR bygone', (each) => has('comet')(each) || has('bygone')(each)],
  ['spring -bygone', (each) => has('spring')(each) && !has('bygone')(each)],
  ['京の', ({ text }) => text.includes('京の')],
  ['spring filter:retweets', (each) => has('spring')(each) && each.isRetweet === true],
  ['tide min_faves:4900', ({ likesCount }) => (likesCount ?? 0) >= 4900],
  ['from:two spring', (each) => each.authorId === '2' && has('spring')(each)],
  ['from:three tide', () => false],
  ['tide until:2020-02-01', ({ createdAt }) => createdAt < '2020-02-01'],
  [
    'spring since:2020-03-01 until:2020-04-01',
    (each) => has('spring')(each) && each.createdAt >= '2020-03-01' && each.createdAt < '2020-04-01',
  ],
  [
    `spring max_id:${idAt(BEGIN_MS + 2000 * HOUR_MS)}`,
    (each) => has('spring')(each) && BigInt(each.id) <= BigInt(idAt(BEGIN_MS + 2000 * HOUR_MS)),
  ],
  ['nowhere', () => false],
];

/** What every index of tweets does, however it finds them. */
export function tweetIndexSuite(name: string, open: (rows: readonly CorpusRow[]) => Promise<IndexUnderTest>): void {
  describe.each([
    ['with ids that are times', false],
    ['with other ids among them', true],
  ])(`${name}, %s`, (_, isForeign) => {
    const tweets = tweetsOf(isForeign);
    let under: IndexUnderTest;
    beforeAll(async () => {
      under = await open(rowsOf(tweets));
    }, 120_000);
    afterAll(() => under?.drop());

    const earlier = idAt(BEGIN_MS + (EDITED - 10) * HOUR_MS);
    const isSeen = ({ id, authorId }: CorpusTweet): boolean => authorId !== '3' && id !== earlier;
    const placeOf = (order: TweetSearch['order'], each: CorpusTweet): number =>
      order === 'time' ? Date.parse(each.createdAt) : computeRank(each);

    const walk = async (q: string, order: TweetSearch['order'], limit: number): Promise<IndexPosition[]> => {
      const query = parseQuery(q);
      const all: IndexPosition[] = [];
      for (;;) {
        const found = await under.index.find(
          { query, order, after: all.at(-1) ?? null, limit },
          AbortSignal.timeout(60_000),
        );
        expect(found.length).toBeLessThanOrEqual(limit);
        all.push(...found);
        if (found.length < limit) return all;
      }
    };

    it.each(SEARCHES)(
      'finds all of %s once, in both orders, page by page',
      async (q, finds) => {
        const matching = tweets.filter((each) => isSeen(each) && finds(each));
        for (const order of ['time', 'rank'] as const) {
          const expected = matching
            .map((each) => ({ id: each.id, value: placeOf(order, each) }))
            .sort((a, b) => b.value - a.value || (BigInt(a.id) < BigInt(b.id) ? 1 : -1));
          const found = await walk(q, order, matching.length > 1000 ? 700 : 51);
          expect(
            found.map(({ id }) => id),
            order,
          ).toEqual(expected.map(({ id }) => id));
          expect(found, order).toEqual(expected);
        }
      },
      60_000,
    );

    it('ends when it is aborted', async () => {
      const search = { query: parseQuery('tide'), order: 'time', after: null, limit: 51 } as const;
      await expect(under.index.find(search, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
    });
  });
}
