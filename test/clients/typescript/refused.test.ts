/** What the client refuses before a call, and what it reports if something else than Perch answers, or nothing does. */
import { afterEach, expect, it } from 'vitest';
import { createPerch, graphql, type PerchError, type PerchOptions } from '../../../clients/typescript/src/index.js';
import { failure, page, REQUEST_ID, type Stub, stub } from '../server.js';

const KEY = `perch_live_${'k'.repeat(32)}`;
const IDS = '/v1/users/{user}/followers/ids';
const me = graphql('{ me { balance } }');

let server: Stub | undefined;
afterEach(() => server?.close());
const client = (options: Partial<PerchOptions> = {}) =>
  createPerch({ baseUrl: server?.url ?? 'http://127.0.0.1:1', key: KEY, ...options });

const failed = (promise: Promise<unknown>): Promise<PerchError> =>
  promise.then(
    () => {
      throw new Error('It did not fail.');
    },
    (error: PerchError) => error,
  );

it.each([
  undefined,
  '',
  'perch.example',
  '127.0.0.1:4000',
  'localhost:4000',
  'ftp://a',
  'https://a?b=c',
  'https://a#b',
  'http://a:secret@b',
])('refuses an invalid base address: %s', (baseUrl) => {
  const made = () => createPerch({ baseUrl: baseUrl as string, key: KEY });
  expect(made).toThrow(TypeError);
  expect(made).toThrow(/^baseUrl must be (?!.*secret)/);
});

it.each(['', '/', '///', '/?'])('accepts a base address that ends in "%s"', async (end) => {
  server = await stub(page({ balance: 1 }));
  const perch = client({ baseUrl: `${server.url}/perch${end}` });
  await perch.get('/v1/me');
  await failed(perch.query(me));
  expect(server.requests.map(({ path }) => path)).toEqual(['/perch/v1/me', '/perch/graphql']);
});

it.each([undefined, null, '', 'a b', 'é'])('refuses an invalid key, such as from an unset variable: %s', (key) => {
  expect(() => createPerch({ baseUrl: 'http://127.0.0.1:1', key: key as string })).toThrow(
    expect.objectContaining({ name: 'PerchError', code: 'missing_key', status: 0 }),
  );
});

it.each(['.', '..'])('refuses a handle that would lead to another endpoint: %s', async (user) => {
  server = await stub(page({}));
  const perch = client();
  const refused = { code: 'bad_request', status: 0, param: 'user' };
  expect(await failed(perch.get(IDS, { path: { user } }))).toMatchObject(refused);
  expect(await failed(perch.estimate(IDS, { path: { user } }))).toMatchObject(refused);
  expect(
    await failed(perch.pages(IDS, { path: { user }, maxCredits: 1 })[Symbol.asyncIterator]().next()),
  ).toMatchObject(refused);
  expect(server.requests).toEqual([]);
});

it('refuses half of a surrogate pair in a parameter', async () => {
  server = await stub(page({}));
  const refused = { name: 'PerchError', code: 'bad_request', status: 0 };
  expect(await failed(client().get(IDS, { path: { user: 'a\ud800' } }))).toMatchObject(refused);
  expect(await failed(client().get('/v1/tweets/search', { query: { q: '\udc00' } }))).toMatchObject(refused);
  expect(server.requests).toEqual([]);
});

it.each([-1, Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 31])('refuses a time limit of %d ms', async (timeoutMs) => {
  server = await stub(page({}));
  const refused = { name: 'PerchError', code: 'bad_request', status: 0, param: 'timeoutMs' };
  expect(() => client({ timeoutMs })).toThrow(expect.objectContaining(refused));
  expect(await failed(client().get('/v1/me', { timeoutMs }))).toMatchObject(refused);
  expect(await failed(client().query(me, {}, { timeoutMs }))).toMatchObject(refused);
  expect(server.requests).toEqual([]);
});

it.each([Number.POSITIVE_INFINITY, 2 ** 31 - 1, 20_000.5])('takes a time limit of %d ms', async (timeoutMs) => {
  server = await stub(page({ balance: 1 }));
  expect(await client({ timeoutMs }).get('/v1/me')).toMatchObject({ balance: 1 });
  expect(await client().get('/v1/me', { timeoutMs })).toMatchObject({ balance: 1 });
});

it('sends an Idempotency-Key, and refuses one that no header can hold', async () => {
  server = await stub(page({}));
  const checkout = (key: string) =>
    client().post('/v1/billing/checkout', { body: { pack: 'starter' }, header: { 'Idempotency-Key': key } });
  await checkout('order-1');
  for (const key of ['', 'a b', 'é', 'a\nb']) {
    expect(await failed(checkout(key))).toMatchObject({ code: 'bad_request', status: 0, param: 'Idempotency-Key' });
  }
  expect(server.requests.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['order-1']);
});

it('sends any other handle as one segment of the address', async () => {
  server = await stub(page({}));
  for (const user of ['日本', 'a/../b', '%2e%2e', 'a?b#c', '🐦 x']) await client().get(IDS, { path: { user } });
  expect(server.requests.map(({ path }) => decodeURIComponent(path.split('/')[3] ?? ''))).toEqual([
    '日本',
    'a/../b',
    '%2e%2e',
    'a?b#c',
    '🐦 x',
  ]);
});

it('says why nothing was reached, in one word, for REST and GraphQL', async () => {
  server = await stub();
  server.close();
  const message = `${server.url} can't be reached (ECONNREFUSED).`;
  expect(await failed(client().get('/v1/me'))).toMatchObject({ code: 'unreachable', message });
  expect(await failed(client().query(me))).toMatchObject({ code: 'unreachable', message });
});

it('does not follow a redirect, and reports it', async () => {
  const elsewhere = await stub();
  server = await stub({ status: 308, headers: { location: `${elsewhere.url}/` } });
  const expected = { code: 'unreadable', status: 308, message: expect.stringMatching(/ responded with a redirect/) };
  expect(await failed(client().post('/v1/users/batch', { body: { handles: ['a'] } }))).toMatchObject(expected);
  expect(await failed(client().query(me))).toMatchObject(expected);
  expect(elsewhere.requests).toEqual([]);
  elsewhere.close();
});

it('reports no time to retry from a proxy, behind which the call may have been charged', async () => {
  server = await stub({ status: 503, headers: { 'retry-after': '7' }, body: '<html>' });
  const expected = { code: 'unreadable', status: 503, retryAfter: undefined };
  expect(await failed(client().get('/v1/me'))).toMatchObject(expected);
  expect(await failed(client().query(me))).toMatchObject(expected);
});

it.each([
  [200, 'cut', 'unreachable'],
  [200, 'held', 'timeout'],
  [503, 'cut', 'unreachable'],
] as const)('reports status and id of an answer whose body was lost: %i, %s', async (status, bodyLost, code) => {
  server = await stub({ status, bodyLost, headers: { 'x-request-id': REQUEST_ID } });
  const expected = { code, status, requestId: REQUEST_ID };
  expect(await failed(client({ timeoutMs: 3_000 }).get('/v1/me'))).toMatchObject(expected);
  expect(await failed(client({ timeoutMs: 3_000 }).query(me))).toMatchObject(expected);
});

it.each([
  [200, REQUEST_ID, REQUEST_ID],
  [502, REQUEST_ID, REQUEST_ID],
  [502, '0c1f8f0a-9d5b-4a52-8d53-55f8f6d6a3f7', undefined],
])('reports the id of an unreadable answer (%i) if it is one of Perch: %s', async (status, id, requestId) => {
  server = await stub({ status, body: '<html>', headers: { 'x-request-id': id } });
  const expected = { code: 'unreadable', status, requestId };
  expect(await failed(client().get('/v1/me'))).toMatchObject(expected);
  expect(await failed(client().query(me))).toMatchObject(expected);
});

it.each(['null', '3', '"text"', '[]', ''])('reports JSON other than an object as unreadable: %s', async (body) => {
  server = await stub({ body });
  const expected = { code: 'unreadable', status: 200 };
  const paid = { path: { user: 'a' }, maxCredits: 9 };
  expect(await failed(client().get('/v1/me'))).toMatchObject(expected);
  expect(await failed(client().query(me))).toMatchObject(expected);
  expect(await failed(client().pages(IDS, paid)[Symbol.asyncIterator]().next())).toMatchObject(expected);
  const following = client().follow('/v1/users/{user}/tweets', paid);
  expect(await failed(following[Symbol.asyncIterator]().next())).toMatchObject(expected);
});

it('rejects an estimate without a price', async () => {
  server = await stub(page({}));
  const expected = { code: 'unreadable', status: 200 };
  expect(await failed(client().estimate(IDS, { path: { user: 'a' } }))).toMatchObject(expected);
  expect(await failed(client().estimateQuery(me))).toMatchObject(expected);
});

it('sends nothing if the signal has already fired', async () => {
  server = await stub(page({}));
  const signal = AbortSignal.abort(new Error('too late'));
  expect((await failed(client().get('/v1/me', { signal }))).message).toBe('too late');
  expect((await failed(client().query(me, {}, { signal }))).message).toBe('too late');
  expect(server.requests).toEqual([]);
});

it('ends pages without a price, and resumes after a break or a failure', async () => {
  server = await stub(
    page({ next_cursor: 'a' }),
    page({ next_cursor: 'b', credits_charged: undefined }),
    page({ next_cursor: 'b' }),
    failure(503, 'no_account'),
    page({ data: ['last'] }),
  );
  const walk = (cursor?: string) =>
    client().pages(IDS, { path: { user: 'a' }, maxCredits: 9, query: cursor === undefined ? {} : { cursor } });
  const broken = walk();
  for await (const _ of broken) break;
  expect([broken.cursor, broken.ended, broken.spent]).toEqual(['a', undefined, 1]);
  expect(await failed(walk(broken.cursor)[Symbol.asyncIterator]().next())).toMatchObject({ code: 'unreadable' });
  const second = walk(broken.cursor);
  const through = async () => {
    for await (const _ of second);
  };
  expect(await failed(through())).toMatchObject({ code: 'no_account' });
  expect([second.cursor, second.ended, second.spent]).toEqual(['b', undefined, 1]);
  const rest: string[][] = [];
  for await (const { data } of walk(second.cursor)) rest.push(data);
  expect(rest).toEqual([['last']]);
});
