import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordId, userDid, userId } from '../../../adapters/networks/bluesky/ids.js';
import { asServiceError, type ServiceError } from '../../../src/domain/errors.js';
import type { ListKind, ListRef } from '../../../src/domain/lists.js';
import type { Tweet, User } from '../../../src/domain/model.js';
import type { Found, ReadContext } from '../../../src/ports/network.js';
import { describeWithShared } from '../contract/shared.js';
import { expectPost, expectUser } from './lossless.js';
import { allCaptured, type Captured, FOLDER, openReplay, readCaptured } from './replay.js';

// biome-ignore lint/suspicious/noExplicitAny: bodies as they came.
type Raw = any;

const CONTEXT = (): ReadContext => ({ signal: AbortSignal.timeout(20_000) });

/** Captured answers that are read differently from how they were captured, or not at all. */
const UNREAD = [
  'getLikes',
  'getPostThreadV2',
  'getRelationships',
  'resolveHandle',
  'searchPostsV2',
  'searchPostsV2_cursor',
];

/** Refusals, and the code that each becomes. */
const CODES: Readonly<Record<string, [code: string, reason?: string]>> = {
  getAuthorFeed_101: ['request_rejected'],
  getAuthorFeed_badcursor: ['upstream_error'],
  getAuthorFeed_deactivated: ['not_found'],
  getAuthorFeed_missing: ['not_found'],
  getAuthorFeed_missing_param: ['request_rejected'],
  getFollowers_badcursor: ['upstream_error'],
  getFollowers_deactivated: ['not_found'],
  getPostThread_deleted: ['not_found'],
  getPostThread_missing: ['not_found'],
  getPosts_26: ['request_rejected'],
  getProfile_badhandle: ['request_rejected'],
  getProfile_deactivated: ['not_found', 'deactivated'],
  getProfile_missing: ['not_found'],
  getProfile_missing_did: ['not_found'],
  getProfiles_26: ['request_rejected'],
  searchPosts_emptyq: ['request_rejected'],
  unknownMethod: ['query_id_stale'],
};

const isOptedOut = (labels: { val: string }[] = []): boolean => labels.some(({ val }) => val === '!no-unauthenticated');

describeWithShared(FOLDER, 'captured answers of a real AppView', () => {
  let at: Awaited<ReturnType<typeof openReplay>>;
  beforeAll(async () => {
    at = await openReplay(allCaptured());
  });
  afterAll(() => at?.close());

  const page = (kind: ListKind, subject: string, more: Partial<ListRef> = {}) =>
    at.network.page({ kind, subject, ...more }, null, CONTEXT());
  const only = <T>([found]: Found<T>[]): T => {
    if (found === undefined || 'fail' in found) throw found?.fail ?? new Error('There is no outcome.');
    return found.ok;
  };

  /** What the adapter makes of the answer when it gets the captured request. */
  async function readAs({ name, method, query }: Captured): Promise<Raw> {
    const actor = query.get('actor') ?? '';
    const subject = () => userId(at.didOf(actor));
    const tweet = () => recordId(query.get('uri') ?? '');
    switch (method.split('.').at(-1)) {
      case 'getProfile': {
        const handle = actor.includes(' ') ? 'no-such.handle' : actor;
        return only(await at.network.users([actor.startsWith('did:') ? { id: userId(actor) } : { handle }], CONTEXT()));
      }
      case 'getProfiles': {
        const actors = [...new Set(query.getAll('actors'))];
        const refs = actors.map((each) => (each.startsWith('did:') ? { id: userId(each) } : { handle: each }));
        return at.network.users(refs, CONTEXT());
      }
      case 'getPosts':
        return at.network.tweets(query.getAll('uris').map(recordId), CONTEXT());
      case 'getAuthorFeed':
        return page('timeline', actor === '' ? userId(at.didOf('alice.test')) : subject());
      case 'getFollowers':
        return page('followers', subject());
      case 'getFollows':
        return page('following', subject());
      case 'getRepostedBy':
        return page('retweeters', tweet());
      case 'getQuotes':
        return page('quotes', tweet());
      case 'getPostThread':
        return page(name === 'getPostThread_depth1' ? 'replies' : 'thread', tweet());
      case 'searchPosts':
        return page('search', query.get('q') || 'anything', {
          product: query.get('sort') === 'top' ? 'Top' : 'Latest',
        });
      case 'searchActors':
        return page('search', query.get('q') ?? '', { product: 'People' });
      default:
        return page('timeline', userId(at.didOf('alice.test')));
    }
  }

  it('reads or refuses every one of them, or does not use its method', () => {
    for (const { name, status } of allCaptured()) {
      expect([name, status === 200 || name in CODES || UNREAD.includes(name)]).toEqual([name, true]);
    }
  });

  it.each(Object.entries(CODES))('%s is %j', async (name, [code, reason]) => {
    const captured = readCaptured(`${name}.json`);
    at.play(captured);
    const failure: ServiceError = await readAs(captured).then(
      () => expect.unreachable('It was answered.'),
      (error) => asServiceError(error),
    );
    expect([failure.code, failure.detail.reason]).toEqual([code, reason]);
    expect(failure.message).not.toContain(String(captured.body.message));
  });

  it('“Search v2 is not enabled” leads to the older search, not to a failure (see search.test.ts)', () => {
    expect(readCaptured('searchPostsV2.json').body.message).toBe('Search v2 is not enabled');
  });

  describe('answers are mapped without loss', () => {
    const play = async (name: string) => {
      const captured = readCaptured(`${name}.json`);
      at.play(captured);
      return { body: captured.body, found: await readAs(captured) };
    };

    it.each(['getProfile', 'getProfile_did', 'getProfile_empty', 'getProfile_rich'])('%s', async (name) => {
      const { body, found } = await play(name);
      expectUser(found, body);
    });

    it.each(['getProfiles', 'getProfiles_mixed'])('%s: one outcome per input', async (name) => {
      const { body, found } = await play(name);
      const shown = body.profiles.filter(({ labels }: Raw) => !isOptedOut(labels));
      const distinct = [...new Map<string, Raw>(shown.map((profile: Raw) => [profile.did, profile])).values()];
      const users = found.flatMap((outcome: Found<User>) => ('ok' in outcome ? outcome.ok : []));
      expect(users).toHaveLength(distinct.length);
      for (const user of users)
        expectUser(
          user,
          distinct.find(({ did }) => userId(did) === user.id),
        );
    });

    it.each(['getPosts', 'getPosts_rich'])('%s', async (name) => {
      const { body, found } = await play(name);
      const shown = body.posts.filter(({ author }: Raw) => !isOptedOut(author.labels));
      const tweets: Tweet[] = found.flatMap((outcome: Found<Tweet>) => ('ok' in outcome ? outcome.ok : []));
      expect(tweets).toHaveLength(shown.length);
      for (const tweet of tweets)
        expectPost(
          tweet,
          shown.find(({ uri }: Raw) => recordId(uri) === tweet.id),
        );
      expect(found).toHaveLength(readCaptured(`${name}.json`).query.getAll('uris').length);
    });

    it.each([
      'getAuthorFeed',
      'getAuthorFeed_p2',
      'getAuthorFeed_rich',
      'getAuthorFeed_repost',
      'getAuthorFeed_rich_pins',
    ])('%s', async (name) => {
      const { body, found } = await play(name);
      expect(found.next).toBe(body.cursor ?? null);
      expect(found.tweets).toHaveLength(body.feed.length);
      found.tweets.forEach((tweet: Tweet, index: number) => {
        const { post, reason } = body.feed[index];
        if (reason?.uri === undefined) expectPost(tweet, post);
        else {
          expect(tweet).toMatchObject({
            id: recordId(reason.uri),
            retweetedId: recordId(post.uri),
            authorId: userId(reason.by.did),
            createdAt: reason.indexedAt,
            text: post.record.text,
            isRetweet: true,
          });
        }
      });
    });

    it.each([
      ['getFollowers', 'followers'],
      ['getFollows', 'follows'],
      ['getRepostedBy', 'repostedBy'],
      ['getRepostedBy_deleted', 'repostedBy'],
      ['searchActors', 'actors'],
    ])('%s: each with counts', async (name, member) => {
      const { body, found } = await play(name);
      expect(found.next).toBe(body.cursor ?? null);
      expect(found.users.map(({ id }: User) => userDid(id))).toEqual(body[member].map(({ did }: Raw) => did));
      for (const user of found.users) expect(user.followersCount).toEqual(expect.any(Number));
    });

    it.each([
      'getQuotes',
      'getQuotes_deleted',
      'searchPosts',
      'searchPosts_author',
      'searchPosts_from',
      'searchPosts_top',
    ])('%s', async (name) => {
      const { body, found } = await play(name);
      expect(found.next === null).toBe(body.cursor === undefined);
      expect(found.tweets).toHaveLength(body.posts.length);
      found.tweets.forEach((tweet: Tweet, index: number) => {
        expectPost(tweet, body.posts[index]);
      });
    });

    it.each(['getProfile_hidden_no_unauthenticated', 'getAuthorFeed_hidden', 'getPostThread_hidden'])(
      '%s: not_found for an account that opted out',
      async (name) => {
        await expect(play(name)).rejects.toMatchObject({ code: 'not_found' });
      },
    );

    it('searchPosts_hidden: leaves out an account that opted out', async () => {
      const { body, found } = await play('searchPosts_hidden');
      expect([body.posts.length, found.tweets]).toEqual([1, []]);
    });

    it('getPostThread: the requested post, its ancestors from the root down, then its replies', async () => {
      const { body, found } = await play('getPostThread');
      const { post, parent, replies } = body.thread;
      expect(found.tweets.map(({ text }: Tweet) => text)).toEqual([
        post.record.text,
        ...(parent.parent ? [parent.parent.post.record.text] : []),
        parent.post.record.text,
        ...replies.map((reply: Raw) => reply.post.record.text),
      ]);
    });

    it('getPostThread_depth1: direct replies, oldest first', async () => {
      const { body, found } = await play('getPostThread_depth1');
      expect(found.tweets).toHaveLength(body.thread.replies.length);
      const times = found.tweets.map(({ createdAt }: Tweet) => createdAt);
      expect(times).toEqual([...times].sort());
    });

    it('getPostThread_parent_deleted: keeps the id of a deleted parent', async () => {
      const { body, found } = await play('getPostThread_parent_deleted');
      expect(found.tweets).toHaveLength(1);
      expectPost(found.tweets[0], body.thread.post);
    });

    it('facets by byte, pictures, videos, cards, and quotes of deleted posts', async () => {
      const { found } = await play('getPosts_rich');
      const byText = (start: string): Tweet =>
        found
          .map((outcome: Found<Tweet>) => ('ok' in outcome ? outcome.ok : undefined))
          .find((tweet?: Tweet) => tweet?.text.startsWith(start));
      expect(byText('hi @alice.test')).toMatchObject({
        mentions: ['alice.test'],
        urls: ['https://example.com/%C3%A9'],
        hashtags: ['über', 'outoftext'],
        lang: 'en',
      });
      expect(byText('two images').media?.map(({ type }) => type)).toEqual(['photo', 'photo']);
      expect(byText('video').media).toMatchObject([
        {
          type: 'video',
          url: expect.stringMatching(/playlist\.m3u8$/),
          previewUrl: expect.stringMatching(/thumbnail\.jpg$/),
        },
      ]);
      expect(byText('a link card').urls).toEqual(['https://example.com/article']);
      expect(byText('quote with media')).toMatchObject({ isQuote: true, media: [{ type: 'photo' }] });
      expect(byText('quote of a post')).toMatchObject({ isQuote: true, quotedId: expect.stringMatching(/^\d{56}$/) });
    });
  });
});
