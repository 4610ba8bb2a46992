import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Tweet } from '../../../src/domain/model.js';
import { readPath, type Scratch, scratchFolder } from './import-support.js';
import { zipOf } from './zip-file.js';

let scratch: Scratch;
beforeAll(async () => {
  scratch = await scratchFolder();
});
afterAll(() => scratch.remove());

const part = (name: string, ...entries: unknown[]): string =>
  `window.YTD.${name.replaceAll('-', '_')}.part0 = ${JSON.stringify(entries, null, 2)}`;
const account = part('account', {
  account: { accountId: '501', username: 'harbour_master', accountDisplayName: 'Ann' },
});
const AT = 'Tue Dec 02 04:52:54 +0000 2025';

const tweet = (id: string, full_text: string, more: object = {}) => ({
  tweet: { id_str: id, full_text, created_at: AT, entities: { hashtags: [], urls: [], user_mentions: [] }, ...more },
});

let archives = 0;
/** An archive in a folder of its own. */
async function archiveOf(files: Record<string, string>): Promise<string> {
  archives += 1;
  const folder = `archive-${archives}`;
  for (const [name, content] of Object.entries({ 'account.js': account, ...files }))
    await scratch.write(`${folder}/data/${name}`, content);
  return `${scratch.folder}/${folder}`;
}

async function tweetsIn(path: string): Promise<Tweet[]> {
  const { rows, faults } = await readPath(path);
  expect(faults).toEqual([]);
  return rows.flatMap((row) => (row.kind === 'tweet' ? [row.tweet] : []));
}

describe('an X archive', () => {
  const BEGINNING = 'A long story of gulls & tides'.padEnd(270, ' and tides');
  const WHOLE = `${BEGINNING}, to the very end: zarzuela <3 #gulls`;
  const note = (text: string, createdAt = '2025-12-02T04:52:54.000Z') => ({
    noteTweet: { noteTweetId: '77', createdAt, core: { text, urls: [], hashtags: [], mentions: [] } },
  });

  it.each([['…'], ['… https://t.co/abc']])(
    'has long posts whole from note-tweet.js, matched by second and beginning, if the tweet ends with %s',
    async (end) => {
      const path = await archiveOf({
        'tweets.js': part('tweets', tweet('2', `${BEGINNING.replace('&', '&amp;')}${end}`), tweet('1', 'short')),
        'note-tweet.js': part('note-tweet', note('Another one of the same second'), note(WHOLE)),
      });
      expect((await tweetsIn(path)).map(({ text }) => text)).toEqual([WHOLE, 'short']);
      expect((await readPath(path)).omitted).toEqual([
        { file: expect.stringMatching(/note-tweet\.js$/), omitted: expect.stringMatching(/^long posts/), count: 1 },
      ]);
    },
  );

  it('lists the addresses of old texts, which no list covers, and no short link of a picture', async () => {
    const url = { url: 'https://t.co/abc', expanded_url: 'https://harbour.example/berths' };
    const old =
      'Fog (see http://harbour.example/fog?a=1&amp;b=2). Then https://t.co/abc https://t.co/pic HTTPS://tide.example…';
    const path = await archiveOf({
      'tweets.js': part('tweets', tweet('1', old, { entities: { urls: [url] } }), tweet('2', 'none', {})),
    });
    const [first, second] = await tweetsIn(path);
    expect(first?.urls).toEqual(['https://harbour.example/berths', 'http://harbour.example/fog?a=1&b=2']);
    expect(second?.urls).toEqual([]);
  });

  it('has the ids of earlier versions with the latest one', async () => {
    const ids = { editTweetIds: ['701', '702'] };
    const path = await archiveOf({
      'tweets.js': part(
        'tweets',
        tweet('702', 'leaves at nine', { edit_info: { edit: { initialTweetId: '701', editControlInitial: ids } } }),
        tweet('701', 'leafs at nine', { edit_info: { initial: ids } }),
        tweet('703', 'never edited', { edit_info: { initial: { editTweetIds: ['703'] } } }),
      ),
    });
    expect((await readPath(path)).rows.slice(1)).toMatchObject([{ tweet: { id: '702', earlierIds: ['701'] } }, {}, {}]);
    expect((await tweetsIn(path)).slice(1).every((each) => !('earlierIds' in each))).toBe(true);
  });

  it('has no language if the code names none (T28)', async () => {
    const codes = ['zxx', 'qme', 'und', 'art', 'en'];
    const path = await archiveOf({
      'tweets.js': part('tweets', ...codes.map((lang, index) => tweet(`${index}`, 'a', { lang }))),
    });
    expect((await tweetsIn(path)).map(({ lang }) => lang)).toEqual([undefined, undefined, undefined, undefined, 'en']);
  });

  it('has follows, and says once for each file what else that contains', async () => {
    const path = await archiveOf({
      'tweets.js': part('tweets', tweet('1', 'a')),
      'follower.js': part('follower', { follower: { accountId: '7', userLink: 'https://x.example/7' } }),
      'following.js': part('following', { following: { accountId: '8' } }, { following: { accountId: '9' } }),
      'like.js': part('like', { like: { tweetId: '1' } }, { like: { tweetId: '2' } }),
      'app.js': part('app'),
      'manifest.js': 'window.__THAR_CONFIG = {"userInfo":{}}',
      'README.txt': 'read me',
    });
    const { rows, omitted, faults } = await readPath(path);
    expect(faults).toEqual([]);
    expect(rows.filter(({ kind }) => kind === 'follow')).toEqual([
      { kind: 'follow', followerId: '7', followedId: '501' },
      { kind: 'follow', followerId: '501', followedId: '8' },
      { kind: 'follow', followerId: '501', followedId: '9' },
    ]);
    expect(omitted).toEqual([{ file: expect.stringMatching(/like\.js$/), omitted: expect.any(String), count: 2 }]);
  });

  it('from before 2018 is read month by month, with its author and the tweets it repeats', async () => {
    const user = { id_str: '7701', screen_name: 'old_hand', name: 'Old' };
    const original = {
      id_str: '5',
      text: 'the original',
      created_at: '2012-12-31 10:00:00 +0000',
      user: { ...user, id_str: '7702', screen_name: 'other' },
    };
    const months = [
      {
        id: Number('290000000000000001'),
        id_str: '290000000000000001',
        text: 'RT @other: the original',
        created_at: '2013-01-12 10:00:00 +0000',
        user,
        retweeted_status: original,
      },
    ];
    await scratch.write(
      'old/data/js/tweets/2013_01.js',
      `Grailbird.data.tweets_2013_01 = \n ${JSON.stringify(months)}`,
    );
    await scratch.write('old/tweets.csv', 'tweet_id,text');
    const { rows, faults } = await readPath(`${scratch.folder}/old`);
    expect(faults).toEqual([]);
    expect(rows).toMatchObject([
      { user: { id: '7701', handle: 'old_hand' } },
      { user: { id: '7702', handle: 'other' } },
      { tweet: { id: '5', authorId: '7702' } },
      {
        tweet: {
          id: '290000000000000001',
          authorId: '7701',
          isRetweet: true,
          retweetedId: '5',
          createdAt: '2013-01-12T10:00:00.000Z',
        },
      },
    ]);
  });
});

describe('an X archive from before 2018', () => {
  const user = { id_str: '7701', screen_name: 'old_hand', name: 'Old' };

  /** The tweets of an archive of one month. */
  async function monthOf(...statuses: object[]): Promise<Tweet[]> {
    archives += 1;
    const month = statuses.map((status, index) => ({
      id_str: `${index + 1}`,
      created_at: '2013-01-12 10:00:00 +0000',
      user,
      entities: { user_mentions: [], media: [], hashtags: [], urls: [] },
      ...status,
    }));
    const script = `Grailbird.data.tweets_2013_01 = \n ${JSON.stringify(month)}`;
    await scratch.write(`old-${archives}/data/js/tweets/2013_01.js`, script);
    return tweetsIn(`${scratch.folder}/old-${archives}`);
  }

  it('gives its pictures, which name no type, in the greatest size that shows all of them', async () => {
    const picture = {
      url: 'http://t.co/fog',
      expanded_url: 'http://x.example/old_hand/status/1/photo/1',
      display_url: 'pic.twitter.com/fog',
      media_url_https: 'https://img.example/fog.jpg',
      sizes: [
        { h: 603, w: 340, resize: 'fit' },
        { h: 1024, w: 577, resize: 'fit' },
        { h: 2000, w: 2000, resize: 'crop' },
        { h: 1024, w: 577, resize: 'fit' },
      ],
    };
    const entities = { user_mentions: [], media: [picture], hashtags: [], urls: [] };
    expect(await monthOf({ text: 'Fog http://t.co/fog', entities })).toMatchObject([
      { media: [{ type: 'photo', url: 'https://img.example/fog.jpg', width: 577, height: 1024 }], urls: [] },
    ]);
  });

  it('takes only retweets of the network for retweets, not those that people typed', async () => {
    const original = { id_str: '5', text: 'low tide', created_at: '2012-12-31 10:00:00 +0000', user };
    const tweets = await monthOf({ text: 'RT @gull: low tide' }, { text: 'RT @gull: low', retweeted_status: original });
    expect(tweets.map(({ id, isRetweet }) => [id, isRetweet])).toEqual([
      ['1', false],
      ['5', false],
      ['2', true],
    ]);
  });

  it.each([
    ['RT @T: a long story of tides http://t ...', []],
    ['RT @T: see http://harbour.example/a and http://tide.example/b ...', ['http://harbour.example/a']],
    ['See http://harbour.example/a and then ...', ['http://harbour.example/a']],
    ['See http://harbour.example/a...', ['http://harbour.example/a']],
  ])('lists no address that the end of the text cuts off: %s', async (text, urls) => {
    expect((await monthOf({ text }))[0]?.urls).toEqual(urls);
  });
});

describe('a zip', () => {
  const files = {
    'data/account.js': account,
    'data/tweets.js': part('tweets', tweet('2', 'first'), tweet('1', 'second')),
    'data/follower.js': part('follower', { follower: { accountId: '7' } }),
    'data/tweets_media/1-a.jpg': 'a picture',
    '__MACOSX/data/._tweets.js': 'not a script',
    'Your archive.html': '<html>',
  };

  it('is read as downloaded, like the folder in it', async () => {
    const { rows, faults, located } = await readPath(await scratch.write('archive.zip', zipOf(files)));
    expect(faults).toEqual([]);
    expect(rows.map(({ kind }) => kind)).toEqual(['user', 'tweet', 'tweet', 'follow']);
    expect(located[1]?.line).toBe(2);
  });

  it('of NDJSON is read, too, and a fault names the file in it', async () => {
    const content = `${JSON.stringify({ id: '1', handle: 'a', name: 'A' })}\n{"id":\n`;
    const { rows, faults } = await readPath(await scratch.write('rows.zip', zipOf({ 'saved/users.ndjson': content })));
    expect(rows).toHaveLength(1);
    expect(faults).toMatchObject([{ file: expect.stringMatching(/rows\.zip\/saved\/users\.ndjson$/), line: 2 }]);
  });

  it.each([
    ['no zip', Buffer.from('not a zip at all, but long enough to hold the end of one'), /not a readable zip/],
    ['cut off', zipOf(files).subarray(0, 300), /not a readable zip/],
    ['with nothing to import', zipOf({ 'a.txt': 'a' }), /no importable files in this zip/],
    ['leading out of itself', zipOf({ '../data/account.js': account }), /not a readable zip/],
    ['with too long a name', zipOf({ [`${'a/'.repeat(600)}tweets.js`]: 'a' }), /name of more than 1,000 characters/],
    [
      'that unpacks to too much',
      zipOf({ ...files, 'data/tweets.js': Buffer.alloc(4 * 1024 * 1024, ' ') }),
      /compressed more than 200 times/,
    ],
  ])('%s is refused in words', async (name, content, message) => {
    await expect(readPath(await scratch.write(`${name}.zip`, content))).rejects.toThrow(message);
  });

  it('that is damaged gives what comes before the damage, and a fault', async () => {
    const packed = zipOf(files);
    packed.fill(0xff, packed.indexOf('data/tweets.js') + 20, packed.indexOf('data/tweets.js') + 60);
    const { faults } = await readPath(await scratch.write('damaged.zip', packed));
    expect(faults).toMatchObject([{ file: expect.stringMatching(/data\/tweets\.js$/) }]);
  });
});

describe('a file of another kind', () => {
  it.each([
    ['utf16le', '\uFEFF'],
    ['utf16le', ''],
  ] as const)('in UTF-16 is one fault (%s, mark "%s")', async (encoding, mark) => {
    const row = JSON.stringify({ id: '1', handle: 'a', name: 'A' });
    const path = await scratch.write('users.ndjson', Buffer.from(`${mark}${row}\r\n${row}\r\n${row}`, encoding));
    const { rows, faults } = await readPath(path);
    expect(rows).toEqual([]);
    expect(faults).toEqual([
      { file: path, line: 1, message: expect.stringMatching(/^UTF-16.*save the file as UTF-8/) },
    ]);
  });

  it('in CSV is refused with what to do instead', async () => {
    const path = await scratch.write('tweets.csv', 'tweet_id,text\n');
    await expect(readPath(path)).rejects.toThrow(/CSV has neither types nor lists.*NDJSON.*whole folder or zip/);
  });

  it('among files that are read is named', async () => {
    await scratch.write('mixed/users.ndjson', `${JSON.stringify({ id: '1', handle: 'a', name: 'A' })}\n`);
    await scratch.write('mixed/tweets.csv', 'id\n');
    await scratch.write('mixed/README.md', 'words');
    expect((await readPath(`${scratch.folder}/mixed`)).omitted).toEqual([
      { file: expect.stringMatching(/tweets\.csv$/), omitted: expect.any(String), count: 1 },
    ]);
  });
});
