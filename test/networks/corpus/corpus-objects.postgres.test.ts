import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { indexCorpus } from '../../../adapters/networks/corpus/import/index-corpus.js';
import { createEngine, type Engine } from '../../kit/engine.js';
import { type Corpus, freshCorpus, START } from './corpus-fixture.js';

const SNOWFLAKE = '1649191520250245121';

describe('profiles and tweets of a corpus', () => {
  let corpus: Corpus;

  beforeAll(async () => {
    corpus = await freshCorpus();
    await corpus.user({
      id: 1,
      handle: 'Observatory_1',
      name: 'The Observatory',
      bio: 'Stars & tides',
      location: '',
      url: 'https://example.org',
      avatar_url: 'https://example.org/a.png',
      banner_url: 'https://example.org/b.png',
      verified: true,
      protected: false,
      followers: 5_000_000_000,
      following: 0,
      tweets: 7,
      likes: 8,
      listed: 9,
      created_at: '2009-12-31T23:59:59.120Z',
      pinned_tweet_ids: [SNOWFLAKE],
    });
    await corpus.user({ id: 2 });
    await corpus.user({ id: 3 });
    await corpus.user({ id: SNOWFLAKE });
    await corpus.user({ id: 10, handle: 'ferry' });
    await corpus.user({ id: 11, handle: 'FERRY' });
    await corpus.user({ id: 12, handle: 'closed', protected: true });
    await corpus.tweet({ id: 100, author_id: 2 });
    await corpus.tweet({ id: 101, author_id: 2 });
    await corpus.tweet({ id: 102, author_id: 12 });
    await corpus.tweet({ id: 103, author_id: 999 });
    await corpus.follow(3, 2, 1);
    await corpus.follow(1, 2, 2);
    await corpus.follow(2, 3, 3);
  });
  afterAll(() => corpus.drop());

  const users = async (...refs: ({ id: string } | { handle: string })[]) =>
    (await corpus.network.users(refs, corpus.context)).map((each) => ('ok' in each ? each.ok : each.fail));

  it('have every field that a source had, under the names of the model (T10, T11, T12)', async () => {
    expect(await users({ id: '1' })).toEqual([
      {
        id: '1',
        handle: 'Observatory_1',
        name: 'The Observatory',
        bio: 'Stars & tides',
        location: '',
        url: 'https://example.org',
        avatarUrl: 'https://example.org/a.png',
        bannerUrl: 'https://example.org/b.png',
        verified: true,
        protected: false,
        followersCount: 5_000_000_000,
        followingCount: 0,
        tweetsCount: 7,
        likesCount: 8,
        listedCount: 9,
        createdAt: '2009-12-31T23:59:59.120Z',
        pinnedTweetIds: [SNOWFLAKE],
      },
    ]);
  });

  it('count what the corpus holds if a source had no count, and date by the first tweet (T17)', async () => {
    expect(await users({ id: '2' })).toEqual([
      {
        id: '2',
        handle: 'user2',
        name: 'User 2',
        followersCount: 2,
        followingCount: 1,
        tweetsCount: 2,
        createdAt: new Date(START + 100_000).toISOString(),
      },
    ]);
  });

  it('date by a snowflake id, else by the epoch (T17)', async () => {
    expect(await users({ id: SNOWFLAKE }, { id: '3' })).toMatchObject([
      { createdAt: '2023-04-20T23:21:13.581Z' },
      { createdAt: '1970-01-01T00:00:00.000Z', tweetsCount: 0 },
    ]);
  });

  it('answer ids and handles in input order, handles in any case, digits as ids only if ids are expected (I2, I3)', async () => {
    expect(await users({ handle: 'OBSERVATORY_1' }, { id: '404' }, { id: '2' }, { handle: '2' })).toMatchObject([
      { id: '1' },
      { code: 'not_found' },
      { id: '2' },
      { code: 'not_found' },
    ]);
  });

  it('give a handle that two profiles claim to the younger account', async () => {
    expect(await users({ handle: 'ferry' }, { handle: 'Ferry' })).toMatchObject([{ id: '11' }, { id: '11' }]);
  });

  it('are not found under ids that no row can have, and an empty batch has none', async () => {
    expect(await users({ id: '9'.repeat(19) }, { id: '9'.repeat(64) })).toMatchObject([
      { code: 'not_found' },
      { code: 'not_found' },
    ]);
    expect(await corpus.network.users([], corpus.context)).toEqual([]);
    expect(await corpus.network.tweets([], corpus.context)).toEqual([]);
  });

  it('show a protected profile (T7) and refuse its tweets as private (T8)', async () => {
    expect(await users({ handle: 'closed' })).toMatchObject([{ id: '12', protected: true }]);
    const outcomes = await corpus.network.tweets(['102', '100', '404'], corpus.context);
    expect(outcomes).toMatchObject([
      { fail: { code: 'not_found', detail: { reason: 'private' } } },
      { ok: { id: '100', author: { id: '2', tweetsCount: 2 } } },
      { fail: { code: 'not_found', detail: {} } },
    ]);
  });

  it('have no author in a tweet whose author has no profile', async () => {
    const [outcome] = await corpus.network.tweets(['103'], corpus.context);
    expect(outcome).toEqual({
      ok: { id: '103', text: 'tweet 103', createdAt: new Date(START + 103_000).toISOString(), authorId: '999' },
    });
  });

  it('have every field of a tweet, and empty lists as known to be empty (T10, T15)', async () => {
    await corpus.tweet({
      id: SNOWFLAKE,
      author_id: 999,
      text: 'a < b & c',
      lang: 'en',
      created_at: '2023-04-20T23:08:26.665Z',
      conversation_id: 5,
      in_reply_to_id: 6,
      in_reply_to_user_id: 7,
      quoted_id: 8,
      retweeted_id: 9,
      replies: 0,
      retweets: 1,
      likes: 2,
      quotes: 3,
      bookmarks: 4,
      views: 6_000_000_000,
      media: [
        { type: 'video', url: 'https://example.org/v.mp4', preview_url: 'https://example.org/v.jpg', width: 640 },
      ],
      urls: [],
      hashtags: ['tide'],
      mentions: ['jack'],
      is_retweet: false,
      is_quote: true,
      is_reply: true,
      source: 'web',
    });
    const [outcome] = await corpus.network.tweets([SNOWFLAKE], corpus.context);
    expect(outcome).toEqual({
      ok: {
        id: SNOWFLAKE,
        text: 'a < b & c',
        lang: 'en',
        createdAt: '2023-04-20T23:08:26.665Z',
        authorId: '999',
        conversationId: '5',
        inReplyToId: '6',
        inReplyToUserId: '7',
        quotedId: '8',
        retweetedId: '9',
        repliesCount: 0,
        retweetsCount: 1,
        likesCount: 2,
        quotesCount: 3,
        bookmarksCount: 4,
        viewsCount: 6_000_000_000,
        media: [
          { type: 'video', url: 'https://example.org/v.mp4', previewUrl: 'https://example.org/v.jpg', width: 640 },
        ],
        urls: [],
        hashtags: ['tide'],
        mentions: ['jack'],
        isRetweet: false,
        isQuote: true,
        isReply: true,
        source: 'web',
      },
    });
  });

  it('stop a read when its signal fires, and the pool continues', async () => {
    const gone = AbortSignal.abort(new Error('gone'));
    await expect(corpus.network.tweets(['100'], { signal: gone })).rejects.toThrow('gone');
    const controller = new AbortController();
    const lock = corpus.sql.begin(async (transaction) => {
      await transaction`lock table corpus_tweets`;
      const read = corpus.network.tweets(['100'], { signal: controller.signal });
      const refused = expect(read).rejects.toThrow('late');
      await transaction`select pg_sleep(0.05)`;
      controller.abort(new Error('late'));
      await refused;
    });
    await lock;
    expect(await corpus.network.tweets(['100'], corpus.context)).toMatchObject([{ ok: { id: '100' } }]);
  });
});

/** Each reaches the earlier holder of the handle by other means than the handle. */
const BEFORE: Readonly<Record<string, (engine: Engine) => Promise<unknown>>> = {
  'nothing was read': async () => {},
  'the timeline of its earlier holder was read': (engine) =>
    engine.page({ kind: 'timeline', subject: '7511', count: 5 }),
  'a search found a tweet of its earlier holder': (engine) =>
    engine.page({ kind: 'search', subject: 'isobar', product: 'Latest', count: 5 }),
  'its earlier holder was read by id': (engine) =>
    engine.open().reads.user({ id: '7511' }, { path: 'user', fresh: true }),
  'both were listed': (engine) => engine.page({ kind: 'followers', subject: '7513', count: 5 }),
};

describe('a handle that two accounts of a corpus had', () => {
  let corpus: Corpus;

  beforeAll(async () => {
    corpus = await freshCorpus();
    await corpus.user({ id: 7511, handle: 'weir_1' });
    await corpus.user({ id: 7512, handle: 'Weir_1' });
    await corpus.user({ id: 7513 });
    await corpus.tweet({ id: 311, author_id: 7511, text: 'isobar by the first' });
    await corpus.tweet({ id: 312, author_id: 7512, text: 'isobar by the second' });
    await corpus.follow(7512, 7513, 1);
    await corpus.follow(7511, 7513, 2);
    await indexCorpus(corpus.sql);
  }, 120_000);
  afterAll(() => corpus.drop());

  it.each(Object.entries(BEFORE))('means its latest holder on every read after %s (I9)', async (_, before) => {
    const engine = createEngine(corpus.network);
    await before(engine);
    const at = { path: 'read', fresh: false };
    const idsOf = async (request: Parameters<Engine['page']>[0]) =>
      (await engine.page(request)).page.nodes.map(({ id }) => id);
    expect((await engine.open().reads.user({ handle: 'weir_1' }, at)).id).toBe('7512');
    expect((await engine.open().reads.users(['WEIR_1'], at)).nodes.map(({ id }) => id)).toEqual(['7512']);
    expect(await idsOf({ kind: 'timeline', subject: 'weir_1', count: 5 })).toEqual(['312']);
    expect(await idsOf({ kind: 'search', subject: 'from:weir_1', product: 'Latest', count: 5 })).toEqual(['312']);
    expect((await engine.open().reads.user({ id: '7511' }, at)).handle).toBe('weir_1');
  });
});
