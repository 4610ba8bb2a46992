import { describe, expect, it } from 'vitest';
import type { ItemCache } from '../../../../src/domain/prices.js';
import { CallObjects } from '../../../../src/read/entities.js';
import { createScriptedNetwork } from '../../../kit/networks/scripted-network.js';

/** Objects 1 and 2 are cached; the texts record the look-ups in the cache. */
function setUp() {
  const net = createScriptedNetwork();
  const [user, tweet] = [net.user({ id: '1' }), net.tweet({ id: '1' })];
  const lookUps: string[] = [];
  const cached = { cache: 'hit', fetchedAt: 0 } as const;
  const objects = new CallObjects(
    {
      keyOf: (ref) => ('id' in ref ? ref.id : ref.handle),
      async peek([ref]) {
        const id = ref !== undefined && 'id' in ref ? ref.id : '';
        lookUps.push(`user ${id}`);
        return [id === '1' ? { ok: user, ...cached } : undefined];
      },
    },
    {
      keyOf: (id) => `tweet ${id}`,
      async peek([id]) {
        lookUps.push(`tweet ${id}`);
        return [id === '1' ? { ok: tweet, ...cached } : { fail: new Error('gone') as never }];
      },
    },
  );
  return { net, objects, lookUps, user, tweet };
}

describe('objects that a call need not ask the network for', () => {
  it('are those that are cached and not yet of this call', async () => {
    const { objects, lookUps, user, tweet } = setUp();
    const { user: findUser, tweet: findTweet } = objects.for(false);
    expect(await findUser('1')).toEqual({ value: user, isOfThisCall: false });
    expect(await findTweet('1')).toEqual({ value: tweet, isOfThisCall: false });
    expect([await findUser('2'), await findTweet('2')]).toEqual([undefined, undefined]);
    expect(lookUps).toEqual(['user 1', 'tweet 1', 'user 2', 'tweet 2']);
  });

  it('exclude objects that others have read, for a fresh read (M8)', async () => {
    const { objects, lookUps } = setUp();
    const { user, tweet } = objects.for(true);
    expect([await user('1'), await tweet('1'), lookUps]).toEqual([undefined, undefined, []]);
  });

  it.each<[ItemCache, boolean]>([
    ['miss', true],
    ['bypass', true],
    ['hit', false],
  ])('are of this call if it has them by a %s: %s', async (cache, isOwn) => {
    const { net, objects, lookUps } = setUp();
    const [user, tweet] = [net.user({ id: '7' }), net.tweet({ id: '8' })];
    objects.note({ ok: user, cache }, 'user7');
    objects.note({ ok: tweet, cache }, 'tweet 8');
    objects.note({ fail: new Error('none') }, 'nobody');
    const { user: findUser, tweet: findTweet } = objects.for(true);
    const own = [
      { value: user, isOfThisCall: true },
      { value: tweet, isOfThisCall: true },
    ];
    expect([await findUser('7'), await findTweet('8')]).toEqual(isOwn ? own : [undefined, undefined]);
    expect(objects.ownUser({ handle: 'user7' })).toEqual(isOwn ? user : undefined);
    expect(objects.ownUser({ handle: 'nobody' })).toBeUndefined();
    expect(lookUps).toEqual([]);
  });
});
