import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ADVICE } from '../../../adapters/mcp/advice.js';
import { ERROR_CODES } from '../../../src/domain/errors.js';
import { denied, upstreamFault } from '../../kit/networks/faults.js';
import { rawClient } from '../http/raw.js';
import { ERAS, type RawReply, sendNew, sendOld } from './raw.js';
import { type McpService, startMcp } from './service.js';

/** An id as a careless client sends it. */
const LARGE = Number('1898072654607286272');

let service: McpService;
beforeAll(async () => {
  service = await startMcp();
});
afterAll(() => service.close());
beforeEach(() => service.clock.advance(60_000));

const call = (name: string, args: unknown, more: object = {}) => ({
  method: 'tools/call',
  params: { name, arguments: args },
  ...more,
});
const resultOf = ({ body }: RawReply) => body.result;

describe('without a key that works (A7, A18)', () => {
  const WAYS = ['tools/list', 'initialize', 'ping', 'resources/list', 'server/discover', 'nothing/known'] as const;

  it.each(ERAS.flatMap(([revision, send]) => WAYS.map((method) => [revision, method, send] as const)))(
    '%s %s: 401, with where to sign in',
    async (_revision, method, send) => {
      const { status, headers, body } = await send(service.url, null, { method });
      expect(status).toBe(401);
      expect(headers.get('www-authenticate')).toBe(
        `Bearer resource_metadata="${service.perch.url}/.well-known/oauth-protected-resource/mcp", scope="read"`,
      );
      expect(body).toMatchObject({ jsonrpc: '2.0', id: 1, error: { data: { error: { code: 'missing_key' } } } });
    },
  );

  it.each(ERAS)('%s: refuses a call with 401, too, and reads nothing', async (_revision, send) => {
    const before = service.net.calls.length;
    const { status, headers } = await send(service.url, null, call('get_user', { handle: 'user1' }));
    expect([status, headers.get('www-authenticate')?.includes('/oauth-protected-resource/mcp')]).toEqual([401, true]);
    expect(service.net.calls.length).toBe(before);
  });

  it.each(ERAS)('%s: refuses a bad key with 401 and invalid_token', async (_revision, send) => {
    for (const message of [{ method: 'tools/list' }, call('get_account', {})]) {
      const { status, headers } = await send(service.url, 'perch_live_nonsense', message);
      expect([status, headers.get('www-authenticate')]).toEqual([
        401,
        expect.stringContaining('error="invalid_token"'),
      ]);
    }
  });

  it.each(ERAS)('%s: refuses before the message is read (L13)', async (_revision, send) => {
    const long = 'x'.repeat(60_000);
    for (const key of [null, 'perch_live_nonsense']) {
      const small = await send(service.url, key, call('get_user', { handle: 'user1' }));
      expect([small.status, small.body.id]).toEqual([401, 1]);
      const large = await send(service.url, key, call('get_user', { handle: long }));
      expect([large.status, large.body.id]).toEqual([401, null]);
    }
  });

  it('refuses with 401 whatever the body is', async () => {
    for (const body of ['', '{', '[]', '7', 'null']) {
      expect((await sendOld(service.url, null, body)).status, body).toBe(401);
    }
  });

  it('accepts a key as a bearer token', async () => {
    const { key } = await service.perch.account();
    const reply = await sendNew(service.url, null, {
      ...call('get_account', {}),
      headers: { authorization: `Bearer ${key}` },
    });
    expect(resultOf(reply).structuredContent.balance).toBe(1000);
  });

  it('describes the resource at the address in the challenge, with where to sign in', async () => {
    const { headers } = await sendOld(service.url, null, { method: 'ping' });
    const [, address = ''] = /resource_metadata="([^"]+)"/.exec(headers.get('www-authenticate') ?? '') ?? [];
    const described = await (await fetch(address)).json();
    expect(described).toMatchObject({ resource: service.url.href, authorization_servers: [service.perch.url] });
  });
});

describe('the origin of a request (A22)', () => {
  it.each([
    [undefined, 200],
    ['https://claude.ai', 200],
    ['https://localhost:6274', 200],
    ['http://localhost:6274', 200],
    ['http://127.0.0.1', 200],
    ['http://127.8.9.10:80', 200],
    ['http://[::1]:3000', 200],
    ['http://evil.example.com', 403],
    ['http://localhost.evil.example', 403],
    ['http://127.0.0.1.nip.example', 403],
    ['null', 403],
    ['file://', 403],
    ['chrome-extension://abcdef', 403],
    ['', 403],
    ['nonsense', 403],
  ])('Origin %s: %i', async (origin, expected) => {
    const { key } = await service.perch.account();
    for (const [, send] of ERAS) {
      const headers = origin === undefined ? {} : { origin };
      const { status } = await send(service.url, key, { method: 'tools/list', headers });
      expect(status).toBe(expected);
    }
  });

  it('lets a browser ask, and read the answers, 401 among them (H5)', async () => {
    const preflight = await fetch(service.url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type,mcp-protocol-version,mcp-method,mcp-name',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('*, Authorization');
    const { status, headers } = await sendOld(service.url, null, {
      method: 'ping',
      headers: { origin: 'https://app.example' },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([401, '*']);
    expect(headers.get('access-control-expose-headers')).toContain('WWW-Authenticate');
  });

  it('answers 405 to TRACE, with the methods that work in Allow', async () => {
    const request = 'TRACE /mcp HTTP/1.1\r\nHost: perch\r\nConnection: close\r\n\r\n';
    const answer = await rawClient(service.perch.url, request).closed;
    expect(answer).toMatch(/^HTTP\/1.1 405 /);
    expect(answer).toMatch(/\r\nallow: POST, OPTIONS\r\n/i);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE'])('answers 405 to %s: there are no sessions', async (method) => {
    const { status, headers } = await fetch(service.url, { method, headers: { accept: 'text/event-stream' } });
    expect([status, headers.get('allow'), headers.get('access-control-allow-origin')]).toEqual([
      405,
      'POST, OPTIONS',
      '*',
    ]);
  });
});

describe('arguments', () => {
  it.each([
    ['get_user', {}, 'user', /user is missing/],
    ['get_user', { handle: null }, 'user', /user is missing/],
    [
      'get_user',
      { handle: 'user1', depth: 2 },
      'depth',
      /Unknown argument depth for get_user: the arguments are user, fresh, max_credits\./,
    ],
    ['get_followers', { user: '1', limit: 5 }, 'limit', /Unknown argument limit for get_followers: use count\./],
    ['get_followers', { user: '1', estimate: true }, 'estimate', /Unknown argument estimate for get_followers/],
    ['get_users', { usernames: ['a'] }, 'usernames', /Unknown argument usernames for get_users: use handles\./],
    ['get_tweet', { id: LARGE }, 'id', /Send id as a string: numbers lose precision/],
    ['get_tweets', { ids: [LARGE] }, 'ids', /Send ids as strings/],
    ['get_tweets', { ids: '120,121' }, 'ids', /array of strings/],
    ['get_tweets', { ids: [{}] }, 'ids', /must contain only strings/],
    ['get_tweets', { ids: [] }, 'ids', /1 to 100/],
    ['get_user', { handle: { a: 1 } }, 'user', /must be a string/],
    ['get_user', { user: '12345' }, 'user', /must be a handle here, not an id\. If 12345 is a handle, send @12345\./],
    ['get_user', { user: '\u200e12345' }, 'user', /must be a handle here, not an id/],
    ['get_user', { user: 'user1', handle: 'user1' }, 'handle', /send only user/],
    ['get_tweet', { id: '120', user: 'user1' }, 'user', /Unknown argument user/],
    ['get_followers', { user: '1', count: 'five' }, 'count', /must be a number/],
    ['get_followers', { user: '1', count: '"5"' }, 'count', /must be a number/],
    ['get_followers', { user: '1', count: '201' }, 'count', /from 1 to 200/],
    ['get_followers', { user: '1', fresh: '1' }, 'fresh', /true or false/],
    ['get_tweets', { ids: `[${LARGE}]` }, 'ids', /Send ids as strings/],
    ['get_tweets', { ids: '{"0":"120"}' }, 'ids', /array of strings/],
    ['get_followers', { user: '1', count: 0 }, 'count', /from 1 to 200/],
    ['get_followers', { user: '1', count: 201 }, 'count', /from 1 to 200/],
    ['get_followers', { user: '1', count: 2.5 }, 'count', /whole number/],
    ['get_followers', { user: '1', count: 1e30 }, 'count', /whole number/],
    ['get_followers', { user: '1', fresh: 'yes' }, 'fresh', /true or false/],
    ['get_followers', { user: '1', cursor: '' }, 'cursor', /empty/],
    ['get_followers', { user: '1', cursor: 'made-up' }, 'cursor', /cursor/],
    ['get_followers', { user: '1', max_credits: -1 }, 'max_credits', /number of credits/],
    ['get_followers', { user: '1', max_credits: 'much' }, 'max_credits', /number of credits/],
    ['get_followers', { user: '1', max_credits: 0.00001 }, 'max_credits', /three decimals/],
    [
      'get_account',
      { verbose: true },
      'verbose',
      /Unknown argument verbose for get_account: the only argument is max_credits\./,
    ],
    ['search_tweets', { q: 'bread', product: 'Best' }, 'product', /one of/],
    ['price', {}, 'tool', /one of get_user/],
    ['price', { tool: 'price' }, 'tool', /one of get_user/],
    ['price', { tool: 'get_user', arguments: [] }, 'arguments', /an object/],
    ['price', { tool: 'get_user', arguments: 'handle=a' }, 'arguments', /an object/],
    [
      'price',
      { tool: 'get_user', args: {} },
      'args',
      /Unknown argument args for price: the arguments are tool, arguments, max_credits\./,
    ],
    ['price', { tool: 'get_user', arguments: { handle: 'a' }, max_credits: -1 }, 'max_credits', /number of credits/],
    ['price', { tool: 'get_user', arguments: {} }, 'user', /user is missing/],
  ])('%s %j: bad_request naming %s', async (name, args, param, message) => {
    const account = await service.perch.account();
    const before = service.net.calls.length;
    for (const [, send] of ERAS) {
      const { status, body, headers } = await send(service.url, account.key, call(name, args));
      const { isError, structuredContent, content } = body.result;
      expect([status, isError]).toEqual([200, true]);
      expect(structuredContent).toMatchObject({
        error: { code: 'bad_request', param, message: expect.stringMatching(message) },
        credits_charged: 0,
        request_id: headers.get('x-request-id'),
      });
      expect(content[0].text).toContain(ADVICE.bad_request);
    }
    expect([await service.perch.balance(account), service.net.calls.length]).toEqual([1000, before]);
  });

  it('rejects names of built-in object members as tools and arguments', async () => {
    const { key } = await service.perch.account();
    const own = await sendOld(service.url, key, call('get_user', JSON.parse('{"handle":"user1","__proto__":{"a":1}}')));
    expect(resultOf(own).structuredContent).toBeDefined();
    for (const name of ['constructor', '__proto__', 'toString']) {
      const { body } = await sendOld(service.url, key, call(name, {}));
      expect(body.error.code).toBe(-32602);
      const { body: priced } = await sendOld(service.url, key, call('price', { tool: name }));
      expect(priced.result.structuredContent.error.param).toBe('tool');
    }
  });
});

it.each([
  ['2025-06-18', -32002],
  ['2025-11-25', -32002],
  ['2026-07-28', -32602],
])('%s: reports a resource that does not exist with %i, as that revision says', async (revision, code) => {
  const { key } = await service.perch.account();
  const [, send] = ERAS.find(([each]) => each === revision) ?? ERAS[0];
  const read = async (params: Record<string, unknown>) =>
    (await send(service.url, key, { method: 'resources/read', params })).body;
  const uri = 'perch://"code":-32602';
  expect(await read({ uri })).toEqual({
    jsonrpc: '2.0',
    id: 1,
    error: { code, message: expect.stringMatching(/not found/i), data: { uri } },
  });
  expect((await read({ uri: 'perch://prices' })).result.contents).toHaveLength(1);
  const notification = JSON.stringify({ jsonrpc: '2.0', method: 'resources/read', params: { uri } });
  if (code === -32002) expect((await sendOld(service.url, key, notification, revision)).status).toBe(202);
});

describe('failures say what to do next and cost nothing', () => {
  it('have advice for every code', () => {
    expect(Object.keys(ADVICE)).toEqual(Object.keys(ERROR_CODES));
  });

  it.each([
    [upstreamFault('upstream_rate_limited', 17), 17],
    [upstreamFault('no_account', 93), 93],
    [upstreamFault('upstream_error'), 2],
    [upstreamFault('request_rejected'), 30],
    [upstreamFault('query_id_stale'), 60],
    [denied(), undefined],
    [new Error('a secret of ours'), 2],
  ])('%o', async (fault, retryAfter) => {
    const account = await service.perch.account();
    service.net.fail(fault);
    const args = { user: '1', fresh: true };
    const { body, headers, text } = await sendNew(service.url, account.key, call('get_followers', args)).finally(() => {
      service.net.heal();
      service.clock.forget();
    });
    const code = 'code' in fault ? fault.code : 'upstream_error';
    const { error } = body.result.structuredContent;
    expect([body.result.isError, error.code, error.retry_after]).toEqual([true, code, retryAfter]);
    expect(headers.get('retry-after')).toBe(retryAfter === undefined ? null : String(retryAfter));
    const said = body.result.content[0].text;
    expect(said).toContain(ADVICE[code as keyof typeof ADVICE]);
    if (retryAfter !== undefined) expect(said).toContain(`Wait ${retryAfter} s.`);
    expect(text).not.toContain('secret');
    expect(await service.perch.balance(account)).toBe(1000);
  });
});

describe('malformed messages', () => {
  it.each([
    ['no JSON', '{', 400, -32700],
    ['nothing', '', 400, -32700],
    ['a number', '7', 400, -32600],
    ['several at once: one request has one charge', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', 400, -32600],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400, -32600],
  ])('%s', async (_what, body, status, code) => {
    const { key } = await service.perch.account();
    const reply = await sendOld(service.url, key, body);
    expect([reply.status, reply.body.error.code]).toEqual([status, code]);
  });

  /** What each method says of parameters that it cannot use; null: it has no use for this one. */
  const WRONG: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
    'resources/read': { none: 'params.uri: ', uri: 'params.uri: ', cursor: 'params.uri: ' },
    'tools/call': { none: 'params.name: ', name: 'params.name: ', arguments: 'params.arguments: ' },
    'tools/list': { none: null, cursor: 'params.cursor: ' },
    'resources/list': { none: null, cursor: 'params.cursor: ' },
    'resources/templates/list': { none: null, cursor: 'params.cursor: ' },
  };
  const SENT: Readonly<Record<string, Record<string, unknown>>> = {
    none: {},
    uri: { uri: 5 },
    name: { name: 5 },
    arguments: { name: 'get_account', arguments: [] },
    cursor: { cursor: 5 },
  };

  it.each(
    Object.entries(WRONG).flatMap(([method, saying]) =>
      Object.entries(saying).map((each) => [method, ...each] as const),
    ),
  )('answers %s with the wrong parameters (%s) with -32602, naming the parameter', async (method, what, begins) => {
    const { key } = await service.perch.account();
    for (const [, send] of ERAS) {
      const { status, body } = await send(service.url, key, { method, params: SENT[what] ?? {} });
      expect(status).toBe(200);
      const error = { code: -32602, message: expect.stringMatching(`^${begins}[^{}\\n]*, received \\w+$`) };
      if (begins === null) expect(body.result).toBeDefined();
      else expect(body).toEqual({ jsonrpc: '2.0', id: 1, error });
    }
  });

  it.each(['prompts/list', 'prompts/get', 'completion/complete', 'logging/setLevel', 'resources/subscribe'])(
    'answers %s, which it does not have, with -32601 whatever the parameters are',
    async (method) => {
      const { key } = await service.perch.account();
      for (const [, send] of ERAS)
        for (const params of [{}, { name: 5, uri: 5, level: 5, ref: 5 }])
          expect((await send(service.url, key, { method, params })).body.error.code).toBe(-32601);
    },
  );

  it('answers initialize without its parameters with -32602', async () => {
    const { key } = await service.perch.account();
    const { body } = await sendOld(service.url, key, { method: 'initialize', params: {} });
    expect(body.error).toEqual({
      code: -32602,
      message: expect.stringMatching(
        /^params\.protocolVersion: .*; params\.capabilities: .*; params\.clientInfo: [^;]*$/,
      ),
    });
  });

  it.each([
    ['a notification', { method: 'notifications/initialized' }],
    ['a call without an id, which nobody could be answered', call('get_user', { handle: 'user1' })],
  ])('answers %s with 202 and nothing else, free', async (_what, message) => {
    const account = await service.perch.account();
    const reply = await sendOld(service.url, account.key, JSON.stringify({ jsonrpc: '2.0', ...message }));
    expect([reply.status, reply.text, reply.headers.get('content-type')]).toEqual([202, '', null]);
    expect(await service.perch.balance(account)).toBe(1000);
  });

  it('answers another content type with 415', async () => {
    const { key } = await service.perch.account();
    const headers = { 'content-type': 'text/plain' };
    for (const [, send] of ERAS) {
      expect((await send(service.url, key, { method: 'tools/list', headers })).status).toBe(415);
    }
  });

  it('answers an unknown revision with 400', async () => {
    const { key } = await service.perch.account();
    expect((await sendOld(service.url, key, { method: 'tools/list' }, '1999-01-01')).status).toBe(400);
  });

  it('answers 413 to a body of 65 KiB, with and without a key (P13)', async () => {
    const { key } = await service.perch.account();
    const args = { handle: 'x'.repeat(65 * 1024) };
    for (const [, send] of ERAS) expect((await send(service.url, key, call('get_user', args))).status).toBe(413);
  });

  it('survives a deeply nested message', async () => {
    const { key } = await service.perch.account();
    const deep = `${'['.repeat(20_000)}${']'.repeat(20_000)}`;
    const { status } = await sendOld(
      service.url,
      key,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"price","arguments":{"tool":"get_user","arguments":${deep}}}}`,
    );
    expect([200, 400]).toContain(status);
  });
});
