/** The TypeScript client yields new items of a list as they arrive. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createPerch, type Following, PerchError } from '../../../clients/typescript/src/index.js';
import type { Service } from '../../rules/support/service.js';
import { startGrowing } from '../growing-timeline.js';
import { failure, page, REQUEST_ID, type Stub, stub } from '../server.js';

const KEY = `perch_live_${'k'.repeat(32)}`;
const TWEETS = '/v1/users/{user}/tweets';
const path = { user: '1' };

/** Takes the next `count` items of an iteration. */
async function take<T extends { id: string }>(following: Following<T>, count: number): Promise<string[]> {
  const walk = following[Symbol.asyncIterator]();
  const ids: string[] = [];
  while (ids.length < count) {
    const { done, value } = await walk.next();
    if (done) break;
    ids.push(value.id);
  }
  return ids;
}

describe('follow, against the running service', () => {
  let service: Service;
  let add: (count: number) => string[];
  beforeAll(async () => {
    ({ service, add } = await startGrowing());
  });
  afterAll(() => service.close());

  async function client(credits = 1000) {
    const { key } = await service.perch.account({ credits });
    return createPerch({ baseUrl: service.perch.url, key });
  }

  it('yields each item that is new after it began once, and continues from since', async () => {
    add(1);
    const ours = await client();
    const following = ours.follow(TWEETS, { path, query: { count: 4 }, maxCredits: 50, intervalMs: 20 });
    const first = take(following, 1);
    await expect.poll(() => following.since).toBeTypeOf('string');
    // One item was there before.
    expect(following.spent).toBe(1);
    const added = add(6);
    const [since] = [following.since, await first];
    expect(await take(following, 4)).toEqual(added.slice(1, 5));
    // `since` moves only with the last item of an answer: at the first of the last two, it still is after the first four.
    const between = following.since;
    expect(await take(following, 1)).toEqual(added.slice(5));
    expect(following.since).not.toBe(between);
    const again = ours.follow(TWEETS, { path, query: { since: since as string }, maxCredits: 50, intervalMs: 20 });
    expect(await take(again, 6)).toEqual(added);
    const rest = ours.follow(TWEETS, { path, query: { since: between as string }, maxCredits: 50, intervalMs: 20 });
    expect(await take(rest, 2)).toEqual(added.slice(4));
  });

  it('ends without an error when its signal fires, and says where to continue', async () => {
    const ours = await client();
    const stop = new AbortController();
    const following = ours.follow(TWEETS, { path, maxCredits: 5, intervalMs: 60_000, signal: stop.signal });
    const all = take(following, 100);
    await expect.poll(() => following.since).toBeTypeOf('string');
    stop.abort();
    expect([await all, following.ended]).toEqual([[], 'aborted']);
    const late = ours.follow(TWEETS, { path, maxCredits: 5, signal: AbortSignal.abort() });
    expect([await take(late, 1), late.ended]).toEqual([[], 'aborted']);
  });

  it('ends at its budget and with the wallet, after the paid items', async () => {
    const ours = await client();
    const { since_cursor: since = '' } = await ours.get(TWEETS, { path, query: { count: 1 } });
    const added = add(9);
    const following = ours.follow(TWEETS, { path, query: { since }, maxCredits: 3, intervalMs: 20 });
    expect([await take(following, 100), following.ended, following.spent]).toEqual([
      added.slice(0, 3),
      'max_credits',
      3,
    ]);
    const poor = await client(2);
    const short = poor.follow(TWEETS, {
      path,
      query: { since: following.since ?? '' },
      maxCredits: Number.POSITIVE_INFINITY,
      intervalMs: 20,
    });
    // Cached by now: half a credit each.
    expect([await take(short, 100), short.ended, short.spent]).toEqual([added.slice(3, 7), 'no_credits', 2]);
  });

  it('says that items may be missing', async () => {
    const ours = await client();
    const { since_cursor: since = '' } = await ours.get(TWEETS, { path, query: { count: 1 } });
    const added = add(130);
    let gaps = 0;
    const query = { since, count: 100 };
    const following = ours.follow(TWEETS, { path, query, maxCredits: 200, intervalMs: 20, onGap: () => (gaps += 1) });
    expect(await take(following, 100)).toEqual(added.slice(30));
    expect(gaps).toBe(1);
  });

  it('throws the refusal of the first call at once', async () => {
    const ours = await client();
    const refused = (init: object) => take(ours.follow(TWEETS, { path, maxCredits: 5, ...init }), 1);
    await expect(refused({ query: { since: 'nonsense' } })).rejects.toMatchObject({ status: 400, param: 'since' });
    await expect(refused({ path: { user: '404' } })).rejects.toMatchObject({ code: 'not_found' });
    const poor = createPerch({ baseUrl: service.perch.url, key: (await service.perch.account({ credits: 0 })).key });
    await expect(take(poor.follow(TWEETS, { path, maxCredits: 5 }), 1)).rejects.toMatchObject({ code: 'no_credits' });
  });

  it('refuses a list that is not in order of time', async () => {
    service.net.list('search', 'x', ['101', '102'], { product: 'Top' });
    const top = (await client()).follow('/v1/tweets/search', { query: { q: 'x', product: 'Top' }, maxCredits: 5 });
    await expect(take(top, 1)).rejects.toThrow(/cannot be followed/);
  });
});

describe('follow, on the way', () => {
  let server: Stub | undefined;
  afterEach(() => server?.close());
  const answer = (since: string, tweets: readonly string[], more: object = {}) =>
    page({ data: tweets.map((id) => ({ id })), since_cursor: since, has_newer: false, ...more });
  const follow = (errors: PerchError[], init: object = {}) =>
    createPerch({ baseUrl: server?.url ?? 'http://127.0.0.1:1', key: KEY }).follow(TWEETS, {
      path,
      query: { since: 'a' },
      maxCredits: 50,
      intervalMs: 10,
      onRetry: (error: PerchError) => errors.push(error),
      ...init,
    });

  it('waits as the service asks, then longer each time, and repeats the call', async () => {
    server = await stub(
      failure(429, 'rate_limited', 1),
      answer('b', ['1']),
      failure(503, 'upstream_error'),
      { status: 502, body: '<html>' },
      answer('c', ['2']),
    );
    const errors: PerchError[] = [];
    const began = Date.now();
    expect(await take(follow(errors), 2)).toEqual(['1', '2']);
    expect(Date.now() - began).toBeGreaterThanOrEqual(1000 + 100 + 200);
    expect(errors.map(({ status }) => status)).toEqual([429, 503, 502]);
    const cursors = server.requests.map(({ path: each }) => new URLSearchParams(each.split('?')[1]).get('since'));
    expect(cursors).toEqual(['a', 'a', 'b', 'b', 'b']);
  });

  const unknown = () => ({
    ...failure(503, 'upstream_error'),
    body: failure(503, 'upstream_error').body?.replace('"code"', '"reason":"charge_unknown","code"') ?? '',
  });
  const asked = () => server?.requests.map(({ path: each }) => each.replace(/.*(?=since=\w)|&.*/g, ''));
  const RECEIPT = `/v1/usage/${REQUEST_ID}`;

  it('looks up the receipt of a call whose charge is unknown before it repeats the call', async () => {
    server = await stub(
      answer('b', ['1']),
      unknown(),
      failure(404, 'not_found'),
      page({ data: { credits: 3 } }),
      answer('c', ['2']),
    );
    const errors: PerchError[] = [];
    const following = follow(errors);
    expect(await take(following, 2)).toEqual(['1', '2']);
    expect([following.spent, errors.map(({ reason }) => reason)]).toEqual([5, ['charge_unknown']]);
    expect(asked()).toEqual(['since=a', 'since=b', RECEIPT, RECEIPT, 'since=b']);
  });

  it('looks up the receipt of a call whose answer was lost after its head', async () => {
    const lost = { headers: { 'x-request-id': REQUEST_ID }, bodyLost: 'cut' } as const;
    server = await stub(answer('b', ['1']), lost, page({ data: { credits: 3 } }), answer('c', ['2']));
    const following = follow([]);
    expect([await take(following, 2), following.spent]).toEqual([['1', '2'], 5]);
    expect(asked()).toEqual(['since=a', 'since=b', RECEIPT, 'since=b']);
  });

  it('says when the receipt cannot be looked up, and waits as the service asks', async () => {
    server = await stub(answer('b', ['1']), unknown(), failure(429, 'rate_limited', 5), page({ data: { credits: 3 } }));
    const errors: PerchError[] = [];
    const following = follow(errors, { maxCredits: 4 });
    const began = Date.now();
    expect([await take(following, 2), following.spent]).toEqual([['1'], 4]);
    expect(errors.map(({ status }) => status)).toEqual([503, 429]);
    expect(Date.now() - began).toBeGreaterThanOrEqual(7000);
  });

  it('ends at its budget if such a call has used it up', async () => {
    server = await stub(answer('b', ['1']), unknown(), page({ data: { credits: 3 } }));
    const following = follow([], { maxCredits: 4 });
    expect([await take(following, 2), following.ended, following.spent]).toEqual([['1'], 'max_credits', 4]);
    expect(asked()).toEqual(['since=a', 'since=b', RECEIPT]);
  });

  it('ends when its signal fires before there is a receipt', async () => {
    server = await stub(answer('b', ['1']), unknown());
    const stop = new AbortController();
    const following = follow([], { signal: stop.signal, onRetry: () => setTimeout(() => stop.abort(), 50) });
    expect([await take(following, 2), following.ended]).toEqual([['1'], 'aborted']);
  });

  it('calls again at once while there is more', async () => {
    server = await stub(
      answer('b', ['1'], { has_newer: true }),
      answer('c', ['2'], { has_newer: true }),
      answer('d', ['3']),
    );
    expect(await take(follow([], { intervalMs: 60_000 }), 3)).toEqual(['1', '2', '3']);
  });

  it.each([
    ['a refusal', failure(403, 'access_denied'), 403],
    ['an answer of something else', { status: 502, body: '<html>' }, 502],
    ['a charge that nobody knows', unknown(), 503],
    ['a 503 without Retry-After', failure(503, 'upstream_error'), 503],
  ])('throws %s to the first call, and makes it once', async (_what, given, status) => {
    server = await stub(given);
    await expect(take(follow([]), 1)).rejects.toMatchObject({ status });
    expect(server.requests).toHaveLength(1);
  });

  it('throws the fifth failure in a row that may have been charged, and counts anew after an answer', async () => {
    const lost = { status: 502, body: '<html>' };
    server = await stub(answer('b', ['1']), lost, lost, lost, lost, answer('c', ['2']), lost);
    const errors: PerchError[] = [];
    const following = follow(errors);
    expect(await take(following, 2)).toEqual(['1', '2']);
    await expect(take(following, 1)).rejects.toMatchObject({ code: 'unreadable', status: 502 });
    expect([server.requests.length, errors.length, following.since]).toEqual([11, 8, 'c']);
  });

  it('yields only what is new if since is null, as read from JSON', async () => {
    server = await stub(answer('b', ['old']), answer('c', ['new']));
    const following = follow([], { query: { since: null } });
    expect(await take(following, 1)).toEqual(['new']);
    expect(server.requests[0]?.path).toContain('?count=1&');
    expect(server.requests[1]?.path).toContain('?since=b&');
  });

  it('keeps trying while connections are refused', async () => {
    server = await stub(answer('b', ['1']));
    const stop = new AbortController();
    const errors: PerchError[] = [];
    const onRetry = (error: PerchError) => errors.push(error) === 7 && stop.abort();
    const following = follow([], { signal: stop.signal, onRetry });
    await take(following, 1);
    server.close();
    expect([await take(following, 1), following.ended]).toEqual([[], 'aborted']);
    expect(errors.at(-1)).toMatchObject({ code: 'unreachable', status: 0, reason: 'ECONNREFUSED' });
  });

  it('throws a refusal of a later call', async () => {
    server = await stub(answer('b', []), failure(403, 'access_denied'));
    const following = follow([]);
    await expect(take(following, 1)).rejects.toBeInstanceOf(PerchError);
    expect([following.since, following.ended]).toEqual(['b', undefined]);
  });

  it.each([0, -1, Number.NaN, 0.0001])('rejects a budget of %d', (maxCredits) => {
    expect(() => follow([], { maxCredits })).toThrow(RangeError);
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])('rejects an interval of %d', (intervalMs) => {
    expect(() => follow([], { intervalMs })).toThrow(RangeError);
  });
});
