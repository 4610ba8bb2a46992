import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { at, failures, post } from './client.js';
import { MOUNTS, type Service, startService, TIMELINE } from './service.js';

describe.each(MOUNTS)('the cost of an operation (%s)', (mount) => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({}, mount);
  });
  afterAll(() => service.close());
  beforeEach(() => {
    service.clock.forget();
    service.net.heal();
  });

  const execute = async (query: string, options: { credits?: number; extensions?: Record<string, unknown> } = {}) => {
    const { credits = 1000, extensions } = options;
    const account = await service.perch.account({ credits });
    const calls = service.net.calls.length;
    const reply = await post(service.perch, account, { query, ...(extensions && { extensions }) });
    const spent = credits - (await service.perch.balance(account));
    if (reply.body.extensions.credits) {
      const { charged, remaining, breakdown } = reply.body.extensions.credits;
      expect(spent).toBeCloseTo(charged, 9);
      expect(remaining).toBeCloseTo(credits - charged, 9);
      expect(breakdown.reduce((sum, line) => sum + line.charged, 0)).toBeCloseTo(charged, 9);
      for (const { items, unit, charged: line } of breakdown) expect(items * unit).toBeCloseTo(line, 9);
    }
    return { ...reply, account, spent, calls: service.net.calls.slice(calls) };
  };

  it('G3: is the sum of its paid items at the REST prices; scalars, authors and counts are free', async () => {
    const { spent } = await execute(`{
      user(handle: "user1") { id name followersCount }
      timeline(user: "1", first: 3) { nodes { id author { handle bio } likesCount } }
      followers(user: "1", first: 10) { nodes { handle } }
      followerIds(user: "1", first: 10) { nodes }
      me { balance }
    }`);
    // Ids from a page that was already read for profiles are hits.
    expect(spent).toBeCloseTo(1 + 3 + 10 * 0.1 + 10 * 0.01, 9);
  });

  it('G3, U48: counts an object that appears twice once, under aliases, in lists, by id and by handle', async () => {
    const aliases = await execute(
      '{ a: tweet(id: "200") { id } b: tweet(id: "200") { text } c: tweet(id: "200") { id } }',
    );
    expect(aliases.spent).toBe(1);
    expect(aliases.calls).toHaveLength(1);
    const lists = await execute(`{
      first: timeline(user: "1", first: 5) { nodes { id } }
      again: timeline(user: "1", first: 8) { nodes { id } }
      one: tweet(id: "199") { id }
    }`);
    expect(lists.spent).toBeLessThanOrEqual(8);
    expect(lists.body.extensions.credits.breakdown.reduce((sum, { items }) => sum + items, 0)).toBe(8);
    const names = await execute(
      '{ a: user(handle: "USER7") { id } b: user(id: "7") { id } c: user(handle: "@user7") { id } }',
    );
    expect(names.spent).toBe(1);
  });

  it('G3: is zero for what was already paid for, even with nothing left', async () => {
    const { body, spent } = await execute(
      '{ a: timeline(user: "1", first: 4) { nodes { id } } b: timeline(user: "1", first: 4) { nodes { id } } c: tweet(id: "198") { id } }',
      { credits: 4 },
    );
    expect(spent).toBe(4);
    expect(body.errors).toBeUndefined();
    expect(at({ body } as never, 'b', 'nodes')).toHaveLength(4);
  });

  it('G4: is broken down into one line per path and cache label', async () => {
    const { account, body } = await execute(
      '{ page: timeline(user: "1", first: 2) { nodes { id q: quoted { id } } } }',
    );
    expect(body.extensions.credits).toEqual({
      charged: 4,
      remaining: 996,
      cache: 'miss',
      breakdown: [
        { path: 'page', items: 2, unit: 1, cache: 'miss', charged: 2 },
        { path: 'page.nodes.q', items: 2, unit: 1, cache: 'miss', charged: 2 },
      ],
    });
    const again = await post(
      service.perch,
      account,
      '{ page: timeline(user: "1", first: 2) { meta { items creditsCharged cache cacheHits } nodes { id } } }',
    );
    expect(at(again, 'page', 'meta')).toEqual({ items: 2, creditsCharged: 1, cache: 'hit', cacheHits: 2 });
    expect(again.body.extensions.credits.cache).toBe('hit');
  });

  it('G5: leaves out fields that fail, which are null and named; the rest is paid', async () => {
    const reply = await execute(
      '{ yes: tweet(id: "200") { id } no: tweet(id: "999") { id } bad: user(handle: "!!") { id } none: timeline(user: "404") { nodes { id } } }',
    );
    expect(reply.status).toBe(200);
    expect(reply.body.data).toEqual({ yes: { id: '200' }, no: null, bad: null, none: null });
    expect(failures(reply)).toEqual({ no: 'not_found', bad: 'not_found', none: 'not_found' });
    expect(reply.spent).toBe(1);
  });

  it('G8: is refused free with its figure if the worst case exceeds the default budget, and allowed within a budget', async () => {
    const query =
      '{ users(handles: ["user1", "user2"]) { nodes { tweets(first: 100) { nodes { quoted { quotes(first: 1) { nodes { id } } } } } } } }';
    const wide =
      '{ a: timeline(user: "1", first: 100) { nodes { quoted { id } retweeted { id } inReplyTo { id } } } b: timeline(user: "2", first: 100) { nodes { quoted { id } retweeted { id } inReplyTo { id inReplyTo { id inReplyTo { id inReplyTo { id } } } } } } }';
    expect((await execute(query)).body.errors[0]).toMatchObject({ extensions: { code: 'bad_request' } });
    const refused = await execute(wide);
    expect([refused.status, refused.spent, refused.calls]).toEqual([400, 0, []]);
    expect(refused.body.errors[0]?.message).toMatch(/1100 .*1000.* extensions\.maxCredits \(or X-Max-Credits\)/);
    expect(refused.body.errors[0]?.extensions).toMatchObject({ code: 'bad_request', param: 'maxCredits' });
    const dry = await execute(wide, { extensions: { dryRun: true } });
    expect(dry.body.extensions.estimate).toEqual({
      ...{ max_items: 1100, max_credits: 1100 },
      refused: { code: 'bad_request', message: refused.body.errors[0]?.message },
    });
    const within = await execute(wide, { extensions: { maxCredits: 50 } });
    expect(within.status).toBe(200);
    expect(within.spent).toBe(50);
    expect(at(within, 'a', 'nodes')).toHaveLength(50);
  });

  it('G8: takes a size sent as null for the default, in the worst case too', async () => {
    const account = await service.perch.account();
    const extensions = { dryRun: true };
    for (const query of [
      '{ timeline(user: "1") { nodes { id } } }',
      '{ timeline(user: "1", first: null) { nodes { id } } }',
    ]) {
      const { body } = await post(service.perch, account, { query, extensions });
      expect(body.extensions.estimate).toEqual({ max_items: 20, max_credits: 20 });
    }
    const nested = '{ timeline(user: "1", first: null) { nodes { replies(first: null) { nodes { id } } } } }';
    const { body } = await post(service.perch, account, { query: nested, extensions });
    expect(body.extensions.estimate).toEqual({ max_items: 420, max_credits: 420 });
  });

  it('M26: is estimated by a dry run with its nested, fresh and skipped reads; nothing is read', async () => {
    const query = `query ($no: Boolean!) {
      timeline(user: "1", first: 10, fresh: true) { nodes { quoted { id } } }
      followers(user: "1", first: 30) @skip(if: $no) { nodes { id } }
      tweets(ids: ["1", "2"]) { nodes { id } }
    }`;
    const account = await service.perch.account();
    const calls = service.net.calls.length;
    const price = async (no: boolean) => {
      const reply = await post(service.perch, account, { query, variables: { no }, extensions: { dryRun: true } });
      expect(reply.body).toMatchObject({ data: null });
      return reply.body.extensions.estimate;
    };
    expect(await price(true)).toEqual({ max_items: 22, max_credits: 32 });
    expect(await price(false)).toEqual({ max_items: 52, max_credits: 35 });
    expect(service.net.calls).toHaveLength(calls);
    expect(await service.perch.balance(account)).toBe(1000);
  });

  it('M26: is limited by a budget, which trims lists and fails the rest, by extension or header; two different ones are 400', async () => {
    const trimmed = await execute(
      '{ timeline(user: "1", first: 9) { nodes { id } pageInfo { truncated hasNextPage } } t: tweet(id: "1") { id } }',
      {
        extensions: { maxCredits: 4 },
      },
    );
    expect(at(trimmed, 'timeline', 'pageInfo')).toEqual({ truncated: 'max_credits', hasNextPage: true });
    expect(trimmed.spent).toBe(4);
    expect(trimmed.body.errors[0]?.extensions).toMatchObject({ code: 'no_credits', reason: 'max_credits' });
    expect(trimmed.body.extensions?.credits).toMatchObject({
      truncated: [{ path: 'timeline', reason: 'max_credits', items: 4, requested: 9 }],
    });
    const account = await service.perch.account();
    const both = await post(
      service.perch,
      account,
      { query: '{ tweet(id: "1") { id } }', extensions: { maxCredits: 2 } },
      { 'x-max-credits': '3' },
    );
    expect([both.status, both.body.errors[0]?.extensions.code]).toEqual([400, 'bad_request']);
    const none = await post(service.perch, account, '{ tweet(id: "50") { id } }', { 'x-max-credits': '0.4' });
    expect(failures(none)).toEqual({ tweet: 'no_credits' });
  });

  it('G9: is covered for fields in document order when credits run out, whatever their kind, depth first', async () => {
    const query = `{
      a: tweet(id: "1") { id }
      b: timeline(user: "1", first: 2) { nodes { id quoted { id } } }
      c: tweet(id: "2") { id }
      d: users(handles: ["user3", "user4"]) { nodes { id } errors { code } }
      e: tweet(id: "3") { id }
    }`;
    const order = ['a', 'b', 'b', 'b.q', 'b.q', 'c', 'd', 'd', 'e'];
    for (const credits of [1, 2, 3, 4, 5, 6, 7, 8, 9]) {
      service.clock.forget();
      const reply = await execute(query, { credits });
      const quoted = [0, 1].map((i) => at(reply, 'b', 'nodes', i, 'quoted'));
      const got = {
        a: at(reply, 'a') ? 1 : 0,
        b: [0, 1].filter((i) => at(reply, 'b', 'nodes', i)).length,
        'b.q': quoted.filter(Boolean).length,
        c: at(reply, 'c') ? 1 : 0,
        d: [0, 1].filter((i) => at(reply, 'd', 'nodes', i)).length,
        e: at(reply, 'e') ? 1 : 0,
      };
      const funded = order.slice(0, credits);
      const expected = Object.fromEntries(
        Object.keys(got).map((name) => [name, funded.filter((n) => n === name).length]),
      );
      expect({ credits, ...got }).toEqual({ credits, ...expected });
      expect(reply.spent).toBe(credits);
    }
  });

  it('B6, B7, B9: is covered from the beginning of a batch; from the first item that is not, all are no_credits', async () => {
    await execute('{ tweet(id: "30") { id } }');
    const reply = await execute(
      '{ tweets(ids: ["998", "31", "32", "33", "30", "0x", "999"]) { nodes { id } errors { input code } } }',
      {
        credits: 2.6,
      },
    );
    expect(at(reply, 'tweets', 'nodes')).toEqual([{ id: '31' }, { id: '32' }]);
    expect(at(reply, 'tweets', 'errors')).toEqual([
      { input: '998', code: 'not_found' },
      ...['33', '30', '0x', '999'].map((input) => ({ input, code: 'no_credits' })),
    ]);
    expect([reply.spent, reply.calls.flatMap(({ of }) => of)]).toEqual([2, ['998', '31', '32']]);
  });

  it('G9: lets reads of one field travel together even if credits are tight', async () => {
    const { calls, spent } = await execute('{ timeline(user: "1", first: 40) { nodes { quoted { id } } } }', {
      credits: 79,
    });
    expect(spent).toBe(79);
    expect(calls.map(({ what }) => what)).toEqual(['page', 'tweets']);
  });

  it('G10, U46: reads nested single objects as one batch: 100 quoted tweets are one upstream call', async () => {
    const { calls, spent, body } = await execute('{ timeline(user: "1", first: 100) { nodes { quoted { id } } } }');
    expect(calls.map(({ what, of }) => [what, of.length])).toEqual([
      ['page', 1],
      ['tweets', 100],
    ]);
    expect(spent).toBe(200);
    expect(at({ body } as never, 'timeline', 'nodes', 99, 'quoted', 'id')).toBe('1');
  });

  it('G10: allows a paid list below at most 20 parents', async () => {
    const under = (first: number) =>
      `{ timeline(user: "1", first: ${first}) { nodes { replies(first: 1) { nodes { id } } } } }`;
    const refused = await execute(under(21));
    expect([refused.status, refused.calls]).toEqual([400, []]);
    expect(refused.body.errors[0]).toMatchObject({
      message: expect.stringContaining('20'),
      extensions: { param: 'first' },
    });
    expect((await execute(under(20))).status).toBe(200);
  });

  it('G14: is doubled by `fresh` for that field only', async () => {
    await execute('{ tweet(id: "5") { id } }');
    const { body } = await execute('{ held: tweet(id: "5") { id } anew: tweet(id: "6", fresh: true) { id } }');
    expect(body.extensions.credits.breakdown).toEqual([
      { path: 'held', items: 1, unit: 0.5, cache: 'hit', charged: 0.5 },
      { path: 'anew', items: 1, unit: 2, cache: 'bypass', charged: 2 },
    ]);
  });

  it('U51: is without remembered temporary failures, and duplicates are merged before they are paid for', async () => {
    service.net.fail(new Error('socket hang up'), 1);
    const failed = await execute('{ a: tweet(id: "9") { id } b: tweet(id: "9") { id } }');
    expect(failures(failed)).toEqual({ a: 'upstream_error', b: 'upstream_error' });
    expect(failed.body.errors[0]?.message).not.toContain('socket');
    const well = await execute('{ a: tweet(id: "9") { id } b: tweet(id: "9") { id } }');
    expect([well.spent, well.calls.length]).toEqual([1, 1]);
  });

  it('G12: comes with the same cursors as in REST', async () => {
    const { account, body } = await execute(
      '{ timeline(user: "1", first: 3) { nodes { id } pageInfo { endCursor hasNextPage } } }',
    );
    const cursor = at({ body } as never, 'timeline', 'pageInfo', 'endCursor') as string;
    const rest = await fetch(`${service.perch.url}/v1/users/1/tweets?count=3&cursor=${cursor}`, {
      headers: { 'x-api-key': account.key },
    });
    const { data, next_cursor } = (await rest.json()) as { data: { id: string }[]; next_cursor: string };
    expect(data.map(({ id }) => id)).toEqual(TIMELINE.slice(3, 6));
    const next = await post(service.perch, account, {
      query: 'query ($after: String) { timeline(user: "1", first: 3, after: $after) { nodes { id } } }',
      variables: { after: next_cursor },
    });
    expect(at(next, 'timeline', 'nodes')).toEqual(TIMELINE.slice(6, 9).map((id) => ({ id })));
  });

  it.each([
    [
      'timeline(user: "1", after: "x") { meta { items } }',
      'after',
      'Invalid cursor. Send the endCursor of the previous page',
    ],
    [
      'timeline(user: "1", since: "x") { meta { items } }',
      'since',
      'Invalid since. Send the sinceCursor of an earlier',
    ],
    ['usagePage(after: "x") { nodes { day } }', 'after', 'Invalid cursor. Send the endCursor of the previous page'],
    ['tweet(id: "3") { id }', 'maxCredits', "0 credits left in this call's budget. Raise extensions.maxCredits (or"],
  ])('names what GraphQL calls the parameter at fault: %s', async (field, param, message) => {
    const { body, spent } = await execute(`{ ${field} }`, { extensions: { maxCredits: 0 } });
    expect([spent, body.errors[0]?.extensions]).toMatchObject([0, { param }]);
    expect(body.errors[0]?.message).toContain(message);
  });
});
