import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Corpus, freshCorpus, idsOf, range } from './corpus-fixture.js';

const text = (ids: readonly number[]): string[] => ids.map(String);
const down = (ids: readonly number[]): string[] => text(ids).reverse();

describe('lists of a corpus', () => {
  let corpus: Corpus;

  beforeAll(async () => {
    corpus = await freshCorpus();
    const { sql } = corpus;
    await sql`insert into corpus_users (id, handle, name, followers, following, tweets, protected)
      select n, 'user' || n, 'User ' || n, 1, 1, 1, n in (8, 300) from generate_series(1, 460) n`;
    // 250 tweets of one author, in pairs with the same time; then what else a timeline has.
    await sql`insert into corpus_tweets (id, text, created_at, author_id)
      select n, 'post ' || n, timestamptz '2015-01-07' + (n / 2) * interval '1 second', 1 from generate_series(1001, 1250) n`;
    await corpus.tweet({ id: 2001, author_id: 2, retweeted_id: 1001, is_retweet: true });
    await corpus.tweet({ id: 2002, author_id: 2, quoted_id: 1001, is_quote: true });
    await corpus.tweet({ id: 2003, author_id: 2, in_reply_to_id: 1001, is_reply: true });
    await corpus.tweet({ id: 2004, author_id: 2 });
    await corpus.tweet({ id: 2005, author_id: 8, quoted_id: 1001, in_reply_to_id: 1001 });
    await corpus.tweet({ id: 2006, author_id: 8, retweeted_id: 1001 });
    // 120 quotes and 120 direct replies, each with a nested one; 450 retweeters, one of them twice, one protected.
    await sql`insert into corpus_tweets (id, text, created_at, author_id, quoted_id)
      select n, 'quote', timestamptz '2015-02-01' + n * interval '1 second', 3, 1002 from generate_series(3001, 3120) n`;
    await sql`insert into corpus_tweets (id, text, created_at, author_id, in_reply_to_id)
      select n, 'reply', timestamptz '2015-02-01' + n * interval '1 second', 3, 1002 from generate_series(4001, 4120) n
      union all select n + 1000, 'nested', timestamptz '2015-02-02', 4, n from generate_series(4001, 4120) n`;
    await sql`insert into corpus_tweets (id, text, created_at, author_id, retweeted_id)
      select 6000 + n, 'RT', timestamptz '2015-03-01' + n * interval '1 second', n, 1002 from generate_series(1, 450) n`;
    await corpus.tweet({ id: 7000, author_id: 5, retweeted_id: 1002, created_at: '2015-04-01T00:00:00Z' });
    await corpus.tweet({ id: 7001, author_id: 9999, retweeted_id: 1002, created_at: '2015-04-02T00:00:00Z' });
    // Follows of 10 in an order that is neither that of ids nor the reverse; one end has no profile.
    await sql`insert into corpus_follows (follower_id, followed_id, ordinal)
      select 1 + (n * 7) % 449, 460, n from generate_series(1, 449) n`;
    await corpus.follow(99_999, 460, 450);
    await corpus.follow(460, 20, 903);
    await corpus.follow(460, 8, 901);
    await corpus.follow(460, 30, 902);
    await corpus.follow(300, 20, 904);
  });
  afterAll(() => corpus.drop());

  it('walk a timeline newest first in pages of 100, ties by id (C10, C15)', async () => {
    const walk = await corpus.walk({ kind: 'timeline', subject: '1' });
    expect(walk.sizes).toEqual([100, 100, 51]);
    expect(walk.ids.slice(0, 2)).toEqual(['6001', '1250']);
    expect(walk.ids.slice(1)).toEqual(down(range(250, 1001)));
  });

  it('hold posts, retweets, quotes and replies (C19)', async () => {
    const page = await corpus.page('timeline', 2);
    expect(idsOf(page)).toEqual(['6002', '2004', '2003', '2002', '2001']);
    expect(page.next).toBeNull();
    expect(page.tweets?.every((tweet) => tweet.author?.handle === 'user2')).toBe(true);
  });

  it('neither shifts nor repeats when something arrives on top between two pages (C10, C11)', async () => {
    const before = await corpus.page('timeline', 1);
    await corpus.tweet({ id: 9001, author_id: 1, created_at: '2016-01-01T00:00:00Z' });
    const after = await corpus.page('timeline', 1, before.next);
    await corpus.sql`delete from corpus_tweets where id = 9001`;
    expect(idsOf(after)[0]).toBe(String(Number(idsOf(before).at(-1)) - 1));
  });

  it('end with a page that is exactly full if nothing follows (C15)', async () => {
    await corpus.sql`insert into corpus_users (id, handle, name) values (700, 'full', 'Full')`;
    await corpus.sql`insert into corpus_tweets (id, text, created_at, author_id)
      select n, 'x', timestamptz '2015-01-01', 700 from generate_series(10001, 10100) n`;
    const page = await corpus.page('timeline', 700);
    expect(page.tweets).toHaveLength(100);
    expect(page).toMatchObject({ next: null, nextIsCertain: true });
  });

  it('have quotes newest first, direct replies oldest first, without nested ones (T5)', async () => {
    expect(await corpus.walk({ kind: 'quotes', subject: '1002' })).toEqual({
      ids: down(range(120, 3001)),
      sizes: [50, 50, 20],
    });
    expect(await corpus.walk({ kind: 'replies', subject: '1002' })).toEqual({
      ids: text(range(120, 4001)),
      sizes: [50, 50, 20],
    });
  });

  it('have each retweeter once, the latest retweet first, without those whose tweets are private', async () => {
    const walk = await corpus.walk({ kind: 'retweeters', subject: '1002' });
    const expected = ['5', ...down(range(450)).filter((id) => !['5', '8', '300'].includes(id))];
    expect(walk).toEqual({ ids: expected, sizes: [200, 200, 48] });
  });

  it('have followers and following in the order of the file, in both directions (C20)', async () => {
    const followers = await corpus.walk({ kind: 'followers', subject: '460' });
    expect(followers.sizes).toEqual([200, 200, 49]);
    expect(followers.ids).toEqual(range(449).map((n) => String(1 + ((n * 7) % 449))));
    expect(idsOf(await corpus.page('following', 460))).toEqual(['8', '30', '20']);
    expect(idsOf(await corpus.page('followers', 20))).toEqual(['460', '300']);
  });

  it('omit what a protected author wrote (T8)', async () => {
    expect(idsOf(await corpus.page('quotes', 1001))).toEqual(['2002']);
    expect(idsOf(await corpus.page('replies', 1001))).toEqual(['2003']);
    expect(idsOf(await corpus.page('retweeters', 1001))).toEqual(['2']);
  });

  it.each(['timeline', 'followers', 'following'] as const)(
    'refuse %s of a protected user as private (T8)',
    async (kind) => {
      await expect(corpus.page(kind, 300)).rejects.toMatchObject({ code: 'not_found', detail: { reason: 'private' } });
    },
  );

  it('refuse replies and the thread of a private tweet (T8)', async () => {
    for (const kind of ['replies', 'thread'] as const) {
      await expect(corpus.page(kind, 2005)).rejects.toMatchObject({ code: 'not_found', detail: { reason: 'private' } });
    }
  });

  it.each(['99404', '9'.repeat(19), '9'.repeat(64)])(
    'without a subject for %s are not_found, or empty for quotes and retweeters (T6)',
    async (id) => {
      for (const kind of ['timeline', 'followers', 'following', 'replies', 'thread'] as const) {
        await expect(corpus.page(kind, id)).rejects.toMatchObject({ code: 'not_found', detail: {} });
      }
      expect(await corpus.page('quotes', id)).toMatchObject({ tweets: [], next: null });
      expect(await corpus.page('retweeters', id)).toMatchObject({ users: [], next: null });
    },
  );

  it('give an empty page for a user or tweet with nothing in the list (M4)', async () => {
    await corpus.user({ id: 800 });
    expect(await corpus.page('timeline', 800)).toMatchObject({ tweets: [], next: null });
    expect(await corpus.page('followers', 800)).toMatchObject({ users: [], next: null });
    expect(await corpus.page('replies', 1003)).toMatchObject({ tweets: [], next: null });
  });

  it.each([
    '',
    'x',
    '1',
    '1.',
    '.1',
    '1.x',
    '1.99999999999999999999',
    '9999999999999999.1',
    "1.1'--",
    '-9007199254740991.1',
  ])('refuse the token %j as bad_request (rule 6 of pagination)', async (token) => {
    await expect(corpus.page('timeline', 1, token)).rejects.toMatchObject({
      code: 'bad_request',
      detail: { reason: 'cursor_other_list' },
    });
  });
});
