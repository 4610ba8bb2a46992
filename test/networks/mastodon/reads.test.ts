import { describe, expect, test } from 'vitest';
import { anAccount, aStatus } from './fixtures.js';
import { context, scripted } from './scripted.js';

const followers = { kind: 'followers', subject: '7' } as const;
const timeline = { kind: 'timeline', subject: '7' } as const;

describe('objects', () => {
  test('are not requested by ids that the server cannot have', async () => {
    const { network, requests } = await scripted({ tokens: ['t'], answers: {} });
    const id = '9223372036854775808';
    expect(await network.users([{ id }], context())).toMatchObject([{ fail: { code: 'not_found' } }]);
    expect(await network.tweets([id], context())).toMatchObject([{ fail: { code: 'not_found' } }]);
    for (const kind of ['timeline', 'followers', 'following', 'thread', 'replies'] as const) {
      await expect(network.page({ kind, subject: id }, null, context())).rejects.toMatchObject({ code: 'not_found' });
    }
    for (const kind of ['quotes', 'retweeters'] as const) {
      expect(await network.page({ kind, subject: id }, null, context())).toMatchObject({ next: null });
    }
    expect(requests).toEqual([]);
  });

  test('are read in half batches from a server that takes fewer ids at once', async () => {
    const ids = ['1', '2', '3', '4', '5'];
    const { network, requests } = await scripted({
      answers: {
        '/api/v1/statuses': (query) => {
          const requested = query.getAll('id[]');
          if (requested.length > 3) return { status: 422, body: { error: 'Validation failed' } };
          return { body: requested.map((id) => aStatus({ id })) };
        },
      },
    });
    const found = await network.tweets(ids, context());
    expect(found.map((one) => ('ok' in one ? one.ok.id : null))).toEqual(ids);
    expect(requests).toHaveLength(3);
  });

  test('are hidden if only the token may see them', async () => {
    const body = [
      aStatus({ id: '1', visibility: 'unlisted' }),
      aStatus({ id: '2', visibility: 'private' }),
      aStatus({ id: '3', visibility: 'direct' }),
      aStatus({ id: '4', account: anAccount({ suspended: true }) }),
      aStatus({ id: '5', reblog: aStatus({ id: '50', visibility: 'private' }) }),
    ];
    const { network } = await scripted({
      tokens: ['t'],
      answers: { '/api/v1/statuses': { body }, '/api/v1/accounts/7/statuses': { body } },
    });
    const codes = (await network.tweets(['1', '2', '3', '4', '5'], context())).map((one) =>
      'ok' in one ? one.ok.id : one.fail.detail.reason,
    );
    expect(codes).toEqual(['1', 'private', 'private', 'suspended', 'private']);
    expect((await network.page(timeline, null, context())).tweets?.map(({ id }) => id)).toEqual(['1']);
  });

  test('are requested by unchanged handles, even on other servers and on international domains', async () => {
    const { network, requests } = await scripted({
      answers: { '/api/v1/accounts/lookup': { body: anAccount({ acct: 'ada@bücher.example' }) } },
    });
    const handle = 'ada@xn--bcher-kva.example';
    expect(await network.users([{ handle }], context())).toMatchObject([{ ok: { handle } }]);
    expect(requests).toEqual(['/api/v1/accounts/lookup?acct=ada%40xn--bcher-kva.example']);
  });

  test('are refused if their ids are not numbers, as in other software', async () => {
    const body = anAccount({ id: '01F8MH1H7YV1Z7D2C8K2730QBF' });
    const { network } = await scripted({ answers: { '/api/v1/accounts/lookup': { body } } });
    await expect(network.users([{ handle: 'ada' }], context())).rejects.toMatchObject({
      code: 'upstream_error',
      detail: { cause: { message: expect.stringContaining('id: is not a decimal id') } },
    });
  });
});

describe('lists', () => {
  test("continue at the server's own link, by its number and address", async () => {
    const link = '<https://evil.example/steal?limit=9&max_id=7163058&x=1>; rel="next"';
    const { network, requests } = await scripted({
      answers: {
        '/api/v1/accounts/7/followers': (query) =>
          query.has('max_id')
            ? { body: [anAccount({ id: '9' })] }
            : { body: [anAccount({ id: '8' })], headers: { link } },
      },
    });
    const first = await network.page(followers, null, context());
    expect(first.next).toBe('7163058');
    const second = await network.page(followers, first.next, context());
    expect([second.users?.map(({ id }) => id), second.next]).toEqual([['9'], null]);
    expect(requests[1]).toBe('/api/v1/accounts/7/followers?limit=80&max_id=7163058');
  });

  test('refuse a foreign page token before any request', async () => {
    const { network, requests } = await scripted({ answers: {} });
    await expect(network.page(followers, '1&limit=1', context())).rejects.toMatchObject({ code: 'bad_request' });
    expect(requests).toEqual([]);
  });

  test.each([
    ['followers', { hide_collections: true }, 'private'],
    ['following', { hide_collections: true }, 'private'],
    ['followers', { suspended: true }, 'suspended'],
    ['timeline', { suspended: true }, 'suspended'],
  ] as const)('answer not_found with the reason to %s of an owner with %j', async (kind, more, reason) => {
    const path = kind === 'timeline' ? 'statuses' : kind;
    const { network } = await scripted({
      answers: { [`/api/v1/accounts/7/${path}`]: { body: [] }, '/api/v1/accounts/7': { body: anAccount(more) } },
    });
    await expect(network.page({ kind, subject: '7' }, null, context())).rejects.toMatchObject({
      code: 'not_found',
      detail: { reason },
    });
  });

  test('are hidden if only the token may see them', async () => {
    const { network } = await scripted({
      tokens: ['t'],
      answers: {
        '/api/v1/accounts/7/followers': { body: [anAccount({ id: '8' })] },
        '/api/v1/accounts/7': { body: anAccount({ id: '7', hide_collections: true }) },
        '/api/v1/statuses/100': { body: aStatus({ visibility: 'private' }) },
        '/api/v1/statuses/100/context': { body: { ancestors: [], descendants: [aStatus({ id: '200' })] } },
        '/api/v1/statuses/100/quotes': { body: [aStatus({ id: '300' })] },
        '/api/v1/statuses/100/reblogged_by': { body: [anAccount({ id: '8' })] },
      },
    });
    const read = (kind: 'followers' | 'replies' | 'quotes' | 'retweeters', subject: string) =>
      network.page({ kind, subject }, null, context());
    await expect(read('followers', '7')).rejects.toMatchObject({ code: 'not_found', detail: { reason: 'private' } });
    await expect(read('replies', '100')).rejects.toMatchObject({ code: 'not_found' });
    expect(await read('quotes', '100')).toMatchObject({ tweets: [], next: null });
    expect(await read('retweeters', '100')).toMatchObject({ users: [], next: null });
  });

  test('do not include quotes without a token', async () => {
    const { network, requests } = await scripted({ answers: {} });
    const read = network.page({ kind: 'quotes', subject: '100' }, null, context());
    await expect(read).rejects.toMatchObject({ code: 'access_denied', detail: { reason: 'session' } });
    expect(requests).toEqual([]);
  });

  test('are refused for good if a server has the tweet but no list of its quotes, as before 4.5', async () => {
    const { network } = await scripted({ tokens: ['t'], answers: { '/api/v1/statuses/100': { body: aStatus() } } });
    const read = network.page({ kind: 'quotes', subject: '100' }, null, context());
    await expect(read).rejects.toMatchObject({ code: 'access_denied', detail: { reason: 'session' } });
  });
});

describe('conversations', () => {
  const chain = (count: number, first: number, under: number) =>
    Array.from({ length: count }, (_, n) =>
      aStatus({ id: String(first + n), in_reply_to_id: String(n === 0 ? under : first + n - 1) }),
    );
  const flat = (count: number) =>
    Array.from({ length: count }, (_, n) => aStatus({ id: String(200 + n), in_reply_to_id: '100' }));
  const open = (ancestors: object[], descendants: object[], tokens: string[] = []) =>
    scripted({
      tokens,
      answers: {
        '/api/v1/statuses/100': { body: aStatus({ in_reply_to_id: '41' }) },
        '/api/v1/statuses/100/context': { body: { ancestors, descendants } },
      },
    });
  const thread = { kind: 'thread', subject: '100' } as const;

  test.each<[what: string, ancestors: object[], descendants: object[], tokens: string[], isCut: boolean]>([
    ['39 above and 59 below, without a token', chain(39, 2, 1), flat(59), [], false],
    ['40 above, without a token', chain(40, 2, 1), [], [], true],
    ['60 below, without a token', [], flat(60), [], true],
    ['20 under one another, without a token', [], chain(20, 200, 100), [], true],
    ['60 below and 40 above, with a token', chain(40, 2, 1), flat(60), ['t'], false],
    ['20 under one another, with a token', [], chain(20, 200, 100), ['t'], false],
  ])('%s: are one page, which says if the server cut them', async (_what, up, down, tokens, isCut) => {
    const { network } = await open(up, down, tokens);
    const page = await network.page(thread, null, context());
    expect(page.tweets).toHaveLength(1 + up.length + down.length);
    expect([page.tweets?.[0]?.id, page.next, page.endReason]).toEqual([
      '100',
      null,
      isCut ? 'network_limit' : undefined,
    ]);
  });

  test('have only replies to the tweet itself as its replies', async () => {
    const { network, requests } = await open([], [...flat(2), aStatus({ id: '300', in_reply_to_id: '200' })]);
    const page = await network.page({ kind: 'replies', subject: '100' }, null, context());
    expect(page.tweets?.map(({ id }) => id)).toEqual(['200', '201']);
    // First whether the tweet is public, because a token may see more.
    expect(requests).toEqual(['/api/v1/statuses/100', '/api/v1/statuses/100/context']);
  });
});
