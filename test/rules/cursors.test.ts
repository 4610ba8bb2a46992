import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, type Reply } from '../support/client.js';
import type { Customer } from '../support/customers.js';
import { upstreamFault } from '../support/faults.js';
import { range } from '../support/scripted-network.js';
import { type Service, startService } from './service.js';

const descending = (count: number, first: number): string[] => range(count, first).reverse().map(String);

describe('cursors (C1–C10, C16)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(50));
        net.tweets(range(100, 500));
        net.list('timeline', '1', descending(40, 500), { pageSize: 10 });
        net.list('timeline', '2', descending(10, 550));
        net.list('followers', '1', range(30).map(String), { pageSize: 10 });
        net.list('followers', '2', range(30).map(String), { pageSize: 10 });
        net.list('following', '1', range(30).map(String), { pageSize: 10 });
        net.list('search', 'x', descending(10, 500));
        net.list('search', 'x', descending(10, 510), { product: 'Top' });
        net.list('search', 'y', descending(10, 520));
      },
    });
  });
  afterAll(() => service.close());

  const customer = () => {
    service.clock.forget();
    return service.customer();
  };
  const cursorOf = async (reader: Customer, path: string): Promise<string> => {
    const { next_cursor } = (await reader.get(path)).body;
    expect(next_cursor).toBeTypeOf('string');
    return next_cursor;
  };

  it('C1: base64url, under 512 characters, with neither key nor account in it', async () => {
    const reader = await customer();
    for (const path of [
      '/v1/users/1/tweets?count=3',
      '/v1/users/1/followers?count=12',
      '/v1/tweets/search?q=x&count=1',
    ]) {
      const cursor = await cursorOf(reader, path);
      expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,511}$/);
      const inside = Buffer.from(cursor, 'base64url').toString('latin1');
      expect(inside).not.toContain(reader.account.key.slice(11));
      expect(inside).not.toContain(reader.account.accountId);
    }
  });

  it.each([
    ['another user', '/v1/users/2/tweets'],
    ['another kind of list', '/v1/users/1/followers'],
    ['a search', '/v1/tweets/search?q=x'],
  ])('C2: a cursor of a timeline is 400 for %s', async (_what, path) => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=3');
    const { status, body } = await reader.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'cursor']);
  });

  it('C2: a cursor is bound to q and product, not to their spelling', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/tweets/search?q=x&count=3');
    const statusOf = async (query: string) => (await reader.get(`/v1/tweets/search?${query}&cursor=${cursor}`)).status;
    expect(await statusOf('q=y')).toBe(400);
    expect(await statusOf('q=x&product=Top')).toBe(400);
    expect(await statusOf('q=%20x&product=latest')).toBe(200);
  });

  it('C2: the same list by id and by handle is one', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/user1/tweets?count=3');
    expect(idsOf(await reader.get(`/v1/users/1/tweets?count=2&cursor=${cursor}`))).toEqual(['536', '535']);
  });

  it('C3: any account may use it, and pays', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=3');
    const other = await service.customer();
    const reply = await other.get(`/v1/users/1/tweets?count=3&cursor=${cursor}`);
    expect(idsOf(reply)).toEqual(['536', '535', '534']);
    expect(reply.body.credits_charged).toBe(1.5);
  });

  it('C4: another count goes on at the same place', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=7');
    expect(idsOf(await reader.get(`/v1/users/1/tweets?count=1&cursor=${cursor}`))).toEqual(['532']);
    expect(idsOf(await reader.get(`/v1/users/1/tweets?count=33&cursor=${cursor}`))).toEqual(descending(33, 500));
  });

  it('C5: the same cursor twice gives the same items, at half price while they are held', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=10');
    const first = await reader.get(`/v1/users/1/tweets?count=10&cursor=${cursor}`);
    const second = await reader.get(`/v1/users/1/tweets?count=10&cursor=${cursor}`);
    expect(idsOf(second)).toEqual(idsOf(first));
    expect([second.body.cache, second.body.credits_charged]).toEqual(['hit', 5]);
    expect(second.body.next_cursor).toBeTypeOf('string');
  });

  it('C6: a cursor of followers serves followers/ids, and the other way round', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/followers?count=12');
    const ids = await reader.get(`/v1/users/1/followers/ids?count=3&cursor=${cursor}`);
    expect(idsOf(ids)).toEqual(['13', '14', '15']);
    const profiles = await reader.get(`/v1/users/1/followers?count=2&cursor=${ids.body.next_cursor}`);
    expect(idsOf(profiles)).toEqual(['16', '17']);
  });

  it('C7: after what was held is gone a cursor goes on, at full price; a day is promised', async () => {
    const reader = await customer();
    const cursors = [
      ['/v1/users/1/tweets?count=4', ['535', '534']],
      ['/v1/users/1/tweets?count=10', ['529', '528']],
      ['/v1/users/1/followers?count=15', ['16', '17']],
    ] as const;
    const held = await Promise.all(cursors.map(([path]) => cursorOf(reader, path)));
    service.clock.advance(24 * 3_600_000);
    for (const [i, [path, expected]] of cursors.entries()) {
      const reply = await reader.get(`${path.replace(/\d+$/, '2')}&cursor=${held[i]}`);
      expect(idsOf(reply)).toEqual(expected);
      expect(reply.body.cache).toBe('miss');
    }
  });

  it('C7: when its place cannot be found again it is 400 that says to start again', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/2/followers?count=5');
    service.clock.advance(24 * 3_600_000);
    service.net.list('followers', '2', range(30, 20).map(String));
    const { status, body } = await reader.get(`/v1/users/2/followers?count=5&cursor=${cursor}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'cursor']);
    expect(body.error.message).toMatch(/expired.*again/i);
  });

  it.each(['', 'undefined', 'null', '0', 'AAAA', 'a b', '%00', 'x'.repeat(600)])(
    'C9, rule 6: cursor=%s is 400, before the balance',
    async (cursor) => {
      const reader = await service.customer({ credits: 0 });
      const { status, body } = await reader.get(`/v1/users/1/tweets?cursor=${cursor}`);
      expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'cursor']);
    },
  );

  it('rule 6: a cursor of which one character was changed is none of ours', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=3');
    for (const at of [0, 10, 20, cursor.length - 1]) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
      expect((await reader.get(`/v1/users/1/tweets?cursor=${changed}`)).status).toBe(400);
    }
  });

  it('C10: what arrives while paging shifts nothing, repeats nothing, and is not shown', async () => {
    const reader = await customer();
    const { net } = service;
    net.list('timeline', '3', descending(30, 500), { pageSize: 10 });
    const first = await reader.get('/v1/users/3/tweets?count=8');
    net.tweets(range(5, 600));
    net.list('timeline', '3', [...descending(5, 600), ...descending(30, 500)], { pageSize: 10 });
    service.clock.forget();
    const pages: Reply[] = [first];
    for (let at = first.body.next_cursor; at !== undefined; at = pages.at(-1)?.body.next_cursor ?? '') {
      pages.push(await reader.get(`/v1/users/3/tweets?count=8&cursor=${at}`));
      if (pages.at(-1)?.body.next_cursor === undefined) break;
    }
    expect(pages.flatMap(idsOf)).toEqual(descending(30, 500));
    expect(idsOf(await reader.get('/v1/users/3/tweets?count=2&fresh=true'))).toEqual(['604', '603']);
  });
});

describe('filling pages (C11–C17)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(50));
        net.tweets(range(300, 500));
      },
    });
  });
  afterAll(() => service.close());

  const tweet = (id: string) => service.net.tweet({ id });
  const at = (index: number) => (index === 0 ? null : `p${index}`);
  /** A timeline of hand-made pages; the last of them ends it. */
  const timeline = (user: string, pages: readonly (readonly string[])[]): void =>
    service.net.pages('timeline', user, (token) => {
      const index = pages.findIndex((_, i) => at(i) === token);
      const next = index + 1 < pages.length ? at(index + 1) : null;
      return { tweets: (pages[index] ?? []).map(tweet), next };
    });

  it('C11: an id comes once in a chain, and is paid once, however often the network repeats it', async () => {
    timeline('1', [
      ['509', '508', '508', '507'],
      ['508', '507', '506', '505'],
      ['509', '505', '504'],
    ]);
    const reader = await service.customer();
    const first = await reader.get('/v1/users/1/tweets?count=4');
    const second = await reader.get(`/v1/users/1/tweets?count=4&cursor=${first.body.next_cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(['509', '508', '507', '506', '505', '504']);
    expect(second.body).not.toHaveProperty('next_cursor');
    // What the first page looked ahead to is held.
    expect([first.body.credits_charged, second.body.credits_charged]).toEqual([4, 1.5]);
  });

  it('C11, U22: a token that does not advance ends the list', async () => {
    service.net.pages('timeline', '2', (token) => ({
      tweets: (token === null ? ['509', '508'] : ['507', '506']).map(tweet),
      next: 'stuck',
    }));
    const reader = await service.customer();
    const reply = await reader.get('/v1/users/2/tweets?count=100');
    expect(idsOf(reply)).toEqual(['509', '508', '507', '506']);
    expect(reply.body).not.toHaveProperty('next_cursor');
  });

  it('C11, U22: tokens that go round in a circle end, too', async () => {
    service.net.pages('timeline', '3', (token) => ({
      tweets: [tweet('509')],
      next: token === 'a' ? 'b' : 'a',
    }));
    const reader = await service.customer();
    const calls = service.net.calls.length;
    const { status, body } = await reader.get('/v1/users/3/tweets?count=100');
    expect([status, body.items]).toEqual([200, 1]);
    expect(service.net.calls.length - calls).toBeLessThanOrEqual(10);
  });

  it('C12, rule 4: short and empty pages of the network are filled up to count', async () => {
    timeline('4', [['509'], [], ['508', '507'], [], [], ['506', '505', '504', '503']]);
    const reader = await service.customer();
    const reply = await reader.get('/v1/users/4/tweets?count=5');
    expect(idsOf(reply)).toEqual(['509', '508', '507', '506', '505']);
    expect(reply.body.next_cursor).toBeTypeOf('string');
    const rest = await reader.get(`/v1/users/4/tweets?count=5&cursor=${reply.body.next_cursor}`);
    expect([idsOf(rest), rest.body.cache]).toEqual([['504', '503'], 'hit']);
  });

  it('C13: a failure halfway is 503, free; what was read stays held, so the retry is cheaper', async () => {
    timeline('5', [descending(5, 520), descending(5, 515), descending(5, 510)]);
    const reader = await service.customer();
    service.net.failAfter(2, upstreamFault('upstream_error'));
    const failed = await reader.get('/v1/users/5/tweets?count=15').finally(() => service.net.heal());
    expect([failed.status, failed.body.error.code]).toEqual([503, 'upstream_error']);
    expect(await reader.balance()).toBe(1000);
    const retry = await reader.get('/v1/users/5/tweets?count=15');
    expect(retry.body).toMatchObject({ items: 15, cache: 'miss', cache_hits: 10, credits_charged: 10 });
  });

  it('C14: more than ten pages for one call is a short page, marked sparse, with a cursor that goes on', async () => {
    timeline('6', [...range(25).map((i) => (i % 5 === 0 ? [String(600 - i)] : [])), ['510', '509']]);
    const reader = await service.customer();
    const calls = service.net.calls.length;
    const first = await reader.get('/v1/users/6/tweets?count=10');
    expect(service.net.calls.length - calls).toBe(10);
    expect([idsOf(first), first.body.truncated]).toEqual([['595', '590'], 'sparse']);
    expect(first.body.credits_charged).toBe(2);
    const seen = [...idsOf(first)];
    for (let cursor = first.body.next_cursor; cursor !== undefined && seen.length < 50; ) {
      const page = await reader.get(`/v1/users/6/tweets?count=10&cursor=${cursor}`);
      seen.push(...idsOf(page));
      cursor = page.body.next_cursor;
    }
    expect(seen).toEqual(['595', '590', '585', '580', '575', '510', '509']);
  });

  it('C14, U20: ten pages with nothing on them do not hide what follows', async () => {
    timeline('7', [['599'], ...range(14).map(() => []), ['510']]);
    const reader = await service.customer();
    const seen: string[] = [];
    let path = '/v1/users/7/tweets?count=5';
    for (const _page of range(6)) {
      const reply = await reader.get(path);
      expect(reply.status).toBe(200);
      seen.push(...idsOf(reply));
      if (reply.body.next_cursor === undefined) break;
      path = `/v1/users/7/tweets?count=5&cursor=${reply.body.next_cursor}`;
    }
    expect(seen).toEqual(['599', '510']);
  });

  it('C15, C16: a last page that holds exactly count has no next_cursor, and no null either', async () => {
    timeline('8', [descending(5, 510), descending(5, 505), []]);
    const reader = await service.customer();
    const all = await reader.get('/v1/users/8/tweets?count=10');
    expect(all.body.items).toBe(10);
    expect(all.body).not.toHaveProperty('next_cursor');
    expect(all.text).not.toContain('next_cursor');
  });

  it('C15: the look-ahead is held and not charged', async () => {
    timeline('9', [descending(5, 510), descending(5, 505)]);
    const reader = await service.customer();
    const first = await reader.get('/v1/users/9/tweets?count=5');
    expect([first.body.credits_charged, first.body.balance_remaining]).toEqual([5, 995]);
    const second = await reader.get(`/v1/users/9/tweets?count=5&cursor=${first.body.next_cursor}`);
    expect([second.body.cache, second.body.credits_charged]).toEqual(['hit', 2.5]);
  });

  it('C15: a look-ahead that fails does not spoil the page', async () => {
    timeline('10', [descending(5, 510), descending(5, 505)]);
    const reader = await service.customer();
    service.net.failAfter(1, upstreamFault('upstream_error'));
    const first = await reader.get('/v1/users/10/tweets?count=5').finally(() => service.net.heal());
    expect([first.status, first.body.items, first.body.credits_charged]).toEqual([200, 5, 5]);
    const second = await reader.get(`/v1/users/10/tweets?count=5&cursor=${first.body.next_cursor}`);
    expect(idsOf(second)).toEqual(descending(5, 505));
  });

  it('C17: a list that the network cuts off says so', async () => {
    service.net.list('timeline', '11', descending(15, 500), { pageSize: 10, endReason: 'network_limit' });
    const reader = await service.customer();
    const first = await reader.get('/v1/users/11/tweets?count=10');
    expect(first.body).not.toHaveProperty('end_reason');
    const last = await reader.get(`/v1/users/11/tweets?count=10&cursor=${first.body.next_cursor}`);
    expect([last.body.items, last.body.end_reason]).toEqual([5, 'network_limit']);
    expect(last.body).not.toHaveProperty('next_cursor');
  });

  it('T2: the focal tweet is not repeated on later pages of a thread', async () => {
    const ids = ['500', ...range(8, 501).map(String)];
    service.net.pages('thread', '500', (token) => {
      const from = Number(token ?? 0);
      const tweets = ['500', ...ids.slice(Math.max(1, from), from + 4)].map(tweet);
      return { tweets, next: from + 4 < ids.length ? String(from + 4) : null };
    });
    const reader = await service.customer();
    const first = await reader.get('/v1/tweets/500/thread?count=4');
    const second = await reader.get(`/v1/tweets/500/thread?count=10&cursor=${first.body.next_cursor}`);
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids);
  });
});
