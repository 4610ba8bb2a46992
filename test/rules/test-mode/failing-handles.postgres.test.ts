/** The handles and tweets of the invented network that fail in a known way, over every interface. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMPTY_HANDLE, FAILING_HANDLES, PRIVATE_HANDLE } from '../../../demo/handles/failing-handles.js';
import { ERROR_CODES } from '../../../src/domain/errors.js';
import type { Service } from '../support/service.js';
import { startTestMode, type Tester, testerOf } from './service.js';

let service: Service;
let tester: Tester;
beforeAll(async () => {
  service = await startTestMode();
  tester = await testerOf(service, await service.customer());
  await tester.get('/v1/me');
});
afterAll(() => service.close());

/** What a call was charged, by the change of the wallet. */
async function costOf<T>(call: () => Promise<T>): Promise<[T, number]> {
  const before = await service.perch.balance(tester.account);
  const reply = await call();
  return [reply, before - (await service.perch.balance(tester.account))];
}

describe.each(FAILING_HANDLES)('$handle', ({ handle, tweetId, code, reason }) => {
  const { status } = ERROR_CODES[code];

  it.each([
    `/v1/users/${handle}`,
    `/v1/users/${handle.toUpperCase()}`,
    `/v1/users/${handle}/tweets`,
    `/v1/users/${handle}/followers/ids`,
    `/v1/tweets/${tweetId}`,
  ])('GET %s', async (path) => {
    const [reply, cost] = await costOf(() => tester.get(path));
    expect([reply.status, reply.body.error.code, reply.body.error.reason]).toEqual([status, code, reason]);
    expect(cost).toBe(0);
  });

  it('GraphQL', async () => {
    const query = `{ user(handle: "${handle}") { id } tweet(id: "${tweetId}") { id } }`;
    const [{ body }, cost] = await costOf(() => tester.post('/graphql', { query }));
    expect(body.errors).toMatchObject([{ extensions: { code } }, { extensions: { code } }]);
    expect(cost).toBe(0);
  });

  it('MCP', async () => {
    const call = () =>
      tester.post(
        '/mcp',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_user', arguments: { handle } } },
        { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' },
      );
    const [{ text }, cost] = await costOf(call);
    expect(text).toContain('"isError":true');
    expect(text).toContain(code);
    expect(cost).toBe(0);
  });
});

it('shows only the profile of a private account', async () => {
  const profile = await tester.get(`/v1/users/${PRIVATE_HANDLE}`);
  expect(profile.body).toMatchObject({ data: { handle: PRIVATE_HANDLE, protected: true }, credits_charged: 1 });
  for (const list of ['tweets', 'followers', 'following', 'followers/ids']) {
    const reply = await tester.get(`/v1/users/${PRIVATE_HANDLE}/${list}`);
    expect([reply.status, reply.body.error]).toMatchObject([404, { code: 'not_found', reason: 'private' }]);
  }
});

it('charges only for the profile of an empty account', async () => {
  for (const list of ['tweets', 'followers', 'following', 'followers/ids']) {
    const reply = await tester.get(`/v1/users/${EMPTY_HANDLE}/${list}`);
    expect([reply.status, reply.body]).toMatchObject([200, { items: 0, credits_charged: 0 }]);
  }
});

it('fails each on its own in a batch, while the others are read and charged', async () => {
  const handles = ['user1', ...FAILING_HANDLES.map(({ handle }) => handle), 'user2'];
  const { status, body } = await tester.post('/v1/users/batch', { handles });
  expect([status, body.items, body.errors.length]).toEqual([200, 2, FAILING_HANDLES.length]);
});

it('does not delay other reads while some fail', async () => {
  const other = await testerOf(service, await service.customer());
  const failing = Array.from({ length: 20 }, () => tester.get('/v1/users/fails_no_session?fresh=true'));
  const reads = Array.from({ length: 20 }, (_, n) => other.get(`/v1/users/user${n + 10}?fresh=true`));
  expect((await Promise.all(failing)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 503));
  expect((await Promise.all(reads)).map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
  const { body } = await service.nobody.get('/status');
  expect(body).toMatchObject({ status: 'ok' });
});

it('does not find them in searches', async () => {
  for (const handle of [...FAILING_HANDLES.map((one) => one.handle), PRIVATE_HANDLE, EMPTY_HANDLE]) {
    const { status, text } = await tester.get(`/v1/tweets/search?q=${handle}&product=People`);
    expect([status, text]).toEqual([200, expect.not.stringContaining(`"handle":"${handle}"`)]);
  }
});
