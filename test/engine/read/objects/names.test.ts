/** Names in the cache, for how long pages stay there, and what cannot be the subject of a read. */
import { describe, expect, it } from 'vitest';
import { LIST_KINDS, LISTS } from '../../../../src/domain/lists.js';
import {
  absentKey,
  listHash,
  namesOfItem,
  namesOfUser,
  pageKey,
  tweetKey,
  userKey,
} from '../../../../src/read/keys.js';
import { DEFAULT_LIFETIMES, pageLifetime } from '../../../../src/read/lifetimes.js';
import { impossibleHandle, impossibleId, impossibleUser } from '../../../../src/read/subjects.js';
import { createScriptedNetwork } from '../../../kit/networks/scripted-network.js';

const net = createScriptedNetwork();

describe('names in the cache', () => {
  it('of users are by id and by handle in any spelling, of tweets by id', () => {
    expect([userKey({ id: '7' }), userKey({ handle: 'Seven' }), tweetKey('7'), absentKey('user:7')]).toEqual([
      ...['user:7', 'handle:seven', 'tweet:7', 'absent:user:7'],
    ]);
    expect(namesOfItem(net.user({ id: '7', handle: 'Seven' }))).toEqual(['user:7', 'handle:seven']);
    expect(namesOfItem(net.tweet({ id: '7' }))).toEqual(['tweet:7', 'by:1']);
    const author = net.user({ id: '8', handle: 'Eight' });
    const retweet = net.tweet({ id: '9', authorId: '8', author, retweetedId: '7', retweetedAuthorId: '1' });
    expect(namesOfItem(retweet)).toEqual(['tweet:9', 'by:8', 'user:8', 'handle:eight', 'by:1']);
  });

  it('of a user whose handle is not known are the id alone', () => {
    expect(namesOfUser(net.user({ id: '7', handle: 'Handle.Invalid' }))).toEqual(['user:7']);
    expect(namesOfUser(net.user({ id: '7', lostHandle: true }))).toEqual(['user:7']);
  });

  it('of lists are short, and differ in kind, subject and order', () => {
    const hashes = [
      listHash({ kind: 'search', subject: 'a' }),
      listHash({ kind: 'search', subject: 'b' }),
      listHash({ kind: 'search', subject: 'a', product: 'Top' }),
      listHash({ kind: 'search', subject: 'a', product: 'Latest' }),
      listHash({ kind: 'timeline', subject: 'a' }),
    ];
    expect(new Set(hashes).size).toBe(5);
    for (const hash of hashes) expect(hash).toMatch(/^[\w-]{16}$/);
    expect(pageKey(hashes[0] ?? '', '@1')).toBe(`page:{${hashes[0]}}:@1`);
  });
});

describe('how long a page is cached', () => {
  it.each(LIST_KINDS.map((kind) => [kind, LISTS[kind].lifetime] as const))('of %s: %s', (kind, lifetime) => {
    const [first, deeper] = [true, false].map((isFirst) =>
      pageLifetime(DEFAULT_LIFETIMES, { kind, subject: '1' }, isFirst),
    );
    const { firstPageMs, deeperPageMs, followersMs } = DEFAULT_LIFETIMES;
    expect([first, deeper]).toEqual(lifetime === 'by depth' ? [firstPageMs, deeperPageMs] : [followersMs, followersMs]);
  });
});

it.each([
  [impossibleUser, 'user'],
  [impossibleHandle, 'handle'],
  [impossibleId, 'id'],
])('answers unknown for an impossible name, as if the network had said so (I5): %o', (failure, what) => {
  expect(failure('x!')).toMatchObject({
    ...{ code: 'not_found', status: 404, detail: { reason: 'unknown' } },
    message: expect.stringContaining(`Invalid ${what} "x!"`),
  });
});
