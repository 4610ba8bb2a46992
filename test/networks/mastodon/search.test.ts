import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileQuery } from '../../../adapters/networks/mastodon/compile-query.js';
import type { Product } from '../../../src/domain/model.js';
import { anAccount, aStatus } from './fixtures.js';
import { context, scripted } from './scripted.js';

describe('translates the query of a caller for the server', () => {
  test.each<[q: string, sent: string]>([
    ['ferry harbour', 'ferry harbour in:public'],
    ['"the ferry"', '"the ferry" in:public'],
    ['-ferry harbour', 'harbour -ferry in:public'],
    ['-"the ferry" harbour', 'harbour -"the ferry" in:public'],
    ['#harbour -#sea', '#harbour -#sea in:public'],
    ['@ada', '@ada in:public'],
    ['lang:en ferry -sea harbour -from:ada -ice', 'ferry harbour -sea -ice language:en -from:@ada in:public'],
    ['(ferry harbour) sea', 'ferry harbour sea in:public'],
    ['from:ada', 'from:@ada in:public'],
    ['FROM:@ada@elsewhere.example', 'from:@ada@elsewhere.example in:public'],
    ['ferry -from:ada', 'ferry -from:@ada in:public'],
    ['lang:en ferry', 'ferry language:en in:public'],
    // A day wider than asked, because the server's days are those of the token owner's time zone.
    ['since:2026-03-01 ferry', 'ferry after:2026-02-27 in:public'],
    ['until:2026-03-01 ferry', 'ferry before:2026-03-02 in:public'],
    ['since_time:1767225600 ferry', 'ferry after:2025-12-30 in:public'],
    ['-since:2026-03-01 ferry', 'ferry before:2026-03-02 in:public'],
    ['-until:2026-03-01 ferry', 'ferry after:2026-02-27 in:public'],
    ['until:9999-12-31 ferry', 'ferry before:9999-12-31 in:public'],
    ['filter:media ferry', 'ferry has:media in:public'],
    ['-filter:replies ferry', 'ferry -is:reply in:public'],
    // Nothing that a caller writes becomes an operator of the server.
    ['+in:library ferry', '"+in:library" ferry in:public'],
    ['https://example.org/a', '"https://example.org/a" in:public'],
    ['at 12:30', 'at "12:30" in:public'],
    ['#!x ferry', '"#!x" ferry in:public'],
    ['+ferry', '"+ferry" in:public'],
    ['"a„ in:library „b"', '"a  in:library  b" in:public'],
    ['a»in:library', '"a in:library" in:public'],
    ['don’t 第一 crème-brûlée v1.2', 'don’t 第一 crème-brûlée v1.2 in:public'],
  ])('sends %s as %s', (q, sent) => {
    expect(compileQuery(q, 'Latest')).toBe(sent);
  });

  test('lets the server see only the intended operators, whatever a caller writes', () => {
    const piece = fc.constantFrom(
      'in:library',
      '"',
      '„',
      '«',
      '+',
      '-',
      ' ',
      'a',
      ':',
      '#',
      '@',
      '(',
      ')',
      'from:ada',
      'is:bot',
    );
    const meant = /^-?(?:from:@[\w.@-]+|in:public)$/;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        let sent: string;
        try {
          sent = compileQuery(pieces.join(''), 'Latest');
        } catch (error) {
          expect(error).toMatchObject({ code: 'bad_request' });
          return;
        }
        // As the server reads it, which takes other quotes for straight ones.
        const outside = sent.replace(/[„«]/g, '"').replace(/"[^"]*"/g, 'text');
        expect(outside).not.toContain('"');
        for (const term of outside.split(' ')) if (term.includes(':')) expect(term).toMatch(meant);
      }),
      { numRuns: 1000 },
    );
  });

  test.each<[product: Product, q: string, sent: string]>([
    ['Photos', 'ferry', 'ferry has:media in:public'],
    ['Videos', 'ferry', 'ferry has:media in:public'],
    ['People', 'ada lovelace', 'ada lovelace'],
    ['People', '@ada', 'ada'],
    ['People', '"ada lovelace"', 'ada lovelace'],
  ])('sends %s of %s as %s', (product, q, sent) => {
    expect(compileQuery(q, product)).toBe(sent);
  });

  test.each<[q: string, named: string]>([
    ['ferry OR boat', 'OR'],
    ['-(ferry boat) sea', '- before parentheses'],
    ['to:ada ferry', 'to:ada'],
    ['$AAPL', '$AAPL'],
    ['url:example.org', 'url:example.org'],
    ['conversation_id:12 ferry', 'conversation_id:12'],
    ['quoted_tweet_id:12', 'quoted_tweet_id:12'],
    ['since_id:12 ferry', 'since_id:12'],
    ['max_id:12 ferry', 'max_id:12'],
    ['min_faves:10 ferry', 'min_faves:10'],
    ['min_retweets:10 ferry', 'min_retweets:10'],
    ['min_replies:10 ferry', 'min_replies:10'],
    ['filter:retweets ferry', 'filter:retweets'],
    ['filter:quote ferry', 'filter:quote'],
    ['filter:images ferry', 'filter:images: search product Photos'],
    ['filter:videos ferry', 'filter:videos: search product Videos'],
    ['filter:links ferry', 'filter:links'],
    ['filter:hashtags ferry', 'filter:hashtags'],
    ['filter:mentions ferry', 'filter:mentions'],
    ['filter:verified ferry', 'filter:verified'],
    ['since:2026-03-01_11:30:00_UTC ferry', 'since:2026-03-01_11:30:00_UTC'],
    ['in:library ferry', 'in:'],
    ['« ferry', '«'],
    ['near:harbour ferry', 'near:'],
  ])('refuses %s, naming %s', (q, named) => {
    expect(() => compileQuery(q, 'Latest')).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: expect.stringContaining(named),
        detail: expect.objectContaining({ param: 'q' }),
      }),
    );
  });

  test.each(['ada from:ben', 'ada -ben', 'ada OR ben', '#ada'])('refuses a search for People with %s', (q) => {
    expect(() => compileQuery(q, 'People')).toThrow(expect.objectContaining({ code: 'bad_request' }));
  });
});

describe('searching', () => {
  const search = (product: Product, q = 'ferry') => ({ kind: 'search', subject: q, product }) as const;
  const many = (count: number, more: object = {}) =>
    Array.from({ length: count }, (_, n) => aStatus({ id: String(100 + n), ...more }));

  test('does not search tweets without a token, and blames no session', async () => {
    const { network, requests } = await scripted({ answers: {} });
    await expect(network.page(search('Latest'), null, context())).rejects.toMatchObject({
      code: 'access_denied',
      detail: { reason: 'session' },
    });
    expect(requests).toEqual([]);
  });

  test('does not offer Top', async () => {
    const { network } = await scripted({ tokens: ['t'], answers: {} });
    expect(network.products).toEqual(['Latest', 'People', 'Photos', 'Videos']);
    await expect(network.page(search('Top'), null, context())).rejects.toMatchObject({ code: 'product_unavailable' });
  });

  test('advances by offset until a page is empty, because the server filters after counting', async () => {
    const SIZES: Record<string, number> = { 0: 38, 40: 3 };
    const { network, requests } = await scripted({
      tokens: ['t'],
      answers: {
        '/api/v2/search': (query) => ({ body: { statuses: many(SIZES[query.get('offset') ?? '0'] ?? 0) } }),
      },
    });
    const first = await network.page(search('Latest'), null, context());
    const second = await network.page(search('Latest'), first.next, context());
    const third = await network.page(search('Latest'), second.next, context());
    expect([first, second, third].map(({ tweets, next }) => [tweets?.length, next])).toEqual([
      [38, '40'],
      [3, '80'],
      [0, null],
    ]);
    expect(requests.slice(0, 2)).toEqual([
      '/api/v2/search?type=statuses&q=ferry+in%3Apublic&limit=40',
      '/api/v2/search?type=statuses&q=ferry+in%3Apublic&limit=40&offset=40',
    ]);
  });

  test('ends at the end of the server’s index, and says so', async () => {
    const { network } = await scripted({
      tokens: ['t'],
      answers: { '/api/v2/search': { body: { statuses: many(40) } } },
    });
    expect(await network.page(search('Latest'), '9920', context())).toMatchObject({ next: '9960' });
    expect(await network.page(search('Latest'), '9960', context())).toMatchObject({
      next: null,
      endReason: 'network_limit',
    });
  });

  test('hides users who opted out of search, and posts that are not public', async () => {
    const statuses = [
      aStatus({ id: '1', account: anAccount({ indexable: true }) }),
      aStatus({ id: '2', account: anAccount({ indexable: false }) }),
      aStatus({ id: '3', account: anAccount({ noindex: true }) }),
      aStatus({ id: '4', visibility: 'private' }),
      aStatus({ id: '5', account: anAccount({ suspended: true }) }),
    ];
    const { network } = await scripted({ tokens: ['t'], answers: { '/api/v2/search': { body: { statuses } } } });
    const page = await network.page(search('Latest'), null, context());
    expect(page.tweets?.map(({ id }) => id)).toEqual(['1']);
  });

  test.each([
    ['until:2026-03-02', ['2026-03-01T23:59:59.999Z', '2026-03-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z']],
    ['since:2026-03-01 until:2026-03-02', ['2026-03-01T23:59:59.999Z', '2026-03-01T00:00:00.000Z']],
    ['since:2026-03-01', ['2026-03-02T00:00:00.000Z', '2026-03-01T23:59:59.999Z', '2026-03-01T00:00:00.000Z']],
    ['-since:2026-03-01', ['2026-02-28T23:59:59.999Z']],
    ['-until:2026-03-02', ['2026-03-02T00:00:00.000Z']],
  ])('returns only tweets within the days of UTC for %s, whatever the server finds', async (bounds, expected) => {
    const times = [
      '2026-03-02T00:00:00.000',
      '2026-03-01T23:59:59.999',
      '2026-03-01T00:00:00.000',
      '2026-02-28T23:59:59.999',
    ];
    const statuses = times.map((time, n) => aStatus({ id: String(9 - n), created_at: `${time}Z` }));
    const { network } = await scripted({ tokens: ['t'], answers: { '/api/v2/search': { body: { statuses } } } });
    const page = await network.page(search('Latest', `ferry ${bounds}`), null, context());
    expect(page.tweets?.map(({ createdAt }) => createdAt)).toEqual(expected);
  });

  test('continues after a page of which no tweet is within the days', async () => {
    const statuses = many(40, { created_at: '2026-03-01T12:00:00.000Z' });
    const { network } = await scripted({ tokens: ['t'], answers: { '/api/v2/search': { body: { statuses } } } });
    expect(await network.page(search('Latest', 'ferry until:2026-03-01'), null, context())).toMatchObject({
      tweets: [],
      next: '40',
    });
  });

  test('separates Photos from Videos by attachment type', async () => {
    const of = (id: string, type: string) =>
      aStatus({ id, media_attachments: [{ type, url: 'https://a.example/f', meta: null }] });
    const statuses = [of('1', 'image'), of('2', 'video'), of('3', 'gifv'), of('4', 'audio')];
    const { network } = await scripted({ tokens: ['t'], answers: { '/api/v2/search': { body: { statuses } } } });
    const ids = async (product: Product) =>
      (await network.page(search(product), null, context())).tweets?.map(({ id }) => id);
    expect([await ids('Photos'), await ids('Videos')]).toEqual([['1'], ['2', '3']]);
  });

  test('finds People without a token, one page of them', async () => {
    const accounts = Array.from({ length: 40 }, (_, n) => anAccount({ id: String(n), noindex: n === 0 }));
    const { network } = await scripted({ answers: { '/api/v2/search': { body: { accounts } } } });
    const page = await network.page(search('People'), null, context());
    expect([page.users?.length, page.next, page.endReason]).toEqual([39, null, 'network_limit']);
  });

  test('closes only this kind if the server requires a token for it', async () => {
    const body = { error: 'This API requires an authenticated user' };
    const { network } = await scripted({ answers: { '/api/v2/search': { status: 401, body } } });
    await expect(network.page(search('People'), null, context())).rejects.toMatchObject({
      code: 'access_denied',
      detail: { reason: 'session' },
    });
  });
});
