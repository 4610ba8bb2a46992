import { expect, it } from 'vitest';
import { type Client, idsOf, type Reply, rows } from '../../kit/client.js';
import type { ListEndpoint } from './list-endpoints.js';
import { refusesAsBad, refusesLikeReads, refusesWhenDenied } from './refusals.js';
import type { Service } from './service.js';

/** Reads all pages of a list, with the charge of each. */
async function walk(client: Client, first: string): Promise<Reply[]> {
  const replies = [await client.get(first)];
  for (let last = replies[0]; last?.body.next_cursor !== undefined && replies.length < 500; last = replies.at(-1)) {
    const separator = first.includes('?') ? '&' : '?';
    replies.push(await client.get(`${first}${separator}cursor=${encodeURIComponent(last.body.next_cursor)}`));
  }
  return replies;
}

/** What every list of `/v1` does: items, sizes, pages, prices, cursors, and refusals. */
export function behavesLikeAllLists(service: () => Service, list: ListEndpoint): void {
  pagesLikeAll(service, list);
  const { of, subject, first, empty = [], missing = [], query = '' } = list;

  if (first) {
    it(first[0], async () => {
      const reader = await service().customer();
      for (const count of ['', '?count=1'])
        expect(rows(await reader.get(of(subject) + count))[0]).toMatchObject(first[1]);
    });
  }

  it.each(empty)('%s', async (_what, nobodys) => {
    const reader = await service().customer();
    const { status, body } = await reader.get(of(nobodys));
    expect(status).toBe(200);
    expect(body).toMatchObject({ data: [], items: 0, credits_charged: 0, balance_remaining: 1000 });
    expect(body).not.toHaveProperty('next_cursor');
  });

  for (const [what, unknown, reason] of missing) {
    it(what, async () => {
      const reader = await service().customer();
      const reply = await reader.get(of(unknown));
      expect([reply.status, reply.body.error.code]).toEqual([404, 'not_found']);
      if (reason !== undefined) expect(reply.body.error.reason).toBe(reason);
      expect(await reader.balance()).toBe(1000);
    });
  }

  const call = (client: Client) => client.get(`${of(subject)}?${query}fresh=true`);
  refusesLikeReads({ service, call });
  if (list.deniable) refusesWhenDenied({ service, call });
}

function pagesLikeAll(service: () => Service, { of, subject, query = '', ids, size, price }: ListEndpoint): void {
  const at = (rest = ''): string => `${of(subject)}?${query}${rest}`;
  const thousandths = (credits: number): number => Math.round(credits * 1000);

  it(`200: ${size.initial} items by default, at ${price} each, half from the cache, double with fresh`, async () => {
    const reader = await service().customer();
    service().clock.forget();
    const first = await reader.get(at());
    const second = await reader.get(at());
    const third = await reader.get(at('fresh=true'));
    const expected = Math.min(size.initial, ids.length);
    for (const reply of [first, second, third]) {
      expect(reply.status).toBe(200);
      expect(idsOf(reply)).toEqual(ids.slice(0, expected));
      expect(reply.body.items).toBe(expected);
    }
    const bill = [first, second, third].map(({ body }) => [body.cache, thousandths(body.credits_charged)]);
    expect(bill).toEqual([
      ['miss', thousandths(expected * price)],
      ['hit', thousandths((expected * price) / 2)],
      ['bypass', thousandths(expected * price * 2)],
    ]);
  });

  it('200: pages of exactly count until the end, the whole list once and in order (pagination rules 1, 3, 4)', async () => {
    const reader = await service().customer();
    const count = Math.min(size.max, Math.max(1, Math.ceil(ids.length / 3) - 1));
    const pages = await walk(reader, at(`count=${count}`));
    expect(pages.flatMap(idsOf)).toEqual(ids);
    for (const page of pages.slice(0, -1)) expect(page.body.items).toBe(count);
    expect(pages.at(-1)?.body).not.toHaveProperty('next_cursor');
  });

  it(`200 with count=1 and count=${size.max}; a cursor serves another count (C4)`, async () => {
    const reader = await service().customer();
    const one = await reader.get(at('count=1'));
    expect(idsOf(one)).toEqual(ids.slice(0, 1));
    const rest = await reader.get(at(`count=${size.max}&cursor=${one.body.next_cursor}`));
    expect(idsOf(rest)).toEqual(ids.slice(1, 1 + size.max));
  });

  refusesAsBad(service, [
    ['count=0 (P1)', at('count=0'), 'count'],
    [`count=${size.max + 1} (P1)`, at(`count=${size.max + 1}`), 'count'],
    ['count is no whole number (P2)', at('count=2.5'), 'count'],
    ['count twice (P4)', at('count=2&count=2'), 'count'],
    ['a foreign cursor (rule 6)', at('cursor=abc'), 'cursor'],
    ['an empty cursor (C9)', at('cursor='), 'cursor'],
    ['fresh is neither true nor false (P5)', at('fresh=maybe'), 'fresh'],
    ['limit instead of count (P3)', at('limit=5'), 'limit'],
  ]);
}
