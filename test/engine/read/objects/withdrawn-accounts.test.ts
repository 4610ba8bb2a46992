/** Everything an account posted is hidden everywhere once one read says that the account is protected or gone (M33). */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/domain/errors.js';
import type { User, UserRef } from '../../../../src/domain/model.js';
import type { Cache } from '../../../../src/ports/cache.js';
import { createEngine } from '../../../kit/engine.js';
import { createScriptedNetwork, range } from '../../../kit/networks/scripted-network.js';

const MINUTE_MS = 60_000;

const refusal =
  (reason: string, isOfAccount = true) =>
  () => {
    throw new ServiceError('not_found', 'It is not shown.', { reason, isOfAccount });
  };

/** User 1 wrote tweets 11 to 14, user 2 tweets 21 to 24 and a retweet of 11. All are listed and cached. */
async function setUp(fields: Partial<User> = {}) {
  const net = createScriptedNetwork();
  const [one, two] = [net.user({ id: '1', protected: false, ...fields }), net.user({ id: '2', protected: false })];
  net.user({ id: '3' });
  net.tweets(range(4, 11), { authorId: '1', author: one });
  net.tweets(range(4, 21), { authorId: '2', author: two });
  net.tweet({ id: '30', authorId: '2', author: two, retweetedId: '11', retweetedAuthorId: '1' });
  net.list('timeline', '1', ['14', '13', '12', '11']);
  net.list('timeline', '2', ['30', '24', '23', '22', '21']);
  net.list('search', 'a', ['30', '24', '14', '23', '13', '22', '12', '21', '11'], { pageSize: 3 });
  net.list('thread', '11', ['11', '21', '12']);
  net.list('followers', '3', ['1', '2']);
  let cache: Cache | undefined;
  const engine = createEngine(net.network, (created) => (cache = created));
  const list = async (
    kind: 'timeline' | 'search' | 'thread' | 'followers',
    subject: string,
    count = 3,
    fresh = false,
  ) => {
    const { page, charge } = await engine.page({ kind, subject, count, fresh });
    return { ids: page.nodes.map(({ id }) => id), items: charge.items, amount: charge.amount, cache: page.cache };
  };
  const user = (id: string, fresh = false) => engine.open().reads.user({ id }, { path: 'user', fresh });
  const tweet = (id: string, fresh = false) => engine.open().reads.tweet(id, { path: 'tweet', fresh });
  const batch = (ids: string[]) => engine.open().reads.tweets(ids, { path: 'tweets', fresh: false });
  for (const [kind, subject] of [
    ['timeline', '1'],
    ['timeline', '2'],
    ['thread', '11'],
    ['followers', '3'],
  ] as const) {
    await list(kind, subject);
  }
  await list('search', 'a', 9);
  const hide = (reason: string): void => {
    for (const id of range(4, 11).map(String))
      net.refuse(id, new ServiceError('not_found', 'Private', { reason, isOfAccount: true }));
    for (const kind of ['timeline', 'followers'] as const) net.pages(kind, '1', refusal(reason));
    net.pages('thread', '11', refusal(reason));
    net.list('search', 'a', ['24', '23', '22', '21']);
  };
  return { net, engine, cache: cache as Cache, list, user, tweet, batch, hide, one };
}

const notFound = (reason: string) => ({ code: 'not_found', detail: { reason } });

type World = Awaited<ReturnType<typeof setUp>>;

/** Each entry is one read, by any customer. */
const PROTECTED: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'its profile': ({ user }) => user('1', true),
  'its profile by handle': ({ engine }) => engine.open().reads.user({ handle: 'user1' }, { path: 'user', fresh: true }),
  'its profile in a list': ({ list }) => list('followers', '3', 2, true),
  'its timeline': ({ list }) => list('timeline', '1', 3, true).catch(() => {}),
  'one of its tweets': ({ tweet }) => tweet('12', true).catch(() => {}),
};

describe('an account that is protected', () => {
  it.each(Object.entries(PROTECTED))(
    'is hidden in everything cached but its profile once %s was read',
    async (_, read) => {
      const world = await setUp();
      const { net, list, user, tweet, batch, hide, one } = world;
      net.user({ ...one, protected: true });
      hide('private');
      await read(world);
      await expect(list('timeline', '1')).rejects.toMatchObject(notFound('private'));
      await expect(list('thread', '11')).rejects.toMatchObject(notFound('private'));
      await expect(tweet('13')).rejects.toMatchObject(notFound('private'));
      expect((await batch(['14', '24'])).nodes.map(({ id }) => id)).toEqual(['24']);
      // Exactly as many as requested, none of them by the account, and only these are charged.
      expect(await list('search', 'a', 3)).toEqual({ ids: ['24', '23', '22'], items: 3, amount: 1500, cache: 'hit' });
      expect((await list('timeline', '2')).ids).toEqual(['24', '23', '22']);
      // The profile is public (T7).
      expect((await user('1')).id).toBe('1');
      expect((await list('followers', '3')).ids).toEqual(['1', '2']);
    },
  );

  it('is shown again from the cache when its profile says so', async () => {
    const { net, engine, list, user, one } = await setUp();
    net.user({ ...one, protected: true });
    await user('1', true);
    expect((await list('search', 'a')).ids).toEqual(['24', '23', '22']);
    net.user({ ...one, protected: false });
    await user('1', true);
    expect((await list('search', 'a')).ids).toEqual(['30', '24', '14']);
    expect(engine.tombstones.isEmpty).toBe(true);
  });

  it('is shown again when the network lists its tweets', async () => {
    const { net, list, user, one } = await setUp();
    net.user({ ...one, protected: true });
    await user('1', true);
    net.user({ ...one, protected: false });
    await list('search', 'a', 3, true);
    expect((await list('timeline', '1')).ids).toEqual(['14', '13', '12']);
  });

  it('leaves no gap or repeat in a chain of pages', async () => {
    const { net, engine, user, one } = await setUp();
    const query = { kind: 'search', subject: 'a', count: 2 } as const;
    const first = await engine.page(query);
    net.user({ ...one, protected: true });
    await user('1', true);
    const second = await engine.page({ ...query, after: first.page.endCursor });
    expect([first, second].map(({ page }) => page.nodes.map(({ id }) => id))).toEqual([
      ['30', '24'],
      ['23', '22'],
    ]);
    const third = await engine.page({ ...query, after: second.page.endCursor });
    expect([third.page.nodes.map(({ id }) => id), third.page.endCursor]).toEqual([['21'], null]);
  });

  it('takes no memory if nothing of it is cached', async () => {
    const { net, engine, user } = await setUp();
    net.users([50, 51], { protected: true });
    net.list('followers', '50', []);
    await Promise.all([user('50'), user('51')]);
    expect(engine.tombstones.isEmpty).toBe(true);
  });
});

describe('an account that hides one list', () => {
  it('keeps everything else it shows', async () => {
    const { net, list } = await setUp();
    net.pages('followers', '1', refusal('private', false));
    await expect(list('followers', '1')).rejects.toMatchObject(notFound('private'));
    expect((await list('timeline', '1')).cache).toBe('hit');
  });
});

/** Each entry is one read, by any customer. */
const GONE: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  'its profile': ({ user }) => user('1', true).catch(() => {}),
  'its profile by handle, half an hour later,': ({ engine }) =>
    engine
      .open()
      .reads.user({ handle: 'user1' }, { path: 'user', fresh: false })
      .catch(() => {}),
  'its timeline': ({ list }) => list('timeline', '1', 3, true).catch(() => {}),
};

describe('a withdrawn account', () => {
  it.each(Object.entries(GONE))('is hidden in everything cached once %s was read', async (how, read) => {
    const world = await setUp();
    const { net, engine, list, user, tweet, hide } = world;
    net.remove('1', 'suspended');
    hide('suspended');
    if (how.includes('later')) engine.clock.nowMs += 30 * MINUTE_MS;
    await read(world);
    await expect(user('1')).rejects.toMatchObject(notFound('suspended'));
    await expect(tweet('13')).rejects.toMatchObject(notFound('suspended'));
    await expect(list('timeline', '1')).rejects.toMatchObject(notFound('suspended'));
    expect((await list('followers', '3')).ids).toEqual(['2']);
    expect((await list('search', 'a')).ids.filter((id) => Number(id) < 20)).toEqual([]);
  });

  it('is shown again when its profile is', async () => {
    const { net, list, user } = await setUp();
    net.remove('1', 'suspended');
    await user('1', true).catch(() => {});
    expect((await list('search', 'a')).ids).toEqual(['24', '23', '22']);
    net.restore('1');
    await user('1', true);
    expect((await list('search', 'a')).ids).toEqual(['30', '24', '14']);
  });

  it.each([
    ['its id', { id: '1' }],
    ['its new handle', { handle: 'renamed' }],
  ])('is shown again in everything cached if it was only renamed, once it was read by %s', async (_, ref) => {
    const { net, engine, list, one } = await setUp();
    net.user({ ...one, handle: 'renamed' });
    const read = (of: UserRef, fresh = false) => engine.open().reads.user(of, { path: 'user', fresh });
    await expect(read({ handle: 'user1' }, true)).rejects.toMatchObject(notFound('unknown'));
    expect((await list('followers', '3')).ids).toEqual(['2']);
    expect((await read(ref)).handle).toBe('renamed');
    expect(await list('followers', '3')).toMatchObject({ ids: ['1', '2'], cache: 'hit' });
    expect((await list('search', 'a')).ids).toEqual(['30', '24', '14']);
    expect(engine.tombstones.isEmpty).toBe(true);
    await expect(read({ handle: 'user1' })).rejects.toMatchObject(notFound('unknown'));
  });

  it.each(['before', 'after', 'long after'])(
    'is not hidden by a 404 of the handle that it gave up, %s it was read again',
    async (when) => {
      const { net, engine, list, user, one } = await setUp();
      net.user({ ...one, handle: 'renamed' });
      const read = () => engine.open().reads.user({ handle: 'user1' }, { path: 'user', fresh: true });
      if (when === 'before') engine.clock.nowMs += 30 * MINUTE_MS;
      await expect(read()).rejects.toMatchObject(notFound('unknown'));
      if (when !== 'before') {
        await user('1');
        if (when === 'long after') engine.clock.nowMs += 30 * MINUTE_MS;
        await expect(read()).rejects.toMatchObject(notFound('unknown'));
      }
      expect(await list('followers', '3')).toMatchObject({ ids: ['1', '2'], cache: 'hit' });
      expect((await list('search', 'a', 9)).ids).toEqual(['30', '24', '14', '23', '13', '22', '12', '21', '11']);
      expect(engine.tombstones.isEmpty).toBe(true);
    },
  );

  it('is not hidden by a 404 of the handle that it gave up if that is cached for longer than its new one', async () => {
    const { net, engine, cache, list, user, one } = await setUp();
    net.user({ ...one, handle: 'renamed' });
    await cache.delete(['user:1']);
    expect((await user('1')).handle).toBe('renamed');
    const read = engine.open().reads.user({ handle: 'user1' }, { path: 'user', fresh: true });
    await expect(read).rejects.toMatchObject(notFound('unknown'));
    expect(await list('followers', '3')).toMatchObject({ ids: ['1', '2'], cache: 'hit' });
  });

  it.each(['renamed', 'user1'])('is hidden under its id and each of its handles once %s was read', async (handle) => {
    const { net, engine, list, user, hide, one } = await setUp();
    const read = (of: string, fresh = false) => engine.open().reads.user({ handle: of }, { path: 'user', fresh });
    net.user({ ...one, handle: 'renamed' });
    net.list('followers', '5', ['1']);
    await list('followers', '5');
    // Long enough for profiles to leave the cache, which still has both lists of followers.
    engine.clock.nowMs += 30 * MINUTE_MS;
    net.user(one);
    await read('user1');
    if (handle === 'renamed') {
      net.user({ ...one, handle: 'renamed' });
      await read('renamed');
    }
    net.remove('1', 'suspended');
    hide('suspended');
    await expect(read(handle, true)).rejects.toMatchObject({ code: 'not_found' });
    expect((await list('followers', '3')).ids).toEqual(['2']);
    expect((await list('followers', '5')).ids).toEqual([]);
    expect((await list('search', 'a', 9)).ids.filter((id) => Number(id) < 20)).toEqual([]);
    await expect(user('1')).rejects.toMatchObject(notFound('suspended'));
    for (const each of ['user1', 'renamed']) await expect(read(each)).rejects.toMatchObject({ code: 'not_found' });
  });

  it('does not take the account with it that has its handle now', async () => {
    const { net, list, user, one } = await setUp();
    net.remove('1', 'suspended');
    net.user({ id: '4', handle: one.handle });
    net.list('followers', '5', ['4']);
    await list('followers', '5');
    await user('1', true).catch(() => {});
    expect(await list('followers', '5')).toMatchObject({ ids: ['4'], cache: 'hit' });
  });

  it('does not count as withdrawn if the network only ever had its tweets, not its profile', async () => {
    const { net, engine, list, user } = await setUp();
    net.tweets([41, 42], { authorId: '4' });
    net.list('search', 'b', ['42', '41']);
    await list('search', 'b');
    await expect(user('4')).rejects.toMatchObject(notFound('unknown'));
    expect((await list('search', 'b')).ids).toEqual(['42', '41']);
    expect(engine.tombstones.isEmpty).toBe(true);
  });
});

it('costs a page of cached tweets no extra look-up, whatever is hidden in it', async () => {
  const { net, engine, list, user, one } = await setUp();
  net.user({ ...one, protected: true });
  await user('1', true);
  const before = engine.lookUps.length;
  await list('search', 'a');
  expect(engine.lookUps).toHaveLength(before);
});
