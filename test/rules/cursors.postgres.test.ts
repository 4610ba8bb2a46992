import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf, type Reply } from '../kit/client.js';
import type { Customer } from '../kit/customers.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

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

  it('C1: are base64url, under 512 characters, and contain neither key nor account', async () => {
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
  ])('C2: are answered with 400 if a cursor of a timeline is used for %s', async (_what, path) => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=3');
    const { status, body } = await reader.get(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'cursor']);
  });

  it('C2: are bound to q and product, not to their spelling', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/tweets/search?q=x&count=3');
    const statusOf = async (query: string) => (await reader.get(`/v1/tweets/search?${query}&cursor=${cursor}`)).status;
    expect(await statusOf('q=y')).toBe(400);
    expect(await statusOf('q=x&product=Top')).toBe(400);
    expect(await statusOf('q=%20x&product=latest')).toBe(200);
  });

  it('C2: are the same for a list by id and by handle', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/user1/tweets?count=3');
    expect(idsOf(await reader.get(`/v1/users/1/tweets?count=2&cursor=${cursor}`))).toEqual(['536', '535']);
  });

  it('C3: may be used by any account, which pays', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=3');
    const other = await service.customer();
    const reply = await other.get(`/v1/users/1/tweets?count=3&cursor=${cursor}`);
    expect(idsOf(reply)).toEqual(['536', '535', '534']);
    expect(reply.body.credits_charged).toBe(1.5);
  });

  it('C4: continue at the same place with another count', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=7');
    expect(idsOf(await reader.get(`/v1/users/1/tweets?count=1&cursor=${cursor}`))).toEqual(['532']);
    expect(idsOf(await reader.get(`/v1/users/1/tweets?count=33&cursor=${cursor}`))).toEqual(descending(33, 500));
  });

  it('C5: return the same items again, at half price while cached', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=10');
    const first = await reader.get(`/v1/users/1/tweets?count=10&cursor=${cursor}`);
    const second = await reader.get(`/v1/users/1/tweets?count=10&cursor=${cursor}`);
    expect(idsOf(second)).toEqual(idsOf(first));
    expect([second.body.cache, second.body.credits_charged]).toEqual(['hit', 5]);
    expect(second.body.next_cursor).toBeTypeOf('string');
  });

  it('C6: of followers work for followers/ids, and the other way round', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/followers?count=12');
    const ids = await reader.get(`/v1/users/1/followers/ids?count=3&cursor=${cursor}`);
    expect(idsOf(ids)).toEqual(['13', '14', '15']);
    const profiles = await reader.get(`/v1/users/1/followers?count=2&cursor=${ids.body.next_cursor}`);
    expect(idsOf(profiles)).toEqual(['16', '17']);
  });

  it('C7: resume at full price for a day after the cached page was dropped', async () => {
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

  it('C7: are answered with 400 that says to start again if their place cannot be found', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/2/followers?count=5');
    service.clock.advance(24 * 3_600_000);
    service.net.list('followers', '2', range(30, 20).map(String));
    const { status, body } = await reader.get(`/v1/users/2/followers?count=5&cursor=${cursor}`);
    expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'cursor']);
    expect(body.error.message).toMatch(/expired.*again/i);
  });

  it.each(['', 'undefined', 'null', '0', 'AAAA', 'a b', '%00', 'x'.repeat(600)])(
    'C9, rule 6: are answered with 400 before the balance is checked if invalid: cursor=%s',
    async (cursor) => {
      const reader = await service.customer({ credits: 0 });
      const { status, body } = await reader.get(`/v1/users/1/tweets?cursor=${cursor}`);
      expect([status, body.error.code, body.error.param]).toEqual([400, 'bad_request', 'cursor']);
    },
  );

  it('rule 6: are refused with one changed character', async () => {
    const reader = await customer();
    const cursor = await cursorOf(reader, '/v1/users/1/tweets?count=3');
    for (const at of [0, 10, 20, cursor.length - 1]) {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      const changed = cursor.slice(0, at) + other + cursor.slice(at + 1);
      expect((await reader.get(`/v1/users/1/tweets?cursor=${changed}`)).status).toBe(400);
    }
  });

  it('C10: do not shift, repeat or show items that arrive while paging', async () => {
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
