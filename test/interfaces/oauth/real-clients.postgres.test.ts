import * as mcp2 from '@modelcontextprotocol/client';
import * as mcp1 from '@modelcontextprotocol/sdk/client/auth.js';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DocumentHost, startDocumentHost } from './document-host.js';
import { mcpHost } from './mcp-host.js';
import { decide, send } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

const CALLBACK = 'http://127.0.0.1:51004/callback';

let server: OAuthServer;
let host: DocumentHost;

beforeAll(async () => {
  host = await startDocumentHost();
  server = await startOAuthServer({ documents: host.documents });
});
afterAll(async () => {
  await server?.close();
  await host?.close();
});
beforeEach(async () => {
  server.visitor = await server.account();
});

/** The customer agrees in a browser; returns where that is redirected. */
async function approved(address: URL): Promise<URL> {
  const { location } = await decide(server, address);
  if (location === null) throw new Error('the browser was not sent back');
  return location;
}

/** Both ways in which a client identifies itself. */
const KINDS = ['by registration', 'by its document (A13)'] as const;
const documentId = (): string => host.client('/real-client', { redirect_uris: ['http://127.0.0.1/callback'] });

describe('openid-client 6', () => {
  it.each(KINDS)('%s', async (kind) => {
    const options: openid.DynamicClientRegistrationRequestOptions = {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    };
    const metadata = { redirect_uris: [CALLBACK], client_name: 'openid-client' };
    const issuer = new URL(server.url);
    const config =
      kind === KINDS[0]
        ? await openid.dynamicClientRegistration(issuer, metadata, openid.None(), options)
        : await openid.discovery(issuer, documentId(), undefined, openid.None(), options);
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedState = openid.randomState();
    const address = openid.buildAuthorizationUrl(config, {
      redirect_uri: CALLBACK,
      scope: 'read',
      resource: `${server.url}/mcp`,
      state: expectedState,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    });
    const checks = { pkceCodeVerifier, expectedState };
    const first = await openid.authorizationCodeGrant(config, await approved(address), checks);
    expect([first.expires_in, await server.isLive(first.access_token)]).toEqual([30 * 86_400, true]);
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '');
    expect(second.access_token).not.toBe(first.access_token);
    await openid.tokenRevocation(config, second.refresh_token ?? '');
    expect(await server.isLive(second.access_token)).toBe(false);
    await expect(openid.refreshTokenGrant(config, second.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});

describe('oauth4webapi 3, which checks every answer', () => {
  const insecure = { [oauth.allowInsecureRequests]: true } as const;

  it.each(KINDS)('%s', async (kind) => {
    const resource = new URL(`${server.url}/mcp`);
    const described = await oauth.processResourceDiscoveryResponse(
      resource,
      await oauth.resourceDiscoveryRequest(resource, insecure),
    );
    const issuer = new URL(described.authorization_servers?.[0] ?? '');
    const discovered = await oauth.discoveryRequest(issuer, { ...insecure, algorithm: 'oauth2' });
    const as = await oauth.processDiscoveryResponse(issuer, discovered);
    const register = async (): Promise<oauth.Client> =>
      oauth.processDynamicClientRegistrationResponse(
        await oauth.dynamicClientRegistrationRequest(as, { redirect_uris: [CALLBACK] }, insecure),
      );
    const client = kind === KINDS[0] ? await register() : { client_id: documentId() };
    const verifier = oauth.generateRandomCodeVerifier();
    const address = new URL(as.authorization_endpoint ?? '');
    address.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: CALLBACK,
      response_type: 'code',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: 'st',
      resource: resource.href,
    }).toString();
    const answer = oauth.validateAuthResponse(as, client, await approved(address), 'st');
    const granted = await oauth.processAuthorizationCodeResponse(
      as,
      client,
      await oauth.authorizationCodeGrantRequest(as, client, oauth.None(), answer, CALLBACK, verifier, insecure),
    );
    expect([granted.token_type, granted.scope]).toEqual(['bearer', 'read']);
    const refreshed = await oauth.processRefreshTokenResponse(
      as,
      client,
      await oauth.refreshTokenGrantRequest(as, client, oauth.None(), granted.refresh_token ?? '', insecure),
    );
    expect(await server.isLive(refreshed.access_token)).toBe(true);
    const revocation = await oauth.revocationRequest(as, client, oauth.None(), refreshed.access_token, insecure);
    await oauth.processRevocationResponse(revocation);
    expect(await server.isLive(refreshed.access_token)).toBe(false);
  });
});

/** The first message of an MCP client, with its key. */
const greeting = (key: string): RequestInit => ({
  method: 'POST',
  headers: {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }),
});

describe.each([
  ['MCP client 1.x', mcp1 as unknown as typeof mcp2],
  ['MCP client 2.x', mcp2],
])('%s', (_name, mcp) => {
  it.each(KINDS)('gets from a 401 to a refresh, %s', async (kind) => {
    const serverUrl = `${server.url}/mcp`;
    const unauthorized = await fetch(serverUrl, { method: 'POST' });
    expect(unauthorized.status).toBe(401);
    const { resourceMetadataUrl, scope } = mcp.extractWWWAuthenticateParams(unauthorized);
    const { kept, authProvider: as } = mcpHost(kind === KINDS[0] ? undefined : documentId());
    const found = {
      serverUrl,
      ...(scope !== undefined && { scope }),
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
    };
    expect(await mcp.auth(as, found)).toBe('REDIRECT');
    const { searchParams } = await approved(kept.address);
    const authorizationCode = searchParams.get('code') ?? '';
    const iss = searchParams.get('iss') ?? '';
    expect(await mcp.auth(as, { ...found, authorizationCode, iss })).toBe('AUTHORIZED');
    expect(kept.client.client_id).toMatch(kind === KINDS[0] ? /^perch_client_/ : /^https:\/\/client\.test/);
    const first = kept.tokens.access_token;
    const authorized = await send(serverUrl, greeting(first));
    expect(authorized.status).toBe(200);
    expect(await mcp.auth(as, found)).toBe('AUTHORIZED');
    expect(kept.tokens.access_token).not.toBe(first);
    expect(await server.isLive(kept.tokens.access_token)).toBe(true);
  });

  it('registers again after its registration was deleted', async () => {
    const { kept, authProvider: as } = mcpHost();
    const issuer = server.url;
    kept.client = { client_id: 'perch_client_forgotten', redirect_uris: [CALLBACK], issuer };
    kept.tokens = { issuer, access_token: 'x', token_type: 'Bearer', refresh_token: 'perch_refresh_x' };
    expect(await mcp.auth(as, { serverUrl: `${server.url}/mcp` })).toBe('REDIRECT');
    expect(kept.client.client_id).not.toBe('perch_client_forgotten');
  });
});
