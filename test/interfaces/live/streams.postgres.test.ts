/** What is new, as it happens: streams of REST and GraphQL over a growing network. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.js';
import { DAY_MS } from '../../../src/lib/durations.js';
import { Positions } from '../../../src/live/positions.js';
import { createCursors } from '../../../src/read/cursor.js';
import { openStream } from '../../kit/events.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch, type TestPerch } from '../../kit/perch.js';
import { untilDayHasAMinute } from '../../kit/time/day.js';
import { manualClock } from '../../kit/time/manual-clock.js';
import { MOUNTS } from '../graphql/service.js';
import { createNews } from './news.js';

interface Replied {
  readonly data: { readonly news: { readonly nodes: readonly { readonly replies: { readonly nodes: unknown[] } }[] } };
}

describe.concurrent('a stream', () => {
  const { net, network, author } = createNews();
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ network });
  });
  afterAll(() => perch.close());

  const open = (path: string, key: string, headers?: Record<string, string>) =>
    openStream(`${perch.url}${path}`, key, headers);

  it('sends each new tweet once, charges it like a page, and resumes where it was', async () => {
    const { post } = author('ada');
    const { key } = await perch.account({ credits: 10 });
    const first = await open('/v1/live?user=ada', key);
    expect(first.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(await first.next()).toMatchObject({ event: 'open', data: { follows: [{ user: 'ada' }] } });
    expect(await first.next()).toMatchObject({ event: 'position' });
    post('hello');
    const value = await first.next();
    expect(value).toMatchObject({ event: 'items', data: { items: 1, credits_charged: 1, data: [{ text: 'hello' }] } });
    first.leave();
    post('while away');
    const second = await open('/v1/live?user=ada', key, { 'last-event-id': value.id ?? '' });
    await second.next();
    expect(await second.next()).toMatchObject({ event: 'position' });
    expect(await second.next()).toMatchObject({
      event: 'items',
      data: { data: [{ text: 'while away' }] },
    });
    second.leave();
  });

  it('resumes behind an event of any age, and begins behind a cursor of 30 days at most', async () => {
    const { id: user, shown, post } = author('grace');
    const { key } = await perch.account({ credits: 10 });
    const { cursor: secret } = perch.stores.secrets;
    const [known, floor, positions] = [shown.slice(0, 12), [Date.now(), '0'] as const, new Positions(secret)];
    const then = Date.now() - 31 * DAY_MS;
    const since = createCursors(secret, 'scripted').encodeSince(
      { kind: 'timeline', subject: user },
      { known, floor },
      then,
    );
    post('after a long silence');
    // The cached page is as new as that, and the stream begins with it.
    const reader = await perch.account({ credits: 1000 });
    await fetch(`${perch.url}/v1/users/grace/tweets?fresh=true`, { headers: { 'x-api-key': reader.key } });
    const id = positions.encode([positions.begin(then, since)]);
    const stream = await open(`/v1/live?user=${user}`, key, { 'last-event-id': id });
    expect(await stream.next('items')).toMatchObject({ data: { data: [{ text: 'after a long silence' }] } });
    stream.leave();
    const refused = await fetch(`${perch.url}/v1/live?user=${user}&since=${since}`, { headers: { 'x-api-key': key } });
    expect(await refused.json()).toMatchObject({ error: { param: 'since', reason: 'cursor_expired' } });
  });

  it('does not resume behind an event of another network (C2)', async () => {
    const { key } = await perch.account({ credits: 10 });
    const { cursor: secret } = perch.stores.secrets;
    const anchor = { known: [], floor: [Date.now(), '0'] } as const;
    const since = createCursors(secret, 'elsewhere').encodeSince(
      { kind: 'timeline', subject: '7' },
      anchor,
      Date.now(),
    );
    const positions = new Positions(secret);
    const headers = { 'x-api-key': key, 'last-event-id': positions.encode([positions.begin(Date.now(), since)]) };
    const refused = await fetch(`${perch.url}/v1/live?user=7`, { headers });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { reason: 'cursor_other_list' } }]);
  });

  it('sends again, free, what was charged and lost on its way', async () => {
    const { post } = author('edsger');
    const { key } = await perch.account({ credits: 10 });
    const first = await open('/v1/live?user=edsger', key);
    await first.next();
    const position = await first.next();
    post('lost');
    const lost = await first.next();
    expect(lost).toMatchObject({ event: 'items', data: { credits_charged: 1, balance_remaining: 9 } });
    first.leave();
    post('and more');
    const second = await open('/v1/live?user=edsger', key, { 'last-event-id': position.id ?? '' });
    await second.next();
    const again = await second.next();
    expect(again).toMatchObject({ data: { data: [{ text: 'lost' }], credits_charged: 0, balance_remaining: 9 } });
    expect(again.data).toHaveProperty('request_id', (lost as { data: { request_id: string } }).data.request_id);
    const more = await second.next();
    expect(more).toMatchObject({ data: { data: [{ text: 'and more' }], credits_charged: 1, balance_remaining: 8 } });
    second.leave();
  });

  it('delivers no more than was paid for to two streams resumed from one position', async () => {
    const { post } = author('barbara');
    const account = await perch.account({ credits: 100 });
    const { key } = account;
    const start = await open('/v1/live?user=barbara', key);
    await start.next();
    const headers = { 'last-event-id': (await start.next()).id ?? '' };
    start.leave();
    // One may buy only a single tweet at a time.
    const twins = await Promise.all([
      open('/v1/live?user=barbara&max_credits=1', key, headers),
      open('/v1/live?user=barbara', key, headers),
    ]);
    for (const twin of twins) await twin.next('position');
    for (const text of ['one', 'two', 'three']) post(text);
    const texts: string[] = [];
    const delivered = new Map<string, number>();
    const read = async ({ events, leave }: (typeof twins)[0], isAll: boolean): Promise<void> => {
      for await (const { event, data } of events) {
        if (event === 'error') break;
        if (event !== 'items') continue;
        const page = data as { request_id: string; items: number; data: { text: string }[] };
        delivered.set(page.request_id, Math.max(page.items, delivered.get(page.request_id) ?? 0));
        if (!isAll) continue;
        texts.push(...page.data.map(({ text }) => text));
        if (texts.length === 3) break;
      }
      leave();
    };
    const [thrifty, other] = twins;
    const reading = read(thrifty as (typeof twins)[0], false).catch(() => {});
    await read(other as (typeof twins)[0], true);
    thrifty?.leave();
    await reading;
    expect(texts).toEqual(['one', 'two', 'three']);
    let charged = 0;
    for (const [requestId, items] of delivered) {
      const receipt = await fetch(`${perch.url}/v1/usage/${requestId}`, { headers: { 'x-api-key': key } });
      const { data } = (await receipt.json()) as { data: { items: number; credits: number } };
      expect(items).toBeLessThanOrEqual(data.items);
      charged += data.credits;
    }
    expect(await perch.balance(account)).toBe(100 - charged);
  });

  it('spends no more on a day than its limit, and refuses an invalid amount', async () => {
    await untilDayHasAMinute();
    const { post } = author('donald');
    const { key } = await perch.account({ credits: 10 });
    const stream = await open('/v1/live?user=donald&max_credits_per_day=1', key);
    await stream.next();
    await stream.next();
    post('paid for');
    expect(await stream.next()).toMatchObject({ event: 'items', data: { credits_charged: 1 } });
    post('one too many');
    expect(await stream.next()).toMatchObject({
      event: 'error',
      data: { error: { code: 'no_credits', reason: 'max_credits' } },
    });
    const refused = await fetch(`${perch.url}/v1/live?user=donald&max_credits_per_day=lots`, {
      headers: { 'x-api-key': key },
    });
    expect([refused.status, await refused.json()]).toMatchObject([400, { error: { param: 'max_credits_per_day' } }]);
  }, 100_000);

  it.each(['max_credits', 'max_credits_per_day'])(
    'spends no more than %s when its client comes back',
    async (limit) => {
      await untilDayHasAMinute();
      const account = await perch.account({ credits: 10 });
      const { post } = author(limit);
      const path = `/v1/live?q=${limit}&${limit}=2`;
      const first = await open(path, account.key);
      const position = await first.next('position');
      post('the first of two');
      const one = await first.next('items');
      first.leave();
      post('the second of two');
      // What it comes back to is sent again free, and counts.
      const second = await open(path, account.key, { 'last-event-id': position.id ?? '' });
      expect(await second.next('items')).toMatchObject({ data: { credits_charged: 0 } });
      const two = await second.next('items');
      expect(two).toMatchObject({ data: { credits_charged: 1 } });
      second.leave();
      post('one too many');
      const third = await open(path, account.key, { 'last-event-id': two.id ?? '' });
      expect([third.response.status, await third.response.json()]).toMatchObject([
        402,
        { error: { code: 'no_credits', reason: 'max_credits' } },
      ]);
      const other = await open(path, account.key, { 'last-event-id': one.id ?? '' });
      expect(await other.next('items')).toMatchObject({ data: { credits_charged: 0 } });
      other.leave();
      expect(await perch.balance(account)).toBe(8);
    },
    100_000,
  );

  it('is refused for want of credits, not for its limit, if its wallet turns out to be empty', async () => {
    const { post } = author('leslie');
    const reader = await perch.account({ credits: 100 });
    const page = await fetch(`${perch.url}/v1/users/leslie/tweets?fresh=true`, {
      headers: { 'x-api-key': reader.key },
    });
    const { since_cursor: since } = (await page.json()) as { since_cursor: string };
    post('for all');
    await fetch(`${perch.url}/v1/users/leslie/tweets?fresh=true`, { headers: { 'x-api-key': reader.key } });
    // From the second time on, the answer is kept, and the ledger is asked before the balance is read.
    for (let nth = 0; nth < 3; nth += 1) {
      const stream = await open(`/v1/live?user=leslie&since=${since}`, reader.key);
      expect(await stream.next('items')).toMatchObject({ data: { data: [{ text: 'for all' }] } });
      stream.leave();
    }
    const poor = await perch.account({ credits: 0 });
    const { response, leave } = await open(`/v1/live?user=leslie&since=${since}&max_credits_per_day=0.5`, poor.key);
    const { error } = (await response.json()) as { error: { code: string; reason?: string } };
    leave();
    expect([error.code, error.reason]).toEqual(['no_credits', undefined]);
  });

  it('is refused as a whole if its caller may not make a request now, or has a wrong key', async () => {
    author('tony');
    const still = await startPerch({ network, clock: manualClock() });
    try {
      const { key } = await still.account({ qps: 1 });
      // A request of the same second.
      await fetch(`${still.url}/v1/users/tony`, { headers: { 'x-api-key': key } });
      const refused = await openStream(`${still.url}/v1/live?user=tony&q=bread&q=rye`, key);
      refused.leave();
      expect(refused.response.status).toBe(429);
      const many = Array.from({ length: 100 }, (_, nth) => `q=loaf${nth}`).join('&');
      for (let nth = 0; nth < 2; nth += 1) {
        const wrong = await openStream(`${still.url}/v1/live?${many}`, `${key.slice(0, -4)}zzzz`);
        wrong.leave();
        // An address whose keys fail too often gets 429.
        expect(wrong.response.status).toBe(401);
      }
    } finally {
      await still.close();
    }
  });

  it('frees the place of a list when that ends', async ({ expect }) => {
    net.user({ id: '9', handle: 'nine' });
    net.tweet({ id: '9', authorId: '9', createdAt: new Date().toISOString() });
    net.list('timeline', '9', ['9']);
    const account = await perch.account({ qps: 1 });
    const stream = await open(`/v1/live?user=9&${[1, 2, 3, 4].map((nth) => `q=oven${nth}`).join('&')}`, account.key);
    for (let begun = 0; begun < 5; begun += 1) await stream.next('position');
    const another = async (): Promise<unknown> => {
      const { response, leave } = await open('/v1/live?q=oven5', account.key);
      const refused = response.ok ? null : ((await response.json()) as { error: { reason?: string } });
      leave();
      return refused === null ? 'open' : refused.error.reason;
    };
    await expect.poll(another, { interval: 1_100, timeout: 20_000 }).toBe('streams');
    net.pages('timeline', '9', () => {
      throw new ServiceError('not_found', 'There is none.', { reason: 'deleted' });
    });
    expect(await stream.next('error')).toMatchObject({
      data: { subject: { user: '9' }, error: { code: 'not_found' } },
    });
    await expect.poll(another, { interval: 1_100, timeout: 20_000 }).toBe('open');
    stream.leave();
  });
});

describe.concurrent.each([
  ['the first', 0],
  ['another', 1],
])('a stream that could not read %s of its lists when it was resumed', (_which, failing) => {
  const net = createScriptedNetwork();
  const clock = { shiftMs: 0, now: () => Date.now() + clock.shiftMs };
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ network: net.network, clock });
  });
  afterAll(() => perch.close());

  it('continues that list once it can be read again', async () => {
    const users = [`8${failing}`, `7${failing}`];
    const [failingId = ''] = users.slice(failing);
    const grow = (text: string): void => {
      for (const id of users) {
        const item = `${Date.now()}${id}`;
        net.tweet({ id: item, authorId: id, text, createdAt: new Date().toISOString() });
        lists.set(id, [item, ...(lists.get(id) ?? [])]);
        net.list('timeline', id, lists.get(id) ?? []);
      }
    };
    const lists = new Map<string, string[]>();
    for (const id of users) net.user({ id, handle: `user${id}` });
    grow('the first');
    const { key } = await perch.account();
    const path = `${perch.url}/v1/live?${users.map((id) => `user=${id}`).join('&')}`;
    const first = await openStream(path, key);
    await first.next('position');
    const { id = '' } = await first.next('position');
    first.leave();
    grow('while away');
    net.pages('timeline', failingId, () => {
      throw new ServiceError('upstream_error', 'The network is away.');
    });
    // Kept pages are too old now.
    clock.shiftMs += DAY_MS;
    const second = await openStream(path, key, { 'last-event-id': id });
    expect(second.response.status).toBe(200);
    const got = async () => {
      const { event, data } = await second.next();
      return { event, ...(data as { subject?: { user: string }; data?: { text: string }[] }) };
    };
    expect(await got()).toMatchObject({ event: 'open' });
    expect((await got()).subject?.user).not.toBe(failingId);
    const { data: heartbeat } = await second.next('heartbeat');
    expect(heartbeat).toMatchObject({
      checked: expect.arrayContaining([expect.objectContaining({ user: failingId, failed: 'upstream_error' })]),
    });
    net.list('timeline', failingId, lists.get(failingId) ?? []);
    expect(await got()).toMatchObject({
      event: 'items',
      subject: { user: failingId },
      data: [{ text: 'while away' }],
    });
    second.leave();
  });
});

describe.concurrent('a stream of several lists', () => {
  const net = createScriptedNetwork();
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ network: net.network });
  });
  afterAll(() => perch.close());

  it('begins all its lists once the connection that its client lost no longer holds their places', async () => {
    const { key } = await perch.account({ qps: 1 });
    const path = `${perch.url}/v1/live?q=rye&q=spelt&q=oats`;
    const lost = await openStream(path, key);
    const ids = [await lost.next('position'), await lost.next('position'), await lost.next('position')];
    const comeBack = () => openStream(path, key, { 'last-event-id': ids[2]?.id ?? '' });
    let back = await comeBack();
    // Its lists have used up the requests of this second.
    while (!back.response.ok) back = await comeBack();
    const events = async () => (await back.next()).event;
    expect([await events(), await events(), await events()]).toEqual(['open', 'position', 'position']);
    const { data } = await back.next('heartbeat');
    expect(data).toMatchObject({
      checked: expect.arrayContaining([expect.objectContaining({ failed: 'rate_limited' })]),
    });
    lost.leave();
    expect(await events()).toBe('position');
    back.leave();
  });

  it('is refused for a failure that passes rather than for one that does not, if none of its lists can begin', async () => {
    net.user({ id: '60', handle: 'user60' });
    net.pages('timeline', '60', () => {
      throw new ServiceError('upstream_error', 'The network is away.');
    });
    const { key } = await perch.account();
    const { response } = await openStream(`${perch.url}/v1/live?user=nobody&user=60`, key);
    expect([response.status, await response.json()]).toMatchObject([503, { error: { code: 'upstream_error' } }]);
  });
});

describe.concurrent.each(MOUNTS)('a subscription over %s', (graphql) => {
  const { net, network, author } = createNews();
  let perch: TestPerch;
  beforeAll(async () => {
    perch = await startPerch({ network, graphql });
  });
  afterAll(() => perch.close());

  const QUERY =
    'subscription ($q: String!) { news: search(q: $q) { nodes { ... on Tweet { text } } meta { creditsCharged } } }';
  /** Subscribes to a search, as graphql-sse does but for the method. Each test searches for something else. */
  const subscribe = (q: string, key: string, extensions: object = {}, headers: Record<string, string> = {}) => {
    const params = { query: QUERY, variables: JSON.stringify({ q }), extensions: JSON.stringify(extensions) };
    return openStream(`${perch.url}/graphql?${new URLSearchParams(params)}`, key, {
      accept: 'text/event-stream',
      ...headers,
    });
  };
  const send = (key: string, body: object, accept = 'text/event-stream') =>
    fetch(`${perch.url}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json', accept },
      body: JSON.stringify(body),
    });
  const result = (text: string, creditsCharged: number) => ({
    event: 'next',
    data: { data: { news: { nodes: [{ text }], meta: { creditsCharged } } } },
  });
  const positionOf = ({ data }: { data?: unknown } = {}): string =>
    (data as { extensions: { live: { position: string } } }).extensions.live.position;

  it('begins with a position, sends each new tweet once at the price of a page, and ends with its budget', async () => {
    const { post } = author('tea');
    const account = await perch.account({ credits: 10 });
    const stream = await subscribe('tea', account.key, { maxCredits: 1 });
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const begun = await stream.next();
    const live = {
      position: begun.id,
      heartbeat_seconds: 15,
      every_seconds: expect.any(Number),
      checked_at: expect.any(String),
    };
    expect(begun).toMatchObject({
      event: 'next',
      data: { data: { news: { nodes: [] } }, extensions: { credits: { charged: 0, remaining: 10 }, live } },
    });
    post('news');
    const news = await stream.next();
    expect(news).toMatchObject(result('news', 1));
    expect(news).toMatchObject({ data: { extensions: { credits: { charged: 1, remaining: 9 } } } });
    expect([positionOf(news), positionOf(news) === positionOf(begun)]).toEqual([news.id, false]);
    post('one too many');
    expect(await stream.next()).toMatchObject({
      event: 'next',
      data: { errors: [{ extensions: { code: 'no_credits', reason: 'max_credits' } }] },
    });
    expect(await stream.next()).toEqual({ event: 'complete', data: null });
    expect((await stream.events.next()).done).toBe(true);
    expect(await perch.balance(account)).toBe(9);
  });

  it.each([
    ['application/x-www-form-urlencoded', new URLSearchParams({ query: QUERY, variables: '{"q":"forms"}' }).toString()],
    ['application/graphql+json', JSON.stringify({ query: QUERY, variables: { q: 'forms' } })],
    ['application/json; charset="utf-8"', JSON.stringify({ query: QUERY, variables: { q: 'forms' } })],
    ['application/graphql', QUERY.replace('($q: String!)', '').replace('$q', '"forms"')],
  ])(
    'begins in whatever form it is sent: %s',
    async (type, body) => {
      const { key } = await perch.account({ credits: 10, qps: 50 });
      const headers = { 'x-api-key': key, 'content-type': type, accept: 'text/event-stream' };
      const response = await fetch(`${perch.url}/graphql`, { method: 'POST', headers, body });
      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      await response.body?.cancel();
    },
    60_000,
  );

  it('sends again, free, what was charged and lost behind the client’s position', async () => {
    const { post } = author('milk');
    const account = await perch.account({ credits: 10 });
    const first = await subscribe('milk', account.key);
    const begun = await first.next();
    post('lost');
    expect(await first.next()).toMatchObject(result('lost', 1));
    first.leave();
    post('and more');
    const second = await subscribe('milk', account.key, {}, { 'last-event-id': positionOf(begun) });
    expect(await second.next()).toMatchObject(result('lost', 0));
    expect(await second.next()).toMatchObject(result('and more', 1));
    second.leave();
    expect(await perch.balance(account)).toBe(8);
  });

  it('sends again, free, no more of what lies below its items than was paid for', async () => {
    const { id: authorId, post } = author('yeast');
    const account = await perch.account({ credits: 100 });
    const replies = 'replies(first: 5, fresh: true) { nodes { text } }';
    const query = `subscription { news: search(q: "yeast") { nodes { ... on Tweet { text ${replies} } } } }`;
    const resume = (headers: Record<string, string>) =>
      openStream(`${perch.url}/graphql?${new URLSearchParams({ query })}`, account.key, {
        accept: 'text/event-stream',
        ...headers,
      });
    const first = await resume({});
    const begun = await first.next();
    const answer = (nth: number) => net.tweet({ id: `9${nth}`, authorId, text: `answer ${nth}` }).id;
    const id = post('lost');
    net.list('replies', id, [answer(1)]);
    const lost = (await first.next()).data as Replied;
    expect(lost.data.news.nodes[0]?.replies.nodes).toHaveLength(1);
    const balance = await perch.balance(account);
    first.leave();
    net.list('replies', id, [1, 2, 3, 4].map(answer));
    const second = await resume({ 'last-event-id': positionOf(begun) });
    const again = (await second.next()).data as Replied;
    expect(again.data.news.nodes).toMatchObject([{ text: 'lost', replies: { nodes: [{}] } }]);
    expect(again.data.news.nodes[0]?.replies.nodes).toHaveLength(1);
    second.leave();
    expect(await perch.balance(account)).toBe(balance);
  });

  it('is refused once its budget is spent, when its client comes back', async () => {
    const { post } = author('rye');
    const { key } = await perch.account({ credits: 10 });
    const stream = await subscribe('rye', key, { maxCredits: 1 });
    await stream.next();
    post('paid for');
    const news = await stream.next();
    stream.leave();
    const { response } = await subscribe('rye', key, { maxCredits: 1 }, { 'last-event-id': positionOf(news) });
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'no_credits' } }] });
  });

  it('spends no more on a day than extensions.maxCreditsPerDay', async () => {
    await untilDayHasAMinute();
    const { post } = author('salt');
    const { key } = await perch.account({ credits: 10 });
    const stream = await subscribe('salt', key, { maxCreditsPerDay: 1 });
    await stream.next();
    post('paid for');
    expect(await stream.next()).toMatchObject(result('paid for', 1));
    post('one too many');
    expect(await stream.next()).toMatchObject({
      data: { errors: [{ extensions: { code: 'no_credits', reason: 'max_credits' } }] },
    });
    stream.leave();
  }, 120_000);

  it.each([
    [{ maxCreditsPerDay: 'lots' }, 'maxCreditsPerDay'],
    [{ heartbeats: 'yes' }, 'heartbeats'],
  ])('is refused with %j, free', async (extensions, param) => {
    const { key } = await perch.account();
    const { response } = await subscribe('figs', key, extensions);
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ extensions: { param } }] }]);
  });

  it.each([
    [
      'two lists',
      'a: timeline(user: "seven") { meta { items } } b: timeline(user: "seven") { meta { items } }',
      /only one/,
    ],
    ['no list', '__typename', /introspection/],
    ['a list that is skipped', 'timeline(user: "seven") @skip(if: true) { meta { items } }', /its field is skipped/],
    ['the list of nobody', 'timeline(user: "nobody") { meta { items } }', /There is none/],
  ])('of %s is refused with the reason, free', async (_what, selection, message) => {
    const account = await perch.account();
    const response = await send(account.key, { query: `subscription { ${selection} }` });
    expect(await response.json()).toMatchObject({ errors: [{ message: expect.stringMatching(message) }] });
    expect(await perch.balance(account)).toBe(1000);
  });

  it('is priced by a dry run, whatever type is accepted', async () => {
    const account = await perch.account();
    const body = { query: QUERY.replace('String!', 'String! = "tea"'), extensions: { dryRun: true } };
    for (const accept of ['text/event-stream', 'application/json']) {
      const response = await send(account.key, body, accept);
      const priced = {
        data: null,
        extensions: { estimate: { max_items: 20, max_credits: 20 }, credits: { charged: 0 } },
      };
      expect([response.status, await response.json()]).toMatchObject([200, priced]);
    }
    expect(await perch.balance(account)).toBe(1000);
  });

  it('sends heartbeats as results if its client requests them, and as comments otherwise', async () => {
    const { post } = author('oats');
    const account = await perch.account();
    const [withHeartbeats, other] = [
      await subscribe('oats', account.key, { heartbeats: true }),
      await subscribe('oats', account.key),
    ];
    const begun = await withHeartbeats.next();
    await other.next();
    const heartbeat = await withHeartbeats.next();
    const live = { position: positionOf(begun), heartbeat_seconds: 15, every_seconds: expect.any(Number) };
    expect(heartbeat).toMatchObject({ event: 'next', data: { data: { news: null }, extensions: { live } } });
    post('news');
    expect((await withHeartbeats.next('next')).data).toMatchObject({ data: { news: { nodes: [{ text: 'news' }] } } });
    expect(await other.next()).toMatchObject({
      data: { data: { news: { nodes: [{ text: 'news' }] } } },
    });
    for (const { leave } of [withHeartbeats, other]) leave();
  });
});
