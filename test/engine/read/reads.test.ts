/** The reads of one operation: what they accept, what they cost, and what they ask of the network. */
import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.js';
import type { ListKind } from '../../../src/domain/lists.js';
import type { Highlight } from '../../../src/domain/model.js';
import type { Network } from '../../../src/ports/network.js';
import type { PageParams } from '../../../src/read/reads.js';
import { createEngine } from '../../kit/engine.js';
import { upstreamFault } from '../../kit/networks/faults.js';
import { createScriptedNetwork, range } from '../../kit/networks/scripted-network.js';

const refused = (code: string, message: RegExp = /./) =>
  expect.objectContaining({ code, message: expect.stringMatching(message) });

function setUp(more: Partial<Network> = {}) {
  const net = createScriptedNetwork();
  net.users(range(5));
  net.tweets(range(5, 11));
  for (const kind of ['followers', 'following'] as const) net.list(kind, '1', ['2', '3']);
  net.list('timeline', '1', ['15', '14', '13']);
  net.list('replies', '11', ['12', '13']);
  for (const product of ['Latest', 'Top'] as const) net.list('search', 'a b', ['15', '14'], { product });
  net.list('search', 'a b', ['15', '14']);
  const engine = createEngine({ ...net.network, ...more });
  const page = (kind: ListKind, subject: string, rest: Partial<PageParams> = {}, credits?: number) =>
    engine.page({ kind, subject, count: 2, ...rest }, credits);
  return { net, engine, page };
}

describe('an object', () => {
  it("is bad_request in a batch if the network's grammar cannot have its name (B4), and not found by itself (I13)", async () => {
    const { net, engine } = setUp();
    net.refuse('77', new ServiceError('bad_request', 'An id here has other digits.'));
    const { reads } = engine.open();
    const site = { path: 'tweet', fresh: false };
    await expect(reads.tweet('77', site)).rejects.toEqual(refused('not_found', /other digits/));
    expect((await engine.open().reads.tweets(['77', '11'], site)).errors).toEqual([
      { input: '77', code: 'bad_request', message: 'An id here has other digits.' },
    ]);
  });

  it.each(['', '012', ' 11', '+11', '1e1', 'eleven'])(
    'is never requested as a tweet with an id like %j',
    async (id) => {
      const { engine } = setUp();
      const { reads } = engine.open();
      await expect(reads.tweet(id, { path: 'tweet', fresh: false })).rejects.toEqual(
        refused('not_found', /Invalid id/),
      );
      expect(engine.calls()).toBe(0);
    },
  );

  it('is read and paid once if requested twice in an operation, and separately if fresh (G3)', async () => {
    const { engine } = setUp();
    const { reads, charge } = engine.open();
    const read = (path: string, fresh: boolean) => reads.tweet('11', { path, fresh });
    await Promise.all([read('a', false), read('b', false), read('c', true), read('d', true)]);
    expect([charge().amount, charge().items, engine.calls()]).toEqual([3000, 2, 1]);
  });

  it('is looked up in the cache together with all that an operation requests at the same time, each once', async () => {
    const { engine } = setUp();
    const { reads } = engine.open();
    const pending = ['11', '12', '11', '13'].map((id, nth) => reads.tweet(id, { path: `${nth}`, fresh: false }));
    await Promise.all(pending);
    expect(engine.lookUps[0]).toEqual(['tweet:11', 'tweet:12', 'tweet:13']);
  });

  it('is paid for in the order of the document if money is tight (G9)', async () => {
    const { engine } = setUp();
    const { reads, charge } = engine.open(1000);
    const both = [
      reads.user({ id: '1' }, { path: 'a', fresh: false }),
      reads.user({ id: '2' }, { path: 'b', fresh: false }),
    ];
    const [first, second] = await Promise.allSettled(both);
    expect([first?.status, second?.status, charge().amount]).toEqual(['fulfilled', 'rejected', 1000]);
  });
});

describe('the author of a tweet that came without one', () => {
  it('is free, whether read or cached, and null for an unknown id', async () => {
    const { engine } = setUp();
    const { reads, receipt, charge } = engine.open();
    expect([(await reads.author('3'))?.id, (await reads.author('3'))?.id, engine.calls()]).toEqual(['3', '3', 1]);
    expect(receipt.dependencies).toHaveLength(2);
    expect(await reads.author('77')).toBeNull();
    // The author may exist later.
    expect([charge().amount, receipt.dependencies]).toEqual([0, null]);
  });

  it('is null if the network fails, and the answer is not kept (T23)', async () => {
    const { net, engine } = setUp();
    net.fail(upstreamFault('upstream_error'));
    const { reads, receipt } = engine.open();
    expect([await reads.author('3'), receipt.dependencies]).toEqual([null, null]);
    net.heal();
    expect((await engine.open().reads.author('3'))?.id).toBe('3');
  });
});

it('reads the author of a tweet once for all operations that want it at the time', async () => {
  const { net, engine } = setUp();
  const release = net.hold();
  const first = engine.open().reads.author('3');
  await net.called(1);
  const second = engine.open().reads.author('3');
  release();
  expect([(await first)?.id, (await second)?.id, engine.calls()]).toEqual(['3', '3', 1]);
});

describe('the subject of a list', () => {
  it('is a user by id, or by handle, which is found for free', async () => {
    const { engine, page } = setUp();
    expect((await page('followers', '1')).charge.amount).toBe(200);
    expect(engine.calls()).toBe(1);
    const { page: found, charge } = await page('followers', 'USER1');
    expect([found.nodes.length, found.cache, charge.amount, engine.calls()]).toEqual([2, 'hit', 100, 2]);
    // The handle is cached.
    await page('followers', 'user1');
    expect(engine.calls()).toBe(2);
  });

  it('is a remembered 404 for an unknown handle', async () => {
    const { engine, page } = setUp();
    for (const _time of range(2))
      await expect(page('followers', 'nobody')).rejects.toEqual(refused('not_found', /There is none/));
    expect(engine.calls()).toBe(1);
  });

  it('is looked up again for a fresh page, whatever is remembered of the handle (M24, M31)', async () => {
    const { net, engine, page } = setUp();
    await page('followers', 'user1');
    await expect(page('followers', 'later')).rejects.toEqual(refused('not_found'));
    net.user({ id: '1', handle: 'earlier' });
    net.user({ id: '8', handle: 'user1' });
    net.user({ id: '9', handle: 'later' });
    for (const id of ['8', '9']) net.list('followers', id, ['4']);
    const calls = engine.calls();
    for (const handle of ['user1', 'later']) {
      const { page: found, charge } = await page('followers', handle, { fresh: true });
      expect([found.nodes.map(({ id }) => id), charge.amount, charge.items]).toEqual([['4'], 200, 1]);
    }
    expect(engine.calls()).toBe(calls + 4);
  });

  it('is not looked up again for a fresh page if the call has read it already', async () => {
    const { engine } = setUp();
    const { reads } = engine.open();
    await reads.user({ handle: 'user1' }, { path: 'user', fresh: true });
    await reads.page({ kind: 'followers', subject: 'USER1', count: 2, path: 'list', fresh: true });
    expect(engine.calls()).toBe(2);
  });

  it.each<[ListKind, string, string, RegExp]>([
    ['followers', 'no handle!', 'not_found', /Invalid user/],
    ['timeline', '', 'not_found', /Invalid user/],
    ['replies', 'user1', 'not_found', /Invalid id/],
    ['search', '  ', 'bad_request', /q is empty/],
  ])('of %s cannot be %j, for which the network is not called', async (kind, subject, code, message) => {
    const { engine, page } = setUp();
    await expect(page(kind, subject)).rejects.toEqual(refused(code, message));
    expect(engine.calls()).toBe(0);
  });

  it('is the same query in any spacing, but another one in each order', async () => {
    const { engine, page } = setUp();
    const caches: string[] = [];
    for (const [query, product] of [['a b'], ['  a\t b '], ['a b', 'Top'], ['a b', 'Latest']] as const) {
      caches.push((await page('search', query, product === undefined ? {} : { product })).page.cache);
    }
    expect([caches, engine.calls()]).toEqual([['miss', 'hit', 'miss', 'miss'], 3]);
  });
});

describe('a page', () => {
  it.each([
    ['nothing', 0, false],
    ['less than a cached item costs', 49, false],
    ['less than a fresh one costs', 199, true],
  ])('is refused before anything is read to a caller that has %s', async (_name, credits, fresh) => {
    const { engine, page } = setUp();
    await expect(page('followers', 'user1', { fresh } as Partial<PageParams>, credits)).rejects.toEqual(
      refused('no_credits'),
    );
    expect(engine.calls()).toBe(0);
  });

  it('is free if all its objects are paid for already, though nothing is left (G3)', async () => {
    const { engine } = setUp();
    const { reads, charge, left } = engine.open(2000);
    await Promise.all(['2', '3'].map((id) => reads.user({ id }, { path: id, fresh: false })));
    expect(left()).toBe(0);
    await engine.page({ kind: 'followers', subject: '1', count: 2 });
    const page = await reads.page({ kind: 'followers', subject: '1', count: 2, path: 'list', fresh: false });
    expect([page.nodes.length, page.charged, charge().amount]).toEqual([2, 0, 2000]);
  });

  it('of ids has the same users at another price, and does not pay for their profiles (M15)', async () => {
    const { engine } = setUp();
    const { reads, charge } = engine.open();
    const read = (idsOnly: boolean, fresh: boolean) =>
      reads.page({ kind: 'followers', subject: '1', count: 2, path: `${idsOnly} ${fresh}`, idsOnly, fresh });
    const charged = [
      await read(false, false),
      await read(true, false),
      await read(true, true),
      await read(true, false),
    ];
    expect(charged.map((page) => page.charged)).toEqual([200, 20, 80, 0]);
    expect(charge().amount).toBe(300);
  });

  it('hides what was withdrawn after it was cached, by id or by handle (M25)', async () => {
    const { net, engine, page } = setUp();
    await page('followers', '1');
    net.remove('2');
    const { reads } = engine.open();
    await expect(reads.user({ handle: 'user2' }, { path: 'user', fresh: true })).rejects.toEqual(refused('not_found'));
    expect((await page('followers', '1')).page.nodes.map(({ id }) => id)).toEqual(['3']);
  });
});

describe('the places where a query was found', () => {
  const mark: Highlight = { field: 'TEXT', start: 0, end: 1 } as unknown as Highlight;

  it.each([
    ['Latest', {}],
    ['Top', { product: 'Top' as const }],
  ])('are computed once for a page in the order %s, and only if selected', async (product, rest) => {
    const queries: string[] = [];
    const { page } = setUp({
      highlighter(...query) {
        queries.push(query.join(' '));
        return ({ id }) => (id === '15' ? [mark] : null);
      },
    });
    const { page: found } = await page('search', ' a  b', rest);
    expect(queries).toEqual([]);
    expect(found.nodes.map((node) => found.highlight?.(node))).toEqual([[mark], null]);
    expect(queries).toEqual([`a b ${product}`]);
  });

  it('are not reported for other lists, nor by a network that does not know them', async () => {
    const { page } = setUp({ highlighter: () => () => null });
    expect((await page('followers', '1')).page.highlight).toBeUndefined();
    expect((await setUp().page('search', 'a b')).page.highlight).toBeUndefined();
  });
});

describe('a profile by its handle', () => {
  it.each([
    ['77', /If it is an id, use the lists/],
    ['7x', /There is none/],
    ['x7', /There is none/],
  ])('that no account has: %s', async (handle, message) => {
    const { engine } = setUp();
    const { reads } = engine.open();
    await expect(reads.user({ handle }, { path: 'user', fresh: false })).rejects.toEqual(refused('not_found', message));
  });

  it('finds a handle of digits, and keeps a failure other than not_found', async () => {
    const { net, engine } = setUp();
    net.user({ id: '9', handle: '99' });
    const read = () => engine.open().reads.user({ handle: '99' }, { path: 'user', fresh: true });
    expect(await read()).toMatchObject({ id: '9' });
    net.refuse('9', new ServiceError('access_denied', 'Not for this session.'));
    await expect(read()).rejects.toEqual(refused('access_denied', /Not for this session/));
  });

  it('does not hint at ids when an id is unknown', async () => {
    const { engine } = setUp();
    await expect(engine.open().reads.user({ id: '77' }, { path: 'user', fresh: false })).rejects.toEqual(
      refused('not_found', /There is none/),
    );
  });
});

describe('a 404', () => {
  it('is remembered for a while, free, and forgotten when the object is read fresh', async () => {
    const { net, engine } = setUp();
    const read = (fresh = false) => engine.open().reads.user({ id: '77' }, { path: 'user', fresh });
    for (const _time of range(3)) await expect(read()).rejects.toBeInstanceOf(ServiceError);
    expect(engine.calls()).toBe(1);
    // Nothing shows it, so its deletion need not be announced.
    expect(engine.tombstones.isEmpty).toBe(true);
    net.user({ id: '77' });
    await expect(read()).rejects.toEqual(refused('not_found'));
    expect((await read(true)).id).toBe('77');
    expect((await read()).id).toBe('77');
    expect(engine.calls()).toBe(2);
    // It is not only hidden by the object, which may be dropped first.
    engine.drop();
    expect((await read()).id).toBe('77');
    expect(engine.calls()).toBe(3);
  });

  it('ends the object in every spelling it is cached under', async () => {
    const { net, engine } = setUp();
    const read = (ref: { id: string } | { handle: string }, fresh = false) =>
      engine.open().reads.user(ref, { path: 'user', fresh });
    await read({ id: '2' });
    await read({ handle: 'user2' });
    expect(engine.calls()).toBe(1);
    net.remove('2');
    await expect(read({ id: '2' }, true)).rejects.toEqual(refused('not_found'));
    await expect(read({ handle: 'user2' })).rejects.toEqual(refused('not_found'));
    expect(engine.calls()).toBe(3);
  });

  it('of a list that needs no subject is of that list only', async () => {
    const { net, engine, page } = setUp();
    net.pages('quotes', '11', () => {
      throw new ServiceError('not_found', 'There is no such list.', { reason: 'unknown' });
    });
    net.list('quotes', '12', ['13']);
    for (const _time of range(2)) await expect(page('quotes', '11')).rejects.toEqual(refused('not_found'));
    expect(engine.calls()).toBe(1);
    expect((await page('quotes', '12')).page.nodes.map(({ id }) => id)).toEqual(['13']);
  });

  it('is remembered, and other failures are not', async () => {
    const { net, engine } = setUp();
    net.refuse('2', new ServiceError('access_denied', 'Not for this session.'));
    const read = () => engine.open().reads.user({ id: '2' }, { path: 'user', fresh: false });
    for (const _time of range(2)) await expect(read()).rejects.toEqual(refused('access_denied'));
    expect(engine.calls()).toBe(2);
  });
});
