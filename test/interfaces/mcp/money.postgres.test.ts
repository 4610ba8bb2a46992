import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ERAS, type RawReply, sendNew, sendOld } from './raw.js';
import { type McpService, startMcp } from './service.js';

let service: McpService;
beforeAll(async () => {
  service = await startMcp();
});
afterAll(() => service.close());
beforeEach(() => service.clock.forget());

const call = (name: string, args: object, headers: Record<string, string> = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args },
  headers,
});
const contentOf = ({ body }: RawReply) => body.result.structuredContent;
const textOf = ({ body }: RawReply): string => body.result.content[0].text;

describe('a budget (M26)', () => {
  it.each(ERAS)('%s: trims a list by max_credits, and says so', async (_revision, send) => {
    const account = await service.perch.account();
    const reply = await send(
      service.url,
      account.key,
      call('get_followers', { user: '1', count: 9, max_credits: 0.4 }),
    );
    expect(contentOf(reply)).toMatchObject({ items: 4, credits_charged: 0.4, truncated: 'max_credits' });
    expect(textOf(reply)).toContain('Trimmed to `max_credits`.');
    expect(await service.perch.balance(account)).toBeCloseTo(999.6, 9);
  });

  it.each([
    [{ max_credits: 0.5 }, '0.3', 3],
    [{ max_credits: 0.3 }, '0.5', 3],
    [{}, '0.3', 3],
    [{ max_credits: null }, '0.3', 3],
    [{ max_credits: 0.3 }, undefined, 3],
    [{}, undefined, 9],
  ])(
    'argument %j, header %s: takes the lower one, because one is the model’s and the other its owner’s',
    async (args, header, items) => {
      const { key } = await service.perch.account();
      const headers: Record<string, string> = header === undefined ? {} : { 'x-max-credits': header };
      const reply = await sendOld(service.url, key, call('get_followers', { user: '1', count: 9, ...args }, headers));
      expect(contentOf(reply).items).toBe(items);
    },
  );

  it('answers no_credits with advice if it is below the price of one item', async () => {
    const { key } = await service.perch.account();
    const reply = await sendOld(service.url, key, call('get_tweet', { id: '120', max_credits: 0.2 }));
    expect(contentOf(reply).error).toMatchObject({ code: 'no_credits', reason: 'max_credits' });
    expect(textOf(reply)).toContain('raise it if the user agrees');
  });

  it.each([
    ['get_users', { handles: ['user31', 'user32', 'user33'] }],
    ['get_tweets', { ids: ['101', '102', '103'] }],
  ])('%s: leaves the part of a batch that it does not cover unread, and lists it in `errors`', async (tool, args) => {
    const { key } = await service.perch.account();
    const reply = await sendNew(service.url, key, call(tool, { ...args, max_credits: 2 }));
    expect(contentOf(reply)).toMatchObject({ items: 2, credits_charged: 2, errors: [{ code: 'no_credits' }] });
    expect(textOf(reply)).toContain(`No result for ${Object.values(args)[0]?.[2]}: no_credits.`);
  });

  it('answers no_credits with an empty wallet, and still serves what is free', async () => {
    const { key } = await service.perch.account({ credits: 0 });
    expect(contentOf(await sendNew(service.url, key, call('get_user', { handle: 'user1' }))).error.code).toBe(
      'no_credits',
    );
    expect(contentOf(await sendNew(service.url, key, call('get_account', { max_credits: 0 }))).balance).toBe(0);
    expect(contentOf(await sendNew(service.url, key, call('get_packs', {}))).data.length).toBeGreaterThan(0);
  });

  it('names the spend cap of the key as another limit', async () => {
    const { key } = await service.perch.account({ cap: 1 });
    await sendNew(service.url, key, call('get_user', { handle: 'user1' }));
    const reply = await sendNew(service.url, key, call('get_user', { handle: 'user2' }));
    expect(contentOf(reply).error).toMatchObject({ code: 'no_credits', reason: 'key_cap' });
    expect(textOf(reply)).toContain('only the user can raise it');
  });
});

describe('promises in the descriptions', () => {
  it('charges an input named twice in a batch once, and nothing for one that is not found', async () => {
    const { key } = await service.perch.account();
    const tweets = contentOf(
      await sendNew(service.url, key, call('get_tweets', { ids: ['120', '121', '120', '999'] })),
    );
    expect([tweets.credits_charged, tweets.errors.length]).toEqual([2, 1]);
    const users = contentOf(
      await sendNew(service.url, key, call('get_users', { handles: ['user8', '@USER8', 'nobody'] })),
    );
    expect([users.credits_charged, users.errors.length]).toEqual([1, 1]);
  });

  it.each([
    ['get_user', { user: 'user1' }, { handle: 'user1' }],
    ['get_user_tweets', { user: 'user1', count: 2 }, { handle: '@user1', count: 2 }],
  ])('%s reads the same for user and for handle (A42)', async (tool, now, earlier) => {
    const { key } = await service.perch.account();
    const [one, other] = [
      contentOf(await sendNew(service.url, key, call(tool, now))),
      contentOf(await sendNew(service.url, key, call(tool, earlier))),
    ];
    expect(one.data).toBeDefined();
    expect(other.data).toEqual(one.data);
  });

  it('reads a handle of digits as a handle in lists, too, and @ before digits as one (A42)', async () => {
    const { key } = await service.perch.account();
    const calls = [
      call('get_user_tweets', { handle: '1' }),
      call('get_user_tweets', { handle: '\u200e1' }),
      call('get_user', { user: '@1' }),
    ];
    for (const message of calls) {
      expect(contentOf(await sendNew(service.url, key, message)).error.code).toBe('not_found');
    }
    expect(contentOf(await sendNew(service.url, key, call('get_user_tweets', { user: '1' }))).items).toBeGreaterThan(0);
  });

  it('reads a handle of digits as a handle, never as an id', async () => {
    const { key } = await service.perch.account();
    const { error } = contentOf(await sendNew(service.url, key, call('get_user', { handle: '1' })));
    expect(error.code).toBe('not_found');
  });

  it('gives the request id for a receipt in the text', async () => {
    const { key } = await service.perch.account();
    const read = await sendNew(service.url, key, call('get_user', { handle: 'user4' }));
    const [, id] = / Request (\S+)\.$/.exec(textOf(read)) ?? [];
    const { data } = contentOf(await sendNew(service.url, key, call('get_receipt', { request_id: id })));
    expect(data.credits).toBe(contentOf(read).credits_charged);
  });

  it('offers a receipt only for what cost something', async () => {
    const { key } = await service.perch.account();
    const receiptOf = async (tool: string, args: object) => {
      const { request_id: id } = contentOf(await sendNew(service.url, key, call(tool, args)));
      return contentOf(await sendNew(service.url, key, call('get_receipt', { request_id: id })));
    };
    expect((await receiptOf('get_user', { handle: 'user1' })).data.credits).toBe(1);
    expect((await receiptOf('get_packs', {})).error.code).toBe('not_found');
  });
});

describe('price', () => {
  it.each([
    ['get_followers', { user: '1', count: 7 }, 7, 0.7],
    ['get_followers', { user: '1', count: 7, fresh: true }, 7, 1.4],
    ['get_follower_ids', { user: '1' }, 200, 4],
    ['get_users', { handles: ['a', 'b', 'c'] }, 3, 3],
    ['get_tweet', { id: '120' }, 1, 1],
    ['get_account', {}, 0, 0],
    ['get_packs', {}, 0, 0],
    // Its cost is estimated without the budget.
    ['get_followers', { user: '1', count: 7, max_credits: 0.2 }, 7, 0.7],
    // Arguments that a tool does not have, as strict modes write them.
    ['get_tweet', { id: '120', user: null, count: null, max_credits: null }, 1, 1],
  ])('%s %j: estimates at most %i items, %d credits, and reads nothing', async (tool, args, items, credits) => {
    const account = await service.perch.account({ credits: 0 });
    const before = service.net.calls.length;
    for (const [, send] of ERAS) {
      const { estimate, credits_charged: charged } = contentOf(
        await send(service.url, account.key, call('price', { tool, arguments: args })),
      );
      expect([estimate.max_items, estimate.max_credits, charged]).toEqual([items, credits, 0]);
    }
    expect(service.net.calls.length).toBe(before);
  });

  it.each(ERAS)('%s: takes max_credits as every tool does, though it is free', async (_revision, send) => {
    const { key } = await service.perch.account({ credits: 0 });
    const args = { tool: 'get_user', arguments: { handle: 'a' }, max_credits: 0 };
    expect(contentOf(await send(service.url, key, call('price', args))).estimate.max_credits).toBe(1);
  });
});

describe('the rate (A19)', () => {
  it('counts each call as one request of the account, in one bucket for MCP and REST', async () => {
    const { key } = await service.perch.account({ qps: 2 });
    const first = await sendNew(service.url, key, call('get_account', {}));
    expect(first.headers.get('ratelimit')).toBe('limit=2, remaining=1, reset=1');
    await fetch(`${service.perch.url}/v1/me`, { headers: { 'x-api-key': key } });
    const third = await sendNew(service.url, key, call('get_account', {}));
    expect([third.status, third.body.result.isError]).toEqual([200, true]);
    expect(contentOf(third).error).toMatchObject({ code: 'rate_limited', retry_after: 1 });
    expect(third.headers.get('retry-after')).toBe('1');
    expect(textOf(third)).toContain('a batch counts as one request');
  });

  it.each(ERAS)('%s: refuses a call beyond it as it answers one, before the protocol checks it', async (_, send) => {
    const { key } = await service.perch.account({ qps: 1 });
    const answered = await send(service.url, key, call('get_account', {}));
    for (const tool of ['get_account', 'unknown']) {
      const refused = await send(service.url, key, { ...call(tool, {}), id: 'a"1' });
      expect([refused.status, refused.body.id, contentOf(refused).error.code]).toEqual([200, 'a"1', 'rate_limited']);
      expect({ ...refused.body.result, content: [], structuredContent: {} }).toEqual({
        ...answered.body.result,
        ...{ isError: true, content: [], structuredContent: {} },
      });
      const [own, theirs] = [refused.headers, answered.headers].map((headers) => headers.get('content-type'));
      expect([own, refused.headers.get('retry-after')]).toEqual([theirs, '1']);
      expect(refused.headers.get('ratelimit')).toBe('limit=1, remaining=0, reset=1');
    }
  });

  it.each(ERAS)('%s: counts a call that the protocol refuses', async (_, send) => {
    const { key } = await service.perch.account({ qps: 1 });
    const unknown = await send(service.url, key, call('unknown', {}));
    expect(unknown.body.error.code).toBe(-32602);
    expect(unknown.headers.get('ratelimit-policy')).toBe('account; q=1; w=1');
    expect(contentOf(await send(service.url, key, call('get_account', {}))).error.code).toBe('rate_limited');
  });

  it('counts no handshake: an account of one request a second connects, lists and calls', async () => {
    const { key } = await service.perch.account({ qps: 1 });
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    for (const sent of [{ method: 'initialize', params: hello }, { method: 'ping' }, { method: 'tools/list' }]) {
      expect((await sendOld(service.url, key, sent)).body.result).toBeDefined();
    }
    expect(contentOf(await sendOld(service.url, key, call('get_account', {}))).balance).toBe(1000);
  });

  it('also limits messages that read nothing: 429', async () => {
    const { key } = await service.perch.account({ qps: 5 });
    const replies = await Promise.all(Array.from({ length: 14 }, () => sendOld(service.url, key, { method: 'ping' })));
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused.length).toBe(4);
    expect(refused[0]?.headers.get('retry-after')).toBe('1');
    expect(refused[0]?.body.error.data.error.code).toBe('rate_limited');
  });
});

describe('the headers of a call say what its body says (H9, L7)', () => {
  it.each(ERAS)('%s', async (_revision, send) => {
    const { key } = await service.perch.account();
    const reply = await send(service.url, key, call('get_followers', { user: '1', count: 4 }));
    const content = contentOf(reply);
    expect(reply.headers.get('x-credits-charged')).toBe(String(content.credits_charged));
    expect(reply.headers.get('x-credits-remaining')).toBe(String(content.balance_remaining));
    expect(reply.headers.get('x-request-id')).toBe(content.request_id);
    expect(reply.headers.get('server-timing')).toMatch(/total;dur=/);
    expect(reply.headers.get('cache-control')).toBe('private, no-store');
    expect(reply.headers.get('mcp-session-id')).toBeNull();
  });
});

it('skips a byte order mark before the message, and still limits its size', async () => {
  const account = await service.perch.account();
  const message = (args: object) =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_user', arguments: args } });
  const reply = await sendOld(service.url, account.key, `\ufeff${message({ handle: 'user1' })}`);
  expect([reply.status, reply.headers.get('x-credits-charged')]).toEqual([200, '1']);
  const large = message({ handle: 'user1', more: Array(1001).fill(0) });
  const refused = await sendOld(service.url, account.key, `\ufeff${large}`);
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('values')]);
});
