import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { send } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

let server: OAuthServer;
let deep: OAuthServer;

beforeAll(async () => {
  server = await startOAuthServer();
  deep = await startOAuthServer({ basePath: '/perch', authPath: '/auth' });
});
afterAll(async () => {
  await server?.close();
  await deep?.close();
});

describe('discovery', () => {
  it('describes the authorization server (A12, A13, RFC 8414, RFC 9207)', async () => {
    const { status, body, headers } = await send(`${server.url}/.well-known/oauth-authorization-server`);
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
    expect(body).toEqual({
      issuer: server.url,
      authorization_endpoint: `${server.url}/oauth/authorize`,
      token_endpoint: `${server.url}/api/oauth/token`,
      registration_endpoint: `${server.url}/api/oauth/register`,
      revocation_endpoint: `${server.url}/api/oauth/revoke`,
      scopes_supported: ['read'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
      protected_resources: [server.url, `${server.url}/mcp`],
    });
  });

  it.each([
    ['', ''],
    ['/mcp', '/mcp'],
  ])('describes the resource%s (RFC 9728)', async (suffix, resource) => {
    const { body, headers } = await send(`${server.url}/.well-known/oauth-protected-resource${suffix}`);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toMatchObject({
      resource: server.url + resource,
      authorization_servers: [server.url],
      scopes_supported: ['read'],
      bearer_methods_supported: ['header'],
    });
  });

  it('puts the path of an address behind the well-known one (RFC 8414 3.1, RFC 9728 3.1)', async () => {
    const at = async (path: string) => (await send(`${deep.url}/.well-known/${path}`)).body;
    expect((await at('oauth-authorization-server/auth')).issuer).toBe(`${deep.url}/auth`);
    expect((await at('oauth-authorization-server')).issuer).toBe(`${deep.url}/auth`);
    expect((await at('oauth-protected-resource/perch')).resource).toBe(`${deep.url}/perch`);
    expect((await at('oauth-protected-resource/perch/mcp')).resource).toBe(`${deep.url}/perch/mcp`);
    expect(await at('oauth-protected-resource/perch')).toMatchObject({ authorization_servers: [`${deep.url}/auth`] });
  });

  it.each(['oauth-authorization-server/other', 'oauth-protected-resource/other'])('has nothing at %s', async (path) => {
    expect((await send(`${server.url}/.well-known/${path}`)).status).toBe(404);
  });

  it('answers HEAD (H4)', async () => {
    const { status, text } = await send(`${server.url}/.well-known/oauth-protected-resource`, { method: 'HEAD' });
    expect([status, text]).toEqual([200, '']);
  });

  it.each([
    ['/.well-known/oauth-authorization-server', 'GET'],
    ['/.well-known/oauth-protected-resource', 'GET'],
    ['/.well-known/oauth-protected-resource/mcp', 'GET'],
    ['/api/oauth/register', 'POST'],
    ['/api/oauth/token', 'POST'],
    ['/api/oauth/revoke', 'POST'],
  ])('lets a browser of any site ask %s first (H5)', async (path, method) => {
    const { status, headers } = await send(server.url + path, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://app.example',
        'access-control-request-method': method,
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    });
    expect(status).toBe(204);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('access-control-allow-methods')).toContain(method);
    expect(headers.get('access-control-allow-headers')).toBe('*, Authorization');
  });
});
