import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SITE_CSP } from '../../../adapters/pages/kit/send-page.js';
import { safeNext } from '../../../src/sign-in/safe-next.js';
import { type DocumentHost, startDocumentHost } from './document-host.js';
import { authorizationParams, authorize, backOf, CALLBACK, formIn, newClient, post, send } from './oauth-client.js';
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
  `${server.url}/oauth/authorize?${authorizationParams(clientId, change)}`;

describe('errors until client and redirect address are proven: a page without a link, for', () => {
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
    const { status, location, headers, text } = await authorize(server, clientId, cases[name]);
    expect([status, location, headers.get('content-security-policy')]).toEqual([400, null, SITE_CSP]);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(text).toContain('Nothing was allowed and nothing was sent.');
    expect(text).not.toContain('Back to');
  });

  it.each(['client_id', 'redirect_uri'])('%s given twice', async (name) => {
    const { status, location } = await send(`${addressOf()}&${name}=${encodeURIComponent(CALLBACK)}`);
    expect([status, location]).toEqual([400, null]);
  });

  it('no redirect address for a client that has two', async () => {
    const two = await newClient(server, [CALLBACK, 'https://app.example/other']);
    expect((await authorize(server, two, { redirect_uri: null })).status).toBe(400);
  });
});

describe('errors after that: a page with a link that returns the error, with state and iss (RFC 9207, RFC 9700 4.11.2), for', () => {
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
    const { status, location, headers, text } = await authorize(server, clientId, given);
    expect([status, location, headers.get('content-security-policy')]).toEqual([400, null, SITE_CSP]);
    expect(text).toContain('Back to app.example');
    const back = backOf(text);
    expect(`${back?.origin}${back?.pathname}`).toBe(CALLBACK);
    expect(Object.fromEntries(back?.searchParams ?? [])).toEqual({
      error,
      error_description: expect.any(String),
      state: 'st',
      iss: server.url,
    });
  });

  it('a state given twice', async () => {
    const { location, text } = await send(`${addressOf()}&state=other`);
    expect([location, backOf(text)?.searchParams.get('error')]).toEqual([null, 'invalid_request']);
  });

  it('two resources', async () => {
    const base = encodeURIComponent(server.url);
    const { location, text } = await send(`${addressOf({ resource: server.url })}&resource=${base}%2Fmcp`);
    expect([location, backOf(text)?.searchParams.get('error')]).toEqual([null, 'invalid_target']);
  });

  it('do not ask anyone to sign in for an invalid request', async () => {
    server.visitor = null;
    const { status, location } = await authorize(server, clientId, { code_challenge: null });
    expect([status, location]).toEqual([400, null]);
  });

  it('do not send a browser to sign-in for an invalid form', async () => {
    const page = formIn((await authorize(server, clientId)).text);
    page.set('decision', 'deny');
    page.set('code_challenge', 'short');
    const { status, location } = await post(`${server.url}/oauth/authorize`, page);
    expect([status, location]).toEqual([400, null]);
  });

  it('do not link to an address that was registered under older, wider rules', async () => {
    const client = await newClient(server);
    const uri = 'ms-settings:network';
    await server.database.sql`update oauth_clients set redirect_uris = ${[uri]} where client_id = ${client}`;
    for (const redirect_uri of [uri, null]) {
      const { status, text } = await authorize(server, client, { redirect_uri, code_challenge: null });
      expect([status, text.includes('Back to'), text.includes('ms-settings:')]).toEqual([400, false, true]);
    }
  });
});

describe('a request that cannot be carried', () => {
  it.each([
    ['a state', 'state', 'x'.repeat(4096)],
    ['a state of what is written longer', 'state', '%'.repeat(1365)],
    ['a resource', 'resource', `https://${'x'.repeat(4096)}`],
  ])('through sign-in, for %s that is too long, is refused with and without a session', async (_what, name, value) => {
    for (const visitor of [null, accountId]) {
      server.visitor = visitor;
      const { status, location, text } = await authorize(server, clientId, { [name]: value });
      expect([status, location]).toEqual([400, null]);
      expect(text).toContain('The request is too long');
    }
  });

  it('is carried through sign-in whole if it just fits', async () => {
    const state = 's'.repeat(4096 - `/oauth/authorize?${authorizationParams(clientId, { state: '' })}`.length);
    server.visitor = null;
    const { location } = await authorize(server, clientId, { state });
    expect(safeNext(location?.searchParams.get('next'))).toContain(`state=${state}`);
    expect((await authorize(server, clientId, { state: `${state}s` })).status).toBe(400);
  });

  it.each(['client_id', 'redirect_uri', 'state', 'resource', 'scope'])(
    'is refused with a readable message for a control character in %s',
    async (name) => {
      for (const character of ['\0', '\n', '\x7f']) {
        const { status, text } = await authorize(server, clientId, { [name]: `a${character}b` });
        expect([status, text.includes('has a control character')]).toEqual([400, true]);
      }
    },
  );
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
  ])('registered %s, requested %s: %i', async (registered, requested, status) => {
    const client = await newClient(server, [registered]);
    expect((await authorize(server, client, { redirect_uri: requested })).status).toBe(status);
  });

  it('may be left out if there is only one, and keep their query', async () => {
    const client = await newClient(server, ['https://app.example/cb?tenant=a%20b']);
    const { text } = await authorize(server, client, { redirect_uri: null, code_challenge: null, state: null });
    const location = backOf(text);
    expect(location?.href).toMatch(/^https:\/\/app\.example\/cb\?tenant=a%20b&error=invalid_request&/);
    expect(location?.searchParams.has('state')).toBe(false);
  });
});

describe('sign-in first', () => {
  it('sends a visitor who is not signed in to sign-in and back', async () => {
    server.visitor = null;
    const { status, location } = await authorize(server, clientId, { extra: 'x', resource: `${server.url}/mcp` });
    expect([status, location?.pathname]).toEqual([303, '/sign-in']);
    const next = safeNext(location?.searchParams.get('next'));
    server.visitor = accountId;
    expect(next).not.toContain('extra');
    expect((await send(server.url + next)).status).toBe(200);
  });

  it('does not fetch a client document before sign-in (A13)', async () => {
    server.visitor = null;
    const { location } = await authorize(server, host.client('/unseen'), {
      redirect_uri: 'http://127.0.0.1:5/callback',
    });
    expect([location?.pathname, host.requested.includes('/unseen')]).toEqual(['/sign-in', false]);
  });
});
