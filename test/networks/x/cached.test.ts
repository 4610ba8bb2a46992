import { expect, it } from 'vitest';
import { createEngine } from '../../kit/engine.js';
import { idOf, post, replyTo, scripting, user } from './support/scripted.js';

const scripted = scripting();

/** The adapter under the engine. `paths` returns what X was asked since the last call. */
async function reading() {
  const [parent, reply] = [idOf(20), idOf(10)];
  const at = await scripted(({ path, query }) => {
    if (path === '/2/users/by') return { body: { data: [user('5', { username: query.get('usernames') })] } };
    if (path === '/2/users') return { body: { data: [user('5')] } };
    if (path.startsWith('/2/users/5/follow')) return { body: { data: [user('6')] } };
    if (path === '/2/tweets') return { body: { data: [post(parent)], includes: { users: [user('5')] } } };
    return { body: { data: [post(reply, replyTo(parent, parent))] } };
  });
  const engine = createEngine(at.network);
  let seen = 0;
  const paths = () => {
    const new_ = at.requests.slice(seen).map(({ path }) => path);
    seen = at.requests.length;
    return new_;
  };
  return { engine, paths, parent };
}

const followers = { kind: 'followers', count: 10 } as const;

it('learns from the request for the id of a handle whether its followers are public', async () => {
  const { engine, paths } = await reading();
  await engine.page({ ...followers, subject: 'gull' });
  expect(paths()).toEqual(['/2/users/by', '/2/users/5/followers']);
});

it('reads the profile once for followers by id, and caches it', async () => {
  const { engine, paths } = await reading();
  await engine.page({ ...followers, subject: '5' });
  expect(paths()).toEqual(['/2/users', '/2/users/5/followers']);
  await engine.page({ kind: 'following', subject: '5', count: 10 });
  expect(paths()).toEqual(['/2/users/5/following']);
  const { reads } = engine.open();
  expect(await reads.user({ id: '5' }, { path: 'user', fresh: false })).toMatchObject({ id: '5' });
  expect(paths()).toEqual([]);
});

it('uses in a fresh read nothing that others have read, but what its own call has (M8)', async () => {
  const { engine, paths } = await reading();
  await engine.page({ ...followers, subject: '5' });
  paths();
  await engine.page({ ...followers, subject: '5', fresh: true });
  expect(paths()).toEqual(['/2/users', '/2/users/5/followers']);
  const { reads } = engine.open();
  await reads.user({ handle: 'gull' }, { path: 'user', fresh: true });
  await reads.page({ ...followers, subject: '5', path: 'user.followers', fresh: true });
  expect(paths()).toEqual(['/2/users/by', '/2/users/5/followers']);
});

it('does not request a tweet again for a thread and replies in the same call', async () => {
  const { engine, paths, parent } = await reading();
  const { reads } = engine.open();
  await reads.tweet(parent, { path: 'tweet', fresh: false });
  await reads.page({ kind: 'thread', subject: parent, count: 10, path: 'tweet.thread', fresh: false });
  await reads.page({ kind: 'replies', subject: parent, count: 10, path: 'tweet.replies', fresh: false });
  expect(paths()).toEqual(['/2/tweets', '/2/tweets/search/recent', '/2/tweets/search/recent']);
});

it('reads the tweet of a thread again even if it is cached', async () => {
  const { engine, paths, parent } = await reading();
  await engine.open().reads.tweet(parent, { path: 'tweet', fresh: false });
  paths();
  await engine.page({ kind: 'thread', subject: parent, count: 10 });
  expect(paths()).toEqual(['/2/tweets', '/2/tweets/search/recent']);
});
