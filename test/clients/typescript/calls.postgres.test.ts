import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  createPerch,
  graphql,
  type Perch,
  PerchError,
  type PerchOptions,
} from '../../../clients/typescript/src/index.js';
import { demoDatabase } from '../../kit/demo.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { collectingGarbage } from '../../kit/time/garbage.js';
import { failure, page, type Stub, stub } from '../server.js';

const KEY = `perch_live_${'k'.repeat(32)}`;
const TWEETS = '/v1/users/{user}/tweets';
const path = { user: 'harbor_obs' };
const failed = (promise: Promise<unknown>): Promise<PerchError> =>
  promise.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: PerchError) => error,
  );

describe('against the running service', () => {
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ openDatabase: demoDatabase });
  });
  afterAll(() => perch.close());

  async function client(credits = 1000, cap?: number, options: Partial<PerchOptions> = {}) {
    const account = await perch.account({ credits, ...(cap !== undefined && { cap }) });
    return { account, perch: createPerch({ baseUrl: perch.url, key: account.key, ...options }) };
  }

  it('reads, posts and estimates, and reports the same credits as the wallet', async () => {
    const { account, perch: ours } = await client();
    const { data, credits_charged } = await ours.get('/v1/users/{handle}', {
      path: { handle: '@harbor_obs' },
      query: { fresh: true },
    });
    expect([data.handle, credits_charged]).toEqual(['harbor_obs', 2]);
    const batch = await ours.post('/v1/users/batch', { body: { handles: ['harbor_obs', 'no_such_handle'] } });
    expect(batch.data.map(({ id }) => id)).toEqual([data.id]);
    const listed = await ours.get('/v1/users/batch', { query: { handles: ['harbor_obs', 'no_such_handle'] } });
    expect([listed.items, listed.errors[0]?.input]).toEqual([1, 'no_such_handle']);
    const price = await ours.estimate(TWEETS, { path, query: { count: 7 } });
    expect(price).toEqual({ max_items: 7, unit: 1, max_credits: 7 });
    expect((await ours.get('/v1/me')).balance).toBe(await perch.balance(account));
  });

  it('trims a call to its own max_credits', async () => {
    const { perch: ours } = await client();
    const read = await ours.get(TWEETS, { path, query: { count: 10, max_credits: 6, fresh: true } });
    expect([read.items, read.truncated]).toEqual([3, 'max_credits']);
  });

  it('throws the code, status, reason and id of a failure', async () => {
    const { perch: ours } = await client(0);
    const error = await failed(ours.get('/v1/users/{handle}', { path: { handle: 'harbor_obs' } }));
    expect(error).toBeInstanceOf(PerchError);
    expect(error).toMatchObject({
      code: 'no_credits',
      status: 402,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const bad = await failed(ours.get(TWEETS, { path, query: { count: 1000 } }));
    expect(bad).toMatchObject({ code: 'bad_request', status: 400, param: 'count' });
    const stranger = createPerch({ baseUrl: perch.url, key: KEY });
    expect(await failed(stranger.get('/v1/me'))).toMatchObject({ code: 'invalid_key', status: 401 });
  });

  describe('pages', () => {
    const gone = async (ours: Perch, maxCredits: number, count = 4, fresh = false) => {
      const pages = ours.pages(TWEETS, { path, query: { count, fresh }, maxCredits });
      const ids: string[] = [];
      for await (const { data } of pages) ids.push(...data.map(({ id }) => id));
      return { pages, ids };
    };

    it('end within the budget, and continue from the cursor', async () => {
      const { account, perch: ours } = await client();
      const { pages, ids } = await gone(ours, 20, 4, true);
      expect([ids.length, pages.ended, pages.spent, pages.remaining]).toEqual([10, 'max_credits', 20, 0]);
      expect(await perch.balance(account)).toBe(980);
      const cursor = pages.cursor ?? '';
      const [next] = (await ours.get(TWEETS, { path, query: { cursor, count: 1 } })).data;
      expect(ids).not.toContain(next?.id);
    });

    it('end with what the wallet holds', async () => {
      const { account, perch: ours } = await client(6);
      // Whether or not the tweets are cached by now, each costs at most 1.
      const { pages } = await gone(ours, 500);
      expect(pages.ended).toBe('no_credits');
      expect(pages.spent + (await perch.balance(account))).toBe(6);
    });

    it('end with the cap of the key', async () => {
      const { perch: ours } = await client(1000, 5);
      const { pages } = await gone(ours, 500);
      expect([pages.ended, pages.spent <= 5]).toEqual(['key_cap', true]);
    });

    it('end complete, with every item once', async () => {
      const { perch: ours } = await client(3000);
      const { pages, ids } = await gone(ours, 2000, 100);
      expect(pages.ended).toBe('complete');
      expect(pages.cursor).toBeUndefined();
      expect(ids.length).toBeGreaterThan(300);
      expect(new Set(ids).size).toBe(ids.length);
    });

    it('throw if not even the first item is covered', async () => {
      const { perch: ours } = await client(0);
      expect(await failed(gone(ours, 5))).toMatchObject({ code: 'no_credits', status: 402 });
    });
  });

  describe('GraphQL', () => {
    const profile = graphql(`query profile($handle: String!, $first: Int = 2) {
      user(handle: $handle) { handle tweets(first: $first) { nodes { ...Short } } }
    }
    fragment Short on Tweet { id text }`);

    it('gives typed data, what it cost and the id', async () => {
      const { account, perch: ours } = await client();
      const { data, credits, errors, requestId } = await ours.query(profile, { handle: 'harbor_obs' });
      expect(data.user?.handle).toBe('harbor_obs');
      expect(data.user?.tweets?.nodes).toHaveLength(2);
      expect(credits.charged).toBe(1000 - (await perch.balance(account)));
      expect(errors).toEqual([]);
      expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
    });

    it('keeps to maxCredits, and is estimated for free', async () => {
      const { account, perch: ours } = await client();
      expect(await ours.estimateQuery(profile, { handle: 'harbor_obs', first: 9 })).toEqual({
        max_items: 10,
        max_credits: 10,
      });
      expect(await perch.balance(account)).toBe(1000);
      const { credits } = await ours.query(profile, { handle: 'harbor_obs', first: 9 }, { maxCredits: 2 });
      expect(credits.charged).toBeLessThanOrEqual(2);
    });

    it('lists failed fields beside those that were paid', async () => {
      const { perch: ours } = await client();
      const both = graphql('{ user(handle: "harbor_obs") { name } nobody: user(handle: "no_such_handle") { name } }');
      const { data, errors } = await ours.query(both);
      expect([data.user?.name, data.nobody]).toEqual(['Harbor Observatory', null]);
      expect(errors).toMatchObject([{ code: 'not_found', path: ['nobody'] }]);
    });

    it('throws when the answer has no data', async () => {
      const stranger = createPerch({ baseUrl: perch.url, key: KEY });
      expect(await failed(stranger.query(profile, { handle: 'a' }))).toMatchObject({
        code: 'invalid_key',
        status: 401,
      });
    });
  });
});

describe('on the way', () => {
  let server: Stub | undefined;
  afterEach(() => server?.close());
  const me = (options: Partial<PerchOptions> = {}) =>
    createPerch({ baseUrl: server?.url ?? '', key: KEY, ...options }).get('/v1/me');

  it.each([
    [429, 1],
    [503, 0],
    [503, undefined],
    [500, 1],
  ])('sends one HTTP call whatever the answer: %i with Retry-After %s (section 9.5)', async (status, retryAfter) => {
    server = await stub(failure(status, 'internal', retryAfter));
    expect(await failed(me())).toMatchObject({ status, retryAfter });
    expect(server.requests).toHaveLength(1);
  });

  it('ends a call without an answer in time, and does not retry it, because the read may have been paid', async () => {
    server = await stub({ silent: true });
    const late = await collectingGarbage(() => failed(me({ timeoutMs: 1_000 })));
    expect(late).toMatchObject({ code: 'timeout', status: 0 });
    expect(server.requests).toHaveLength(1);
  });

  it('ends a call by a signal, with its reason', async () => {
    server = await stub({ silent: true });
    const stop = new AbortController();
    const call = createPerch({ baseUrl: server.url, key: KEY }).get('/v1/me', { signal: stop.signal });
    const { requests } = server;
    await expect.poll(() => requests.length).toBe(1);
    await collectingGarbage(async () => {
      setTimeout(() => stop.abort(new Error('enough')), 50);
      expect((await failed(call)).message).toBe('enough');
    });
  });

  it('does not follow a redirect, which would get the key', async () => {
    const elsewhere = await stub();
    server = await stub({ status: 302, headers: { location: `${elsewhere.url}/v1/me` } });
    expect(await failed(me())).toMatchObject({
      code: 'unreadable',
      status: 302,
      message: expect.stringMatching(/redirect/),
    });
    expect(elsewhere.requests).toEqual([]);
    elsewhere.close();
  });

  it.each([
    { status: 502, body: '<html>' },
    { status: 500, body: '{}' },
    { status: 200, body: '<html>' },
  ])('calls an answer that is not from Perch unreadable: $status $body', async (answer) => {
    server = await stub(answer);
    expect(await failed(me())).toMatchObject({ code: 'unreadable', status: answer.status });
    const call = createPerch({ baseUrl: server.url, key: KEY }).query(graphql('{ me { balance } }'));
    expect(await failed(call)).toMatchObject({ code: 'unreadable', status: answer.status });
  });

  it('puts the key in a header and nowhere else', async () => {
    server = await stub(failure(401, 'invalid_key'));
    const perch = createPerch({ baseUrl: server.url, key: KEY });
    const error = await failed(perch.get('/v1/me'));
    expect(server.requests).toEqual([{ path: '/v1/me', key: KEY }]);
    const gone = createPerch({ baseUrl: 'http://127.0.0.1:1', key: KEY });
    const unreachable = await failed(gone.get('/v1/me'));
    expect(unreachable.code).toBe('unreachable');
    for (const shown of [perch, error, unreachable])
      expect(inspect(shown, { depth: 9, showHidden: true })).not.toContain(KEY);
  });

  it('refuses a key with a line break without quoting it', () => {
    expect(() => createPerch({ baseUrl: 'http://127.0.0.1:1', key: `${KEY}\n` })).toThrow(/^(?!.*kkk).*key/s);
  });

  it('pages: waits for the rate limit if that takes seconds, on any page, and then repeats the call', async () => {
    server = await stub(
      failure(429, 'rate_limited', 1),
      page({ next_cursor: 'a' }),
      failure(429, 'rate_limited', 1),
      page({ next_cursor: 'b' }),
      failure(429, 'rate_limited', 60),
    );
    const pages = createPerch({ baseUrl: server.url, key: KEY }).pages(TWEETS, { path, maxCredits: 9 });
    const walk = pages[Symbol.asyncIterator]();
    await walk.next();
    await walk.next();
    expect(await failed(walk.next())).toMatchObject({ status: 429, retryAfter: 60 });
    expect([pages.spent, pages.cursor, server.requests.length]).toEqual([2, 'b', 5]);
  });

  it('pages: gives up after five refusals of the rate limit, or when its signal fires', async () => {
    server = await stub(failure(429, 'rate_limited', 0));
    const perch = createPerch({ baseUrl: server.url, key: KEY });
    const first = (init: object) =>
      perch
        .pages(TWEETS, { path, maxCredits: 9, ...init })
        [Symbol.asyncIterator]()
        .next();
    expect(await failed(first({}))).toMatchObject({ status: 429 });
    expect(server.requests).toHaveLength(5);
    server.close();
    server = await stub(failure(429, 'rate_limited', 9));
    const stop = new AbortController();
    const late = createPerch({ baseUrl: server.url, key: KEY }).pages(TWEETS, {
      path,
      maxCredits: 9,
      signal: stop.signal,
    });
    const waiting = failed(late[Symbol.asyncIterator]().next());
    const { requests } = server;
    await expect.poll(() => requests.length).toBe(1);
    stop.abort(new Error('enough'));
    expect((await waiting).message).toBe('enough');
  });

  it('pages: passes the rest of the budget on, continues after a sparse page, and ends at a repeated cursor', async () => {
    server = await stub(
      page({ credits_charged: 0.1, next_cursor: 'a' }),
      page({ credits_charged: 0.2, next_cursor: 'b', truncated: 'sparse' }),
      page({ credits_charged: 0.02, next_cursor: 'b' }),
    );
    const perch = createPerch({ baseUrl: server.url, key: KEY });
    const pages = perch.pages('/v1/users/{user}/followers/ids', { path: { user: 'a/b' }, maxCredits: 0.5 });
    const walk = pages[Symbol.asyncIterator]();
    await walk.next();
    await walk.next();
    expect(await failed(walk.next())).toMatchObject({ code: 'unreadable' });
    expect(server.requests.map(({ path: target }) => target.split('?')[1])).toEqual([
      'max_credits=0.5',
      'max_credits=0.4&cursor=a',
      'max_credits=0.2&cursor=b',
    ]);
    expect(server.requests[0]?.path).toContain('/v1/users/a%2Fb/');
    expect([pages.spent, pages.remaining]).toEqual([0.32, 0.18]);
  });

  it('pages: ends at a later page that is not covered, and makes no call with nothing left', async () => {
    server = await stub(page({ next_cursor: 'a' }), failure(402, 'no_credits'));
    const perch = createPerch({ baseUrl: server.url, key: KEY });
    const gone = async (maxCredits: number) => {
      const pages = perch.pages(TWEETS, { path, maxCredits });
      for await (const _ of pages);
      return pages.ended;
    };
    expect(await gone(5)).toBe('no_credits');
    server.close();
    server = await stub(page({ next_cursor: 'a' }));
    const again = createPerch({ baseUrl: server.url, key: KEY }).pages(TWEETS, { path, maxCredits: 1 });
    for await (const _ of again);
    expect([again.ended, server.requests.length]).toEqual(['max_credits', 1]);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 0.0001])('pages: rejects a budget of %d', (maxCredits) => {
    const perch = createPerch({ baseUrl: 'http://127.0.0.1:1', key: KEY });
    expect(() => perch.pages(TWEETS, { path, maxCredits })).toThrow(RangeError);
  });
});
