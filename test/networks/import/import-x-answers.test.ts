/** Answers of the X API as people and their tools save them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CorpusRow } from '../../../adapters/networks/corpus/rows.js';
import { lines, readPath, type Scratch, scratchFolder } from './import-support.js';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchFolder();
});
afterAll(() => scratch.remove());

async function rowsOf(name: string, ...values: unknown[]): Promise<CorpusRow[]> {
  const { rows, faults } = await readPath(await scratch.write(name, lines(...values)));
  expect(faults).toEqual([]);
  return rows;
}

const tweetsOf = (rows: CorpusRow[]) => rows.flatMap((row) => (row.kind === 'tweet' ? [row.tweet] : []));

const AT = '2025-02-01T10:00:00.000Z';
const post = { id: '101', text: 'a tide', author_id: '7', created_at: AT, edit_history_tweet_ids: ['101'] };
const ann = { id: '7', username: 'ann', name: 'R&amp;D' };
const bea = { id: '8', username: 'bea', name: 'Bea' };

describe('keeps unknown what an answer does not say', () => {
  const flagsOf = (rows: CorpusRow[]) =>
    rows.map((row) => row.kind === 'tweet' && [row.tweet.isRetweet, row.tweet.isQuote, row.tweet.isReply]);
  const unknown = [undefined, undefined, undefined];
  const no = [false, false, false];

  it.each([
    ['a page without references', { data: [post] }, unknown],
    ['a single post', post, unknown],
    [
      'a page where another post has them',
      { data: [post, { ...post, id: '102', referenced_tweets: [{ type: 'quoted', id: '9' }] }] },
      no,
    ],
    [
      'a page whose request asked for them',
      { data: [post], __twarc: { url: 'https://api.example/2/tweets?tweet.fields=text%2Creferenced_tweets%2Clang' } },
      no,
    ],
    [
      'a page whose request asked for other fields',
      { data: [post], __twarc: { url: 'https://api.example/2/tweets?tweet.fields=text' } },
      unknown,
    ],
  ])('%s', async (name, value, expected) => {
    expect(flagsOf(await rowsOf(`${name}.jsonl`, value))[0]).toEqual(expected);
  });
});

describe('posts with what they refer to inside, as twarc2 flattens them', () => {
  it('give those posts, their authors, media, and everybody named', async () => {
    const original = {
      ...post,
      id: '100',
      text: 'The whole sentence: heliotrope',
      author_id: '8',
      author: bea,
      attachments: {
        media_keys: ['3_1'],
        media: [{ media_key: '3_1', type: 'photo', url: 'https://img.example/1.jpg' }],
      },
    };
    const rows = await rowsOf('flat.jsonl', {
      ...post,
      text: 'RT @bea: The whole sen…',
      author: ann,
      in_reply_to_user: { id: '9', username: 'cleo', name: 'Cleo' },
      entities: {
        mentions: [
          { start: 3, end: 7, username: 'bea' },
          { ...bea, id: '10', username: 'dora' },
        ],
      },
      referenced_tweets: [{ type: 'retweeted', ...original }],
    });
    expect(rows.map((row) => (row.kind === 'user' ? row.user.handle : row.kind === 'tweet' && row.tweet.id))).toEqual([
      ...['ann', 'cleo', 'dora', 'bea', '100', '101'],
    ]);
    const media = [{ type: 'photo', url: 'https://img.example/1.jpg' }];
    expect(rows.slice(-2)).toMatchObject([
      { tweet: { text: 'The whole sentence: heliotrope', media } },
      { tweet: { retweetedId: '100', isRetweet: true, media, mentions: ['bea', 'dora'] } },
    ]);
    expect(rows[0]).toMatchObject({ user: { name: 'R&D' } });
  });

  it('are read to a bounded depth', async () => {
    const open = `{"username":"a","name":"A","id":"7","pinned_tweet":{"id":"1","text":"t","author_id":"7","created_at":"${AT}","author":`;
    const levels = 20_000;
    const path = await scratch.write('deep.jsonl', `${open.repeat(levels)}null${'}}'.repeat(levels)}\n`);
    const { rows, faults } = await readPath(path);
    expect(faults).toEqual([]);
    expect(rows).toHaveLength(5);
  });
});

describe('lists of a page without the page', () => {
  it('are what the page includes', async () => {
    const quoting = { ...post, attachments: { media_keys: ['3_1'] } };
    const media = [{ media_key: '3_1', type: 'photo', url: 'https://img.example/1.jpg' }];
    const rows = await rowsOf('users_1.jsonl', { users: [ann], tweets: [quoting], media });
    expect(rows).toMatchObject([{ user: { handle: 'ann' } }, { tweet: { id: '101', media: [{ type: 'photo' }] } }]);
  });
});

describe('the content of a post besides its text (T22)', () => {
  const poll = {
    id: '55',
    options: [
      { position: 2, label: 'ebb &amp; slack', votes: 4 },
      { position: 1, label: 'flood', votes: 3 },
    ],
    end_datetime: '2025-02-02T10:00:00Z',
    voting_status: 'open',
  };
  const photo = {
    media_key: '3_1',
    type: 'photo',
    url: 'https://img.example/1.jpg',
    alt_text: 'A buoy &lt;red&gt;',
  };
  const links = [
    { url: 'https://t.co/a', expanded_url: 'https://x.com/i/article/55' },
    { url: 'https://t.co/b', expanded_url: 'https://tides.example/', title: 'Tide tables &amp; more' },
    { url: 'https://t.co/c', expanded_url: 'https://plain.example/' },
  ];
  const full = {
    ...post,
    attachments: { media_keys: ['3_1'], poll_ids: ['55'] },
    article: { title: 'On tides &amp; ferries' },
    entities: { urls: links },
  };
  const expected = {
    media: [{ type: 'photo', url: 'https://img.example/1.jpg', altText: 'A buoy <red>' }],
    poll: {
      options: [
        { text: 'flood', votes: 3 },
        { text: 'ebb & slack', votes: 4 },
      ],
      endsAt: '2025-02-02T10:00:00.000Z',
    },
    articles: [
      { title: 'On tides & ferries', url: 'https://x.com/i/article/55' },
      { title: 'Tide tables & more', url: 'https://tides.example/' },
    ],
  };
  const partsOf = (rows: CorpusRow[]) => tweetsOf(rows).map(({ media, poll, articles }) => ({ media, poll, articles }));

  it('is taken from a page, for a retweet from its original, and from lists without the page', async () => {
    const retweet = { ...post, id: '102', referenced_tweets: [{ type: 'retweeted', id: '101' }] };
    const included = { tweets: [full], media: [photo], polls: [poll] };
    const page = await rowsOf('page.json', { data: [retweet], includes: included });
    expect(partsOf(page)).toEqual([expected, expected]);
    expect(partsOf(await rowsOf('lists.json', included))).toEqual([expected]);
  });

  it('is taken from a flattened post', async () => {
    const attachments = { ...full.attachments, media: [photo], poll };
    expect(partsOf(await rowsOf('flat.jsonl', { ...full, attachments }))).toEqual([expected]);
  });

  it('is unknown if an answer does not say it', async () => {
    const bare = { data: [{ ...full, article: undefined, entities: undefined }] };
    expect(partsOf(await rowsOf('bare.json', bare))).toEqual([{}]);
  });

  it('is the address before the last if the last is too long, and no link is lost among many', async () => {
    const long = `https://tide.example/?${'x'.repeat(2_048)}`;
    const many = Array.from({ length: 60 }, (_, n) => ({
      url: `https://t.co/${n}`,
      expanded_url: `https://${n}.example`,
    }));
    const urls = [
      { url: 'https://t.co/a', expanded_url: 'https://short.example/a', unwound_url: long },
      { url: 'https://t.co/b', expanded_url: long },
      { start: 0, end: 1 },
      ...many,
    ];
    const rows = await rowsOf('long.json', {
      data: [{ ...full, text: `see ${long}`, entities: { urls } }],
      includes: {
        users: [
          {
            ...{ id: '7', username: 'ada', name: 'Ada', url: 'https://t.co/u', created_at: post.created_at },
            entities: { url: { urls: [{ url: 'https://t.co/u', expanded_url: long }] } },
          },
        ],
      },
    });
    const links = ['https://short.example/a', 'https://t.co/b', ...many.map(({ expanded_url }) => expanded_url)];
    expect(tweetsOf(rows).map((tweet) => tweet.urls)).toEqual([links]);
    expect(rows[0]).toMatchObject({ user: { id: '7', url: 'https://t.co/u' } });
  });

  it('is left out if it is invalid, and the post stays with the rest', async () => {
    const odd = {
      data: [{ ...full, article: { title: 7 }, entities: { urls: [{ ...links[1], title: 'x'.repeat(5_000) }] } }],
      includes: {
        media: [{ ...photo, alt_text: ['?'] }],
        polls: [{ ...poll, end_datetime: 'soon', options: [{ label: 'flood', votes: -1 }, { votes: 2 }] }],
      },
    };
    expect(partsOf(await rowsOf('odd.json', odd))).toEqual([
      { media: [{ type: 'photo', url: photo.url }], poll: { options: [{ text: 'flood' }] } },
    ]);
  });
});

describe('API v1.1', () => {
  const user = {
    id: 6253282,
    id_str: '6253282',
    screen_name: 'v1_user',
    name: 'V&amp;1',
    followers_count: 1,
    friends_count: 2,
    statuses_count: 3,
    favourites_count: 4,
    created_at: 'Wed May 23 06:01:13 +0000 2007',
    protected: false,
    verified: true,
  };
  const status = {
    id: 1050118621198921700,
    id_str: '1050118621198921728',
    created_at: 'Wed Oct 10 20:19:24 +0000 2018',
    full_text: 'a &lt;v1.1&gt; post',
    user,
    in_reply_to_status_id: null,
    in_reply_to_status_id_str: null,
    is_quote_status: false,
    entities: { hashtags: [{ text: 'tide' }], urls: [], user_mentions: [] },
    retweet_count: 1,
    favorite_count: 2,
    lang: 'und',
  };

  it('gives statuses with their authors, ids exact', async () => {
    expect(await rowsOf('tweets.jsonl', status)).toEqual([
      {
        kind: 'user',
        user: {
          id: '6253282',
          handle: 'v1_user',
          name: 'V&1',
          verified: true,
          protected: false,
          followersCount: 1,
          followingCount: 2,
          tweetsCount: 3,
          likesCount: 4,
          createdAt: '2007-05-23T06:01:13.000Z',
        },
      },
      {
        kind: 'tweet',
        tweet: {
          id: '1050118621198921728',
          text: 'a <v1.1> post',
          createdAt: '2018-10-10T20:19:24.000Z',
          authorId: '6253282',
          retweetsCount: 1,
          likesCount: 2,
          urls: [],
          hashtags: ['tide'],
          mentions: [],
          isRetweet: false,
          isQuote: false,
          isReply: false,
        },
      },
    ]);
  });

  it('gives what a status repeats or quotes, and the whole of one that a stream cut', async () => {
    const inner = {
      ...status,
      id_str: '5',
      full_text: undefined,
      text: 'cut…',
      extended_tweet: { full_text: 'not cut', entities: { hashtags: [], urls: [], user_mentions: [] } },
    };
    const rows = await rowsOf('stream.jsonl', { ...status, id_str: '6', retweeted_status: inner });
    expect(rows.filter(({ kind }) => kind === 'tweet')).toMatchObject([
      { tweet: { id: '5', text: 'not cut' } },
      { tweet: { id: '6', isRetweet: true, retweetedId: '5' } },
    ]);
  });

  it('gives a retweet of a quote as a retweet alone, although it repeats what is quoted', async () => {
    const quote = { ...status, id_str: '5', is_quote_status: true, quoted_status_id_str: '9' };
    const rows = await rowsOf('quoted.jsonl', { ...quote, id_str: '6', retweeted_status: quote });
    const [original, retweet] = tweetsOf(rows);
    expect(original).toMatchObject({ id: '5', isQuote: true, quotedId: '9', isRetweet: false });
    expect(retweet).toMatchObject({ id: '6', isQuote: false, isRetweet: true, retweetedId: '5' });
    expect(retweet).not.toHaveProperty('quotedId');
  });

  it('leaves tags, mentions and links of a cut status unknown, for it lists only those of its beginning', async () => {
    const self = { url: 'https://t.co/self', expanded_url: 'https://x.example/i/web/status/5' };
    const entities = { hashtags: [], user_mentions: [], urls: [self] };
    const cut = { ...status, full_text: undefined, text: 'A long story… https://t.co/self', truncated: true, entities };
    const [tweet] = tweetsOf(await rowsOf('cut.jsonl', cut));
    expect(tweet).toMatchObject({ text: cut.text });
    for (const name of ['urls', 'hashtags', 'mentions']) expect(tweet).not.toHaveProperty(name);
    const whole = {
      full_text: 'A long story to its end #end',
      entities: { ...entities, hashtags: [{ text: 'end' }], urls: [] },
    };
    const [extended] = tweetsOf(await rowsOf('extended.jsonl', { ...cut, extended_tweet: whole }));
    expect(extended).toMatchObject({ text: whole.full_text, urls: [], hashtags: ['end'], mentions: [] });
  });

  it('gives the status inside a user, by that user', async () => {
    const rows = await rowsOf('users.jsonl', { users: [{ ...user, status: { ...status, user: undefined } }] });
    expect(rows).toMatchObject([
      { user: { id: user.id_str } },
      { tweet: { id: status.id_str, authorId: user.id_str, text: 'a <v1.1> post' } },
    ]);
    expect(await rowsOf('user.jsonl', { ...user, status: {} })).toHaveLength(1);
  });

  it('gives the status inside a user without what it repeats or quotes, which has no author there', async () => {
    const other = { ...status, id_str: '99', user: undefined };
    for (const name of ['retweeted_status', 'quoted_status']) {
      const rows = await rowsOf('latest.jsonl', { ...user, status: { ...status, user: undefined, [name]: other } });
      expect(rows).toMatchObject([{ user: { id: user.id_str } }, { tweet: { id: status.id_str } }]);
    }
  });

  it('imports alternative texts if the file has them', async () => {
    const photo = { type: 'photo', media_url_https: 'https://img.example/1.jpg', ext_alt_text: 'Fog &amp; ferries' };
    const rows = await rowsOf('described.jsonl', { ...status, extended_entities: { media: [photo] } });
    expect(rows[1]).toMatchObject({ tweet: { media: [{ type: 'photo', altText: 'Fog & ferries' }] } });
  });

  it('gives the statuses and users of its lists', async () => {
    expect(await rowsOf('search.jsonl', { statuses: [status], search_metadata: {} })).toHaveLength(2);
    expect(await rowsOf('friends.jsonl', { users: [user], next_cursor: 0, next_cursor_str: '0' })).toHaveLength(1);
  });
});
