import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { codeFor, newClient, type Reply, redeem, refresh, revoke } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

let server: OAuthServer;
let clientId: string;
let accountId: string;

beforeAll(async () => {
  server = await startOAuthServer();
  clientId = await newClient(server);
});
afterAll(() => server?.close());
beforeEach(async () => {
  accountId = await server.account();
  server.visitor = accountId;
});

/** A key and a refresh token from a whole sign-in. */
async function pair(): Promise<{ key: string; refreshToken: string }> {
  const { body } = await redeem(server, clientId, await codeFor(server, clientId));
  return { key: body.access_token, refreshToken: body.refresh_token };
}

const errorOf = ({ status, body }: Reply): [number, string] => [status, body.error];

describe('revocation (RFC 7009)', () => {
  it.each(['key', 'refreshToken'] as const)('of the %s ends the grant', async (half) => {
    const first = await pair();
    const reply = await revoke(server, { token: first[half], client_id: clientId });
    expect([reply.status, reply.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    expect(await server.isLive(first.key)).toBe(false);
    expect(errorOf(await refresh(server, clientId, first.refreshToken))).toEqual([400, 'invalid_grant']);
    const [event] = await server.audit.list(accountId, 1);
    expect(event).toMatchObject({ what: 'client.revoked', who: 'client', detail: { why: 'asked' } });
    expect((await revoke(server, { token: first[half] })).status).toBe(200);
    expect((await server.audit.list(accountId, 9)).filter(({ what }) => what === 'client.revoked')).toHaveLength(1);
  });

  it('succeeds for an unknown token, whatever its hint', async () => {
    const reply = await revoke(server, { token: 'perch_live_x', token_type_hint: 'saml', client_id: clientId });
    expect(reply.status).toBe(200);
  });

  it('refuses a token of another client, and a missing one', async () => {
    const first = await pair();
    const other = await newClient(server);
    expect(errorOf(await revoke(server, { token: first.key, client_id: other }))).toEqual([400, 'invalid_grant']);
    expect(await server.isLive(first.key)).toBe(true);
    expect(errorOf(await revoke(server, { client_id: clientId }))).toEqual([400, 'invalid_request']);
  });

  it('does nothing to an ordinary key', async () => {
    const sql = server.database.sql;
    const first = await pair();
    await sql`update keys set grant_id = null where account_id = ${accountId}`;
    expect((await revoke(server, { token: first.key })).status).toBe(200);
    expect(await server.isLive(first.key)).toBe(true);
  });
});
