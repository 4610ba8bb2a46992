import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixture, lines, readPath, type Scratch, scratchFolder, unpackArchive } from './import-support.js';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchFolder();
});
afterAll(() => scratch.remove());

describe('NDJSON in the interface’s names', () => {
  it('reads a folder, users first, follows last, with the line of each row', async () => {
    const { located, faults } = await readPath(fixture('plain'));
    expect(faults).toEqual([]);
    expect(located.map(({ row, line }) => `${row.kind} ${line}`)).toEqual([
      ...['user 1', 'user 2', 'user 3'],
      ...['tweet 1', 'tweet 2', 'user 4', 'tweet 4', 'tweet 5'],
      ...['follow 1', 'follow 2', 'follow 3', 'follow 4'],
    ]);
  });

  it('gives every field under the model’s name, absent if the file has none (T10), times in UTC (T11)', async () => {
    const { rows } = await readPath(fixture('plain/users.ndjson'));
    expect(rows[0]).toEqual({
      kind: 'user',
      user: {
        id: '101',
        handle: 'lighthouse_hq',
        name: 'Lighthouse & Sons',
        bio: 'Keepers since 1811',
        location: 'The rock',
        url: 'https://lighthouse.example',
        avatarUrl: 'https://img.example/a.jpg',
        bannerUrl: 'https://img.example/b.jpg',
        verified: true,
        protected: false,
        followersCount: 3_000_000_000,
        followingCount: 7,
        tweetsCount: 2,
        likesCount: 5,
        listedCount: 1,
        createdAt: '2011-04-05T06:07:08.000Z',
        pinnedTweetIds: ['9001'],
      },
    });
    expect(rows[1]).toMatchObject({ user: { createdAt: '2012-04-05T06:07:08.000Z', followersCount: 0 } });
    expect(rows[2]).toEqual({ kind: 'user', user: { id: '103', handle: 'tide.table', name: 'Tide\ttable \\ desk' } });
  });

  it('keeps texts as they are, unless they are declared as escaped: then decodes them once (T13)', async () => {
    const written = { ...tweet, text: 'Write &lt;br&gt; for a line, &amp;amp; for an &', author: escapedUser };
    const path = await scratch.write('own.ndjson', lines(written));
    const { rows } = await readPath(path);
    expect(rows).toMatchObject([{ user: escapedUser }, { tweet: { text: written.text } }]);
    expect((await readPath(path, { areEscaped: true })).rows).toMatchObject([
      { user: { name: 'R&D <team>', bio: '&nbsp;', location: 'A & B' } },
      { tweet: { text: 'Write <br> for a line, &amp; for an &' } },
    ]);
  });

  it('keeps a retweet’s text (M23), and no code that names no language (T28)', async () => {
    const { rows } = await readPath(fixture('plain/tweets.ndjson'), { areEscaped: true });
    const texts = rows.flatMap((row) => (row.kind === 'tweet' ? [row.tweet.text] : []));
    expect(texts[0]).toBe(`Fog horn tested & found loud. <3 > 2 "decibels", it's fine`);
    expect(texts[2]).toBe('RT @lighthouse_hq: Fog horn tested & fou…');
    const path = await scratch.write(
      'codes.ndjson',
      lines({ ...tweet, lang: 'zxx' }, { ...tweet, lang: 'qme' }, { ...tweet, lang: 'ja' }),
    );
    expect((await readPath(path)).rows.map((row) => row.kind === 'tweet' && row.tweet.lang)).toEqual([
      undefined,
      undefined,
      'ja',
    ]);
  });

  it('decodes the texts of all parts of an escaped tweet', async () => {
    const [escaped, plain] = ['Fish &amp; &lt;b&gt;', 'Fish & <b>'];
    const parts = (text: string) => ({
      media: [{ type: 'photo', url: 'https://img.example/1.jpg', alt_text: text }, { type: 'photo' }],
      audio: [{ url: 'https://audio.example/1.mp3', alt_text: text }],
      poll: { options: [{ text, votes: 1 }, { text: 'None' }] },
      articles: [{ title: text, url: 'https://news.example/?a=1&amp;b=2' }],
    });
    const path = await scratch.write('parts.ndjson', lines({ ...tweet, ...parts(escaped) }));
    const { rows, faults } = await readPath(path, { areEscaped: true });
    expect(faults).toEqual([]);
    expect(rows).toMatchObject([
      {
        tweet: {
          media: [{ altText: plain }, { type: 'photo' }],
          audio: [{ altText: plain }],
          poll: { options: [{ text: plain, votes: 1 }, { text: 'None' }] },
          articles: [{ title: plain, url: 'https://news.example/?a=1&amp;b=2' }],
        },
      },
    ]);
    expect((await readPath(path)).rows).toMatchObject([{ tweet: { media: [{ altText: escaped }, {}] } }]);
  });

  it.each(['user.ndjson', 'posts-of-user.jsonl', 'follow.ndjson', 'tweet.ndjson'])(
    'goes by the fields of a row and not by the name of the file: %s',
    async (name) => {
      const path = await scratch.write(name, lines({ ...escapedUser, name: 'Gull' }, tweet, follow));
      const { rows, faults } = await readPath(path);
      expect(faults).toEqual([]);
      expect(rows.map(({ kind }) => kind)).toEqual(['user', 'tweet', 'follow']);
    },
  );

  it.each(['list.json', 'objects.ndjson', 'list.json.gz'])('skips a byte order mark: %s', async (name) => {
    const all = name.includes('.json') ? JSON.stringify([tweet, tweet]) : lines(tweet, tweet);
    const packed = (text: string) => (name.endsWith('.gz') ? gzipSync(text) : text);
    const { rows, faults } = await readPath(await scratch.write(name, packed(`\uFEFF${all}`)));
    expect(faults).toEqual([]);
    expect(rows).toHaveLength(2);
  });

  it('takes a handle as every interface does (I11, I12)', async () => {
    const file = await scratch.write(
      'users.ndjson',
      lines({ id: '1', handle: '\u2066umwelt@baw\u00FC.example\u2069', name: 'U' }),
    );
    expect((await readPath(file)).rows).toMatchObject([{ user: { handle: 'umwelt@xn--baw-joa.example' } }]);
  });

  it('replaces unpaired surrogates and U+0000 in every text (T13)', async () => {
    const text = JSON.stringify({ ...tweet, text: 'a\0b low', hashtags: ['ok', '\0'] }).replace('low', '\\ud83d');
    const { rows, faults } = await readPath(await scratch.write('halves.ndjson', `${text}\n`));
    expect([rows[0], faults]).toEqual([
      expect.objectContaining({
        tweet: expect.objectContaining({ text: 'a\ufffdb \ufffd', hashtags: ['ok', '\ufffd'] }),
      }),
      [],
    ]);
  });

  it('takes what stands for an unknown count or time as unknown (T17, T21)', async () => {
    const counts = { followers: 0, following: 0, tweets: 0 };
    const user = { id: '1', handle: 'a', name: 'A', ...counts, created_at: '1970-01-01T00:00:00.000Z' };
    const some = { ...user, unknown_counts: ['followers', 'tweets', 'name'] };
    const author = { ...user, id: '2', unknown_counts: ['following'] };
    const path = await scratch.write('unknown.ndjson', lines(some, { ...tweet, author }, { ...user, id: '3' }));
    const { rows } = await readPath(path);
    expect(rows.flatMap((row) => (row.kind === 'user' ? [row.user] : []))).toEqual([
      { id: '1', handle: 'a', name: 'A', followingCount: 0 },
      { id: '2', handle: 'a', name: 'A', followersCount: 0, tweetsCount: 0 },
      { id: '3', handle: 'a', name: 'A', followersCount: 0, followingCount: 0, tweetsCount: 0 },
    ]);
  });

  it('reads gzip, with several members, Windows line ends and a byte order mark', async () => {
    const first = gzipSync(`\uFEFF${JSON.stringify(tweet)}\r\n`);
    const second = gzipSync(`\r\n${JSON.stringify({ ...tweet, id: '2' })}`);
    const { located, faults } = await readPath(await scratch.write('tweets.ndjson.gz', Buffer.concat([first, second])));
    expect(faults).toEqual([]);
    expect(located.map(({ line }) => line)).toEqual([1, 3]);
  });

  it('recognises gzip by its first bytes and rows by their fields if the names tell nothing', async () => {
    const user = { id: '1', handle: 'a', name: 'A' };
    const content = lines(user, tweet, { follower_id: '1', followed_id: '2' });
    const { rows } = await readPath(await scratch.write('export.jsonl', gzipSync(content)));
    expect(rows.map((row) => row.kind)).toEqual(['user', 'tweet', 'follow']);
  });

  it('reads a JSON list over many lines, and says where each element begins', async () => {
    const path = await scratch.write('list.json', JSON.stringify([tweet, { ...tweet, id: 'x' }], null, 2));
    const { located, faults } = await readPath(path);
    expect(located.map(({ line }) => line)).toEqual([2]);
    expect(faults.map(({ line }) => line)).toEqual([8]);
  });
});

describe('a saved answer of Perch', () => {
  const user = { id: '7', handle: 'gull', name: 'R&amp;D' };
  const answer = (data: unknown) => ({ data, items: 1, credits_charged: 1, balance_remaining: 9, cache: 'miss' });

  it.each<[string, unknown, object[]]>([
    [
      'a page of tweets',
      [
        { ...tweet, author: user },
        { ...tweet, id: '2' },
      ],
      [{ user: { id: '7' } }, { tweet: { id: '1' } }, { tweet: { id: '2' } }],
    ],
    ['a page of users', [user, { ...user, id: '8' }], [{ user: { id: '7', name: 'R&amp;D' } }, { user: { id: '8' } }]],
    ['a tweet', tweet, [{ tweet: { id: '1', text: 'low tide' } }]],
    ['a user', user, [{ user: { id: '7', handle: 'gull' } }]],
    ['an empty page', [], []],
  ])('gives the rows in its data: %s', async (name, data, expected) => {
    for (const file of [`${name}.json`, 'users.jsonl', 'tweets.jsonl']) {
      const { rows, faults } = await readPath(await scratch.write(`answers/${file}`, JSON.stringify(answer(data))));
      expect(faults).toEqual([]);
      expect(rows).toMatchObject(expected);
    }
  });

  it.each<[string, unknown, RegExp]>([
    ['ids', ['1', '2'], /^data: ids alone say nothing of the account/],
    ['no data', undefined, /^an answer without data/],
    ['an account', { wallet: '1' }, /^data: neither a user/],
    ['an invalid tweet', [tweet, { ...tweet, id: 'x' }], /^data\[1\]: id must be digits/],
  ])('is one fault with %s', async (name, data, message) => {
    const path = await scratch.write(`${name}.json`, JSON.stringify(answer(data)));
    expect((await readPath(path)).faults).toEqual([{ file: path, line: 1, message: expect.stringMatching(message) }]);
  });
});

describe('an X archive', () => {
  it('takes the author from account.js and profile.js', async () => {
    const { rows } = await readPath(await unpackArchive(scratch));
    expect(rows[0]).toEqual({
      kind: 'user',
      user: {
        id: '501',
        handle: 'harbour_master',
        name: 'Harbour Master',
        bio: 'Berths & buoys',
        location: 'Pier 3',
        url: 'https://harbour.example',
        avatarUrl: 'https://img.example/harbour.jpg',
        bannerUrl: 'https://img.example/harbour-wide.jpg',
        createdAt: '2013-02-03T04:05:06.000Z',
      },
    });
  });

  it('maps every part’s tweets: text numbers, replies, links, the best video (T15)', async () => {
    const { located, faults } = await readPath(await unpackArchive(scratch));
    expect(faults).toEqual([]);
    const tweets = located.flatMap(({ row, line }) => (row.kind === 'tweet' ? [{ line, ...row.tweet }] : []));
    expect(tweets.map(({ id, line }) => [id, line])).toEqual([
      ['1855222380982907193', 2],
      ['1855222380982907200', 15],
      ['1855222380982907300', 1],
    ]);
    expect(tweets[0]).toMatchObject({
      authorId: '501',
      text: 'RT @lighthouse_hq: Fog horn tested & fou…',
      createdAt: '2024-11-09T12:14:18.000Z',
      isRetweet: true,
      retweetsCount: 3,
      mentions: ['lighthouse_hq'],
      urls: [],
      source: 'Harbour app',
    });
    expect(tweets[1]).toMatchObject({
      createdAt: '2024-11-10T00:02:03.000Z',
      inReplyToId: '9002',
      inReplyToUserId: '102',
      isReply: true,
      likesCount: 14,
      urls: ['https://harbour.example/berths'],
      hashtags: ['berths'],
      media: [
        {
          type: 'video',
          url: 'https://img.example/large.mp4',
          previewUrl: 'https://img.example/still.jpg',
          width: 1280,
          height: 720,
        },
      ],
    });
  });

  it('reports a missing account.js', async () => {
    const { rows, faults } = await readPath(await scratch.write('tweets.js', 'window.YTD.tweets.part0 = [ ]'));
    expect(rows).toEqual([]);
    expect(faults).toEqual([
      {
        file: expect.stringMatching(/tweets\.js$/),
        line: 1,
        message: expect.stringContaining('no readable account.js'),
      },
    ]);
  });
});

describe('X API v2 pages', () => {
  it('maps a page with its includes, and accepts partial errors', async () => {
    const { rows, faults } = await readPath(fixture('v2/timeline.json'));
    expect(faults).toEqual([]);
    expect(rows.map((row) => row.kind)).toEqual(['user', 'user', 'tweet', 'tweet', 'tweet']);
    expect(rows[0]).toEqual({
      kind: 'user',
      user: {
        id: '701',
        handle: 'pier_seven',
        name: 'Pier Seven',
        bio: 'See https://pier.example/home & come',
        url: 'https://pier.example',
        verified: true,
        protected: false,
        followersCount: 10,
        followingCount: 20,
        tweetsCount: 30,
        likesCount: 6,
        listedCount: 1,
        createdAt: '2015-01-01T00:00:00.000Z',
        pinnedTweetIds: ['1700000000000000003'],
      },
    });
  });

  it('maps posts: media of the original, long text, references, links without own media', async () => {
    const { rows } = await readPath(fixture('v2/timeline.json'));
    const [original, retweet, reply] = rows.flatMap((row) => (row.kind === 'tweet' ? [row.tweet] : []));
    const media = [
      {
        type: 'video',
        url: 'https://img.example/gull-large.mp4',
        previewUrl: 'https://img.example/gull.jpg',
        width: 1920,
        height: 1080,
      },
      { type: 'photo', url: 'https://img.example/gull-photo.jpg', width: 800, height: 600 },
    ];
    expect(original).toMatchObject({ media, urls: ['https://gull.example/'], isRetweet: false });
    expect(retweet).toMatchObject({
      text: 'RT @gull_watch: a very long story that was c…',
      media,
      isRetweet: true,
      retweetedId: '1700000000000000001',
      mentions: ['gull_watch'],
      bookmarksCount: 2,
      viewsCount: 9,
    });
    expect(reply).toMatchObject({
      text: 'short & then long after all #gulls',
      hashtags: ['gulls'],
      inReplyToId: '1700000000000000001',
      inReplyToUserId: '702',
      quotedId: '9001',
      isReply: true,
      isQuote: true,
    });
    expect(reply).not.toHaveProperty('lang');
  });

  it('reads the newer vocabulary, flattened posts and single objects, a page a line', async () => {
    const { rows, faults } = await readPath(fixture('v2/posts.jsonl'));
    expect(faults).toEqual([]);
    expect(rows.map((row) => row.kind)).toEqual(['user', 'tweet', 'tweet', 'user', 'tweet', 'user']);
    expect(rows[0]).toMatchObject({ user: { tweetsCount: 3, pinnedTweetIds: ['1900000000000000001'] } });
    expect(rows[1]).toMatchObject({ tweet: { text: 'not cut' } });
    expect(rows[2]).toMatchObject({ tweet: { retweetsCount: 4, inReplyToId: '1900000000000000001', isReply: true } });
  });
});

describe('paths', () => {
  it.each([
    ['nowhere/at-all.ndjson', /no such file or folder/],
    [fixture('..'), /no importable files in this folder; supported files are \.ndjson/],
    [fixture('../../../vitest.config.ts'), /not an importable file; supported files are \.ndjson/],
  ])('%s is refused in words', async (path, message) => {
    await expect(readPath(path)).rejects.toThrow(message);
  });
});

const escapedUser = { id: '7', handle: 'gull', name: 'R&amp;D &lt;team&gt;', bio: '&amp;nbsp;', location: 'A &amp; B' };
const follow = { follower_id: '7', followed_id: '8' };
const tweet = { id: '1', text: 'low tide', created_at: '2020-01-02T03:04:05.000Z', author_id: '7' };
