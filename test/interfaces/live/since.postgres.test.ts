/** `since`: only what is newer than an earlier answer, through every interface. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Keys } from '../../../src/account/keys.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { type Body, createClient } from '../../kit/client.js';
import type { Customer } from '../../kit/customers.js';
import { checkEveryAnswer } from '../../kit/every-answer.js';
import { range } from '../../kit/networks/scripted-network.js';
import { type Service, startService } from '../../rules/support/service.js';
import { post } from '../graphql/client.js';
import { sendNew } from '../mcp/raw.js';

const descending = (count: number, first: number): string[] => range(count, first).reverse().map(String);

type Members = Readonly<Record<string, unknown>>;

/** A list that takes `since`, and its name in each interface. */
interface Taking {
  readonly kind: 'timeline' | 'replies' | 'quotes' | 'search';
  readonly product?: 'Photos' | 'Videos';
  readonly subject: string;
  readonly path: string;
  readonly tool: string;
  readonly operation: string;
  readonly variables: Members;
}

const TAKING: readonly Taking[] = [
  {
    kind: 'timeline',
    subject: '1',
    path: '/v1/users/1/tweets',
    tool: 'get_user_tweets',
    operation: 'user-tweets',
    variables: { user: '1' },
  },
  {
    kind: 'replies',
    subject: '7',
    path: '/v1/tweets/7/replies',
    tool: 'get_replies',
    operation: 'replies',
    variables: { id: '7' },
  },
  {
    kind: 'quotes',
    subject: '7',
    path: '/v1/tweets/7/quotes',
    tool: 'get_quotes',
    operation: 'quotes',
    variables: { id: '7' },
  },
  ...([undefined, 'Photos', 'Videos'] as const).map((product) => ({
    kind: 'search' as const,
    ...(product && { product }),
    subject: 'x',
    path: '/v1/tweets/search',
    tool: 'search_tweets',
    operation: 'search',
    variables: { q: 'x', ...(product && { product }) },
  })),
];

/** What an answer says, whichever interface gave it. */
interface Said {
  readonly ids: readonly string[];
  readonly since: string | undefined;
  readonly hasNewer: boolean | undefined;
  readonly gap: boolean | undefined;
  readonly charged: number;
  readonly error: { readonly code: string; readonly param?: string; readonly reason?: string } | undefined;
}

const said = (body: Partial<Body>): Said => ({
  ids: ((body.data as { id: string }[] | undefined) ?? []).map(({ id }) => id),
  since: body.since_cursor ?? undefined,
  hasNewer: body.has_newer ?? undefined,
  gap: body.gap ?? undefined,
  charged: body.credits_charged ?? 0,
  error: body.error,
});

type Reader = Pick<Customer, 'account' | 'get'>;
type Read = (reader: Reader, list: Taking, given?: Members) => Promise<Said>;

describe('since', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({
      fill(net) {
        net.users(range(9));
        net.tweets([7, ...range(60, 500)]);
      },
    });
  });
  afterAll(() => service.close());

  let last = 1000;
  /** Resets the list to 40 items; returns a function that adds more. */
  function refill({ kind, subject, product }: Taking): (count: number) => string[] {
    let ids = descending(40, 500);
    const put = () => service.net.list(kind, subject, ids, { pageSize: 10, ...(product && { product }) });
    put();
    return (count) => {
      service.clock.advance(180_000);
      const made = { createdAt: new Date(service.clock.now()).toISOString() };
      const added = service.net.tweets(range(count, last + 1), made);
      last += count;
      ids = [...added.toReversed(), ...ids];
      put();
      return added;
    };
  }

  const customer = (options?: Parameters<Service['customer']>[0]) => {
    service.clock.forget();
    return service.customer(options);
  };

  const debits = async ({ account }: Reader): Promise<number> => {
    const [row] = await service.perch.database.sql<{ rows: number }[]>`
      select count(*)::int as rows from ledger_entries where account_id = ${account.accountId} and kind = 'debit'`;
    return row?.rows ?? 0;
  };

  const byRest: Read = async (reader, { path, variables }, given = {}) => {
    const { user: _, id: __, ...query } = { ...variables, ...given } as Record<string, unknown>;
    const text = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
    return said((await reader.get(`${path}?${text}`)).body);
  };

  const byGraphql: Read = async ({ account }, { operation, variables }, given = {}) => {
    const { body } = await post(service.perch, account, {
      documentId: operation,
      variables: { ...variables, ...given },
    });
    const { page } = (body.data ?? {}) as { page?: Record<string, Members> };
    const error = body.errors?.[0]?.extensions;
    const members = { ...page, ...page?.pageInfo, credits_charged: body.extensions.credits?.charged ?? 0 };
    return said({ ...members, ...(error && { error }) } as Partial<Body>);
  };

  const byMcp: Read = async ({ account }, { tool, variables }, given = {}) => {
    const params = { name: tool, arguments: { ...variables, ...given } };
    const url = new URL('/mcp', service.perch.url);
    return said((await sendNew(url, account.key, { method: 'tools/call', params })).body.result.structuredContent);
  };

  const INTERFACES = [
    ['REST', byRest],
    ['GraphQL', byGraphql],
    ['MCP', byMcp],
  ] as const;

  const [timeline] = TAKING as readonly [Taking];
  const rest = (reader: Customer, given: Members = {}) => byRest(reader, timeline, given);

  describe.each(INTERFACES)('by %s', (name, read) => {
    /** Checks that the wallet falls by what the answers said they charged. */
    const reading = async (run: (reader: Reader) => Promise<Said[]>): Promise<void> => {
      service.clock.forget();
      const account = await service.perch.account({ credits: 1000 });
      const client = createClient(service.perch.url, account.key, checkEveryAnswer);
      const charged = (await run({ ...client, account })).reduce((sum, each) => sum + each.charged, 0);
      expect(await service.perch.balance(account)).toBeCloseTo(1000 - charged, 9);
    };

    it.each(TAKING.map((list) => [`${list.kind} ${list.product ?? ''}`, list] as const))(
      'returns what is newer, oldest first, count at a time, and charges nothing for nothing: %s',
      async (_list, list) => {
        const add = refill(list);
        await reading(async (reader) => {
          const first = await read(reader, list, { count: 5 });
          expect([first.hasNewer, first.gap]).toEqual([undefined, undefined]);
          const added = add(7);
          const second = await read(reader, list, { count: 5, since: first.since });
          expect(second).toMatchObject({ ids: added.slice(0, 5), hasNewer: true, gap: false, charged: 5 });
          const third = await read(reader, list, { count: 5, since: second.since });
          expect(third).toMatchObject({ ids: added.slice(5), hasNewer: false, gap: false, charged: 1 });
          const rows = await debits(reader);
          const fourth = await read(reader, list, { count: 5, since: third.since });
          expect(fourth).toMatchObject({ ids: [], hasNewer: false, gap: false, charged: 0 });
          expect(fourth.since).toBeTypeOf('string');
          expect(await debits(reader)).toBe(rows);
          return [first, second, third, fourth];
        });
      },
    );

    it('says that items may be missing after more than ten pages', async () => {
      const add = refill(timeline);
      await reading(async (reader) => {
        const first = await read(reader, timeline, { count: 5 });
        const added = add(125);
        const second = await read(reader, timeline, { count: 60, since: first.since });
        expect(second).toMatchObject({ ids: added.slice(25, 85), hasNewer: true, gap: true });
        const third = await read(reader, timeline, { count: 60, since: second.since });
        expect(third).toMatchObject({ ids: added.slice(85), hasNewer: false, gap: false });
        return [first, second, third];
      });
    });

    it('refuses, free, a cursor beside it, and a value of another list, of a page, expired or made up', async () => {
      const add = refill(timeline);
      await reading(async (reader) => {
        const first = await read(reader, timeline, { count: 5 });
        const { body } = await (await service.customer()).get('/v1/users/1/tweets?count=5');
        const cursor = body.next_cursor;
        add(1);
        const other = TAKING.find(({ kind }) => kind === 'quotes') ?? timeline;
        const { since } = first;
        const refusals = [
          await read(reader, timeline, { since, cursor }),
          await read(reader, other, { since }),
          await read(reader, timeline, { since: cursor }),
          await read(reader, timeline, { since: 'nonsense' }),
        ];
        service.clock.advance(31 * 24 * 3_600_000);
        refusals.push(await read(reader, timeline, { since }));
        expect(refusals.map(({ error, charged }) => [error?.code, error?.param, error?.reason, charged])).toEqual(
          [undefined, 'cursor_other_list', 'cursor_other_kind', 'cursor_malformed', 'cursor_expired'].map((reason) => [
            'bad_request',
            'since',
            reason,
            0,
          ]),
        );
        expect((await read(reader, timeline, { since: '' })).error).toMatchObject({
          code: 'bad_request',
          param: 'since',
        });
        const asCursor = await read(reader, timeline, { cursor: since });
        expect(asCursor.error).toMatchObject({ code: 'bad_request', param: name === 'GraphQL' ? 'after' : 'cursor' });
        return [first];
      });
    });

    it.each(['Top', 'People'])('refuses a search for %s, which is not ordered by time, free', async (product) => {
      const list = TAKING.find(({ kind }) => kind === 'search') ?? timeline;
      refill(list);
      service.net.list('search', 'x', product === 'Top' ? descending(9, 500) : ['1', '2'], {
        product: product as 'Top',
      });
      await reading(async (reader) => {
        const first = await read(reader, list, { count: 5 });
        const without = await read(reader, { ...list, product: undefined as never }, { product, count: 1 });
        expect(without.since).toBeUndefined();
        const refused = await read(reader, list, { product, since: first.since });
        expect(refused).toMatchObject({ charged: 0, error: { code: 'bad_request', param: 'since' } });
        return [first, without, refused];
      });
    });
  });

  it('comes with first pages, not with those behind a cursor or of other lists', async () => {
    const { net } = service;
    refill(timeline);
    net.list('thread', '7', descending(9, 500));
    for (const kind of ['followers', 'following'] as const) net.list(kind, '1', ['2', '3', '4']);
    net.list('retweeters', '7', ['2', '3', '4']);
    const reader = await customer();
    const first = await reader.get('/v1/users/1/tweets?count=3');
    expect(first.body.since_cursor).toMatch(/^[A-Za-z0-9_-]{1,511}$/);
    for (const path of [
      `/v1/users/1/tweets?count=3&cursor=${first.body.next_cursor}`,
      '/v1/tweets/7/thread?count=1',
      '/v1/tweets/7/retweeters?count=1',
      '/v1/users/1/followers?count=1',
      '/v1/users/1/following?count=1',
      '/v1/users/1/followers/ids?count=1',
    ]) {
      const { status, body } = await reader.get(path);
      expect([path, status, 'since_cursor' in body, 'has_newer' in body]).toEqual([path, 200, false, false]);
    }
  });

  it('is an unknown parameter for a list that does not take it', async () => {
    service.net.list('followers', '1', ['2', '3', '4']);
    refill(timeline);
    const reader = await customer();
    const { since_cursor: since } = (await reader.get('/v1/users/1/tweets?count=1')).body;
    const { body } = await reader.get(`/v1/users/1/followers?count=1&since=${since}`);
    expect(body).toMatchObject({ items: 1, warnings: [expect.stringContaining('since')] });
  });

  it.each(['since_cursor', 'since_id'])('answers %s with 400 and the right name', async (wrong) => {
    const reader = await customer();
    const { status, body } = await reader.get(`/v1/users/1/tweets?${wrong}=1`);
    expect([status, body.error.code, body.error.param, body.credits_charged]).toEqual([400, 'bad_request', wrong, 0]);
    expect(body.error.message).toMatch(/\bsince\b/);
  });

  it('keeps its cursor when the user is renamed', async () => {
    const { net, clock } = service;
    const add = refill({ ...timeline, subject: '5' });
    const read = (reader: Customer, user: string, since?: string) =>
      byRest(reader, { ...timeline, path: `/v1/users/${user}/tweets` }, { count: 5, ...(since && { since }) });
    const reader = await customer();
    const { since } = await read(reader, 'user5');
    net.user({ id: '5', handle: 'renamed' });
    const added = add(2);
    // The meaning of the old handle is still cached.
    for (const user of ['5', 'renamed', 'user5']) expect((await read(reader, user, since)).ids).toEqual(added);
    clock.forget();
    for (const user of ['5', 'renamed']) expect((await read(reader, user, since)).ids).toEqual(added);
    expect(await read(reader, 'user5', since)).toMatchObject({ error: { code: 'not_found' }, charged: 0 });
    net.user({ id: '5', handle: 'user5' });
  });

  it('needs none of the items that the caller has: all of them may be deleted', async () => {
    const { net, clock } = service;
    const add = refill({ ...timeline, subject: '6' });
    const reader = await customer();
    const list = { ...timeline, path: '/v1/users/6/tweets' };
    const { since } = await byRest(reader, list, { count: 5 });
    const added = add(2);
    const gone = descending(20, 520);
    for (const id of gone) net.remove(id);
    net.list('timeline', '6', [...added.toReversed(), ...descending(20, 500)], { pageSize: 10 });
    clock.advance(180_000);
    expect(await byRest(reader, list, { count: 5, since })).toMatchObject({ ids: added, gap: false });
    for (const id of gone) net.restore(id);
  });

  it('takes an edited item for known if it keeps its id, and for new if it gets another', async () => {
    const { net, clock } = service;
    refill({ ...timeline, subject: '4' });
    const reader = await customer();
    const list = { ...timeline, path: '/v1/users/4/tweets' };
    const { since } = await byRest(reader, list, { count: 5 });
    net.tweet({ id: '539', text: 'edited' });
    clock.advance(180_000);
    const kept = await byRest(reader, list, { count: 5, since });
    expect(kept).toMatchObject({ ids: [], charged: 0 });
    last += 1;
    const { id: edited } = net.tweet({ id: String(last) });
    net.list('timeline', '4', [edited, ...descending(39, 500)], { pageSize: 10 });
    clock.advance(180_000);
    expect((await byRest(reader, list, { count: 5, since: kept.since })).ids).toEqual([edited]);
  });

  it('charges half from a cached page and double when fresh, as on any page', async () => {
    const add = refill(timeline);
    const reader = await customer();
    const { since } = await rest(reader, { count: 5 });
    add(4);
    expect((await rest(reader, { count: 5, since })).charged).toBe(4);
    const second = await reader.get(`/v1/users/1/tweets?count=3&since=${since}`);
    expect(second.body).toMatchObject({ items: 3, cache: 'hit', cache_hits: 3, credits_charged: 1.5 });
    const fresh = await reader.get(`/v1/users/1/tweets?count=3&since=${since}&fresh=true`);
    expect(fresh.body).toMatchObject({ items: 3, cache: 'bypass', credits_charged: 6 });
  });

  it('gives the same answer when it is repeated', async () => {
    const add = refill(timeline);
    const reader = await customer();
    const { since } = await rest(reader, { count: 5 });
    const added = add(4);
    const path = `/v1/users/1/tweets?count=3&since=${since}`;
    await reader.get(path);
    const second = (await reader.get(path)).body;
    for (const _time of ['held', 'kept', 'repeated']) {
      const { data, credits_charged, since_cursor, has_newer, gap } = (await reader.get(path)).body;
      expect({ data, credits_charged, has_newer, gap }).toEqual({
        data: second.data,
        credits_charged: 1.5,
        has_newer: true,
        gap: false,
      });
      expect((await rest(reader, { count: 3, since: since_cursor })).ids).toEqual(added.slice(3));
    }
    // Nothing new, each time.
    const { since_cursor: newest } = (await reader.get('/v1/users/1/tweets?count=5')).body;
    const rows = await debits(reader);
    for (const _time of ['read', 'held', 'kept', 'repeated']) {
      const { body } = await reader.get(`/v1/users/1/tweets?count=3&since=${newest}`);
      expect(body).toMatchObject({ items: 0, data: [], credits_charged: 0, has_newer: false, gap: false });
    }
    expect(await debits(reader)).toBe(rows);
  });

  it('is trimmed by a budget, to the oldest items, and continues after them', async () => {
    const add = refill(timeline);
    const reader = await customer();
    const { since } = await rest(reader, { count: 5 });
    const added = add(6);
    const { body } = await reader.get(`/v1/users/1/tweets?count=5&since=${since}&max_credits=2`);
    expect(body).toMatchObject({ items: 2, credits_charged: 2, truncated: 'max_credits', has_newer: true });
    expect((await rest(reader, { count: 9, since: body.since_cursor })).ids).toEqual(added.slice(2));
    const none = await reader.get(`/v1/users/1/tweets?since=${since}&max_credits=0.1`);
    expect([none.status, none.body.error.reason, none.body.credits_charged]).toEqual([402, 'max_credits', 0]);
  });

  it('estimates the highest cost without reading', async () => {
    refill(timeline);
    const reader = await customer();
    const { since } = await rest(reader, { count: 5 });
    const calls = service.net.calls.length;
    const { body } = await reader.get(`/v1/users/1/tweets?count=5&since=${since}&estimate=true`);
    expect(body).toMatchObject({ credits_charged: 0, estimate: { max_items: 5, max_credits: 5 } });
    const refused = await reader.get('/v1/users/1/tweets?since=nonsense&estimate=true');
    expect([refused.status, refused.body.error.param]).toEqual([400, 'since']);
    const { next_cursor: cursor } = (await reader.get('/v1/users/user1/tweets?count=5')).body;
    for (const given of [
      `/v1/users/user1/tweets?since=${since}&cursor=${cursor}`,
      `/v1/tweets/7/quotes?since=${since}`,
    ]) {
      const { estimate } = (await reader.get(`${given}&estimate=true`)).body;
      expect([given, estimate]).toEqual([given, expect.objectContaining({ refused: expect.anything() })]);
    }
    expect(service.net.calls.length).toBe(calls);
  });

  it('works for another account, which pays and whose key needs the scope', async () => {
    const add = refill(timeline);
    const { since } = await rest(await customer(), { count: 5 });
    const added = add(2);
    const other = await service.customer();
    expect(await rest(other, { count: 5, since })).toMatchObject({ ids: added, charged: 2 });
    const { accounts, secrets } = service.perch.stores;
    const keys = new Keys({ accounts, pepper: secrets.pepper, clock: { now: Date.now }, randomBytes });
    const limited = await service.customer();
    const { accountId, keyId } = limited.account;
    await keys.change(accountId, keyId, { scopes: ['search'] }, OPERATOR);
    const { error, charged } = await byGraphql(limited, timeline, { since });
    expect([error, charged]).toEqual([expect.objectContaining({ code: 'access_denied', reason: 'scope' }), 0]);
  });

  it('is refused before the balance is read, and costs nothing if the network fails', async () => {
    const add = refill(timeline);
    const poor = await service.customer({ credits: 0 });
    expect((await poor.get('/v1/users/1/tweets?since=nonsense')).status).toBe(400);
    const reader = await customer();
    const { since } = await rest(reader, { count: 5 });
    add(2);
    const balance = await reader.balance();
    service.net.fail(new ServiceError('upstream_error', 'It does not answer.'), 1);
    const failed = await rest(reader, { count: 5, since });
    expect(failed).toMatchObject({ charged: 0 });
    expect(await reader.balance()).toBe(balance);
  });
});
