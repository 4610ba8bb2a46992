/**
 * What a page leaves in the cache: its objects, each by itself (M13), its end, and whether its list exists (M24, M25).
 */
import { describe, expect, it } from 'vitest';
import { HEAD } from '../../../../src/read/page-cache.js';
import { createEngine } from '../../../kit/engine.js';
import { createScriptedNetwork, range } from '../../../kit/networks/scripted-network.js';

function setUp() {
  const net = createScriptedNetwork();
  net.users(range(5));
  const engine = createEngine(net.network);
  const cacheOf = async (what: 'user' | 'tweet', id: string) => {
    const { reads, charge } = engine.open();
    const at = { path: what, fresh: false };
    await (what === 'user' ? reads.user({ id }, at) : reads.tweet(id, at));
    return charge().cache;
  };
  return { net, engine, cacheOf };
}

describe('an object that came with a page is cached by itself', () => {
  it('each tweet, and its author if the network sent it', async () => {
    const { net, engine, cacheOf } = setUp();
    const author = net.user({ id: '7' });
    net.tweet({ id: '11', authorId: '7', author });
    net.tweet({ id: '12', authorId: '8' });
    net.list('timeline', '7', ['12', '11']);
    await engine.page({ kind: 'timeline', subject: '7', count: 2 });
    expect([await cacheOf('tweet', '11'), await cacheOf('tweet', '12')]).toEqual(['hit', 'hit']);
    expect(await cacheOf('user', '7')).toBe('hit');
    net.user({ id: '8' });
    expect(await cacheOf('user', '8')).toBe('miss');
  });

  it('each profile', async () => {
    const { net, engine, cacheOf } = setUp();
    net.list('followers', '1', ['2', '3']);
    await engine.page({ kind: 'followers', subject: '1', count: 2 });
    expect([await cacheOf('user', '2'), await cacheOf('user', '3')]).toEqual(['hit', 'hit']);
  });

  it('objects that the network sent beside the items of a page', async () => {
    const { net, engine, cacheOf } = setUp();
    const [user, tweet] = [net.user({ id: '70' }), net.tweet({ id: '71' })];
    const [listed = ''] = net.tweets([11]);
    net.pages('timeline', '1', () => ({
      tweets: [net.tweet({ id: listed })],
      next: null,
      beside: { users: [user], tweets: [tweet] },
    }));
    const { page } = await engine.page({ kind: 'timeline', subject: '1', count: 5 });
    expect(page.nodes.map(({ id }) => id)).toEqual(['11']);
    expect([await cacheOf('user', '70'), await cacheOf('tweet', '71')]).toEqual(['hit', 'hit']);
  });
});

describe('where a page ends', () => {
  it.each([
    [true, 1],
    [false, 2],
  ])(
    'if the network is certain of more (%s), %i calls tell that there is a next page (C15)',
    async (nextIsCertain, calls) => {
      const { net, engine } = setUp();
      net.list('timeline', '1', net.tweets(range(6, 11)).reverse(), { pageSize: 3, nextIsCertain });
      const { page } = await engine.page({ kind: 'timeline', subject: '1', count: 3 });
      expect(page.endCursor).not.toBeNull();
      expect(engine.calls()).toBe(calls);
    },
  );

  it("reports the network's own limit, from the cache as well (C17)", async () => {
    const { net, engine } = setUp();
    net.list('followers', '1', ['2', '3'], { endReason: 'network_limit' });
    const reasons = [];
    for (const _ of range(2)) {
      const { page } = await engine.page({ kind: 'followers', subject: '1', count: 5 });
      reasons.push([page.cache, page.endReason]);
    }
    expect(reasons).toEqual([
      ['miss', 'network_limit'],
      ['hit', 'network_limit'],
    ]);
  });
});

const NONE = { user: async () => undefined, tweet: async () => undefined };

describe('a list', () => {
  it('does not read a page again that another read has just cached (M7)', async () => {
    const { net, engine } = setUp();
    net.list('timeline', '1', net.tweets([11]));
    const read = () =>
      engine.pages.read(
        { kind: 'timeline', subject: '1' },
        { place: HEAD, before: null, cached: NONE },
        false,
        engine.callContext(),
      );
    expect([(await read()).cache, (await read()).cache, engine.calls()]).toEqual(['miss', 'hit', 1]);
  });

  it('that was missing and came back is not missing again once its page is evicted (M24)', async () => {
    const { net, engine } = setUp();
    const query = { kind: 'timeline', subject: '1', count: 2 } as const;
    await expect(engine.page(query)).rejects.toMatchObject({ code: 'not_found' });
    net.list('timeline', '1', net.tweets([11, 12]));
    await engine.page({ ...query, fresh: true });
    engine.drop();
    expect((await engine.page(query)).page.cache).toBe('miss');
  });

  it.each([
    ['replies', 'miss'],
    ['thread', 'miss'],
    ['quotes', 'hit'],
    ['retweeters', 'hit'],
  ] as const)('of a deleted tweet: of its %s the next read is a %s (T6, M25)', async (kind, expected) => {
    const { net, engine } = setUp();
    net.tweets([50, 51]);
    net.list(kind, '50', kind === 'retweeters' ? ['2'] : ['51']);
    const query = { kind, subject: '50', count: 5 } as const;
    await engine.page(query);
    // The tweet is cached, so its deletion is worth remembering.
    await engine.open().reads.tweet('50', { path: 'tweet', fresh: false });
    net.remove('50');
    await expect(engine.open().reads.tweet('50', { path: 'tweet', fresh: true })).rejects.toMatchObject({
      code: 'not_found',
    });
    expect((await engine.page(query)).page.cache).toBe(expected);
  });
});
