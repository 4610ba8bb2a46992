/** A handle stands for one account at a time, whatever was read before (I9). */
import { describe, expect, it } from 'vitest';
import type { User } from '../../../../src/domain/model.js';
import type { Network } from '../../../../src/ports/network.js';
import type { Reads } from '../../../../src/read/reads.js';
import { createEngine } from '../../../kit/engine.js';
import { createScriptedNetwork, range } from '../../../kit/networks/scripted-network.js';

const MINUTE_MS = 60_000;

function setUp() {
  const net = createScriptedNetwork();
  const author = net.user({ id: '1', handle: 'weir' });
  net.tweets(range(3, 11), { author });
  net.list('timeline', '1', ['13', '12', '11']);
  net.user({ id: '3' });
  net.list('followers', '3', ['1']);
  const engine = createEngine(net.network);
  const read = async (ref: { id: string } | { handle: string }, fresh = false) => {
    const { reads, charge } = engine.open();
    const { id } = await reads.user(ref, { path: 'user', fresh });
    return [id, charge().cache];
  };
  /** Another account takes the handle; for a while, pages of the first still show the old author. */
  const pass = (from: User = author): void => {
    net.user({ ...from, handle: 'weir_then' });
    net.user({ id: '2', handle: 'Weir' });
    net.list('timeline', '2', []);
  };
  const oldAuthors = (fresh = true) => engine.page({ kind: 'timeline', subject: '1', count: 3, fresh });
  return { net, engine, read, pass, oldAuthors };
}

describe('a handle', () => {
  it('is known from a list if nothing else is known (M13)', async () => {
    const { engine, read } = setUp();
    await engine.page({ kind: 'followers', subject: '3', count: 1 });
    expect(await read({ handle: 'weir' })).toEqual(['1', 'hit']);
  });

  it('stays with the account that the network named for it when a page has an old author', async () => {
    const { read, pass, oldAuthors } = setUp();
    pass();
    expect(await read({ handle: 'weir' })).toEqual(['2', 'miss']);
    for (const _ of range(2)) {
      await oldAuthors();
      expect((await read({ handle: 'weir' }))[0]).toBe('2');
    }
  });

  it('is read again when its account was read under another handle', async () => {
    const { read, pass } = setUp();
    expect(await read({ handle: 'weir' })).toEqual(['1', 'miss']);
    pass();
    expect(await read({ handle: 'weir' })).toEqual(['1', 'hit']);
    await read({ id: '1' }, true);
    expect(await read({ handle: 'weir' })).toEqual(['2', 'miss']);
    expect(await read({ handle: 'weir_then' })).toEqual(['1', 'miss']);
  });

  it('is read again when a page shows an account under a handle that it has given up', async () => {
    const { read, pass, oldAuthors } = setUp();
    pass();
    expect(await read({ id: '1' })).toEqual(['1', 'miss']);
    await oldAuthors();
    expect(await read({ handle: 'weir' })).toEqual(['2', 'miss']);
  });

  it('is not taken from a page if the network has just said that no account has it', async () => {
    const { net, read, engine, oldAuthors } = setUp();
    await oldAuthors();
    net.user({ id: '1', handle: 'weir_then' });
    await expect(read({ handle: 'weir' }, true)).rejects.toMatchObject({ code: 'not_found' });
    await oldAuthors();
    engine.clock.nowMs += MINUTE_MS;
    await expect(read({ handle: 'weir' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not taken from a page minutes later either, if an account was cached under it', async () => {
    const { net, read, engine, oldAuthors } = setUp();
    await read({ handle: 'weir' });
    net.user({ id: '1', handle: 'weir_then' });
    await expect(read({ handle: 'weir' }, true)).rejects.toMatchObject({ code: 'not_found' });
    engine.clock.nowMs += 2 * MINUTE_MS;
    await oldAuthors();
    net.user({ id: '2', handle: 'weir' });
    expect(await read({ handle: 'weir' })).toEqual(['2', 'miss']);
  });

  it('is not taken from a page if the network has just said so, even if nothing was cached', async () => {
    const { net, read, engine, oldAuthors } = setUp();
    net.user({ id: '1', handle: 'weir_then' });
    const notFound = { code: 'not_found' };
    await expect(read({ handle: 'weir' })).rejects.toMatchObject(notFound);
    await oldAuthors();
    await expect(read({ handle: 'weir' })).rejects.toMatchObject(notFound);
    expect(await read({ id: '1' })).toEqual(['1', 'hit']);
    net.user({ id: '2', handle: 'weir' });
    engine.clock.nowMs += MINUTE_MS;
    expect(await read({ handle: 'weir' })).toEqual(['2', 'miss']);
    expect(await read({ handle: 'weir' })).toEqual(['2', 'hit']);
  });

  it('is read again when one page shows it with two accounts', async () => {
    const { net, engine, read } = setUp();
    net.user({ id: '2', handle: 'WEIR' });
    net.list('followers', '3', ['1', '2']);
    await engine.page({ kind: 'followers', subject: '3', count: 2 });
    expect(await read({ handle: 'weir' })).toEqual(['1', 'miss']);
  });

  it('means its latest holder if a network keeps what an earlier one had, whichever was read first', async () => {
    const { net, engine, read } = setUp();
    net.user({ id: '1', handle: 'weir', lostHandle: true });
    net.user({ id: '2', handle: 'Weir' });
    net.list('followers', '3', ['1', '2']);
    await engine.page({ kind: 'followers', subject: '3', count: 2 });
    expect([await read({ handle: 'weir' }), await read({ id: '1' })]).toEqual([
      ['2', 'hit'],
      ['1', 'hit'],
    ]);
  });

  it('is the same in every spelling that the network knows to mean it', async () => {
    const net = createScriptedNetwork({ canonicalHandle: (handle) => handle.replace(/@here\.example$/i, '') });
    net.user({ id: '1', handle: 'weir' });
    const { network } = net;
    const users: Network['users'] = (refs, context) =>
      network.users(
        refs.map((ref) => ('id' in ref ? ref : { handle: ref.handle.split('@')[0] ?? '' })),
        context,
      );
    const engine = createEngine({ ...network, users });
    const at = { path: 'user', fresh: false };
    const cacheOf = async (read: (reads: Reads) => Promise<unknown>) => {
      const { reads, charge } = engine.open();
      await read(reads);
      return [charge().cache, charge().amount];
    };
    expect(await cacheOf((reads) => reads.user({ handle: 'weir@here.example' }, at))).toEqual(['miss', 1000]);
    for (const handle of ['weir', 'Weir@Here.example'])
      expect(await cacheOf((reads) => reads.user({ handle }, at))).toEqual(['hit', 500]);
    const { nodes, charged } = await engine.open().reads.users(['weir@here.example', 'weir'], at);
    expect([nodes.map(({ id }) => id), charged]).toEqual([['1'], 500]);
    const calls = net.calls.length;
    net.list('timeline', '1', []);
    await engine.page({ kind: 'timeline', subject: 'weir@here.example', count: 1 });
    expect(net.calls.slice(calls).map(({ what }) => what)).toEqual(['page']);
    net.remove('1');
    const gone = { code: 'not_found', detail: { reason: 'deleted' } };
    await expect(
      engine.open().reads.user({ handle: 'weir@here.example' }, { ...at, fresh: true }),
    ).rejects.toMatchObject(gone);
    await expect(engine.open().reads.user({ handle: 'weir' }, at)).rejects.toMatchObject(gone);
  });

  it('is looked up together with all others of a page', async () => {
    const { net, engine } = setUp();
    net.list('followers', '3', net.users(range(50, 100)));
    await engine.page({ kind: 'followers', subject: '3', count: 50 });
    expect(engine.lookUps.filter((keys) => keys.length > 1)).toHaveLength(1);
  });
});
