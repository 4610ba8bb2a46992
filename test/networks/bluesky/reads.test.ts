import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { recordId, userId } from '../../../adapters/networks/bluesky/ids.js';
import { HOUR_MS } from '../../../src/lib/durations.js';
import { ADA, BEN, bench, CLEO, CONTEXT, HIDDEN } from './bench.js';
import { basicOf, didAt, postOf, profileOf, uriAt } from './fake.js';

const at = bench();
const { open, page, callsOf } = at;

describe('profiles', () => {
  it('from lists are read again 25 at a time, each person once', async () => {
    const followers = Array.from({ length: 60 }, (_, n) => basicOf(didAt(n + 10)));
    await open({ 'app.bsky.graph.getFollowers': () => ({ body: { subject: basicOf(ADA), followers } }) });
    const { users } = await page('followers', userId(ADA));
    expect(users).toHaveLength(60);
    expect(callsOf('getProfiles').map(({ query }) => query.getAll('actors').length)).toEqual([25, 25, 10]);
  });

  it('are left out if deleted, or opted out by a label of the list or the profile', async () => {
    const followers = [basicOf(ADA), basicOf(BEN), basicOf(CLEO, HIDDEN), basicOf(didAt(4))];
    await open({
      'app.bsky.graph.getFollowers': () => ({ body: { subject: basicOf(didAt(9)), followers } }),
      'app.bsky.actor.getProfiles': () => ({ body: { profiles: [profileOf(ADA), profileOf(didAt(4), HIDDEN)] } }),
    });
    const { users } = await page('followers', userId(didAt(9)));
    expect(users?.map(({ id }) => id)).toEqual([userId(ADA)]);
    expect(callsOf('getProfiles')[0]?.query.getAll('actors')).not.toContain(CLEO);
  });

  it('are shown despite a negated label', async () => {
    const [label] = HIDDEN.labels;
    await open({
      'app.bsky.actor.getProfile': () => ({ body: profileOf(ADA, { labels: [{ ...label, neg: true }] }) }),
    });
    expect(await at.network.users([{ id: userId(ADA) }], CONTEXT())).toMatchObject([{ ok: { id: userId(ADA) } }]);
  });

  it.each(['!no-unauthenticated', '!hide', '!takedown'])(
    '%s: are not_found, for the profile and its lists',
    async (val) => {
      const hidden = { labels: [{ val }] };
      await open({
        'app.bsky.actor.getProfile': () => ({ body: profileOf(ADA, hidden) }),
        'app.bsky.graph.getFollows': () => ({ body: { subject: basicOf(ADA, hidden), follows: [basicOf(BEN)] } }),
        'app.bsky.feed.getAuthorFeed': () => ({
          body: { feed: [{ post: postOf(uriAt(ADA, '3n2rygijlak2c'), { author: hidden }) }] },
        }),
      });
      expect(await at.network.users([{ id: userId(ADA) }], CONTEXT())).toMatchObject([{ fail: { code: 'not_found' } }]);
      await expect(page('following', userId(ADA))).rejects.toMatchObject({ code: 'not_found' });
      await expect(page('timeline', userId(ADA))).rejects.toMatchObject({ code: 'not_found' });
    },
  );

  it('are not hidden for adult labels', async () => {
    await open({ 'app.bsky.actor.getProfile': () => ({ body: profileOf(ADA, { labels: [{ val: 'porn' }] }) }) });
    expect(await at.network.users([{ id: userId(ADA) }], CONTEXT())).toMatchObject([{ ok: {} }]);
  });

  it('use the handle for a missing name, and are never looked up by an invalid handle', async () => {
    const profile = profileOf(ADA, { handle: 'handle.invalid', displayName: '' });
    await open({ 'app.bsky.actor.getProfile': () => ({ body: profile }) });
    const [byId] = await at.network.users([{ id: userId(ADA) }], CONTEXT());
    expect(byId).toMatchObject({ ok: { handle: 'handle.invalid', name: 'handle.invalid' } });
    const before = at.calls.length;
    expect(await at.network.users([{ handle: 'handle.invalid' }], CONTEXT())).toMatchObject([
      { fail: { code: 'not_found' } },
    ]);
    for (const handle of ['ada', 'ada_b.test', 'ada.test.', 'a'.repeat(254), '12345']) {
      expect(await at.network.users([{ handle }], CONTEXT())).toMatchObject([{ fail: { code: 'bad_request' } }]);
    }
    expect(await at.network.users([{ id: '7' }], CONTEXT())).toMatchObject([{ fail: { code: 'bad_request' } }]);
    expect(await at.network.tweets(['7'], CONTEXT())).toMatchObject([{ fail: { code: 'bad_request' } }]);
    expect(at.calls).toHaveLength(before);
  });

  it('read a missing creation date from the DID directory once, answer 1970 if that has none, and ask again if the clock is set back', async () => {
    const bare = (did: string) => profileOf(did, { createdAt: undefined });
    await open({
      'app.bsky.actor.getProfiles': (query) => ({ body: { profiles: query.getAll('actors').map(bare) } }),
      [`/${ADA}/log/audit`]: () => ({
        body: [{ createdAt: '2025-05-05T05:05:05.123Z' }, { createdAt: '2026-01-01T00:00:00Z' }],
      }),
      [`/${BEN}/log/audit`]: () => ({ status: 500, body: {} }),
    });
    const readBoth = () =>
      at.network.users(
        [ADA, BEN].map((did) => ({ id: userId(did) })),
        CONTEXT(),
      );
    for (let times = 0; times < 2; times += 1) {
      expect(await readBoth()).toMatchObject([
        { ok: { createdAt: '2025-05-05T05:05:05.123Z' } },
        { ok: { createdAt: '1970-01-01T00:00:00.000Z' } },
      ]);
    }
    expect(callsOf('/log/audit')).toHaveLength(2);
    // The rest after a failure is not lengthened.
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() - HOUR_MS);
    onTestFinished(() => void vi.restoreAllMocks());
    await readBoth();
    expect(callsOf('/log/audit')).toHaveLength(3);
  });

  it('keep asking the directory about others if it does not know one DID', async () => {
    const bare = (did: string) => profileOf(did, { createdAt: undefined });
    await open({
      'app.bsky.actor.getProfile': (query) => ({ body: bare(query.get('actor') ?? '') }),
      [`/${ADA}/log/audit`]: () => ({ status: 404, body: { message: 'DID not registered' } }),
      [`/${BEN}/log/audit`]: () => ({ body: [{ createdAt: '2025-05-05T05:05:05.123Z' }] }),
    });
    const born = async (did: string) => (await at.network.users([{ id: userId(did) }], CONTEXT()))[0];
    for (let times = 0; times < 2; times += 1) {
      expect(await born(ADA)).toMatchObject({ ok: { createdAt: '1970-01-01T00:00:00.000Z' } });
      expect(await born(BEN)).toMatchObject({ ok: { createdAt: '2025-05-05T05:05:05.123Z' } });
    }
    expect(callsOf('/log/audit')).toHaveLength(2);
  });
});

describe('tweets', () => {
  const uri = uriAt(ADA, '3n2rygijlak2c');
  const repostUri = `at://${BEN}/app.bsky.feed.repost/3n2rygijlak2d`;

  it.each<[string, string, string, string]>([
    ['the earlier of both', '2026-10-01T00:00:00Z', '2026-10-02T00:00:00Z', '2026-10-01T00:00:00.000Z'],
    ['not a time that is still to come', '2030-10-01T00:00:00Z', '2026-10-02T00:00:00Z', '2026-10-02T00:00:00.000Z'],
    ['in UTC', '2026-10-01T02:00:00.123456+02:00', '2026-10-02T00:00:00Z', '2026-10-01T00:00:00.123Z'],
    ['not what is no time', 'yesterday', '2026-10-02T00:00:00Z', '2026-10-02T00:00:00.000Z'],
  ])('were made at %s', async (_what, createdAt, indexedAt, expected) => {
    await open({
      'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri, { record: { createdAt }, indexedAt })] } }),
    });
    expect(await at.network.tweets([recordId(uri)], CONTEXT())).toMatchObject([{ ok: { createdAt: expected } }]);
  });

  it.each([
    [['und'], undefined],
    [['zxx', 'ja', 'en'], 'ja'],
  ])('have the first valid one of the languages %j (T28)', async (langs, lang) => {
    await open({ 'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri, { record: { langs } })] } }) });
    const [found] = await at.network.tweets([recordId(uri)], CONTEXT());
    expect(found && 'ok' in found && found.ok.lang).toBe(lang);
  });

  it('have facets cut by bytes, whatever characters precede them', async () => {
    const text = '🚢é @ada.test';
    const start = Buffer.byteLength('🚢é ');
    const facets = [
      {
        index: { byteStart: start, byteEnd: start + 9 },
        features: [{ $type: 'app.bsky.richtext.facet#mention', did: ADA }],
      },
      { index: { byteStart: 5000, byteEnd: -3 }, features: [{ $type: 'app.bsky.richtext.facet#mention', did: BEN }] },
      { index: { byteStart: 0, byteEnd: 4 }, features: [{ $type: 'org.example#new', anything: 1 }] },
    ];
    await open({ 'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri, { record: { text, facets } })] } }) });
    expect(await at.network.tweets([recordId(uri)], CONTEXT())).toMatchObject([
      { ok: { text, mentions: ['ada.test'] } },
    ]);
  });

  it.each<[string, object, object]>([
    [
      'a gallery',
      { $type: 'app.bsky.embed.gallery#view', items: [{ fullsize: 'https://p.test/1' }, { $type: 'new' }] },
      { media: [{ type: 'photo', url: 'https://p.test/1' }] },
    ],
    [
      'a moving picture',
      { $type: 'app.bsky.embed.video#view', cid: 'b', playlist: 'https://v.test/1.m3u8', presentation: 'gif' },
      { media: [{ type: 'animated_gif', url: 'https://v.test/1.m3u8' }] },
    ],
    [
      'a video beside a quote',
      {
        $type: 'app.bsky.embed.recordWithMedia#view',
        record: {},
        media: { $type: 'app.bsky.embed.video#view', cid: 'b', playlist: 'https://v.test/1.m3u8' },
      },
      { media: [{ type: 'video', url: 'https://v.test/1.m3u8' }] },
    ],
    ['a kind that is not known yet', { $type: 'app.bsky.embed.hologram#view', images: 5 }, { media: [] }],
  ])('carry %s', async (_what, embed, expected) => {
    await open({ 'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri, { embed })] } }) });
    expect(await at.network.tweets([recordId(uri)], CONTEXT())).toMatchObject([{ ok: expected }]);
  });

  it('do not take a quoted list or feed for a quoted tweet', async () => {
    const embed = { $type: 'app.bsky.embed.record', record: { uri: `at://${ADA}/app.bsky.graph.list/3n2rygijlak2c` } };
    await open({ 'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri, { record: { embed } })] } }) });
    const [found] = await at.network.tweets([recordId(uri)], CONTEXT());
    expect(found).toMatchObject({ ok: { isQuote: false } });
    expect(found && 'ok' in found && found.ok.quotedId).toBeUndefined();
  });

  it('include a repost by its own id, but none of a deleted or hidden post or of a list', async () => {
    const value = { createdAt: '2026-10-03T00:00:00Z', subject: { uri, cid: 'b' } };
    let posts: object[] = [postOf(uri)];
    await open({
      'com.atproto.repo.getRecord': () => ({ body: { uri: repostUri, value } }),
      'app.bsky.feed.getPosts': () => ({ body: { posts } }),
    });
    const read = async () => (await at.network.tweets([recordId(repostUri)], CONTEXT()))[0];
    expect(await read()).toMatchObject({
      ok: {
        id: recordId(repostUri),
        authorId: userId(BEN),
        author: { id: userId(BEN) },
        retweetedId: recordId(uri),
        text: 'Hello',
        createdAt: '2026-10-03T00:00:00.000Z',
      },
    });
    expect((await page('thread', recordId(repostUri))).tweets).toHaveLength(1);
    expect((await page('replies', recordId(repostUri))).tweets).toEqual([]);
    for (const kind of ['quotes', 'retweeters'] as const) {
      expect((await page(kind, recordId(repostUri))).next).toBeNull();
    }
    posts = [];
    expect(await read()).toMatchObject({ fail: { code: 'not_found' } });
    posts = [postOf(uri, { author: HIDDEN })];
    expect(await read()).toMatchObject({ fail: { code: 'not_found' } });
  });

  it('leave out reposts by accounts that opted out, and reposts without an address', async () => {
    const reason = { $type: 'app.bsky.feed.defs#reasonRepost', by: basicOf(BEN), indexedAt: '2026-10-03T00:00:00Z' };
    const feed = [
      { post: postOf(uri, { author: HIDDEN }), reason: { ...reason, uri: repostUri } },
      { post: postOf(uri), reason },
      { post: postOf(uriAt(BEN, '3n2rygijlak2c')), reason: { $type: 'app.bsky.feed.defs#reasonPin' } },
    ];
    await open({ 'app.bsky.feed.getAuthorFeed': () => ({ body: { feed, cursor: '' } }) });
    const { tweets, next } = await page('timeline', userId(BEN));
    expect(tweets?.map(({ id }) => id)).toEqual([recordId(uriAt(BEN, '3n2rygijlak2c'))]);
    expect(next).toBeNull();
  });

  describe('whose authors cannot be read', () => {
    const failing = { 'app.bsky.actor.getProfiles': () => ({ status: 502, body: {} }) };
    const reason = { $type: 'app.bsky.feed.defs#reasonRepost', by: basicOf(BEN), uri: repostUri };

    it('are shown without them, reposts included (T23)', async () => {
      const own = postOf(uriAt(BEN, '3n2rygijlak2c'));
      await open({
        ...failing,
        'app.bsky.feed.getAuthorFeed': () => ({ body: { feed: [{ post: own }, { post: postOf(uri), reason }] } }),
      });
      const { tweets = [] } = await page('timeline', userId(BEN));
      expect(tweets.map(({ id }) => id)).toEqual([recordId(own.uri), recordId(repostUri)]);
      for (const { authorId, author } of tweets) expect([authorId, author]).toEqual([userId(BEN), undefined]);
    });

    it('are shown with the authors of the calls that were answered', async () => {
      const posts = Array.from({ length: 30 }, (_, n) => postOf(uriAt(didAt(n + 10), '3n2rygijlak2c')));
      await open({
        'app.bsky.feed.getQuotes': () => ({ body: { posts } }),
        'app.bsky.actor.getProfiles': (query) => {
          const actors = query.getAll('actors');
          return actors.length === 25
            ? { body: { profiles: actors.map((did) => profileOf(did)) } }
            : { status: 502, body: {} };
        },
      });
      const { tweets = [] } = await page('quotes', recordId(uri));
      expect(tweets.map(({ author }) => author !== undefined)).toEqual([
        ...Array(25).fill(true),
        ...Array(5).fill(false),
      ]);
    });

    it('are left out if the list says that their author opted out', async () => {
      const other = postOf(uriAt(CLEO, '3n2rygijlak2c'));
      const feed = [{ post: other, reason: { ...reason, by: basicOf(ADA, HIDDEN) } }, { post: other }];
      await open({ ...failing, 'app.bsky.feed.getAuthorFeed': () => ({ body: { feed } }) });
      expect((await page('timeline', userId(CLEO))).tweets).toMatchObject([{ id: recordId(other.uri) }]);
    });

    it('fail if nothing else says whether their author opted out', async () => {
      const value = { createdAt: '2026-10-03T00:00:00Z', subject: { uri, cid: 'b' } };
      await open({
        ...failing,
        'com.atproto.repo.getRecord': () => ({ body: { uri: repostUri, value } }),
        'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri)] } }),
      });
      const read = (id: string) => at.network.tweets([id], CONTEXT());
      expect(await read(recordId(uri))).toMatchObject([{ ok: { id: recordId(uri) } }]);
      await expect(read(recordId(repostUri))).rejects.toMatchObject({ code: 'upstream_error' });
    });

    it('fail as the read does if it is given up', async () => {
      const given = new AbortController();
      await open({
        'app.bsky.feed.getAuthorFeed': () => ({ body: { feed: [{ post: postOf(uri) }] } }),
        'app.bsky.actor.getProfiles': async () => {
          given.abort(new Error('given up'));
          return { body: {} };
        },
      });
      await expect(page('timeline', userId(ADA), null, { signal: given.signal })).rejects.toThrow('given up');
    });

    it('are shown without them when these are not answered for 10 s', async () => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      onTestFinished(() => void vi.useRealTimers());
      await open({
        'app.bsky.feed.getAuthorFeed': () => ({ body: { feed: [{ post: postOf(uri) }] } }),
        'app.bsky.actor.getProfiles': () => {
          vi.advanceTimersByTime(10_000);
          return new Promise(() => {});
        },
      });
      expect((await page('timeline', userId(ADA))).tweets).toMatchObject([{ id: recordId(uri) }]);
    });
  });

  it('have the same time and text in a timeline and alone', async () => {
    const createdAt = '2026-10-03T00:00:00.000Z';
    const reason = {
      $type: 'app.bsky.feed.defs#reasonRepost',
      by: basicOf(BEN),
      uri: repostUri,
      indexedAt: createdAt,
    };
    await open({
      'com.atproto.repo.getRecord': () => ({ body: { uri: repostUri, value: { createdAt, subject: { uri } } } }),
      'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri)] } }),
      'app.bsky.feed.getAuthorFeed': () => ({ body: { feed: [{ post: postOf(uri), reason }] } }),
    });
    const [alone] = await at.network.tweets([recordId(repostUri)], CONTEXT());
    const [listed] = (await page('timeline', userId(BEN))).tweets ?? [];
    expect(listed).toMatchObject({ createdAt, text: 'Hello' });
    expect(alone).toEqual({ ok: listed });
  });

  it('leave out invalid parts without losing the rest', async () => {
    const index = { byteStart: 0, byteEnd: 5 };
    const tag = { $type: 'app.bsky.richtext.facet#tag', tag: 'tide' };
    const facets = [{ index, features: [{ $type: 'com.evil#x', tag: 5 }, 7, tag] }, { index: 'here' }];
    const odd = postOf(uri, {
      record: { facets, langs: [5, 'en'], tags: 'none', embed: { $type: 'app.bsky.embed.record', record: 5 } },
      embed: { $type: 'app.bsky.embed.images#view', images: 5 },
    });
    await open({
      'app.bsky.feed.getAuthorFeed': () => ({ body: { feed: [{ post: { ...odd, labels: 5, likeCount: 'many' } }] } }),
    });
    const { tweets } = await page('timeline', userId(ADA));
    expect(tweets).toMatchObject([{ text: 'Hello', hashtags: ['tide'], lang: 'en', media: [], isQuote: false }]);
  });

  it('honour an opt-out label next to an unreadable label', async () => {
    const labels = [{ val: 5 }, ...HIDDEN.labels];
    await open({ 'app.bsky.actor.getProfile': () => ({ body: profileOf(ADA, { labels }) }) });
    expect(await at.network.users([{ id: userId(ADA) }], CONTEXT())).toMatchObject([{ fail: { code: 'not_found' } }]);
  });

  it('are left out of lists if unreadable, and fail alone when requested', async () => {
    const bad = uriAt(BEN, '3n2rygijlak2c');
    const posts = [postOf(bad, { record: { text: 5 } }), postOf(uri)];
    await open({
      'app.bsky.feed.getQuotes': () => ({ body: { posts } }),
      'app.bsky.feed.getPosts': () => ({ body: { posts } }),
    });
    expect((await page('quotes', recordId(uri))).tweets?.map(({ id }) => id)).toEqual([recordId(uri)]);
    expect(await at.network.tweets([recordId(bad), recordId(uri)], CONTEXT())).toMatchObject([
      { fail: { code: 'upstream_error' } },
      { ok: { id: recordId(uri) } },
    ]);
  });

  it('that are reposts are read four at a time at most', async () => {
    let underWay = 0;
    let most = 0;
    const uris = [...'abcdefghij'].map((digit) => `at://${BEN}/app.bsky.feed.repost/3n2rygijlak2${digit}`);
    await open({
      'com.atproto.repo.getRecord': async () => {
        underWay += 1;
        most = Math.max(most, underWay);
        await sleep(30);
        underWay -= 1;
        return { body: { uri: repostUri, value: { createdAt: '2026-10-03T00:00:00Z', subject: { uri } } } };
      },
      'app.bsky.feed.getPosts': () => ({ body: { posts: [postOf(uri)] } }),
    });
    expect(await at.network.tweets(uris.map(recordId), CONTEXT())).toHaveLength(10);
    expect(callsOf('getRecord')).toHaveLength(10);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('are not requested by ids that cannot exist', async () => {
    await open({});
    for (const id of ['0', '1', '12345678901234567890', userId(ADA), '9'.repeat(64)]) {
      expect(await at.network.tweets([id], CONTEXT())).toMatchObject([{ fail: { code: 'bad_request' } }]);
    }
    expect(at.calls).toEqual([]);
  });
});
