import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../../src/domain/errors.js';
import type { Cache } from '../../../../src/ports/cache.js';
import type { Network } from '../../../../src/ports/network.js';
import { createEngine } from '../../../kit/engine.js';
import { createScriptedNetwork, range } from '../../../kit/networks/scripted-network.js';

const MINUTE_MS = 60_000;

function setUp(caching?: (cache: Cache) => Cache) {
  const net = createScriptedNetwork();
  net.users(range(5));
  net.tweets(range(9, 11), { authorId: '1' });
  net.list('timeline', '1', range(9, 11).map(String).reverse());
  net.list('followers', '1', ['2', '3', '4', '5']);
  let held = <T>(answer: Promise<T>): Promise<T> => answer;
  const page: Network['page'] = (...args) => held(net.network.page(...args));
  const tweets: Network['tweets'] = (...args) => held(net.network.tweets(...args));
  const users: Network['users'] = (...args) => held(net.network.users(...args));
  const engine = createEngine({ ...net.network, page, tweets, users }, caching);
  /** Delays the network's next answer; returns when it is made, and the function that lets it arrive. */
  const holdAnswer = (): [isMade: Promise<void>, release: () => void] => {
    let [made, release] = [() => {}, () => {}];
    const isMade = new Promise<void>((resolve) => (made = resolve));
    const gate = new Promise<void>((resolve) => (release = resolve));
    held = async (answer) => {
      held = (later) => later;
      await Promise.allSettled([answer]);
      made();
      await gate;
      return answer;
    };
    return [isMade, () => release()];
  };
  const read = async (what: 'user' | 'tweet', name: string, fresh = false) => {
    const { reads, charge } = engine.open();
    const at = { path: what, fresh };
    const ref = /^\d+$/.test(name) ? { id: name } : { handle: name };
    return { value: await (what === 'user' ? reads.user(ref, at) : reads.tweet(name, at)), charge: charge() };
  };
  const list = (kind: 'timeline' | 'followers', fresh = false) =>
    engine.page({ kind, subject: '1', count: 5, fresh }).then(({ page }) => page.nodes.map((node) => node.id));
  return { net, engine, read, list, holdAnswer };
}

type World = ReturnType<typeof setUp>;

const notFound = (reason: string) => ({ code: 'not_found', detail: { reason } });

describe('a missing object', () => {
  it('is remembered for a minute, free, and `fresh` asks anew (M24)', async () => {
    const { net, engine, read } = setUp();
    for (const _ of range(3)) await expect(read('tweet', '99')).rejects.toMatchObject(notFound('unknown'));
    expect(net.calls).toHaveLength(1);
    await expect(read('tweet', '99', true)).rejects.toMatchObject(notFound('unknown'));
    expect(net.calls).toHaveLength(2);
    engine.clock.nowMs += MINUTE_MS + 1;
    net.tweet({ id: '99' });
    expect((await read('tweet', '99')).charge.amount).toBe(1000);
  });

  it('is remembered for lists as well (M24)', async () => {
    const { net, engine } = setUp();
    const query = { kind: 'timeline', subject: '404', count: 5 } as const;
    for (const _ of range(3)) await expect(engine.page(query)).rejects.toMatchObject(notFound('unknown'));
    expect(net.calls).toHaveLength(1);
    await expect(engine.page({ ...query, fresh: true })).rejects.toMatchObject(notFound('unknown'));
    expect(net.calls).toHaveLength(2);
    engine.clock.nowMs += MINUTE_MS + 1;
    net.list('timeline', '404', ['11']);
    expect((await engine.page(query)).page.nodes).toHaveLength(1);
    expect((await engine.page(query)).page.cache).toBe('hit');
  });

  it('is seen at once after `fresh` found it again (M24)', async () => {
    const { net, read } = setUp();
    await expect(read('user', 'user9')).rejects.toMatchObject(notFound('unknown'));
    net.user({ id: '9' });
    await read('user', 'user9', true);
    expect((await read('user', 'user9')).charge.cache).toBe('hit');
  });
});

describe('a withdrawn object', () => {
  it('disappears at once as an object and from every cached page (M25)', async () => {
    const { net, read, list } = setUp();
    expect(await list('timeline')).toEqual(['19', '18', '17', '16', '15']);
    net.remove('17');
    expect((await read('tweet', '17')).charge.cache).toBe('hit');
    await expect(read('tweet', '17', true)).rejects.toMatchObject(notFound('deleted'));
    await expect(read('tweet', '17')).rejects.toMatchObject(notFound('deleted'));
    expect(await list('timeline')).toEqual(['19', '18', '16', '15', '14']);
  });

  it('is not brought back by an older page that arrives later (M25)', async () => {
    const { net, engine, read, list, holdAnswer } = setUp();
    await list('timeline');
    const [isMade, release] = holdAnswer();
    const late = list('timeline', true);
    await isMade;
    net.remove('17');
    await expect(read('tweet', '17', true)).rejects.toMatchObject(notFound('deleted'));
    release();
    await late;
    expect(await list('timeline')).toEqual(['19', '18', '16', '15', '14']);
    net.restore('17');
    expect(await list('timeline', true)).toContain('17');
    expect(engine.tombstones.isEmpty).toBe(true);
  });

  it.each(['timeline', 'followers'] as const)(
    'is left out of a page of the %s that was read earlier, even if nothing cached showed it (M25)',
    async (kind) => {
      const { net, engine, read, list, holdAnswer } = setUp();
      const [what, id, rest] =
        kind === 'timeline'
          ? (['tweet', '17', ['19', '18', '16', '15', '14']] as const)
          : (['user', '3', ['2', '4', '5']] as const);
      const [isMade, release] = holdAnswer();
      const late = list(kind, true);
      await isMade;
      engine.clock.nowMs += 1;
      net.remove(id);
      await expect(read(what, id, true)).rejects.toMatchObject(notFound('deleted'));
      expect(engine.tombstones.isEmpty).toBe(true);
      release();
      expect(await late).toEqual(rest);
      expect(await list(kind)).toEqual(rest);
      net.restore(id);
      engine.clock.nowMs += 1;
      expect(await list(kind, true)).toContain(id);
      expect(await list(kind)).toContain(id);
    },
  );

  it.each([
    ['tweet', '17', 'uncached'],
    ['tweet', '17', 'cached'],
    ['user', '3', 'cached'],
    ['user', 'user3', 'cached'],
  ] as const)(
    'is not brought back by its own answer that was read earlier: %s %s, %s before (M25)',
    async (what, name, before) => {
      const { net, engine, read, holdAnswer } = setUp();
      if (before === 'cached') await read(what, name);
      const [isMade, release] = holdAnswer();
      const late = read(what, name, true);
      await isMade;
      engine.clock.nowMs += 1;
      net.remove(name.replace('user', ''));
      await expect(read(what, name, true)).rejects.toMatchObject(notFound('deleted'));
      release();
      await expect(late).rejects.toMatchObject(notFound('deleted'));
      await expect(read(what, name)).rejects.toMatchObject(notFound('deleted'));
      net.restore(name.replace('user', ''));
      engine.clock.nowMs += 1;
      await read(what, name, true);
      expect((await read(what, name)).charge.cache).toBe('hit');
    },
  );

  const turnsPrivate: Record<string, (world: World) => Promise<unknown>> = {
    'its profile': ({ net, read }) => {
      net.user({ id: '1', protected: true });
      return read('user', '1', true);
    },
    'another of its tweets': ({ net, read }) => {
      net.refuse('18', hidden);
      return read('tweet', '18', true).catch(() => {});
    },
    'its timeline': ({ net, list }) => {
      net.pages('timeline', '1', () => {
        throw hidden;
      });
      return list('timeline', true).catch(() => {});
    },
  };
  const hidden = new ServiceError('not_found', 'Private.', { reason: 'private', isOfAccount: true });

  it.each(
    Object.entries(turnsPrivate).flatMap(([how, turn]) => [true, false].map((fresh) => [how, fresh, turn] as const)),
  )(
    'hides a tweet whose account turned private while it was read, as %s says; fresh: %s (M33)',
    async (_, fresh, turn) => {
      const world = setUp();
      const { net, engine, read, holdAnswer } = world;
      await read('tweet', '18');
      const [isMade, release] = holdAnswer();
      const late = Promise.allSettled([read('tweet', '17', fresh), read('tweet', '17')]);
      await isMade;
      engine.clock.nowMs += 1;
      await turn(world);
      net.refuse('17', hidden);
      release();
      const refused = { status: 'rejected', reason: notFound('private') };
      expect(await late).toMatchObject([refused, refused]);
    },
  );

  it.each([
    ['its id', '3', 'user3'],
    ['its handle', 'user3', '3'],
  ])('is left out of a late answer to %s after a 404 for its other name (M25)', async (_, name, other) => {
    const { net, engine, read, holdAnswer } = setUp();
    await read('user', '3');
    const [isMade, release] = holdAnswer();
    const late = read('user', name, true);
    await isMade;
    engine.clock.nowMs += 1;
    net.remove('3');
    await expect(read('user', other, true)).rejects.toMatchObject(notFound('deleted'));
    release();
    await expect(late).rejects.toMatchObject(notFound('deleted'));
  });

  it('is not cached under a handle that it gave up by an answer that was read earlier (I9)', async () => {
    const { net, engine, read, holdAnswer } = setUp();
    const [isMade, release] = holdAnswer();
    const late = read('user', 'user1', true);
    await isMade;
    engine.clock.nowMs += 1;
    net.user({ id: '1', handle: 'weir' });
    await expect(read('user', 'user1', true)).rejects.toMatchObject(notFound('unknown'));
    release();
    await expect(late).rejects.toMatchObject(notFound('unknown'));
    await expect(read('user', 'user1')).rejects.toMatchObject(notFound('unknown'));
  });

  it('is shown after a 404 for an old handle of its account', async () => {
    const { net, engine, read, holdAnswer } = setUp();
    await read('user', 'user1');
    const [isMade, release] = holdAnswer();
    const late = [read('user', '1', true), read('tweet', '17', true)];
    await isMade;
    engine.clock.nowMs += 1;
    net.user({ id: '1', handle: 'weir' });
    await expect(read('user', 'user1', true)).rejects.toMatchObject(notFound('unknown'));
    release();
    const [profile, tweet] = await Promise.all(late);
    expect(profile).toMatchObject({ value: { handle: 'weir' }, charge: { amount: 2000, items: 1 } });
    expect(tweet).toMatchObject({ value: { id: '17' }, charge: { amount: 2000, items: 1 } });
    expect([(await read('user', '1')).charge.cache, (await read('tweet', '17')).charge.cache]).toEqual(['hit', 'hit']);
  });

  it('is withheld after two answers that were each made before it was withdrawn (M25)', async () => {
    const { net, engine, read, holdAnswer } = setUp();
    const turn = async (isProtected: boolean) => {
      engine.clock.nowMs += 1;
      net.user({ id: '1', protected: isProtected });
      await read('user', '1', true);
    };
    const [isMade, release] = holdAnswer();
    const late = read('tweet', '17', true);
    await isMade;
    await turn(true);
    const [isMadeAgain, releaseAgain] = holdAnswer();
    release();
    await isMadeAgain;
    await turn(true);
    releaseAgain();
    await expect(late).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not brought back by its own answer if the cache does not know that it was withdrawn (M25)', async () => {
    const cannotTell = (cache: Cache): Cache => ({
      ...cache,
      set: (key, cached, ttlMs, shows) => cache.set(key, cached, ttlMs, shows),
      shows: async (names) => names.map(() => undefined),
    });
    const { net, engine, read, holdAnswer } = setUp(cannotTell);
    const [isMade, release] = holdAnswer();
    const late = read('tweet', '17', true);
    await isMade;
    engine.clock.nowMs += 1;
    net.remove('17');
    await expect(read('tweet', '17', true)).rejects.toMatchObject(notFound('deleted'));
    release();
    await expect(late).rejects.toMatchObject(notFound('deleted'));
  });

  it('hides the tweets of an account that turned private while they were read (M33)', async () => {
    const { net, engine, read, list, holdAnswer } = setUp();
    const [isMade, release] = holdAnswer();
    const late = list('timeline', true);
    await isMade;
    engine.clock.nowMs += 1;
    net.user({ id: '1', protected: true });
    await read('user', '1', true);
    release();
    expect(await late).toEqual([]);
    net.pages('timeline', '1', gone('private'));
    await expect(list('timeline')).rejects.toMatchObject(notFound('private'));
  });

  it('disappears under its id if it was requested by handle, cached pages included (M25)', async () => {
    const { net, engine, read, list } = setUp();
    await list('followers');
    engine.clock.nowMs += 30 * MINUTE_MS;
    net.remove('3', 'suspended');
    await expect(read('user', 'user3')).rejects.toMatchObject(notFound('suspended'));
    expect(await list('followers')).toEqual(['2', '4', '5']);
    await expect(read('user', '3')).rejects.toMatchObject(notFound('suspended'));
  });

  it('takes its lists with it, cached pages included (M25)', async () => {
    const { net, read, list } = setUp();
    await read('user', '1');
    await Promise.all([list('timeline'), list('followers')]);
    net.remove('1', 'suspended');
    net.pages('timeline', '1', gone('suspended'));
    net.pages('followers', '1', gone('suspended'));
    await expect(read('user', '1', true)).rejects.toMatchObject(notFound('suspended'));
    await expect(list('timeline')).rejects.toMatchObject(notFound('suspended'));
    await expect(list('followers')).rejects.toMatchObject(notFound('suspended'));
  });

  it('turns private for everybody after one read says so, and returns when the network shows it again (M25, T8)', async () => {
    const { net, list } = setUp();
    expect(await list('timeline')).toHaveLength(5);
    net.pages('timeline', '1', gone('private'));
    expect(await list('timeline')).toHaveLength(5);
    await expect(list('timeline', true)).rejects.toMatchObject(notFound('private'));
    const calls = net.calls.length;
    await expect(list('timeline')).rejects.toMatchObject(notFound('private'));
    expect(net.calls).toHaveLength(calls);
    net.list('timeline', '1', ['12', '11']);
    expect(await list('timeline', true)).toEqual(['12', '11']);
    expect(await list('timeline')).toEqual(['12', '11']);
  });
});

describe('a 404 to a read that began before the object was found', () => {
  it.each([
    ['tweet', '17', '17'],
    ['user', '3', '3'],
    ['user', 'user3', '3'],
  ] as const)('withdraws nothing unless the network repeats it: %s %s (M25)', async (what, name, id) => {
    const { net, engine, read, holdAnswer } = setUp();
    const late = async (meanwhile: () => void) => {
      net.remove(id);
      const [isMade, release] = holdAnswer();
      const reading = read(what, name, true);
      await isMade;
      engine.clock.nowMs += 1;
      net.restore(id);
      await read(what, name, true);
      meanwhile();
      release();
      return reading;
    };
    expect((await late(() => {})).value.id).toBe(id);
    expect((await read(what, name)).charge.cache).toBe('hit');
    await expect(late(() => net.remove(id))).rejects.toMatchObject(notFound('deleted'));
    await expect(read(what, name)).rejects.toMatchObject(notFound('deleted'));
  });

  it.each(['the list', 'its account'])('withdraws no list if %s was found since (M25)', async (found) => {
    const { net, engine, read, list, holdAnswer } = setUp();
    net.pages('timeline', '1', gone('suspended'));
    const [isMade, release] = holdAnswer();
    const late = list('timeline', true);
    await isMade;
    engine.clock.nowMs += 1;
    net.list('timeline', '1', ['12', '11']);
    await (found === 'the list' ? list('timeline', true) : read('user', '1'));
    const calls = net.calls.length;
    release();
    expect(await late).toEqual(['12', '11']);
    expect(await list('timeline')).toEqual(['12', '11']);
    expect(net.calls).toHaveLength(calls + 1);
    await read('user', '1');
  });
});

const gone = (reason: string) => () => {
  throw new ServiceError('not_found', 'There is none.', { reason });
};
