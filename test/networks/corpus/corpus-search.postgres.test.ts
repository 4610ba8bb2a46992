import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.js';
import { PRODUCTS, type Product } from '../../../src/domain/model.js';
import { type Corpus, freshCorpus, idsOf } from './corpus-fixture.js';

const PHOTO = [{ type: 'photo', url: 'https://example.org/p.jpg' }];
const VIDEO = [{ type: 'video', url: 'https://example.org/v.mp4' }];

describe('search of a corpus', () => {
  let corpus: Corpus;
  const found = async (q: string, product: Product = 'Latest') => idsOf(await corpus.search(q, product));

  beforeAll(async () => {
    corpus = await freshCorpus();
    await corpus.user({
      id: 1,
      handle: 'Harbour_Watch',
      name: 'Harbour Watch',
      bio: 'Tides and ferries',
      followers: 50,
      verified: true,
    });
    await corpus.user({ id: 2, handle: 'tidesman', name: 'Ann', bio: 'harbour', followers: 900 });
    await corpus.user({ id: 3, handle: 'quiet', name: 'Tides', protected: true, followers: 900 });
    const day = (date: string) => ({ created_at: `${date}T00:00:00.000Z` });
    await corpus.tweet({
      id: 101,
      text: 'The high tide is here. Ferry late!',
      lang: 'en',
      likes: 5,
      ...day('2015-01-01'),
    });
    await corpus.tweet({
      id: 102,
      text: 'tide high, ferry on time',
      lang: 'de',
      likes: 150,
      retweets: 20,
      ...day('2015-01-02'),
    });
    await corpus.tweet({
      id: 103,
      text: '@tidesman see #Tide and $TIDE',
      author_id: 1,
      in_reply_to_id: 102,
      in_reply_to_user_id: 2,
      is_reply: true,
      conversation_id: 102,
      replies: 12,
      ...day('2015-01-03'),
    });
    await corpus.tweet({
      id: 104,
      text: 'a picture',
      author_id: 2,
      media: PHOTO,
      hashtags: ['Harbour'],
      mentions: ['harbour_watch'],
      ...day('2015-01-04'),
    });
    await corpus.tweet({
      id: 105,
      text: 'a film',
      author_id: 2,
      media: VIDEO,
      urls: ['https://www.Example.org/News/2015-storm'],
      ...day('2015-01-05'),
    });
    await corpus.tweet({
      id: 106,
      text: 'both https://t.co/x',
      author_id: 2,
      media: [...PHOTO, ...VIDEO],
      likes: 1000,
      ...day('2015-01-06'),
    });
    await corpus.tweet({
      id: 107,
      text: 'RT @tidesman: a film',
      author_id: 1,
      retweeted_id: 105,
      is_retweet: true,
      likes: 99_999,
      ...day('2015-01-07'),
    });
    await corpus.tweet({
      id: 108,
      text: 'what they said',
      author_id: 1,
      quoted_id: 101,
      is_quote: true,
      likes: 40,
      quotes: 60,
      ...day('2015-01-08'),
    });
    await corpus.tweet({
      id: 109,
      text: 'the gull\'s "cry" \\ 100% don\'t',
      author_id: 77,
      urls: [],
      ...day('2015-01-09'),
    });
    await corpus.tweet({
      id: 110,
      text: 'the tide of a protected account',
      author_id: 3,
      likes: 10,
      ...day('2015-01-10'),
    });
  });
  afterAll(() => corpus.drop());

  it.each<[string, number[]]>([
    ['tide', [103, 102, 101]],
    ['TIDE ferry', [102, 101]],
    ['"high tide"', [101]],
    ['"tide high" ferry', [102]],
    ['picture OR film', [107, 105, 104]],
    ['tide ferry OR picture', [104, 102, 101]],
    ['tide (late OR time)', [102, 101]],
    ['tide -late', [103, 102]],
    ['tide -"high tide" -#tide', [102]],
    ['tide -(late OR time)', [103]],
    ['tide -from:harbour_watch', []],
    ['film -from:tidesman', [107]],
    ["don't gull's", [109]],
    ['100%\\', [109]],
    ['#tide', [103]],
    ['#HARBOUR', [104]],
    ['@Tidesman', [107, 103]],
    ['@harbour_watch', [104]],
    ['$tide', [103]],
    ['from:TidesMan', [106, 105, 104]],
    ['from:@tidesman film', [105]],
    ['from:nobody_here', []],
    ['film -from:nobody_here', [107, 105]],
    ['from:nobody_here OR picture', [104]],
    ['from:tidesman OR late', [106, 105, 104, 101]],
    ['from:quiet', []],
    ['to:tidesman', [103]],
    ['tide since:2015-01-02', [103, 102]],
    ['tide until:2015-01-02', [101]],
    ['since:2015-01-02 until:2015-01-04', [103, 102]],
    ['since_time:1420156800 until_time:1420243200', [102]],
    ['tide since_id:101', [103, 102]],
    ['tide max_id:102', [102, 101]],
    ['since_id:9223372036854775807', []],
    ['tide -since_id:101', [101]],
    ['min_faves:150', [107, 106, 102]],
    ['min_faves:151', [107, 106]],
    ['min_faves:5', [108, 107, 106, 102, 101]],
    ['tide -min_faves:150', [103, 101]],
    ['min_retweets:20', [102]],
    ['min_replies:12', [103]],
    ['min_replies:13', []],
    ['filter:replies', [103]],
    ['filter:retweets', [107]],
    ['filter:nativeretweets', [107]],
    ['film -filter:retweets', [105]],
    ['filter:quote', [108]],
    ['filter:quotes', [108]],
    ['filter:media', [106, 105, 104]],
    ['filter:images', [106, 104]],
    ['filter:videos', [106, 105]],
    ['filter:native_video', [106, 105]],
    ['filter:links', [106, 105]],
    ['filter:hashtags', [104, 103]],
    ['filter:mentions', [107, 104, 103]],
    ['filter:verified tide', [103, 102, 101]],
    ['filter:media -filter:verified', [106, 105, 104]],
    ['LANG:De -FILTER:Replies', [102]],
    ['tide -lang:de', [103, 101]],
    ['conversation_id:102', [103]],
    ['quoted_tweet_id:101', [108]],
    ['url:example.org', [105]],
    ['url:EXAMPLE', [105]],
    ['url:"example.org/news"', [105]],
    ['url:exampl', []],
    ['url:org.example', []],
    ['tide -url:example.org', [103, 102, 101]],
    ['nothing_like_it', []],
    ["tide';--", [103, 102, 101]],
  ])('finds with %s', async (q, ids) => {
    expect(await found(q)).toEqual(ids.map(String));
  });

  it('finds a hashtag with a special character, listed or only in the text, and no other (P18)', async () => {
    await corpus.tweet({ id: 601, text: 'listed', author_id: 77, hashtags: ['スター・ウォーズ'] });
    await corpus.tweet({ id: 602, text: 'see #スター・ウォーズ #paral·lel: x', author_id: 77 });
    await corpus.tweet({ id: 603, text: 'a#b &#39; https://example.org/#c 1#️⃣', author_id: 77 });
    const all = [];
    for (const q of [
      '#スター・ウォーズ',
      '#スター',
      '#PARAL·LEL',
      '#paral',
      '#b OR #39 OR #c',
      'from:nobody_here #b',
    ]) {
      all.push(await found(q));
    }
    expect(await found('filter:hashtags since_id:600')).toEqual(['602', '601']);
    await corpus.sql`delete from corpus_tweets where id > 600`;
    expect(all).toEqual([['602', '601'], [], ['602'], [], [], []]);
  });

  it('leaves the tweets of protected accounts out of every product (T8)', async () => {
    for (const product of ['Latest', 'Top', 'Photos', 'Videos'] as const) {
      expect(await found('protected', product)).toEqual([]);
    }
  });

  it('puts the most engaging first in Top, and retweets last, whose counters are the original’s', async () => {
    expect(await found('since:2015-01-01', 'Top')).toEqual([
      '106',
      '102',
      '108',
      '103',
      '101',
      '109',
      '105',
      '104',
      '107',
    ]);
  });

  it('has tweets with such media in Photos and Videos, newest first', async () => {
    expect(await found('from:tidesman', 'Photos')).toEqual(['106', '104']);
    expect(await found('from:tidesman', 'Videos')).toEqual(['106', '105']);
    expect(await found('film OR both', 'Videos')).toEqual(['106', '105']);
  });

  it('finds profiles by handle, name and bio in People, most followers first, protected ones included (T7)', async () => {
    expect(await found('tides', 'People')).toEqual(['3', '2', '1']);
    expect(await found('harbour', 'People')).toEqual(['2', '1']);
    expect(await found('harbour_watch', 'People')).toEqual(['1']);
    expect(await found('@HARBOUR_watch OR @tidesman', 'People')).toEqual(['2', '1']);
    expect(await found('"tides and ferries"', 'People')).toEqual(['1']);
    expect(await found('harbour -filter:verified', 'People')).toEqual(['2']);
    await expect(found('from:tidesman', 'People')).rejects.toMatchObject({
      code: 'bad_request',
      detail: { param: 'q' },
    });
  });

  it('takes the later of two accounts for the holder of a handle, in from: as in a look-up', async () => {
    const ids = [99, 100, 8];
    for (const id of ids) await corpus.user({ id, handle: id === 100 ? 'Pier_Cat' : 'pier_cat' });
    for (const id of ids) await corpus.tweet({ id: 200 + id, text: 'a cat on the pier', author_id: id });
    const later = await found('from:pier_cat pier');
    await corpus.sql`delete from corpus_tweets where author_id in ${corpus.sql(ids)}`;
    await corpus.sql`delete from corpus_users where id in ${corpus.sql(ids)}`;
    expect(later).toEqual(['300']);
  });

  it('embeds the author, or none if the corpus lacks the profile', async () => {
    expect((await corpus.search('picture')).tweets?.[0]?.author).toMatchObject({ id: '2', handle: 'tidesman' });
    expect((await corpus.search('gull')).tweets?.[0]).not.toHaveProperty('author');
  });

  it('refuses a bad query before it asks the database', async () => {
    await expect(found('tide foo:bar')).rejects.toMatchObject({ code: 'bad_request', detail: { param: 'q' } });
    await expect(found('tide foo:bar')).rejects.toThrow('character 6');
  });

  it('answers any text with a page or a bad_request, without an error in the database', async () => {
    const pieces = fc.constantFrom(
      ...[
        '(',
        ')',
        '"',
        '-',
        ' ',
        ' ',
        ' OR ',
        'tide',
        "'",
        '\\',
        ':',
        '&',
        '|',
        '!',
        '<->',
        '*',
        '%',
        '\u{1F600}',
        '\uD800',
      ],
      ...[
        'from:tidesman',
        'to:x',
        '#tag',
        '@a',
        '$b',
        'url:a.b',
        'min_faves:7',
        'since_id:9',
        'filter:links',
        'lang:en',
      ],
      ...['since:2015-01-01', 'until_time:9', 'filter:verified', 'quoted_tweet_id:1'],
    );
    const texts = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.array(pieces, { maxLength: 12 }).map((all) => all.join('')),
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.constantFrom(...PRODUCTS), async (q, product) => {
        const outcome = await corpus.search(q, product).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toSatisfy((error) => error instanceof ServiceError);
        if (outcome instanceof ServiceError) expect(outcome.code).toBe('bad_request');
      }),
      { numRuns: 250 },
    );
    expect(await found('漢'.repeat(500))).toEqual([]);
    expect(await found('tide '.repeat(90))).toEqual(['103', '102', '101']);
  });

  it('stores a text of any length and finds it by its beginning', async () => {
    const long = Array.from({ length: 200_000 }, (_, index) => `word${index}`).join(' ');
    await corpus.tweet({ id: 500, text: long, lang: 'x'.repeat(5000), hashtags: ['y'.repeat(5000)], author_id: 77 });
    const hits = await found('word7 word4000');
    await corpus.sql`delete from corpus_tweets where id = 500`;
    expect(hits).toEqual(['500']);
  });
});
