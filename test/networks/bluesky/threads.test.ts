import { describe, expect, it } from 'vitest';
import { recordId } from '../../../adapters/networks/bluesky/ids.js';
import { ADA, BEN, bench, CLEO, HIDDEN } from './bench.js';
import { didAt, postOf, uriAt } from './fake.js';

const at = bench();
const { open, page, callsOf } = at;

describe('threads, which come in one piece and are cut into pages', () => {
  const key = (n: number): string =>
    `3n2rygijl${String(n)
      .padStart(4, '2')
      .replaceAll(/[0189]/g, 'z')}`;
  const root = uriAt(ADA, '3n2rygijlaaaa');
  const focal = uriAt(BEN, '3n2rygijlbbbb');
  const node = (uri: string, more: object = {}, post: Parameters<typeof postOf>[1] = {}) => ({
    $type: 'app.bsky.feed.defs#threadViewPost',
    post: postOf(uri, post),
    ...more,
  });
  const reply = (parent: string, createdAt: string) => ({
    record: { createdAt, reply: { root: { uri: root }, parent: { uri: parent } } },
    indexedAt: createdAt,
  });
  const answers = Array.from({ length: 70 }, (_, n) => {
    const did = didAt(100 + n);
    return node(uriAt(did, key(2222)), {}, reply(focal, new Date(Date.UTC(2026, 9, 2, 0, 70 - n)).toISOString()));
  });
  const gone = { $type: 'app.bsky.feed.defs#notFoundPost', uri: uriAt(CLEO, '3n2rygijlak2c'), notFound: true };
  const blocked = { $type: 'app.bsky.feed.defs#blockedPost', uri: gone.uri, blocked: true, author: { did: CLEO } };
  const hidden = node(
    uriAt(CLEO, '3n2rygijlcccc'),
    {},
    { author: HIDDEN, ...reply(focal, '2026-10-02T00:00:30.000Z') },
  );
  const nested = node(uriAt(ADA, '3n2rygijldddd'), {}, reply(uriAt(didAt(100), key(2222)), '2026-10-05T00:00:00.000Z'));
  const first = { ...answers[0], replies: [nested, gone] };
  const thread = node(
    focal,
    { parent: node(root, { parent: gone }), replies: [first, ...answers.slice(1), blocked, hidden] },
    reply(root, '2026-10-01T12:00:00.000Z'),
  );
  const serve = () => open({ 'app.bsky.feed.getPostThread': () => ({ body: { thread } }) });

  it('return the requested post, its ancestors, then replies oldest first, each once', async () => {
    await serve();
    const one = await page('thread', recordId(focal));
    const two = await page('thread', recordId(focal), one.next);
    const tweets = [...(one.tweets ?? []), ...(two.tweets ?? [])];
    expect(tweets.slice(0, 2).map(({ id }) => id)).toEqual([recordId(focal), recordId(root)]);
    expect(tweets).toHaveLength(2 + 70 + 1);
    expect(new Set(tweets.map(({ id }) => id)).size).toBe(tweets.length);
    const times = tweets.slice(2).map(({ createdAt }) => createdAt);
    expect(times).toEqual([...times].sort());
    expect(two.next).toBeNull();
  });

  it('direct replies only', async () => {
    await serve();
    const one = await page('replies', recordId(focal));
    const two = await page('replies', recordId(focal), one.next);
    const ids = [...(one.tweets ?? []), ...(two.tweets ?? [])].map(({ id }) => id);
    expect(ids).toHaveLength(70);
    expect(ids).not.toContain(recordId(nested.post.uri));
    expect(callsOf('getPostThread')[0]?.query.get('depth')).toBe('1');
  });

  it('keep their order when posts appear or disappear between two pages', async () => {
    let replies = answers;
    await open({ 'app.bsky.feed.getPostThread': () => ({ body: { thread: node(focal, { replies }) } }) });
    const one = await page('replies', recordId(focal));
    const seen = one.tweets?.map(({ id }) => id) ?? [];
    // The last of the page and one of its first are gone, and one older than all has come.
    const doomed = [seen.at(-1), seen[0]];
    const late = node(uriAt(CLEO, key(3333)), {}, reply(focal, '2026-10-01T00:00:00.000Z'));
    replies = [...answers.filter(({ post }) => !doomed.includes(recordId(post.uri))), late];
    const two = await page('replies', recordId(focal), one.next);
    expect(two.tweets).toHaveLength(20);
    expect(two.tweets?.some(({ id }) => seen.includes(id))).toBe(false);
  });

  it.each([
    [
      'of which all was returned',
      { parent: node(root), replies: [node(uriAt(CLEO, key(2222)), { replies: [] })] },
      undefined,
    ],
    ['whose first ancestor was deleted', { parent: gone, replies: [] }, undefined],
    [
      'whose last post has more replies',
      { parent: node(root), replies: [node(uriAt(CLEO, key(2222)), {}, { replyCount: 1 })] },
      'network_limit',
    ],
    [
      'whose first ancestor is a reply',
      { parent: node(uriAt(CLEO, key(3333)), {}, reply(root, '2026-10-01T00:00:00.000Z')), replies: [] },
      'network_limit',
    ],
  ] as const)('end with the reason where the network cut them: a thread %s (C17)', async (_, around, endReason) => {
    const cut = node(focal, around, reply(root, '2026-10-01T12:00:00.000Z'));
    await open({ 'app.bsky.feed.getPostThread': () => ({ body: { thread: cut } }) });
    const read = await page('thread', recordId(focal));
    expect([read.next, read.endReason]).toEqual([null, endReason]);
    expect((await page('replies', recordId(focal))).endReason).toBeUndefined();
  });

  it('are not_found for a deleted, blocked or hidden post', async () => {
    for (const root of [gone, blocked, hidden]) {
      await open({ 'app.bsky.feed.getPostThread': () => ({ body: { thread: root } }) });
      await expect(page('thread', recordId(focal))).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});
