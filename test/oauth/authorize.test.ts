import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SITE_CSP } from '../../adapters/site/policy.js';
import { safeNext } from '../../src/account/safe-next.js';
import { type DocumentHost, startDocumentHost } from './document-host.js';
import { ask, askFields, CALLBACK, codeFor, decide, form, formIn, newClient, post, send } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

let server: OAuthServer;
let host: DocumentHost;
let clientId: string;
let accountId: string;

beforeAll(async () => {
  host = await startDocumentHost();
  server = await startOAuthServer({ documents: host.documents });
  accountId = await server.account();
  clientId = await newClient(server);
});
afterAll(async () => {
  await server?.close();
  await host?.close();
});
beforeEach(() => {
  server.visitor = accountId;
});

const addressOf = (change: Record<string, string | null> = {}): string =>
  `${server.url}/oauth/authorize?${askFields(clientId, change)}`;

describe('until client and redirect address are proven, an error is a page (libraries.md)', () => {
  const cases: Record<string, Record<string, string | null>> = {
    'no client_id': { client_id: null },
    'an empty client_id': { client_id: '' },
    'an unknown client': { client_id: 'perch_client_unknown' },
    'another redirect address': { redirect_uri: 'https://evil.example/callback' },
    'a longer path': { redirect_uri: `${CALLBACK}/more` },
    'another query': { redirect_uri: `${CALLBACK}?a=1` },
    'another port': { redirect_uri: 'https://app.example:8443/callback' },
    'another spelling': { redirect_uri: 'https://APP.example/callback' },
    'a script': { redirect_uri: 'javascript:alert(1)' },
  };
  it.each(Object.keys(cases))('%s', async (name) => {
    const { status, location, headers, text } = await ask(server, clientId, cases[name]);
    expect([status, location, headers.get('content-security-policy')]).toEqual([400, null, SITE_CSP]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain('Nothing was allowed and nothing was sent.');
    expect(text).not.toContain('href="javascript');
  });

  it.each(['client_id', 'redirect_uri'])('%s given twice', async (name) => {
    const { status, location } = await send(`${addressOf()}&${name}=${encodeURIComponent(CALLBACK)}`);
    expect([status, location]).toEqual([400, null]);
  });

  it('no redirect address, where the client has two', async () => {
    const two = await newClient(server, [CALLBACK, 'https://app.example/other']);
    expect((await ask(server, two, { redirect_uri: null })).status).toBe(400);
  });
});

describe('after that, an error goes to the client, with state and iss (RFC 9207)', () => {
  const cases: Record<string, [Record<string, string | null>, string]> = {
    'no response_type': [{ response_type: null }, 'invalid_request'],
    'a token instead of a code': [{ response_type: 'token' }, 'unsupported_response_type'],
    'a fragment': [{ response_mode: 'fragment' }, 'invalid_request'],
    'no challenge': [{ code_challenge: null }, 'invalid_request'],
    'no method, which would be plain': [{ code_challenge_method: null }, 'invalid_request'],
    plain: [{ code_challenge_method: 'plain' }, 'invalid_request'],
    'a challenge that is none': [{ code_challenge: 'short' }, 'invalid_request'],
    'another resource': [{ resource: 'https://other.example/' }, 'invalid_target'],
    'a resource below': [{ resource: 'BASE/v1' }, 'invalid_target'],
    'a resource that is none': [{ resource: 'perch' }, 'invalid_target'],
  };
  it.each(Object.keys(cases))('%s', async (name) => {
    const [change = {}, error] = cases[name] ?? [];
    const given = Object.fromEntries(
      Object.entries(change).map(([key, value]) => [key, value?.replace('BASE', server.url) ?? null]),
    );
    const { status, location } = await ask(server, clientId, given);
    expect([status, `${location?.origin}${location?.pathname}`]).toEqual([303, CALLBACK]);
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      error,
      error_description: expect.any(String),
      state: 'st',
      iss: server.url,
    });
  });

  it('a state given twice', async () => {
    const { location } = await send(`${addressOf()}&state=other`);
    expect(location?.searchParams.get('error')).toBe('invalid_request');
  });

  it('two resources', async () => {
    const base = encodeURIComponent(server.url);
    const { location } = await send(`${addressOf({ resource: server.url })}&resource=${base}%2Fmcp`);
    expect(location?.searchParams.get('error')).toBe('invalid_target');
  });

  it('nobody is asked to sign in for a request that is wrong', async () => {
    server.visitor = null;
    const { location } = await ask(server, clientId, { code_challenge: null });
    expect(location?.origin).toBe('https://app.example');
  });
});

describe('redirect addresses (A16, RFC 8252 7.3)', () => {
  it.each([
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb', 200],
    ['http://127.0.0.1:3000/cb', 'http://127.0.0.1/cb', 200],
    ['http://localhost:3000/cb?a=1', 'http://localhost:4000/cb?a=1', 200],
    ['http://[::1]/cb', 'http://[::1]:9/cb', 200],
    ['http://localhost', 'http://localhost:8080', 200],
    ['http://127.0.0.1/cb', 'http://localhost:51004/cb', 400],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/other', 400],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:51004/cb?a=1', 400],
    ['http://127.0.0.1/cb', 'http://127.0.0.1:1@evil.example/cb', 400],
    ['http://127.0.0.1/cb', 'https://127.0.0.1/cb', 400],
    ['com.example.app:/cb', 'com.example.app:/cb', 200],
    ['com.example.app:/cb', 'com.example.app:/other', 400],
  ])('registered %s, asked %s: %i', async (registered, asked, status) => {
    const client = await newClient(server, [registered]);
    expect((await ask(server, client, { redirect_uri: asked })).status).toBe(status);
  });

  it('the only one need not be named, and what is in its query stays', async () => {
    const client = await newClient(server, ['https://app.example/cb?tenant=a%20b']);
    const { location } = await ask(server, client, { redirect_uri: null, code_challenge: null, state: null });
    expect(location?.href).toMatch(/^https:\/\/app\.example\/cb\?tenant=a%20b&error=invalid_request&/);
    expect(location?.searchParams.has('state')).toBe(false);
  });
});

describe('sign-in first', () => {
  it('who is not signed in is sent to sign in, and back', async () => {
    server.visitor = null;
    const { status, location } = await ask(server, clientId, { extra: 'x', resource: `${server.url}/mcp` });
    expect([status, location?.pathname]).toEqual([303, '/sign-in']);
    const next = safeNext(location?.searchParams.get('next'));
    server.visitor = accountId;
    expect(next).not.toContain('extra');
    expect((await send(server.url + next)).status).toBe(200);
  });

  it('a document is not fetched for somebody who is not signed in (A13)', async () => {
    server.visitor = null;
    const { location } = await ask(server, host.client('/unseen'), { redirect_uri: 'http://127.0.0.1:5/callback' });
    expect([location?.pathname, host.asked.includes('/unseen')]).toEqual(['/sign-in', false]);
  });
});

describe('the consent page (A15)', () => {
  it('says who asks, where the answer goes, what for, and who pays', async () => {
    const { text, headers } = await ask(server, clientId);
    const { email } = (await server.accounts.get(accountId)) ?? {};
    for (const said of ['Lantern', 'app.example', 'Read public data', email ?? '-', 'half of that', 'Spend cap']) {
      expect(text).toContain(said);
    }
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(formIn(text).get('cap_amount')).toBe('1000');
    expect(formIn(text).get('cap_period')).toBe('month');
  });

  it.each([
    [CALLBACK, "form-action 'self' https://app.example;"],
    ['http://127.0.0.1:7/cb', "form-action 'self' http://127.0.0.1:7;"],
    ['http://[::1]:7/cb', "form-action 'self' http:;"],
    ['com.example.app:/cb', "form-action 'self' com.example.app:;"],
  ])('its policy lets the form go on to %s', async (uri, directive) => {
    const { headers } = await ask(server, await newClient(server, [uri]), { redirect_uri: uri });
    expect(headers.get('content-security-policy')).toContain(directive);
  });

  it('warns of what cannot be told apart on a computer', async () => {
    const client = await newClient(server, ['http://127.0.0.1/cb']);
    const { text } = await ask(server, client, { redirect_uri: 'http://127.0.0.1:5/cb' });
    expect(text).toContain('a program on your own computer, and Perch cannot tell which');
  });

  it('a document client is named with its host (A13)', async () => {
    const { text } = await ask(server, host.client('/named'), { redirect_uri: 'http://127.0.0.1:5/callback' });
    expect(text).toContain(`That is what it calls itself, at client.test:${host.port}.`);
  });

  it.each([
    ['its client_id is not its own address', { client_id: 'https://client.test/other' }],
    ['it speaks of a secret', { client_secret: 'x' }],
    ['it speaks of a secret', { token_endpoint_auth_method: 'client_secret_post' }],
    ['redirect_uris', { redirect_uris: [] }],
    ['is http', { redirect_uris: ['http://app.example/cb'] }],
  ])('a document is refused: %s', async (why, metadata) => {
    const { status, text } = await ask(server, host.client(`/${randomUUID()}`, metadata));
    expect(status).toBe(400);
    expect(text).toContain(why);
  });

  it('what a client calls itself is text', async () => {
    const { text } = await ask(server, host.client('/xss', { client_name: '<img src=x onerror=alert(1)>' }), {
      redirect_uri: 'http://127.0.0.1:5/callback',
    });
    expect(text).toContain('Allow &lt;img src=x');
    expect(text).not.toContain('<img src=x');
  });
});

describe('the decision', () => {
  it('yes: a code, with state and iss, and a line in the log (RFC 9207)', async () => {
    const mine = await server.account();
    server.visitor = mine;
    const { status, location, headers } = await decide(server, addressOf());
    expect([status, headers.get('cache-control')]).toEqual([303, 'no-store']);
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'st',
      iss: server.url,
    });
    const [event] = await server.audit.list(mine, 1);
    expect(event).toMatchObject({ what: 'client.allowed', who: 'customer', address: '127.0.0.1' });
    expect(event?.detail).toMatchObject({ client: 'Lantern', redirect_uri: CALLBACK, cap: 1000, period: 'month' });
  });

  it('no: access_denied, with state and iss', async () => {
    const { location } = await decide(server, addressOf(), { decision: 'deny' });
    expect(Object.fromEntries(location?.searchParams ?? [])).toEqual({
      error: 'access_denied',
      error_description: expect.any(String),
      state: 'st',
      iss: server.url,
    });
  });

  it('only the hash of a code is kept', async () => {
    const code = await codeFor(server, clientId);
    const rows = await server.database.sql`select to_jsonb(t)::text as row from one_time_tokens t where kind = 'code'`;
    expect(JSON.stringify(rows)).not.toContain(code);
  });

  it('another account is signed in by now: the page is shown again, and nothing is allowed', async () => {
    const page = formIn((await ask(server, clientId)).text);
    page.set('decision', 'allow');
    server.visitor = await server.account('Grace');
    const { status, text, location } = await post(`${server.url}/oauth/authorize`, page);
    expect([status, location]).toEqual([200, null]);
    expect(text).toContain('You are signed in to another account now.');
    expect(formIn(text).get('account')).toBe(server.visitor);
  });

  it('nobody is signed in by now: sign-in, and then the page again', async () => {
    const page = formIn((await ask(server, clientId)).text);
    server.visitor = null;
    const { location } = await post(`${server.url}/oauth/authorize`, page);
    expect(location?.searchParams.get('next')).toBe(`/oauth/authorize?${askFields(clientId)}`);
  });

  it.each([{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }, { origin: 'https://evil.example' }])(
    'what another site sent does not count: %j',
    async (headers) => {
      const page = formIn((await ask(server, clientId)).text);
      page.set('decision', 'allow');
      const { status, location } = await post(`${server.url}/oauth/authorize`, page, headers);
      expect([status, location]).toEqual([403, null]);
    },
  );

  it('the hidden fields are looked at as if they were new', async () => {
    const { status, location } = await post(
      `${server.url}/oauth/authorize`,
      form({ ...Object.fromEntries(askFields(clientId, { redirect_uri: 'https://evil.example' })), decision: 'allow' }),
    );
    expect([status, location]).toEqual([400, null]);
  });

  it.each(['', '0', '-1', '1.2345', 'many', '1e9'])('a cap of %j is asked for again', async (amount) => {
    const { status, text } = await decide(server, addressOf(), { cap_amount: amount });
    expect([status, text.includes('The cap must be a number of credits above 0')]).toEqual([400, true]);
  });
});
