import { afterAll, beforeAll, expect, it } from 'vitest';
import { startWatched, type Watched } from './service.js';

let watched: Watched;
beforeAll(async () => {
  watched = await startWatched();
});
afterAll(() => watched?.perch.close());

const MS = String.raw`dur=\d+(?:\.\d)?`;
const WHOLE = new RegExp(`^queue;${MS}, upstream;${MS}, total;${MS}$`);
const CACHED = new RegExp(`^total;${MS}$`);

const timing = (reply: { headers: Headers }) => reply.headers.get('server-timing') ?? '';

it('reports the wait, the upstream time and the total for an answer from the network (L7)', async () => {
  expect(timing(await watched.client.get('/v1/users/user1'))).toMatch(WHOLE);
  const query = '{ user(handle: "user2") { id } }';
  expect(timing(await watched.client.post('/graphql', { query }))).toMatch(WHOLE);
});

it('reports no upstream time for a cached read', async () => {
  await watched.client.get('/v1/users/user3');
  expect(timing(await watched.client.get('/v1/users/user3'))).toMatch(CACHED);
});

it('reports them for a read that failed at the network', async () => {
  watched.net.fail(new Error('broken'));
  const reply = await watched.client.get('/v1/users/user4?fresh=true').finally(() => watched.net.heal());
  expect([reply.status, WHOLE.test(timing(reply))]).toEqual([503, true]);
});

it('reports the upstream time of the network', async () => {
  const release = watched.net.hold();
  const before = watched.net.calls.length;
  const pending = watched.client.get('/v1/users/user5?fresh=true');
  await watched.net.called(before + 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  release();
  const [, upstream = '0', total = '0'] = /upstream;dur=([\d.]+), total;dur=([\d.]+)/.exec(timing(await pending)) ?? [];
  expect(Number(upstream)).toBeGreaterThan(90);
  expect(Number(total)).toBeGreaterThanOrEqual(Number(upstream) - 2);
});

it('reports nothing without an account', async () => {
  const reply = await fetch(`${watched.perch.url}/v1/users/user1`);
  expect([reply.status, reply.headers.get('server-timing')]).toEqual([401, null]);
});
