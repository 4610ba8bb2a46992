import { describe, expect, it } from 'vitest';
import type { XOptions } from '../../../adapters/networks/x/api.js';
import type { NetworkPage } from '../../../src/ports/network.js';
import { context, idOf, ids, NOW, post, replyTo, type Scripted, scripting, user } from './support/scripted.js';

const scripted = scripting();

describe('threads of X', () => {
  //  root ─ middle ─ focal ─ child ─ grandchild
  //            └ side ─ under side
  const [root, middle, focal, side, child, underSide, grandchild] = [40, 30, 20, 15, 10, 9, 5].map((hours) =>
    idOf(hours),
  ) as [string, string, string, string, string, string, string];
  const WORLD: Record<string, Record<string, unknown>> = {
    [root]: post(root),
    [middle]: post(middle, replyTo(root, root)),
    [focal]: post(focal, replyTo(middle, root)),
    [side]: post(side, replyTo(middle, root)),
    [child]: post(child, replyTo(focal, root)),
    [underSide]: post(underSide, replyTo(side, root)),
    [grandchild]: post(grandchild, replyTo(child, root)),
  };

  /** Serves the conversation in pages of two, without the `hidden` posts. */
  const serve = (hidden: readonly string[] = [], options: Partial<XOptions> = {}) => {
    const shown = Object.values(WORLD).filter(({ id }) => !hidden.includes(String(id)));
    return scripted(({ path, query }) => {
      if (path === '/2/tweets') {
        const data = query
          .get('ids')
          ?.split(',')
          .flatMap((id) => shown.filter((each) => each.id === id));
        return { body: { data, meta: {} } };
      }
      const parent = /^in_reply_to_tweet_id:(\d+)$/.exec(query.get('query') ?? '')?.[1];
      const newest = shown.toReversed().filter((each) => {
        const [reference] = (each.referenced_tweets as { id: string }[] | undefined) ?? [];
        return parent === undefined ? each.id !== root : reference?.id === parent || each.id === grandchild;
      });
      const from = Number(query.get('next_token') ?? 0);
      const meta = from + 2 < newest.length ? { next_token: String(from + 2) } : {};
      return { body: { data: newest.slice(from, from + 2), meta } };
    }, options);
  };

  async function walk(at: Scripted, subject: string): Promise<{ ids: string[]; end: NetworkPage }> {
    const all: string[] = [];
    let token: string | null = null;
    for (let pages = 0; pages < 10; pages += 1) {
      const page: NetworkPage = await at.network.page({ kind: 'thread', subject }, token, context());
      all.push(...ids(page));
      token = page.next;
      if (token === null) return { ids: all, end: page };
    }
    throw new Error('It does not end.');
  }

  it('have the focal post, its ancestors from the root down, its answers, and no side branches (T1, T2)', async () => {
    const at = await serve();
    const { ids: found, end } = await walk(at, focal);
    expect(found.slice(0, 3)).toEqual([focal, root, middle]);
    expect(found.slice(3).toSorted()).toEqual([child, grandchild].toSorted());
    expect(end).not.toHaveProperty('endReason');
    expect(at.queries('/2/tweets/search/recent')[0]).toMatchObject({ query: `conversation_id:${root}` });
  });

  it('of a root have everything in its conversation, and no parents are looked up', async () => {
    const at = await serve();
    expect((await walk(at, root)).ids.toSorted()).toEqual(Object.keys(WORLD).toSorted());
    expect(at.queries('/2/tweets')).toHaveLength(1);
  });

  it('stop at a missing ancestor and still include the root (T4)', async () => {
    const { ids: found } = await walk(await serve([middle]), focal);
    expect(found.slice(0, 2)).toEqual([focal, root]);
    expect(found).not.toContain(side);
  });

  describe('of many posts in a line', () => {
    const line = Array.from({ length: 45 }, (_, nth) => idOf(100 - 2 * nth));
    const top = line[0] as string;
    /** Each post replies to the one before it. A search has two pages, and finds at most this post. */
    const serveLine = (found?: string) =>
      scripted(({ path, query }) => {
        const posts = line.map((id, nth) => post(id, nth > 0 ? replyTo(line[nth - 1] as string, top) : {}));
        const asked = query.get('ids')?.split(',');
        if (path === '/2/tweets') return { body: { data: posts.filter(({ id }) => asked?.includes(String(id))) } };
        return query.has('next_token')
          ? { body: { meta: {} } }
          : { body: { data: posts.filter(({ id }) => id === found), meta: { next_token: 'b26v' } } };
      });

    it.each([
      [31, undefined],
      [32, 'network_limit'],
    ])('with %i above say in the end whether the root is all that is left (C17)', async (above, endReason) => {
      const { ids: found, end } = await walk(await serveLine(), line[above] as string);
      expect(found.slice(0, 32)).toEqual([line[above], top, ...line.slice(above - 30, above)]);
      expect(end.endReason).toBe(endReason);
    });

    it.each([
      [11, true, undefined],
      [12, false, 'network_limit'],
    ])('with %i below say in the end whether some were too far away (C17)', async (below, isFound, endReason) => {
      const last = line[5 + below] as string;
      const { ids: found, end } = await walk(await serveLine(last), line[5] as string);
      expect(found.includes(last)).toBe(isFound);
      expect(end.endReason).toBe(endReason);
    });
  });

  it('are not_found for a deleted post, whatever replies exist (T3)', async () => {
    const at = await serve([focal]);
    await expect(walk(at, focal)).rejects.toMatchObject({ code: 'not_found' });
    await expect(at.network.page({ kind: 'replies', subject: focal }, null, context())).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('have only replies to the post itself as its replies, whatever the search finds', async () => {
    const at = await serve();
    const page = await at.network.page({ kind: 'replies', subject: middle }, null, context());
    const start = Math.floor((NOW - 30 * 3_600_000) / 1000);
    expect([...ids(page), page.next]).toEqual([side, `recent.${start}....2`]);
    expect(ids(await at.network.page({ kind: 'replies', subject: middle }, page.next, context()))).toEqual([focal]);
  });

  it('older than seven days are cut below and say so, or come from the archive (C17)', async () => {
    const old = idOf(24 * 30);
    const answer = ({ path }: { path: string }) => ({
      body: { data: path === '/2/tweets' ? [post(old)] : undefined, meta: {} },
    });
    const recent = await scripted(answer);
    expect(await recent.network.page({ kind: 'thread', subject: old }, null, context())).toMatchObject({
      endReason: 'network_limit',
    });
    const archive = await scripted(answer, { search: 'archive' });
    expect(await archive.network.page({ kind: 'replies', subject: old }, null, context())).not.toHaveProperty(
      'endReason',
    );
    expect(archive.queries('/2/tweets/search/all')).toMatchObject([{ start_time: '2026-10-22T18:00:00Z' }]);
  });

  it('of new posts do not begin the search where X would refuse it', async () => {
    const young = idOf(0);
    const at = await scripted(({ path }) => ({
      body: { data: path === '/2/tweets' ? [post(young)] : undefined, meta: {} },
    }));
    await at.network.page({ kind: 'thread', subject: young }, null, context());
    expect(at.queries('/2/tweets/search/recent')).toMatchObject([{ start_time: '2026-11-21T17:59:00Z' }]);
  });

  it.each(['thread', 'replies'] as const)(
    'continue a %s in the window of its first page, however late',
    async (kind) => {
      let now = NOW;
      const young = idOf(0);
      const at = await scripted(
        ({ path }) => ({
          body: { data: path === '/2/tweets' ? [post(young)] : undefined, meta: { next_token: 'b26v' } },
        }),
        { clock: { now: () => now } },
      );
      const { next } = await at.network.page({ kind, subject: young }, null, context());
      now += 8 * 86_400_000;
      await at.network.page({ kind, subject: young }, next, context());
      const [first, second] = at.queries('/2/tweets/search/recent');
      expect(second).toEqual({ ...first, next_token: 'b26v' });
    },
  );

  it('of a protected author is not_found, as are its replies; answers by one are left out (T8)', async () => {
    let author = focal;
    const users = [user('6', { protected: true })];
    const at = await scripted(({ path }) => {
      const data = path === '/2/tweets' ? [post(focal)] : [post(child, replyTo(focal, focal))];
      return {
        body: {
          data: data.map((each) => (each.id === author ? { ...each, author_id: '6' } : each)),
          includes: { users },
        },
      };
    });
    for (const kind of ['thread', 'replies'] as const) {
      author = focal;
      await expect(at.network.page({ kind, subject: focal }, null, context())).rejects.toMatchObject({
        code: 'not_found',
        detail: { reason: 'private' },
      });
      author = child;
      expect(ids(await at.network.page({ kind, subject: focal }, null, context()))).not.toContain(child);
    }
  });

  it('do not blame the caller if X refuses our query', async () => {
    const problem = {
      type: 'https://api.x.com/2/problems/invalid-request',
      errors: [{ parameters: { query: ['a'] } }],
    };
    const at = await scripted(({ path }) =>
      path === '/2/tweets' ? { body: { data: [post(focal)] } } : { status: 400, body: problem },
    );
    for (const kind of ['thread', 'replies'] as const) {
      await expect(at.network.page({ kind, subject: focal }, null, context())).rejects.toMatchObject({
        code: 'request_rejected',
      });
    }
  });

  it('refuse a token of another list', async () => {
    const at = await serve();
    for (const [kind, token] of [
      ['thread', 'recent.2'],
      ['thread', `${root}:2`],
      ['replies', 'x'],
    ] as const) {
      await expect(at.network.page({ kind, subject: focal }, token, context())).rejects.toMatchObject({
        code: 'bad_request',
        detail: { param: 'cursor' },
      });
    }
  });
});
