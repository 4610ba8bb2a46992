import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALLBACK, register, send } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

let server: OAuthServer;

beforeAll(async () => {
  server = await startOAuthServer();
});
afterAll(() => server?.close());

describe('registration (RFC 7591, A12)', () => {
  it('answers 201 with a public client whatever was requested, and ignores unknown members', async () => {
    const { status, body, headers } = await register(server, {
      redirect_uris: [CALLBACK, 'http://localhost:1/cb'],
      client_name: 'Lantern',
      client_uri: 'https://app.example/',
      token_endpoint_auth_method: 'client_secret_basic',
      grant_types: ['authorization_code', 'implicit'],
      favourite_colour: 'teal',
      jwks_uri: 7,
    });
    expect([status, headers.get('cache-control'), headers.get('access-control-allow-origin')]).toEqual([
      201,
      'no-store',
      '*',
    ]);
    expect(body).toEqual({
      client_id: expect.stringMatching(/^perch_client_[\w-]{43}$/),
      client_id_issued_at: Math.floor(server.clock.now() / 1000),
      client_name: 'Lantern',
      client_uri: 'https://app.example/',
      redirect_uris: [CALLBACK, 'http://localhost:1/cb'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: 'read',
    });
  });

  it('skips a byte order mark before the JSON', async () => {
    const body = `\ufeff${JSON.stringify({ redirect_uris: [CALLBACK] })}`;
    const headers = { 'content-type': 'application/json' };
    const reply = await send(`${server.url}/api/oauth/register`, { method: 'POST', body, headers });
    expect([reply.status, reply.body.redirect_uris]).toEqual([201, [CALLBACK]]);
  });

  it.each([
    'https://app.example/cb?a=1',
    'http://127.0.0.1/cb',
    'http://[::1]:8080/cb',
    'http://localhost/cb',
    'com.example.app:/cb',
    'cursor://anysphere.cursor-retrieval/oauth/callback',
    'vscode-insiders://perch.mcp/callback',
    'claude://callback',
    'zed://callback',
  ])('accepts %s as a redirect address (A16)', async (uri) => {
    expect((await register(server, { redirect_uris: [uri] })).status).toBe(201);
  });

  it.each([
    'http://app.example/cb',
    'http://127.0.0.1.app.example/cb',
    'http://localhost@app.example/cb',
    'https://app.example/cb#part',
    'https://app.example/cb#',
    'https://user:pass@app.example/cb',
    'https://a;b/cb',
    'https://app.example/c b',
    'https://app.example/\\cb',
    'https://app.example/ü',
    'javascript:alert(1)',
    'JavaScript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://app.example/x',
    'VIEW-SOURCE:https://app.example',
    'about:blank',
    'ftp://app.example/x',
    'intent://x#Intent;end',
    'intent://x',
    'ms-settings:network',
    'ms-word:ofe|u|https://app.example/x',
    'ms-word:ofe',
    'ms-x.y:z',
    'microsoft.windows.camera:',
    'x-apple.systempreferences:x',
    'search-ms:query=x',
    'search:x',
    'shell:startup',
    'chrome-extension://x/y.html',
    'moz-extension://x/y.html',
    'a.b-extension://x',
    'web+x.y:z',
    'mailto:a@app.example',
    'tel:1',
    'ws://localhost/x',
    'myapp:/callback',
    'localhost:8080/callback',
    '/callback',
    '',
    `https://app.example/${'x'.repeat(2000)}`,
  ])('refuses %s as a redirect address (A16)', async (uri) => {
    const { status, body } = await register(server, { redirect_uris: [uri] });
    expect([status, body.error]).toEqual([400, 'invalid_redirect_uri']);
    expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/);
  });

  it('says what a scheme must look like', async () => {
    const said = async (uri: string) => (await register(server, { redirect_uris: [uri] })).body.error_description;
    expect(await said('myapp:/callback')).toContain('a custom scheme must contain a dot');
    expect(await said('ms-settings:network')).toContain('has a scheme not allowed for redirects (ms-settings:)');
  });

  it('removes control characters', async () => {
    const { status, body } = await register(server, {
      redirect_uris: [CALLBACK],
      client_uri: 'https://app.example/\0x',
      client_name: 'a\0b',
    });
    expect([status, body.client_uri, body.client_name]).toEqual([201, 'https://app.example/%00x', 'a b']);
  });

  it.each([
    ['no redirect_uris', {}, 'invalid_redirect_uri'],
    ['none in it', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['no strings', { redirect_uris: [1] }, 'invalid_redirect_uri'],
    ['another grant', { redirect_uris: [CALLBACK], grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
    ['another response', { redirect_uris: [CALLBACK], response_types: ['token'] }, 'invalid_client_metadata'],
    ['a name that is none', { redirect_uris: [CALLBACK], client_name: 1 }, 'invalid_client_metadata'],
    ['a list', [], 'invalid_client_metadata'],
  ])('refuses %s', async (_what, metadata, error) => {
    const { status, body } = await register(server, metadata);
    expect([status, body.error]).toEqual([400, error]);
  });

  it('refuses what is not JSON, in the form of OAuth', async () => {
    for (const type of ['application/json', 'text/plain']) {
      const init = { method: 'POST', body: '{', headers: { 'content-type': type } };
      const { status, body } = await send(`${server.url}/api/oauth/register`, init);
      expect([status, body.error]).toEqual([400, 'invalid_client_metadata']);
    }
    const large = { method: 'POST', body: 'x'.repeat(70_000), headers: { 'content-type': 'application/json' } };
    const { status, body } = await send(`${server.url}/api/oauth/register`, large);
    expect([status, body.error]).toEqual([413, 'invalid_request']);
  });

  it('does not let a name pretend to be more than a name', async () => {
    const { body } = await register(server, {
      redirect_uris: [CALLBACK],
      client_name: ` a\u202eb\n\u0000c${'d'.repeat(200)}`,
    });
    expect(body.client_name).toBe(`a b c${'d'.repeat(75)}`);
  });
});
