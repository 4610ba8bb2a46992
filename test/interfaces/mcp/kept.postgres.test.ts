import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Plans } from '../../../adapters/http/plans.js';
import { Keys } from '../../../src/account/keys.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { ERAS, type RawReply, sendOld } from './raw.js';
import { type McpService, startMcp } from './service.js';

let service: McpService;
beforeAll(async () => {
  service = await startMcp();
});
afterAll(() => service.close());

const found = vi.spyOn(Plans.prototype, 'find');

/**
 * Removes what differs from call to call: the id, and the figures at the end of the text and of the structured content.
 */
function withoutOwn({ body }: RawReply): unknown {
  const { content, structuredContent, ...rest } = body.result;
  const { request_id: id, balance_remaining: left, ...shared } = structuredContent;
  const text: string = content[0].text;
  expect(content).toHaveLength(1);
  expect(text.endsWith(`; ${left} left. Request ${id}.`)).toBe(true);
  return {
    ...body,
    id: 'its own',
    result: { ...rest, text: text.slice(0, text.lastIndexOf('; ')), structuredContent: shared },
  };
}

/** Larger and smaller than what is compressed, with and without a line for each item, in quotes, and beyond ASCII. */
const CALLS = [
  { name: 'get_user', arguments: { handle: 'user1' } },
  { name: 'get_followers', arguments: { user: '1', count: 9 } },
  { name: 'get_follower_ids', arguments: { user: '1' } },
  { name: 'search_tweets', arguments: { q: 'bread', product: 'Latest', count: 20 } },
  { name: 'get_users', arguments: { handles: ['user3', 'user1'] } },
];

/** What a client accepts, and the encoding it gets for a large answer that is kept. */
const ENCODINGS = [
  ['identity', null],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['br', 'br'],
] as const;

describe.each(ERAS)('a tool called again, %s', (_era, send) => {
  describe.each(ENCODINGS)('Accept-Encoding: %s', (accepted, sentAs) => {
    it.each(CALLS)('$name: gives the same result, the call’s own parts aside, at a hit’s price', async (params) => {
      const account = await service.perch.account({ credits: 500 });
      const headers = { 'accept-encoding': accepted };
      const call = (id: string): Promise<RawReply> =>
        send(service.url, account.key, { id, method: 'tools/call', params, headers });
      await call('first');
      // Made of cached values, then kept, then kept with its encoding.
      const replies = [await call('a'), await call('b'), await call('"c"')];
      expect(replies.map(({ body }) => body.id)).toEqual(['a', 'b', '"c"']);
      expect(found.mock.results.at(-1)?.value).toBeDefined();
      const [first] = replies.map(withoutOwn);
      for (const reply of replies) {
        expect(reply.status).toBe(200);
        expect(withoutOwn(reply)).toEqual(first);
        const { structuredContent } = reply.body.result;
        expect(structuredContent).toMatchObject({ cache: 'hit', request_id: reply.headers.get('x-request-id') });
        expect(reply.headers.get('x-credits-remaining')).toBe(String(structuredContent.balance_remaining));
        if (reply.text.length < 1400) expect(reply.headers.get('content-encoding')).toBeNull();
        else expect(reply.headers.get('content-encoding')).toBe(sentAs);
        if (reply.text.length >= 1400) expect(reply.headers.get('vary')).toMatch(/accept-encoding/i);
      }
      const balances = replies.map(({ body }) => body.result.structuredContent.balance_remaining);
      const charged = replies[0]?.body.result.structuredContent.credits_charged;
      expect(balances[0] - balances[2]).toBeCloseTo(2 * charged, 6);
      expect(await service.perch.balance(account)).toBeCloseTo(balances[2], 6);
    });
  });

  it('keeps an id that looks like a result', async () => {
    const { key } = await service.perch.account({ credits: 500 });
    const id = '"content":[{"type":"text","text":""}],"structuredContent":{}';
    const { body } = await send(service.url, key, {
      ...{ id, method: 'tools/call', params: { name: 'get_user', arguments: { handle: 'user1' } } },
    });
    expect(body.id).toBe(id);
    expect(body.result.structuredContent.data.handle).toBe('User1');
  });
});

it.each(['/mcp', '/mcp/', '/mcp?x=1', '/mcp/?x=1'])(
  'refuses a kept call to %s from a page of another origin',
  async (path) => {
    const account = await service.perch.account({ credits: 500 });
    const params = { name: 'get_user', arguments: { handle: 'user1' } };
    const call = async (headers: Readonly<Record<string, string>> = {}): Promise<number> => {
      const { status } = await fetch(new URL(path, service.url), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'x-api-key': account.key,
          ...headers,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      return status;
    };
    for (let nth = 0; nth < 4; nth += 1) expect(await call()).toBe(200);
    const balance = await service.perch.balance(account);
    expect(await call({ origin: 'http://elsewhere.example' })).toBe(403);
    expect(await call({ 'mcp-protocol-version': 'x' })).toBe(400);
    expect(await service.perch.balance(account)).toBe(balance);
  },
);

it.each([
  ['more values than a message may have', JSON.stringify(Array.from({ length: 1200 }, () => 0))],
  ['bytes that are not UTF-8', '"\xff"'],
])('refuses a kept call whose notes have %s, and charges nothing', async (_what, note) => {
  const account = await service.perch.account({ credits: 500 });
  const call = async (notes: string): Promise<number> => {
    const params = `{"name":"get_user","arguments":{"handle":"user1"},"_meta":{"note":${notes}}}`;
    const { status } = await fetch(service.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': account.key },
      body: Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`, 'latin1'),
    });
    return status;
  };
  for (let nth = 0; nth < 4; nth += 1) expect(await call('"mine"')).toBe(200);
  const balance = await service.perch.balance(account);
  expect(await call(note)).toBe(400);
  expect(await service.perch.balance(account)).toBe(balance);
});

it.each([
  ['scope', { scopes: ['profiles'] }, 'search_tweets', { q: 'bread' }, 200],
  ['address_not_allowed', { allowedFrom: ['192.0.2.0/24'] }, 'get_user', { handle: 'user1' }, 403],
] as const)(
  'refuses a call beyond the limits of its key (%s), known or not, in the same way',
  async (reason, limits, name, args, status) => {
    const { accounts, secrets } = service.perch.stores;
    const keys = new Keys({ accounts, pepper: secrets.pepper, clock: service.clock, randomBytes });
    const [limited, other] = [await service.perch.account(), await service.perch.account({ credits: 500 })];
    await keys.change(limited.accountId, limited.keyId, { ...limits }, OPERATOR);
    const call = async (key: string): Promise<{ status: number; text: string }> => {
      const params = { name, arguments: { ...args, count: undefined } };
      const { status, text } = await sendOld(service.url, key, { method: 'tools/call', params });
      return { status, text };
    };
    const before = await call(limited.key);
    expect([before.status, before.text.includes(reason)]).toEqual([status, true]);
    for (let nth = 0; nth < 4; nth += 1) expect((await call(other.key)).status).toBe(200);
    const after = await call(limited.key);
    const own = /[0-9a-f]{8}-[0-9a-f-]{27}/g;
    expect(after.text.replaceAll(own, 'id')).toBe(before.text.replaceAll(own, 'id'));
    // In the text and in the structured form.
    expect(after.text.match(/[Nn]othing was charged/g)).toHaveLength(2);
    expect(after.text).not.toContain('the network denies access');
  },
);
