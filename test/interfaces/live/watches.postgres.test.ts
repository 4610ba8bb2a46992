/** Watches as callers make, see and change them, over REST and GraphQL. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readOperations } from '../../../schema/operations.js';
import { Keys } from '../../../src/account/keys.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import { Positions } from '../../../src/live/positions.js';
import { type Client, createClient, type Fields, type Reply, record, rows } from '../../kit/client.js';
import type { Customer } from '../../kit/customers.js';
import { checkEveryAnswer } from '../../kit/every-answer.js';
import type { TestAccount } from '../../kit/perch.js';
import { at, post } from '../graphql/client.js';
import { refusesLikeAll } from '../v1/refusals.js';
import { addWatch } from './add-watch.js';
import { startWatchService, type WatchService } from './watch-service.js';

const HOOK = 'https://example.com/hook';
const NO_ID = '01900000-0000-7000-8000-000000000000';
const UUID = /^[0-9a-f-]{36}$/;

let service: WatchService;
let keys: Keys;
beforeAll(async () => {
  service = await startWatchService();
  const { accounts, secrets } = service.perch.stores;
  keys = new Keys({ accounts, pepper: secrets.pepper, clock: { now: Date.now }, randomBytes });
});
afterAll(() => service?.close());

const make = async (client: Client, changes: Fields = {}): Promise<Fields> => {
  const reply = await client.post('/v1/watches', { user: 'user7', webhook_url: HOOK, ...changes });
  expect(reply.text).toContain('webhook_secret');
  return record(reply);
};
const clientOf = ({ key }: Pick<TestAccount, 'key'>): Client => createClient(service.perch.url, key, checkEveryAnswer);
const faultOf = ({ status, body: { error } }: Reply) => [status, error.code, error.param, error.reason];
const stateOf = (reply: Reply) => [record(reply).state, record(reply).reason];

describe('a new watch', () => {
  it.each([
    ['a timeline', { user: 'user7' }, { user: 'user7', count: 20 }],
    ['a timeline, by id', { user: '7', count: 5 }, { user: '7', count: 5 }],
    ['replies', { replies: '20' }, { replies: '20', count: 20 }],
    ['quotes', { quotes: '20', max_credits_per_day: 12.5 }, { quotes: '20', count: 20, max_credits_per_day: 12.5 }],
    ['a search', { q: 'bread' }, { q: 'bread', product: 'Latest', count: 20 }],
    ['photos', { q: 'bread', product: 'Photos', count: 50 }, { q: 'bread', product: 'Photos', count: 50 }],
  ])('of %s is shown with what it follows, and is free', async (_what, request, shown) => {
    const customer = await service.customer({ credits: 10 });
    const reply = await customer.post('/v1/watches', { ...request, webhook_url: HOOK });
    expect(reply.body).toMatchObject({ credits_charged: 0, balance_remaining: 10 });
    expect(reply.body).toHaveProperty('webhook_secret', expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/));
    const made = record(reply);
    expect(made).toEqual({
      ...shown,
      ...{ id: expect.stringMatching(UUID), webhook_url: HOOK, state: 'active', state_at: made.created_at },
      ...{ deliveries: 0, credits_spent: 0, credits_spent_today: 0, created_at: expect.any(String) },
      key_prefix: customer.account.key.slice(0, 17),
    });
    expect(record(await customer.get(`/v1/watches/${made.id}`))).toMatchObject(made);
    expect(rows(await customer.get('/v1/watches'))).toMatchObject([made]);
    expect(await customer.balance()).toBe(10);
  });

  it.each([
    ['is too long only with its spaces', `bread${' '.repeat(1200)}`, 'bread'],
    ['is as long as it may be', 'x'.repeat(1024), 'x'.repeat(1024)],
  ])('of a search that %s is shown with its query as it is read', async (_what, q, shown) => {
    service.net.list('search', shown, []);
    expect(await make(await service.customer(), { q, user: undefined })).toMatchObject({ q: shown });
  });

  it('sends to the address that a browser would open', async () => {
    const { webhook_url } = await make(await service.customer(), { webhook_url: ' https://exa\nmple.com/a' });
    expect(webhook_url).toBe('https://example.com/a');
  });

  it.each([undefined, '/v1/users/user7/tweets'])('keeps the id of its user, begun behind %s', async (path) => {
    const customer = await service.customer();
    const since = path && (await customer.get(path)).body.since_cursor;
    const { id } = await make(customer, { ...(since && { since }) });
    const { database, stores } = service.perch;
    const [row] = await database.sql<
      { position: string }[]
    >`select position from watches where watch_id = ${String(id)}`;
    const positions = new Positions(stores.secrets.cursor);
    expect(positions.decode(row?.position ?? '', 1)).toMatchObject([{ subject: '7' }]);
  });

  it('names the bounds of count when it is not a whole number', async () => {
    const customer = await service.customer();
    const { body } = await customer.post('/v1/watches', { user: 'user7', webhook_url: HOOK, count: 5.5 });
    expect((body as unknown as { error: Fields }).error.message).toContain('a whole number from 1 to 100');
  });

  it('is made once, however often the request is repeated', async () => {
    const customer = await service.customer();
    const create = () => customer.post('/v1/watches', { user: 'user7', webhook_url: HOOK, count: 7 });
    const [first, ...others] = await Promise.all([create(), create(), create()]);
    for (const other of [...others, await create()]) {
      expect(record(other).id).toBe(record(first as Reply).id);
      expect(other.body).toHaveProperty('webhook_secret', (first as Reply & { body: Fields }).body.webhook_secret);
    }
    expect(rows(await customer.get('/v1/watches'))).toHaveLength(1);
  });

  it.each<[Fields, Fields]>([
    [{ user: 'user7' }, { user: 'USER7' }],
    [{ user: 'user7' }, { user: '@user7' }],
    [{ user: '7' }, { user: 'user7' }],
    [{ q: 'bread' }, { q: '  bread ' }],
    [{ q: 'bread' }, { q: 'bread', product: 'Latest' }],
    [{ user: 'user7' }, { user: 'user7', webhook_url: 'https://EXAMPLE.com:443/a/../hook' }],
  ])('of %j is made once if it is then requested as %j', async (first, second) => {
    const customer = await service.customer();
    const list = { user: undefined, ...first };
    const { id } = await make(customer, list);
    expect(await make(customer, { user: undefined, ...second })).toMatchObject({ id, ...first });
    expect(rows(await customer.get('/v1/watches'))).toHaveLength(1);
  });

  it.each<[string, Fields]>([
    ['another count', { count: 8 }],
    ['a daily limit', { max_credits_per_day: 3 }],
  ])('of the same list and address with %s is refused with the id of the existing one', async (_what, other) => {
    const customer = await service.customer();
    const { id } = await make(customer);
    const reply = await customer.post('/v1/watches', { user: 'user7', webhook_url: HOOK, ...other });
    expect(faultOf(reply)).toEqual([400, 'bad_request', 'webhook_url', undefined]);
    expect(reply.body.error.message).toContain(id);
    expect(rows(await customer.get('/v1/watches'))).toHaveLength(1);
  });

  it('of the same list and address is refused to another key, and made anew once the first has ended', async () => {
    const customer = await service.customer();
    const { id } = await make(customer);
    const second = clientOf({ key: await service.perch.secondKey(customer.account) });
    const reply = await second.post('/v1/watches', { user: 'user7', webhook_url: HOOK });
    expect(faultOf(reply)).toEqual([400, 'bad_request', 'webhook_url', undefined]);
    await second.post(`/v1/watches/${id}/end`, {});
    expect((await make(second)).id).not.toBe(id);
  });

  it('begins behind an earlier answer with since', async () => {
    const account = await service.perch.account({ credits: 10 });
    const customer = clientOf(account);
    const { body } = await customer.get('/v1/users/user7/tweets?count=1');
    service.post('between');
    const { id } = await make(customer, { since: body.since_cursor });
    const path = `/v1/watches/${id}/deliveries`;
    await expect.poll(async () => rows(await customer.get(path)), { timeout: 20_000 }).toHaveLength(1);
    const [delivery] = rows(await customer.get(path));
    expect(JSON.parse(String(delivery?.body))).toMatchObject({ data: { number: 1, data: [{ text: 'between' }] } });
    const receipt = await customer.get(`/v1/usage/${delivery?.id}`);
    expect(record(receipt)).toMatchObject({ credits: delivery?.credits, items: 1 });
    expect(await service.perch.balance(account)).toBe(10 - body.credits_charged - Number(delivery?.credits));
  });
});

describe('a refused watch', () => {
  let cursors: { own: string; search: string; foreign: string; old: string };
  let customer: Customer;
  beforeAll(async () => {
    customer = await service.customer();
    const cursor = async (path: string) => (await clientOf(customer.account).get(path)).body.since_cursor;
    const [own, search] = [await cursor('/v1/users/7/tweets'), await cursor('/v1/tweets/search?q=bread')];
    service.clock.shiftMs = -40 * DAY_MS;
    // A list of its own, because a kept answer has the cursor of its time.
    const { body } = await clientOf(await service.perch.account()).get('/v1/users/5/tweets');
    service.clock.shiftMs = 0;
    cursors = { own, search, foreign: `${own.slice(0, -2)}AA`, old: body.since_cursor };
  });

  const bad = (what: string, body: unknown, param: string | undefined, reason?: string) =>
    [what, body, [400, 'bad_request', param, reason]] as const;
  const missing = (what: string, body: Fields) => [what, body, [404, 'not_found', undefined, null]] as const;

  it.each([
    bad('no list', {}, 'user'),
    bad('two lists', { user: 'user7', q: 'bread' }, 'user'),
    bad('a list that is null and no other', { user: null }, 'user'),
    bad('an empty search', { q: ' ' }, 'q'),
    bad('a search that is too long', { q: 'x'.repeat(1025) }, 'q'),
    bad('a search with U+0000', { q: 'bread\0' }, 'q'),
    bad('a search with half of a surrogate pair', { q: 'bread\ud800' }, 'q'),
    bad('product without a search', { user: 'user7', product: 'Latest' }, 'product'),
    bad('a product without an order of time', { q: 'bread', product: 'Top' }, 'product'),
    bad('an unknown product', { q: 'bread', product: 'Nothing' }, 'product'),
    bad('no items', { user: 'user7', count: 0 }, 'count'),
    bad('more items than the list has on a page', { q: 'bread', count: 51 }, 'count'),
    bad('half an item', { user: 'user7', count: 1.5 }, 'count'),
    bad('a count that is no number', { user: 'user7', count: '5' }, 'count'),
    bad('a user that is no text', { user: 7 }, 'user'),
    bad('no address', { user: 'user7', webhook_url: undefined }, 'webhook_url'),
    bad('an address that is no text', { user: 'user7', webhook_url: [HOOK] }, 'webhook_url'),
    bad('an address that is none', { user: 'user7', webhook_url: 'example' }, 'webhook_url'),
    bad('an address with U+0000', { user: 'user7', webhook_url: `${HOOK}\0` }, 'webhook_url'),
    bad('an address with half of a surrogate pair', { user: 'user7', webhook_url: `${HOOK}\ud800` }, 'webhook_url'),
    bad('http', { user: 'user7', webhook_url: 'http://example.com/hook' }, 'webhook_url'),
    bad('another port', { user: 'user7', webhook_url: 'https://example.com:8443/' }, 'webhook_url'),
    bad('this machine', { user: 'user7', webhook_url: 'https://127.0.0.1/' }, 'webhook_url'),
    bad('a private address', { user: 'user7', webhook_url: 'https://[fd00::1]/' }, 'webhook_url'),
    bad('a name of a private network', { user: 'user7', webhook_url: 'https://db.internal/' }, 'webhook_url'),
    bad('no credits a day', { user: 'user7', max_credits_per_day: 0 }, 'max_credits_per_day'),
    bad('less than nothing a day', { user: 'user7', max_credits_per_day: -1 }, 'max_credits_per_day'),
    bad('parts of thousandths', { user: 'user7', max_credits_per_day: 0.0001 }, 'max_credits_per_day'),
    bad('a limit that is no number', { user: 'user7', max_credits_per_day: '5' }, 'max_credits_per_day'),
    bad('a limit under the name of GraphQL', { user: 'user7', maxCreditsPerDay: 5 }, 'maxCreditsPerDay'),
    bad('a limit under the name of a call', { user: 'user7', max_credits: 5 }, 'max_credits'),
    bad('a dry run', { user: 'user7', estimate: true }, 'estimate'),
    bad('a dry run under the name of GraphQL', { user: 'user7', dryRun: true }, 'dryRun'),
    bad('a list instead of members', [{ user: 'user7' }], undefined),
    bad('no JSON', 'user=user7', undefined),
    bad('no body', '', undefined),
    bad('since that is no cursor', { user: '7', since: 'newest' }, 'since', 'cursor_malformed'),
    missing('a user that is unknown', { user: 'nobody' }),
    missing('a user whom no network can have', { user: 'no user at all' }),
    missing('replies to a tweet that is unknown', { replies: '404' }),
    missing('quotes of what is no tweet', { quotes: 'x' }),
  ])('names the parameter at fault, free: %s', async (_what, request, refusal) => {
    const isObject = typeof request === 'object' && !Array.isArray(request);
    const body = isObject ? { webhook_url: HOOK, ...(request as Fields) } : request;
    const customer = await service.customer({ credits: 5 });
    const reply = await customer.post('/v1/watches', body);
    const [status, code, param, reason] = faultOf(reply);
    expect([status, code, param]).toEqual(refusal.slice(0, 3));
    if (typeof refusal[3] === 'string') expect(reason).toBe(refusal[3]);
    expect(rows(await customer.get('/v1/watches'))).toEqual([]);
  });

  it('changes nothing if the address asks for a dry run', async () => {
    const before = rows(await customer.get('/v1/watches'));
    const body = { user: 'user7', webhook_url: HOOK };
    for (const path of ['/v1/watches', `/v1/watches/${'0'.repeat(32)}/end`, '/v1/billing/checkout'])
      expect(faultOf(await customer.post(`${path}?estimate=true`, body)).slice(0, 3)).toEqual([
        400,
        'bad_request',
        'estimate',
      ]);
    expect(rows(await customer.get('/v1/watches'))).toEqual(before);
    expect((await customer.get('/v1/watches?estimate=true')).status).toBe(200);
  });

  it.each([
    ['search', 'user7', 'cursor_other_list'],
    ['foreign', 'user7', 'cursor_malformed'],
    ['old', 'user5', 'cursor_expired'],
  ] as const)('has a since of another list, another service, or long ago (%s)', async (which, user, reason) => {
    const reply = await customer.post('/v1/watches', { user, webhook_url: HOOK, since: cursors[which] });
    expect(faultOf(reply)).toEqual([400, 'bad_request', 'since', reason]);
    expect(rows(await customer.get('/v1/watches'))).toEqual([]);
  });

  it('gets 402 no_credits with an empty wallet, or no room under the cap of the key', async () => {
    for (const options of [{ credits: 0 }, { cap: 0 }]) {
      const poor = await service.customer(options);
      const reply = await poor.post('/v1/watches', { user: 'user7', webhook_url: HOOK });
      expect(faultOf(reply).slice(0, 2)).toEqual([402, 'no_credits']);
      expect(rows(await poor.get('/v1/watches'))).toEqual([]);
    }
  });

  it('gets 403 access_denied with a key that may not read the list, which may still see and end watches', async () => {
    const limited = await service.customer();
    const { id } = await make(limited);
    const { accountId, keyId } = limited.account;
    await keys.change(accountId, keyId, { scopes: ['search'] }, OPERATOR);
    const read = () => limited.post('/v1/watches', { replies: '20', webhook_url: HOOK });
    // A change of a key reaches the service a moment later.
    await expect.poll(async () => (await read()).status).toBe(403);
    expect(faultOf(await read())).toEqual([403, 'access_denied', undefined, 'scope']);
    expect(record(await limited.post('/v1/watches', { q: 'bread', webhook_url: HOOK }))).toMatchObject({ q: 'bread' });
    expect(stateOf(await limited.post(`/v1/watches/${id}/end`, {}))).toEqual(['ended', undefined]);
  });

  it('gets 403 access_denied for every call with the key of a client', async () => {
    const client = await service.customer();
    const { id } = await make(client);
    const { accountId, keyId } = client.account;
    await service.perch.database.sql`
      with added as (
        insert into oauth_grants (account_id, client_id, client_name) values (${accountId}, 'lantern', 'Lantern')
        returning grant_id
      )
      update keys set grant_id = (select grant_id from added) where account_id = ${accountId} and key_id = ${keyId}`;
    for (const [method, path] of calls(String(id))) {
      const reply = method === 'GET' ? await client.get(path) : await client.post(path, MADE);
      expect(faultOf(reply), path).toEqual([403, 'access_denied', undefined, 'read_only']);
    }
  });

  it('gets 400 above the most that the tier allows, not counting ended ones', async () => {
    const few = await service.customer({ qps: 1 });
    const { sql } = service.perch.database;
    const since = cursors.own;
    const { cursor } = service.perch.stores.secrets;
    const added = Array.from({ length: 20 }, (_, nth) =>
      addWatch(sql, cursor, { ...few.account, since, subject: '7', webhookUrl: `${HOOK}/${nth}` }),
    );
    const [first] = await Promise.all(added);
    const reply = await patiently(() => few.post('/v1/watches', { user: 'user7', webhook_url: HOOK }));
    expect(faultOf(reply)).toEqual([400, 'bad_request', undefined, undefined]);
    expect(reply.body.error.message).toMatch(/\b20 watches/);
    await patiently(() => few.post(`/v1/watches/${first?.watchId}/end`, {}));
    const made = await patiently(() => few.post('/v1/watches', { user: 'user7', webhook_url: HOOK }));
    expect(record(made)).toMatchObject({ state: 'active' });
  });

  it('gets 429 rate_limited for more than 30 addresses in an hour, but not on a host that it has a watch on', async () => {
    const customer = await service.customer();
    await make(customer, { webhook_url: 'https://example.org/hook' });
    for (let nth = 0; nth < 29; nth += 1)
      expect((await customer.post('/v1/watches', { user: 'user7', webhook_url: 'https://10.0.0.1/' })).status).toBe(
        400,
      );
    const reply = await customer.post('/v1/watches', { user: 'user7', webhook_url: HOOK });
    expect(faultOf(reply)).toEqual([429, 'rate_limited', 'webhook_url', undefined]);
    await make(customer, { q: 'bread', user: undefined, webhook_url: 'https://example.org/bread' });
    for (const watch of rows(await customer.get('/v1/watches'))) await customer.post(`/v1/watches/${watch.id}/end`, {});
    expect(
      (await customer.post('/v1/watches', { user: 'user7', webhook_url: 'https://example.org/hook' })).status,
    ).toBe(429);
  });

  describe('by a service whose clock stands still', () => {
    beforeAll(() => {
      service.clock.stoppedAt = Date.now();
    });
    afterAll(() => {
      service.clock.stoppedAt = null;
    });
    refusesLikeAll({
      service: () => service as never,
      call: (client) => client.post('/v1/watches', { user: 'user7', webhook_url: HOOK }),
    });
  });
});

const MADE = { user: 'user7', webhook_url: HOOK };

/** Every call about watches. */
const calls = (id: string): readonly ['GET' | 'POST', string][] => [
  ['GET', '/v1/watches'],
  ['POST', '/v1/watches'],
  ['GET', `/v1/watches/${id}`],
  ['GET', `/v1/watches/${id}/deliveries`],
  ['POST', `/v1/watches/${id}/pause`],
  ['POST', `/v1/watches/${id}/resume`],
  ['POST', `/v1/watches/${id}/end`],
  ['POST', `/v1/watches/${id}/deliveries/${NO_ID}/send`],
];

/** Repeats a call while the account's rate limit refuses it. */
async function patiently(call: () => Promise<Reply>): Promise<Reply> {
  for (;;) {
    const reply = await call();
    if (reply.status !== 429) return reply;
    await sleep(Number(reply.headers.get('retry-after')) * 1000);
  }
}

describe('an existing watch', () => {
  it('is paused, resumed and ended, each time as requested, and stays ended', async () => {
    const customer = await service.customer();
    const { id } = await make(customer);
    const to = (change: string) => customer.post(`/v1/watches/${id}/${change}`, {});
    for (const _ of [1, 2]) expect(stateOf(await to('pause'))).toEqual(['paused', 'by_hand']);
    for (const _ of [1, 2]) expect(stateOf(await to('resume'))).toEqual(['active', undefined]);
    for (const _ of [1, 2]) expect(stateOf(await to('end'))).toEqual(['ended', undefined]);
    for (const change of ['pause', 'resume'])
      expect(faultOf(await to(change)).slice(0, 2)).toEqual([400, 'bad_request']);
    expect(rows(await customer.get('/v1/watches'))).toMatchObject([{ id, state: 'ended' }]);
  });

  it('can also be changed without a body', async () => {
    const customer = await service.customer();
    const { id } = await make(customer);
    expect(stateOf(await customer.send('POST', `/v1/watches/${id}/pause`))).toEqual(['paused', 'by_hand']);
  });

  it('is paid for by the key that resumes it', async () => {
    const customer = await service.customer();
    const { id } = await make(customer);
    const key = await service.perch.secondKey(customer.account);
    await customer.post(`/v1/watches/${id}/pause`, {});
    expect(record(await clientOf({ key }).post(`/v1/watches/${id}/resume`, {}))).toMatchObject({
      ...{ state: 'active', key_prefix: key.slice(0, 17) },
    });
  });

  it('is listed, newest first and ended ones last', async () => {
    const customer = await service.customer();
    const ids: unknown[] = [];
    for (const user of ['user1', 'user2', 'user3']) {
      ids.push((await make(customer, { user })).id);
    }
    await customer.post(`/v1/watches/${ids[2]}/end`, {});
    const listed = rows(await customer.get('/v1/watches')).map(({ id }) => id);
    expect(listed).toEqual([ids[1], ids[0], ids[2]]);
  });

  it('is not found by another account, or with an invalid id', async () => {
    const [mine, other] = [await service.customer(), await service.customer()];
    const { id } = await make(mine);
    for (const of of [String(id), NO_ID, 'x', '%27--', 'null'])
      for (const [method, path] of calls(of).slice(2)) {
        const reply = method === 'GET' ? await other.get(path) : await other.post(path, {});
        expect(faultOf(reply).slice(0, 2), path).toEqual([404, 'not_found']);
      }
    expect(record(await mine.get(`/v1/watches/${id}`))).toMatchObject({ state: 'active' });
    expect(rows(await other.get('/v1/watches'))).toEqual([]);
  });

  it.each([
    ['DELETE', '/v1/watches', 'GET, POST, OPTIONS'],
    ['PUT', `/v1/watches/${NO_ID}`, 'GET, OPTIONS'],
    ['GET', `/v1/watches/${NO_ID}/pause`, 'POST, OPTIONS'],
    ['GET', `/v1/watches/${NO_ID}/deliveries/${NO_ID}/send`, 'POST, OPTIONS'],
  ])('gets 405 for %s %s, with the allowed methods', async (method, path, allowed) => {
    const customer = await service.customer();
    const reply = await customer.send(method, path);
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, allowed]);
  });
});

describe('every form of a call', () => {
  const FIELDS = `id user q replies quotes product count webhook_url: webhookUrl max_credits_per_day: maxCreditsPerDay
    state reason state_at: stateAt resumes_at: resumesAt deliveries credits_spent: creditsSpent
    credits_spent_today: creditsSpentToday newest_item_at: newestItemAt checked_at: checkedAt every_seconds: everySeconds
    failed key_prefix: keyPrefix created_at: createdAt`;
  /** As REST has it, without nulls and without what changes when the list is read. */
  const lasting = (value: unknown): unknown =>
    JSON.parse(
      JSON.stringify(value, (name, member: unknown) =>
        ['checked_at', 'every_seconds'].includes(name) ? undefined : (member ?? undefined),
      ),
    );

  it.each<[string, Fields, string, string]>([
    ['watches', {}, '/v1/watches', `{ page: watches { data: nodes { ${FIELDS} } } }`],
    ['watch', {}, '/v1/watches/ID', `query ($watch_id: ID!) { data: watch(id: $watch_id) { ${FIELDS} } }`],
    [
      ...(['watch-pause', {}, '/v1/watches/ID/pause'] as const),
      `mutation ($watch_id: ID!) { data: pauseWatch(id: $watch_id) { ${FIELDS} } }`,
    ],
    [
      ...(['watch-end', {}, '/v1/watches/ID/end'] as const),
      `mutation ($watch_id: ID!) { data: endWatch(id: $watch_id) { ${FIELDS} } }`,
    ],
    [
      ...(['watch-create', MADE, '/v1/watches'] as const),
      `mutation ($user: ID, $webhook_url: String!) {
        page: createWatch(user: $user, webhookUrl: $webhook_url) { data: watch { ${FIELDS} } webhook_secret: webhookSecret } }`,
    ],
  ])('answers %s alike over REST, by name, by hand and by hash', async (documentId, variables, path, query) => {
    const customer = await service.customer();
    const { id } = await make(customer);
    const params = { ...(query.includes('$watch_id') && { watch_id: id }), ...variables };
    const isRead = !query.startsWith('mutation');
    const here = path.replace('ID', String(id));
    const rest = isRead ? await customer.get(here) : await customer.post(here, variables);
    const { data, webhook_secret } = rest.body as unknown as Fields;
    const byName = await post(service.perch, customer.account, { documentId, variables: params });
    const byHand = await post(service.perch, customer.account, { query, variables: params });
    const byText = await post(service.perch, customer.account, {
      ...{ query: readOperations()[documentId] ?? '', variables: params },
    });
    for (const reply of [byName, byHand, byText]) {
      expect(reply.body.extensions.credits).toMatchObject({ charged: 0, remaining: 1000 });
      const root = (at(reply, 'page') ?? reply.body.data) as Fields;
      expect(lasting(root)).toEqual({ data: lasting(data), ...(webhook_secret !== undefined && { webhook_secret }) });
    }
  });

  it.each<[string, string, string | undefined]>([
    [
      'mutation { createWatch(user: "nobody", webhookUrl: "https://example.com/") { watch { id } } }',
      'not_found',
      undefined,
    ],
    ['mutation { createWatch(q: "", webhookUrl: "https://example.com/") { watch { id } } }', 'bad_request', 'q'],
    [
      'mutation { createWatch(q: "bread", count: 51, webhookUrl: "https://example.com/") { watch { id } } }',
      ...(['bad_request', 'count'] as const),
    ],
    ['mutation { createWatch(webhookUrl: "https://example.com/") { watch { id } } }', 'bad_request', 'user'],
    [
      'mutation { createWatch(user: "1", webhookUrl: "https://10.1.2.3/") { watch { id } } }',
      'bad_request',
      'webhookUrl',
    ],
    [`{ watch(id: "${NO_ID}") { id } }`, 'not_found', undefined],
    [`{ watchDeliveries(id: "${NO_ID}") { nodes { id } } }`, 'not_found', undefined],
    [`mutation { resumeWatch(id: "${NO_ID}") { id } }`, 'not_found', undefined],
    [`mutation { sendDeliveryAgain(id: "${NO_ID}", deliveryId: "x") { id } }`, 'not_found', undefined],
  ])('refuses %s in GraphQL, too', async (query, code, param) => {
    const { account } = await service.customer();
    const { body } = await post(service.perch, account, query);
    expect(body.errors?.[0]?.extensions).toMatchObject({ code, ...(param !== undefined && { param }) });
    expect(body.extensions.credits?.charged ?? 0).toBe(0);
  });

  it('changes nothing by GET', async () => {
    const customer = await service.customer();
    const { id } = await make(customer);
    const query = encodeURIComponent(`mutation { endWatch(id: "${id}") { id } }`);
    expect((await customer.get(`/graphql?query=${query}`)).status).toBe(405);
    expect(record(await customer.get(`/v1/watches/${id}`))).toMatchObject({ state: 'active' });
  });
});
