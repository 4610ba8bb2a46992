import { describe, expect, it } from 'vitest';
import type { ListRef } from '../../../src/domain/lists.js';
import { everyRequest } from './support/every-request.js';
import { context, idOf, NOW, post, type Scripted, scripting, user } from './support/scripted.js';

const scripted = scripting();
const EMPTY = { body: { meta: { result_count: 0 } } };

/** An id has 63 bits: X refuses a whole batch with this one in it. */
const TOO_GREAT = '9223372036854775808';

describe('tokens of X', () => {
  it('are sessions by number, and each read uses that of its session', async () => {
    const at = await scripted(() => EMPTY);
    expect(at.network.sessions).toEqual(['token 1', 'token 2']);
    const timeline: ListRef = { kind: 'timeline', subject: '5' };
    await at.network.page(timeline, null, context());
    await at.network.page(timeline, null, context({ session: 'token 2' }));
    expect(at.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer one', 'Bearer two']);
  });

  it('are required: without one, every read says how to set one, and nothing is sent', async () => {
    const at = await scripted(() => EMPTY, { bearerTokens: [] });
    const reads = [
      at.network.users([{ handle: 'gull' }], context()),
      at.network.tweets(['20'], context()),
      at.network.page({ kind: 'search', subject: 'a', product: 'Top' }, null, context()),
      at.network.page({ kind: 'thread', subject: '20' }, null, context({ session: 'no token' })),
    ];
    for (const read of reads) {
      await expect(read).rejects.toMatchObject({
        code: 'no_account',
        message: expect.stringContaining('X_BEARER_TOKENS'),
      });
    }
    expect(at.requests).toEqual([]);
    expect(await at.network.selfCheck?.(context())).toMatchObject({
      ok: false,
      findings: [{ ok: false, what: expect.stringContaining('X_BEARER_TOKENS') }],
    });
  });

  it('report their remaining calls and the seconds to the reset', async () => {
    const headers = { 'x-rate-limit-remaining': '7', 'x-rate-limit-reset': String(NOW / 1000 + 600) };
    const at = await scripted(() => ({ ...EMPTY, headers }));
    const seen: unknown[] = [];
    await at.network.page({ kind: 'quotes', subject: '20' }, null, context({ observe: (limit) => seen.push(limit) }));
    expect(seen).toEqual([{ remaining: 7, resetsInSeconds: 600 }]);
  });

  it('are paced at thirty and twelve a second; with the archive, slow reads at one', async () => {
    const [recent, archive] = [await scripted(() => EMPTY), await scripted(() => EMPTY, { search: 'archive' })];
    expect([recent.network.pace, archive.network.pace]).toEqual([
      { fast: 30, slow: 12 },
      { fast: 30, slow: 1 },
    ]);
  });
});

describe('batches of X', () => {
  const gone = (parameter: string, value: string, rest: object = {}) => ({
    parameter,
    value,
    detail: 'Could not find it.',
    type: 'https://api.x.com/2/problems/resource-not-found',
    ...rest,
  });

  it('send ids and handles in any case in one call each, and every input has its outcome in its place', async () => {
    const at = await scripted(({ path }) =>
      path === '/2/users'
        ? { body: { data: [user('7')], errors: [gone('ids', '8', { detail: 'User has been suspended: [8].' })] } }
        : { body: { data: [user('9', { username: 'Gull' })], errors: [gone('usernames', 'Nobody')] } },
    );
    const found = await at.network.users(
      [
        { handle: 'gULL' },
        { id: '8' },
        { handle: 'nobody' },
        { id: '7' },
        { handle: 'not.of.x' },
        { id: '1'.repeat(20) },
      ],
      context(),
    );
    expect(found.map((each) => ('ok' in each ? each.ok.id : [each.fail.code, each.fail.detail.reason]))).toEqual([
      '9',
      ['not_found', 'suspended'],
      ['not_found', undefined],
      '7',
      ['bad_request', undefined],
      ['bad_request', undefined],
    ]);
    expect(at.queries('/2/users')).toMatchObject([{ ids: '8,7' }]);
    expect(at.queries('/2/users/by')).toMatchObject([{ usernames: 'gULL,nobody' }]);
  });

  it('serve a post whose referenced posts are not visible', async () => {
    const beside = gone('referenced_tweets.id', '98', { section: 'includes' });
    const at = await scripted(() => ({ body: { data: [post('100')], errors: [beside] } }));
    expect(await at.network.tweets(['100', '98'], context())).toMatchObject([
      { ok: { id: '100' } },
      { fail: { code: 'not_found' } },
    ]);
  });

  it('blame an odd object alone, and not the others', async () => {
    const at = await scripted(() => ({ body: { data: [post('100'), { id: '101' }] } }));
    expect(await at.network.tweets(['101', '100'], context())).toMatchObject([
      { fail: { code: 'upstream_error' } },
      { ok: { id: '100' } },
    ]);
  });

  it('apply a refusal of one object to that object only', async () => {
    const problem = { type: 'https://api.x.com/2/problems/not-authorized-for-resource' };
    const at = await scripted(() => ({ status: 403, body: problem }));
    await expect(at.network.tweets(['100'], context())).rejects.toMatchObject({ code: 'not_found' });
    await expect(at.network.tweets(['100', '101'], context())).rejects.toMatchObject({ code: 'upstream_error' });
  });

  it("refuse a handle or id that X's grammar cannot have as the input's own fault, and do not send it (I13)", async () => {
    const at = await scripted(() => ({ body: { errors: [{ title: 'Service Unavailable' }] } }));
    const refs = [{ handle: 'much_too_long_for_x' }, { handle: 'a.b' }, { id: '1'.repeat(20) }, { id: TOO_GREAT }];
    for (const one of await at.network.users(refs, context())) {
      expect(one).toMatchObject({
        fail: { code: 'bad_request', message: expect.stringMatching(/on X is 1 to 1[59]/) },
      });
    }
    for (const id of ['1'.repeat(20), TOO_GREAT]) {
      expect(await at.network.tweets([id], context())).toMatchObject([{ fail: { code: 'bad_request' } }]);
    }
    expect(at.queries('/2/users')).toEqual([]);
    await at.network.tweets([TOO_GREAT, '9223372036854775807'], context()).catch(() => {});
    expect(at.queries('/2/tweets')).toMatchObject([{ ids: '9223372036854775807' }]);
  });

  it('fail the call, not the inputs, for errors that name no input', async () => {
    const at = await scripted(() => ({ body: { errors: [{ title: 'Service Unavailable' }] } }));
    await expect(at.network.tweets(['100'], context())).rejects.toMatchObject({ code: 'upstream_error' });
    await expect(at.network.page({ kind: 'timeline', subject: '5' }, null, context())).rejects.toMatchObject({
      code: 'upstream_error',
    });
  });
});

describe('lists of X', () => {
  it.each<[ListRef['kind'], string, object]>([
    ['timeline', '/2/users/5/tweets', { max_results: '100', pagination_token: 'next' }],
    ['followers', '/2/users/5/followers', { max_results: '201', pagination_token: 'next' }],
    ['following', '/2/users/5/following', { max_results: '201', pagination_token: 'next' }],
    ['quotes', '/2/tweets/5/quote_tweets', { max_results: '100', pagination_token: 'next' }],
    ['retweeters', '/2/tweets/5/retweeted_by', { max_results: '100', pagination_token: 'next' }],
  ])('%s are %s', async (kind, path, query) => {
    const at = await scripted(() => EMPTY);
    expect(await at.network.page({ kind, subject: '5' }, 'next', context())).toMatchObject({ next: null });
    expect(at.queries(path)).toMatchObject([query]);
  });

  it('answer not_found with the reason for private and suspended accounts (T8, T9)', async () => {
    const problem = {
      parameter: 'id',
      value: '5',
      type: 'https://api.twitter.com/2/problems/not-authorized-for-resource',
    };
    const at = await scripted(() => ({ body: { errors: [problem] } }));
    for (const kind of ['timeline', 'followers', 'following'] as const) {
      await expect(at.network.page({ kind, subject: '5' }, null, context())).rejects.toMatchObject({
        code: 'not_found',
        detail: { reason: 'private' },
      });
    }
    expect(await at.network.page({ kind: 'retweeters', subject: '5' }, null, context())).toEqual({
      users: [],
      next: null,
    });
  });

  it('answer not_found for a protected user, even tweets, though X serves them; the profile is shown (T8)', async () => {
    const hidden = user('5', { protected: true });
    const at = await scripted(({ path }) => ({
      body: path === '/2/users' ? { data: [hidden] } : { data: [post('100')], includes: { users: [hidden] } },
    }));
    const failure = { code: 'not_found', detail: { reason: 'private' } };
    for (const kind of ['timeline', 'followers', 'following'] as const) {
      await expect(at.network.page({ kind, subject: '5' }, null, context())).rejects.toMatchObject(failure);
    }
    expect(at.queries('/2/users/5/followers')).toEqual([]);
    expect(await at.network.page({ kind: 'quotes', subject: '20' }, null, context())).toMatchObject({ tweets: [] });
    expect(await at.network.tweets(['100'], context())).toMatchObject([{ fail: failure }]);
    expect(await at.network.users([{ id: '5' }], context())).toMatchObject([{ ok: { id: '5', protected: true } }]);
  });

  it('say so at the end of a timeline that X cuts, and of no other (C17)', async () => {
    let written = 5000;
    let next: object = { next_token: 'more' };
    const metrics = () => ({ followers_count: 1, following_count: 1, tweet_count: written, listed_count: 0 });
    const at = await scripted(() => ({
      body: { data: [post('100')], includes: { users: [user('5', { public_metrics: metrics() })] }, meta: next },
    }));
    const read = () => at.network.page({ kind: 'timeline', subject: '5' }, null, context());
    expect(await read()).not.toHaveProperty('endReason');
    next = {};
    expect(await read()).toMatchObject({ next: null, endReason: 'network_limit' });
    written = 3200;
    expect(await read()).not.toHaveProperty('endReason');
  });

  it.each([
    [5000, { next: null, endReason: 'network_limit' }],
    [3200, { next: null }],
  ])('say so at the end of a timeline of %i posts whose last page is empty (C17)', async (written, expected) => {
    const metrics = { followers_count: 1, following_count: 1, tweet_count: written, listed_count: 0 };
    const users = [user('5', { public_metrics: metrics })];
    const pages: Readonly<Record<string, object>> = {
      '': { data: [post('100')], includes: { users }, meta: { next_token: 'two' } },
      two: { meta: { result_count: 0, next_token: 'three' } },
      three: { meta: { result_count: 0 } },
    };
    const at = await scripted(({ query }) => ({ body: pages[query.get('pagination_token') ?? ''] ?? {} }));
    const read = (token: string | null) => at.network.page({ kind: 'timeline', subject: '5' }, token, context());
    const first = await read(null);
    const second = await read(first.next);
    const { size: _, ...last } = await read(second.next);
    expect(last).toEqual({ tweets: [], ...expected });
  });
});

describe('searches of X', () => {
  const search = (at: Scripted, subject: string, product: ListRef['product'] = 'Latest', token: string | null = null) =>
    at.network.page({ kind: 'search', subject, ...(product && { product }) }, token, context());

  it.each([
    ['Latest', 'tide', 'recency'],
    ['Top', 'tide', 'relevancy'],
    ['Photos', 'tide has:images', 'recency'],
    ['Videos', 'tide has:video_link', 'recency'],
  ] as const)('%s', async (product, query, order) => {
    const at = await scripted(() => EMPTY);
    await search(at, 'tide', product);
    expect(at.queries('/2/tweets/search/recent')).toMatchObject([{ query, sort_order: order, max_results: '100' }]);
  });

  it('continue with the token of their first search, and end with its seven days (C17)', async () => {
    const at = await scripted(({ query }) => ({
      body: { data: [post('100')], meta: query.has('next_token') ? {} : { next_token: 'b26v' } },
    }));
    const first = await search(at, 'tide');
    expect(first).toMatchObject({ next: 'recent.....b26v' });
    const last = await search(at, 'tide', 'Latest', first.next);
    expect(last).toMatchObject({ next: null, endReason: 'network_limit' });
    expect(at.queries('/2/tweets/search/recent')[1]).toMatchObject({ next_token: 'b26v' });
    const { next } = await search(at, 'tide since:2026-11-20');
    expect(await search(at, 'tide since:2026-11-20', 'Latest', next)).not.toHaveProperty('endReason');
    await expect(search(at, 'tide', 'Latest', 'b26v')).rejects.toMatchObject({ detail: { param: 'cursor' } });
  });

  it.each(['until:2026-11-22', `max_id:${idOf(-1)}`])('%s: continue in the window of their first page', async (end) => {
    let now = NOW;
    const at = await scripted(() => ({ body: { data: [post('100')], meta: { next_token: 'b26v' } } }), {
      clock: { now: () => now },
    });
    const q = `tide since:2026-11-15 ${end}`;
    const { next } = await search(at, q);
    now += 86_400_000;
    await search(at, q, 'Latest', next);
    const [first, second] = at.queries('/2/tweets/search/recent');
    expect(second).toEqual({ ...first, next_token: 'b26v' });
  });

  it('end with an expired cursor once their range begins more than seven days ago', async () => {
    const parameters = { start_time: ['2026-11-15T00:00:00Z'] };
    const refused = { title: 'Invalid Request', errors: [{ message: 'It is too old.', parameters }] };
    const at = await scripted(({ query }) =>
      query.has('next_token')
        ? { status: 400, body: refused }
        : { body: { data: [post('100')], meta: { next_token: 'b26v' } } },
    );
    const { next } = await search(at, 'tide since:2026-11-15');
    await expect(search(at, 'tide since:2026-11-15', 'Latest', next)).rejects.toMatchObject({
      code: 'bad_request',
      detail: { param: 'cursor', reason: 'cursor_expired' },
    });
  });

  it('reach back to 2006 with the archive', async () => {
    const at = await scripted(() => EMPTY, { search: 'archive' });
    expect(await search(at, 'tide until:2015-01-07')).not.toHaveProperty('endReason');
    expect(at.queries('/2/tweets/search/all')).toMatchObject([
      { start_time: '2006-03-21T00:00:00Z', end_time: '2015-01-07T00:00:00Z' },
    ]);
  });

  it('find profiles for People, or are not available to a token of an application', async () => {
    let isUser = true;
    const problem = {
      title: 'Unsupported Authentication',
      type: 'https://api.x.com/2/problems/unsupported-authentication',
    };
    const at = await scripted(() =>
      isUser ? { body: { data: [user('7')], meta: { next_token: 'more' } } } : { status: 403, body: problem },
    );
    expect(await search(at, 'gull @tern', 'People')).toMatchObject({ users: [{ id: '7' }], next: 'more' });
    expect(at.queries('/2/users/search')).toMatchObject([{ query: 'gull tern', max_results: '100' }]);
    isUser = false;
    await expect(search(at, 'gull', 'People')).rejects.toMatchObject({ code: 'product_unavailable' });
  });

  it('refuse a bad query before anything is sent', async () => {
    const at = await scripted(() => EMPTY);
    await expect(search(at, 'tide since:2015-01-07')).rejects.toMatchObject({
      code: 'bad_request',
      detail: { param: 'q' },
    });
    await expect(search(at, 'lang:en', 'Photos')).rejects.toMatchObject({
      code: 'bad_request',
      detail: { param: 'q' },
    });
    expect(at.requests).toEqual([]);
  });
});

it.each(['tweet', 'post'] as const)(
  'request everything that comes free with each %s, in every read of them (T22)',
  async (name) => {
    const reads = (await everyRequest(name)).filter(({ query }) => query.has(`${name}.fields`));
    expect(reads.length).toBeGreaterThan(5);
    for (const { query } of reads) {
      const valuesOf = (parameter: string) => query.get(parameter)?.split(',');
      expect(valuesOf('media.fields')).toContain('alt_text');
      expect(valuesOf('expansions')).toContain('attachments.poll_ids');
      expect(valuesOf('poll.fields')).toEqual(['id', 'options', 'end_datetime']);
      expect(valuesOf(`${name}.fields`)).toContain('article');
    }
  },
);
