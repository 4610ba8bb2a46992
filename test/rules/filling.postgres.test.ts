import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { idsOf } from '../kit/client.js';
import { upstreamFault } from '../kit/networks/faults.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

const descending = (count: number, first: number): string[] => range(count, first).reverse().map(String);

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
  /** Sets up a timeline with these pages, the last of which ends it. */
  const timeline = (user: string, pages: readonly (readonly string[])[]): void =>
    service.net.pages('timeline', user, (token) => {
      const index = pages.findIndex((_, i) => at(i) === token);
      const next = index + 1 < pages.length ? at(index + 1) : null;
      return { tweets: (pages[index] ?? []).map(tweet), next };
    });

  it('C11: returns and charges an id once in a chain, however often the network repeats it', async () => {
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
    // The item that the first page looked ahead to is cached.
    expect([first.body.credits_charged, second.body.credits_charged]).toEqual([4, 1.5]);
  });

  it('C11, U22: ends the list at a token that does not advance', async () => {
    service.net.pages('timeline', '2', (token) => ({
      tweets: (token === null ? ['509', '508'] : ['507', '506']).map(tweet),
      next: 'stuck',
    }));
    const reader = await service.customer();
    const reply = await reader.get('/v1/users/2/tweets?count=100');
    expect(idsOf(reply)).toEqual(['509', '508', '507', '506']);
    expect(reply.body).not.toHaveProperty('next_cursor');
  });

  it('C11, U22: ends the list at tokens that repeat in a circle', async () => {
    service.net.pages('timeline', '3', (token) => ({
      tweets: [tweet('509')],
      next: token === 'a' ? 'b' : 'a',
    }));
    const reader = await service.customer();
    const pagesRead = () => service.net.calls.filter(({ what }) => what === 'page').length;
    const before = pagesRead();
    const { status, body } = await reader.get('/v1/users/3/tweets?count=100');
    expect([status, body.items]).toEqual([200, 1]);
    expect(pagesRead() - before).toBeLessThanOrEqual(10);
  });

  it('C12, rule 4: fills short and empty pages of the network up to count', async () => {
    timeline('4', [['509'], [], ['508', '507'], [], [], ['506', '505', '504', '503']]);
    const reader = await service.customer();
    const reply = await reader.get('/v1/users/4/tweets?count=5');
    expect(idsOf(reply)).toEqual(['509', '508', '507', '506', '505']);
    expect(reply.body.next_cursor).toBeTypeOf('string');
    const rest = await reader.get(`/v1/users/4/tweets?count=5&cursor=${reply.body.next_cursor}`);
    expect([idsOf(rest), rest.body.cache]).toEqual([['504', '503'], 'hit']);
  });

  it('C13: answers 503 free after a failure halfway, and keeps what was read so that the retry is cheaper', async () => {
    timeline('5', [descending(5, 520), descending(5, 515), descending(5, 510)]);
    const reader = await service.customer();
    service.net.failAfter(2, upstreamFault('upstream_error'));
    const failed = await reader.get('/v1/users/5/tweets?count=15').finally(() => service.net.heal());
    expect([failed.status, failed.body.error.code]).toEqual([503, 'upstream_error']);
    expect(await reader.balance()).toBe(1000);
    const retry = await reader.get('/v1/users/5/tweets?count=15');
    expect(retry.body).toMatchObject({ items: 15, cache: 'miss', cache_hits: 10, credits_charged: 10 });
  });

  it('C14: returns a short page, marked sparse, with a cursor, when it would need more than ten pages', async () => {
    timeline('6', [...range(25).map((i) => (i % 5 === 0 ? [String(600 - i)] : [])), ['510', '509']]);
    const reader = await service.customer();
    const pagesRead = () => service.net.calls.filter(({ what }) => what === 'page').length;
    const before = pagesRead();
    const first = await reader.get('/v1/users/6/tweets?count=10');
    expect(pagesRead() - before).toBe(10);
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

  it('C14, U20: continues after ten empty pages', async () => {
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

  it('C15, C16: omits next_cursor on a last page with exactly count items', async () => {
    timeline('8', [descending(5, 510), descending(5, 505), []]);
    const reader = await service.customer();
    const all = await reader.get('/v1/users/8/tweets?count=10');
    expect(all.body.items).toBe(10);
    expect(all.body).not.toHaveProperty('next_cursor');
    expect(all.text).not.toContain('next_cursor');
  });

  it('C15: caches the look-ahead item without charging for it', async () => {
    timeline('9', [descending(5, 510), descending(5, 505)]);
    const reader = await service.customer();
    const first = await reader.get('/v1/users/9/tweets?count=5');
    expect([first.body.credits_charged, first.body.balance_remaining]).toEqual([5, 995]);
    const second = await reader.get(`/v1/users/9/tweets?count=5&cursor=${first.body.next_cursor}`);
    expect([second.body.cache, second.body.credits_charged]).toEqual(['hit', 2.5]);
  });

  it('C15: returns the page even if its look-ahead fails', async () => {
    timeline('10', [descending(5, 510), descending(5, 505)]);
    const reader = await service.customer();
    // The authors are cached, so only the look-ahead can fail.
    await reader.get('/v1/users/user1');
    service.net.failAfter(1, upstreamFault('upstream_error'));
    const first = await reader.get('/v1/users/10/tweets?count=5').finally(() => service.net.heal());
    expect([first.status, first.body.items, first.body.credits_charged]).toEqual([200, 5, 5]);
    const second = await reader.get(`/v1/users/10/tweets?count=5&cursor=${first.body.next_cursor}`);
    expect(idsOf(second)).toEqual(descending(5, 505));
  });

  it('C17: says so if the network cuts off a list', async () => {
    service.net.list('timeline', '11', descending(15, 500), { pageSize: 10, endReason: 'network_limit' });
    const reader = await service.customer();
    const first = await reader.get('/v1/users/11/tweets?count=10');
    expect(first.body).not.toHaveProperty('end_reason');
    const last = await reader.get(`/v1/users/11/tweets?count=10&cursor=${first.body.next_cursor}`);
    expect([last.body.items, last.body.end_reason]).toEqual([5, 'network_limit']);
    expect(last.body).not.toHaveProperty('next_cursor');
  });

  it('T2: does not repeat the focal tweet on later pages of a thread', async () => {
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
