import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LIST_READS } from '../../../src/domain/lists.js';
import { range } from '../../kit/networks/scripted-network.js';
import { ERAS, type RawReply, sendNew } from './raw.js';
import { type McpService, startMcp } from './service.js';

const LARGE = /^Large: about [\d,]+ tokens\. If your client cuts this off, request less at a time/;

let service: McpService;
beforeAll(async () => {
  service = await startMcp();
});
afterAll(() => service.close());

const call = (name: string, args: unknown, headers: Record<string, string> = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args },
  headers,
});
const contentOf = ({ body }: RawReply) => body.result.structuredContent;
const textOf = ({ body }: RawReply): string => body.result.content[0].text;

describe('the Accept header (A37)', () => {
  it.each(
    ERAS.flatMap(([revision, send]) =>
      ['*/*', 'application/json', 'text/html', ''].map((accept) => [revision, accept, send] as const),
    ),
  )('answers JSON over %s to %j', async (_revision, accept, send) => {
    const { key } = await service.perch.account();
    for (const message of [{ method: 'tools/list', headers: { accept } }, call('get_account', {}, { accept })]) {
      const { status, headers, body } = await send(service.url, key, message);
      expect([status, headers.get('content-type'), body.error]).toEqual([
        200,
        expect.stringMatching(/^application\/json/),
        undefined,
      ]);
    }
  });
});

describe('arguments sent as text (A38)', () => {
  it.each(ERAS)('are read over %s as what their text says', async (_revision, send) => {
    const { key } = await service.perch.account();
    const read = async (name: string, args: unknown) => contentOf(await send(service.url, key, call(name, args)));
    const page = await read('get_followers', { user: '1', count: '2', fresh: 'false', max_credits: '5' });
    expect(page.data).toHaveLength(2);
    expect((await read('get_user', { handle: 'user1', fresh: 'true' })).cache).toBe('bypass');
    expect((await read('get_users', { handles: '["user1","user2"]' })).data).toHaveLength(2);
    expect((await read('get_tweets', '{"ids":["120"]}')).data).toMatchObject([{ id: '120' }]);
    expect((await read('price', { tool: 'get_users', arguments: '{"handles":["a","b"]}' })).estimate.max_items).toBe(2);
  });

  it('leave a text alone if text is expected', async () => {
    const { key } = await service.perch.account();
    service.net.user({ id: '900', handle: 'true' });
    expect(contentOf(await sendNew(service.url, key, call('get_user', { handle: 'true' }))).data.id).toBe('900');
    expect(contentOf(await sendNew(service.url, key, call('get_tweet', { id: '120' }))).data.id).toBe('120');
  });

  it('count against the size of a message', async () => {
    const { key } = await service.perch.account();
    const text = JSON.stringify({ handles: Array.from({ length: 1100 }, () => 'a') });
    const { status, body } = await sendNew(service.url, key, call('get_users', text));
    expect([status, body.error.message]).toEqual([400, expect.stringContaining('more than 1000 values')]);
  });
});

describe('large results', () => {
  const wordy = {
    bio: 'a bio of some length '.repeat(7),
    location: 'by the sea',
    avatarUrl: 'https://a.example/1.jpg',
  };

  it('hold each author once, and every tweet names its own (A39)', async () => {
    const { key } = await service.perch.account();
    const [even, odd] = [service.net.user({ id: '910', ...wordy }), service.net.user({ id: '911', ...wordy })];
    const ids = range(100, 2000).map((id) => {
      const author = id % 2 === 0 ? even : odd;
      return service.net.tweet({ id: String(id), text: 'word '.repeat(30), authorId: author.id, author }).id;
    });
    service.net.list('timeline', '910', ids, { pageSize: 100 });
    const reply = await sendNew(service.url, key, call('get_user_tweets', { user: '910', count: 100 }));
    const { data, warnings } = contentOf(reply);
    expect(data.map((tweet: { author_id: string }) => tweet.author_id)).toEqual(
      ids.map((id) => String(910 + (Number(id) % 2))),
    );
    expect(data.flatMap(({ author }: { author?: { id: string } }) => author?.id ?? [])).toEqual(['910', '911']);
    expect(warnings).toBeUndefined();
    expect(textOf(reply)).not.toMatch(LARGE);
    expect(textOf(reply).match(/@user91[01] /g)).toHaveLength(100);
  });

  it('begin with how to ask for less, and are delivered whole (A40)', async () => {
    const { key } = await service.perch.account();
    const ids = service.net.users(range(200, 3000), { ...wordy, url: 'https://example.org/'.repeat(5) });
    service.net.list('followers', '1', ids, { pageSize: 200 });
    const reply = await sendNew(service.url, key, call('get_followers', { user: '1', count: 200, fresh: true }));
    expect(textOf(reply)).toMatch(LARGE);
    expect(contentOf(reply).warnings).toEqual([textOf(reply).split('\n')[0]]);
    expect(contentOf(reply)).toMatchObject({ items: 200, credits_charged: 40 });
    const less = await sendNew(service.url, key, call('get_followers', { user: '1', count: 50 }));
    expect(textOf(less)).not.toMatch(LARGE);
    expect(contentOf(less)).toMatchObject({ items: 50, cache: 'hit' });
  });

  it('are announced where the count is chosen, before anything is read', async () => {
    const { key } = await service.perch.account();
    const { body } = await sendNew(service.url, key, { method: 'tools/list' });
    const large = body.result.tools.filter(
      ({
        inputSchema: { properties },
      }: {
        inputSchema: { properties: Record<string, { maximum?: number; description: string }> };
      }) => /cut off more than 50/.test(properties.count?.description ?? ''),
    );
    const lists = LIST_READS.filter(({ idsOnly, list }) => !idsOnly && list.size.max > 50);
    expect(lists.map(({ tool }) => tool.name)).toContain('get_followers');
    expect(large.map(({ name }: { name: string }) => name)).toEqual(lists.map(({ tool }) => tool.name));
  });
});
