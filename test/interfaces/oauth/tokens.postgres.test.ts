import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CALLBACK, codeFor, newClient, type Reply, redeem, refresh, send, token } from './oauth-client.js';
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
async function pair(decision: Record<string, string> = {}): Promise<{ key: string; refreshToken: string }> {
  const { body } = await redeem(server, clientId, await codeFor(server, clientId, {}, decision));
  return { key: body.access_token, refreshToken: body.refresh_token };
}

const errorOf = ({ status, body }: Reply): [number, string] => [status, body.error];
const keysOf = async () => (await server.accounts.get(accountId))?.keys ?? [];

describe('the token endpoint', () => {
  it('gives an ordinary key, named after the client, on the wallet of the account that agreed (A14)', async () => {
    const reply = await redeem(server, clientId, await codeFor(server, clientId));
    expect([reply.status, reply.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(reply.headers.get('access-control-allow-origin')).toBe('*');
    expect(reply.body).toEqual({
      access_token: expect.stringMatching(/^perch_live_[0-9A-Za-z]{32}$/),
      token_type: 'Bearer',
      expires_in: 30 * 86_400,
      refresh_token: expect.stringMatching(/^perch_refresh_[\w-]{43}$/),
      scope: 'read',
    });
    const [key, ...others] = await keysOf();
    expect(others).toEqual([]);
    expect(key).toMatchObject({ name: 'Lantern', prefix: reply.body.access_token.slice(0, 17), revokedAt: null });
    expect(key?.cap).toEqual({ amount: 100_000, period: 'day', spent: 0 });
    expect(Date.parse(key?.expiresAt ?? '')).toBe(server.clock.now() + 30 * 86_400_000);
    expect(key?.grantId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each([
    ['day', '12.5', { amount: 12_500, period: 'day', spent: 0 }],
    ['total', '1,000', { amount: 1_000_000, period: 'total', spent: 0 }],
    ['none', '', null],
  ])('gives the key a cap of %s (A15)', async (cap_period, cap_amount, cap) => {
    await pair({ cap_period, cap_amount });
    expect((await keysOf())[0]?.cap).toEqual(cap);
  });

  it.each([
    ['no grant_type', { grant_type: null }, 400, 'invalid_request'],
    ['another grant_type', { grant_type: 'password' }, 400, 'unsupported_grant_type'],
    ['no code', { code: null }, 400, 'invalid_request'],
    ['no verifier', { code_verifier: null }, 400, 'invalid_request'],
    ['no client_id', { client_id: null }, 401, 'invalid_client'],
    ['an unknown client', { client_id: 'perch_client_unknown' }, 401, 'invalid_client'],
    ['another verifier', { code_verifier: 'x'.repeat(43) }, 400, 'invalid_grant'],
    ['a verifier that is too short', { code_verifier: 'x' }, 400, 'invalid_grant'],
    ['another redirect address', { redirect_uri: `${CALLBACK}/` }, 400, 'invalid_grant'],
    ['no redirect address, though it was named', { redirect_uri: null }, 400, 'invalid_grant'],
    ['another code', { code: 'x'.repeat(43) }, 400, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
    ['a NUL in the client', { client_id: '\0' }, 400, 'invalid_request'],
    ['a NUL in the code', { code: 'x\0' }, 400, 'invalid_request'],
    ['a line break in the address', { redirect_uri: `${CALLBACK}\n` }, 400, 'invalid_request'],
  ])('refuses %s, and the code still works', async (_what, change, status, error) => {
    const code = await codeFor(server, clientId);
    expect(errorOf(await redeem(server, clientId, code, change))).toEqual([status, error]);
    expect((await redeem(server, clientId, code)).status).toBe(200);
  });

  it('accepts a code only from its own client', async () => {
    const code = await codeFor(server, clientId);
    expect(errorOf(await redeem(server, await newClient(server), code))).toEqual([400, 'invalid_grant']);
  });

  it('binds a code to the resource that was requested (RFC 8707)', async () => {
    const mcp = `${server.url}/mcp`;
    const code = await codeFor(server, clientId, { resource: mcp });
    const other = await redeem(server, clientId, code, { resource: server.url });
    expect(errorOf(other)).toEqual([400, 'invalid_target']);
    expect(other.body.error_description).toContain(`This code was issued for ${mcp}`);
    const unproven = { resource: server.url, code_verifier: 'x'.repeat(43) };
    expect(errorOf(await redeem(server, clientId, code, unproven))).toEqual([400, 'invalid_grant']);
    expect((await redeem(server, clientId, code, { resource: mcp })).status).toBe(200);
    const slash = await codeFor(server, clientId, { resource: `${server.url}/` });
    expect((await redeem(server, clientId, slash, { resource: server.url })).status).toBe(200);
  });

  it('accepts a code for 60 s', async () => {
    const [early, late] = [await codeFor(server, clientId), await codeFor(server, clientId)];
    server.clock.advance(59_999);
    expect((await redeem(server, clientId, early)).status).toBe(200);
    server.clock.advance(1);
    expect(errorOf(await redeem(server, clientId, late))).toEqual([400, 'invalid_grant']);
  });

  it('revokes the grant and its keys when a code is used twice', async () => {
    const code = await codeFor(server, clientId);
    const { body } = await redeem(server, clientId, code);
    const { body: next } = await refresh(server, clientId, body.refresh_token);
    expect(errorOf(await redeem(server, clientId, code))).toEqual([400, 'invalid_grant']);
    expect([await server.isLive(body.access_token), await server.isLive(next.access_token)]).toEqual([false, false]);
    expect(errorOf(await refresh(server, clientId, next.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await server.audit.list(accountId, 1))[0]).toMatchObject({
      what: 'client.revoked',
      who: 'service',
      detail: { why: 'code used again' },
    });
  });

  it('redeems a code for one of 20 simultaneous requests', async () => {
    const code = await codeFor(server, clientId);
    const replies = await Promise.all(Array.from({ length: 20 }, () => redeem(server, clientId, code)));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(19).fill(400)]);
    expect(await keysOf()).toHaveLength(1);
  });

  it('says that clients have no secret, and that the body must be a form', async () => {
    const init = { method: 'POST', headers: { authorization: 'Basic eA==' }, body: new URLSearchParams() };
    const { status, headers, body } = await send(`${server.url}/api/oauth/token`, {
      ...init,
      body: new URLSearchParams({ grant_type: 'refresh_token' }),
    });
    expect([status, body.error, headers.get('www-authenticate')?.slice(0, 5)]).toEqual([
      401,
      'invalid_client',
      'Basic',
    ]);
    const noForm = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    expect(errorOf(await send(`${server.url}/api/oauth/token`, noForm))).toEqual([400, 'invalid_request']);
    const twice = { ...init, body: new URLSearchParams('grant_type=refresh_token&code=1&code=2') };
    expect(errorOf(await send(`${server.url}/api/oauth/token`, twice))).toEqual([400, 'invalid_request']);
  });
});

describe('refresh (A14)', () => {
  it('gives a new pair; the old key works for 60 s more', async () => {
    const first = await pair();
    const { status, body } = await refresh(server, clientId, first.refreshToken);
    expect([status, body.expires_in, body.token_type]).toEqual([200, 30 * 86_400, 'Bearer']);
    expect([body.access_token, body.refresh_token]).not.toContain(first.key);
    expect(body.refresh_token).not.toBe(first.refreshToken);
    expect([await server.isLive(first.key), await server.isLive(body.access_token)]).toEqual([true, true]);
    server.clock.advance(60_000);
    expect([await server.isLive(first.key), await server.isLive(body.access_token)]).toEqual([false, true]);
    expect((await server.audit.list(accountId, 1))[0]).toMatchObject({ what: 'client.refreshed', who: 'client' });
  });

  it('keeps cap and name as their owner has set them by now (U6)', async () => {
    const first = await pair();
    const [key] = await keysOf();
    const of = { accountId, keyId: key?.keyId ?? '' };
    await server.accounts.changeKey(of, { name: 'Mine', cap: { amount: 5000, period: 'day' } });
    await server.database.sql`update spend_caps set spent_thousandths = 4000 where account_id = ${accountId}`;
    await refresh(server, clientId, first.refreshToken);
    const [, second] = await keysOf();
    expect(second).toMatchObject({ name: 'Mine', cap: { amount: 5000, period: 'day', spent: 4000 } });
    expect(second?.grantId).toBe(key?.grantId);
  });

  it('gives a lost answer again within 60 s', async () => {
    const first = await pair();
    const { body } = await refresh(server, clientId, first.refreshToken);
    server.clock.advance(60_000);
    const again = await refresh(server, clientId, first.refreshToken);
    expect(again.body).toEqual({ ...body, expires_in: 30 * 86_400 - 60 });
    expect(await keysOf()).toHaveLength(2);
  });

  it('treats later reuse of a token as theft, and ends the family', async () => {
    const first = await pair();
    const { body } = await refresh(server, clientId, first.refreshToken);
    server.clock.advance(60_001);
    expect(errorOf(await refresh(server, clientId, first.refreshToken))).toEqual([400, 'invalid_grant']);
    expect(await server.isLive(body.access_token)).toBe(false);
    expect(errorOf(await refresh(server, clientId, body.refresh_token))).toEqual([400, 'invalid_grant']);
    expect((await server.audit.list(accountId, 1))[0]?.detail).toMatchObject({ why: 'refresh token used again' });
  });

  it('ends the grant even within the 60 s once the new pair was used', async () => {
    const first = await pair();
    const { body: second } = await refresh(server, clientId, first.refreshToken);
    const { body: third } = await refresh(server, clientId, second.refresh_token);
    expect(errorOf(await refresh(server, clientId, first.refreshToken))).toEqual([400, 'invalid_grant']);
    expect(await server.isLive(third.access_token)).toBe(false);
  });

  it('gives 20 simultaneous requests the same pair', async () => {
    const first = await pair();
    const replies = await Promise.all(Array.from({ length: 20 }, () => refresh(server, clientId, first.refreshToken)));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    expect(new Set(replies.map(({ body }) => `${body.access_token} ${body.refresh_token}`)).size).toBe(1);
    expect(await keysOf()).toHaveLength(2);
  });

  it('accepts a refresh token for 90 days, and only from its own client', async () => {
    const first = await pair();
    expect(errorOf(await refresh(server, await newClient(server), first.refreshToken))).toEqual([400, 'invalid_grant']);
    server.clock.advance(90 * 86_400_000 - 1);
    const { body } = await refresh(server, clientId, first.refreshToken);
    server.clock.advance(90 * 86_400_000);
    expect(errorOf(await refresh(server, clientId, body.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('ends a year after consent, however often it is repeated, with its last key (ASVS 10.4.8)', async () => {
    let { refreshToken } = await pair();
    const dayMs = 86_400_000;
    for (let day = 0; day < 360; day += 60) {
      server.clock.advance(60 * dayMs);
      refreshToken = (await refresh(server, clientId, refreshToken)).body.refresh_token;
    }
    server.clock.advance(5 * dayMs - 10_000);
    const { status, body } = await refresh(server, clientId, refreshToken);
    expect([status, body.expires_in, await server.isLive(body.access_token)]).toEqual([200, 10, true]);
    server.clock.advance(10_000);
    expect(await server.isLive(body.access_token)).toBe(false);
    expect(errorOf(await refresh(server, clientId, body.refresh_token))).toEqual([400, 'invalid_grant']);
  });

  it('allows 20 an hour per grant, repeats a lost answer beyond that, and still detects theft', async () => {
    const first = await pair();
    let [before, last] = ['', first.refreshToken];
    for (let n = 0; n < 20; n += 1) {
      server.clock.advance(60_001);
      const { body } = await refresh(server, clientId, last);
      [before, last] = [last, body.refresh_token];
    }
    const limited = await refresh(server, clientId, last);
    expect(errorOf(limited)).toEqual([429, 'temporarily_unavailable']);
    // The first of the 20 is 19 minutes old.
    expect(limited.headers.get('retry-after')).toBe(String(3600 - 19 * 60));
    expect((await refresh(server, clientId, before)).body.refresh_token).toBe(last);
    server.clock.advance((3600 - 19 * 60) * 1000);
    const { status, body } = await refresh(server, clientId, last);
    expect(status).toBe(200);
    expect(errorOf(await refresh(server, clientId, first.refreshToken))).toEqual([400, 'invalid_grant']);
    expect(await server.isLive(body.access_token)).toBe(false);
  });

  it.each([
    ['no token', { refresh_token: null }, 400, 'invalid_request'],
    ['another token', { refresh_token: 'perch_refresh_x' }, 400, 'invalid_grant'],
    ['an unknown client', { client_id: 'x' }, 401, 'invalid_client'],
    ['another resource', { resource: 'https://other.example' }, 400, 'invalid_target'],
    ['more scope than was granted (RFC 6749, 6)', { scope: 'read write' }, 400, 'invalid_scope'],
  ])('refuses %s', async (_what, change, status, error) => {
    const fields = { grant_type: 'refresh_token', client_id: clientId, refresh_token: 'perch_refresh_x', ...change };
    expect(errorOf(await token(server, fields))).toEqual([status, error]);
  });

  it('stores neither keys nor tokens in the database', async () => {
    const first = await pair();
    const { body } = await refresh(server, clientId, first.refreshToken);
    const secrets = [first.key, first.refreshToken, body.access_token, body.refresh_token];
    for (const table of ['keys', 'oauth_refresh_tokens', 'oauth_grants', 'one_time_tokens', 'audit_log']) {
      const rows = await server.database.sql`select to_jsonb(t)::text as row from ${server.database.sql(table)} t`;
      const text = JSON.stringify(rows);
      expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    }
  });
});
