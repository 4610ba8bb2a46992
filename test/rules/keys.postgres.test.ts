import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAccounts } from '../../adapters/postgres/accounts/accounts.js';
import { mintKey } from '../../src/access/key.js';
import type { HeaderFields } from '../kit/client.js';
import { range } from '../kit/networks/scripted-network.js';
import { type Service, startService } from './support/service.js';

/** A key of the right form that does not exist. */
const stranger = (n: number): string => mintKey((length) => new Uint8Array(length).fill(n % 200));

describe('keys (section 5, A1–A11)', () => {
  let service: Service;
  beforeAll(async () => {
    service = await startService({ fill: (net) => void net.users([1]) });
  });
  afterAll(() => service.close());
  // Failed keys count per address (A8), and all tests share one.
  beforeEach(() => service.clock.advance(120_000));

  const me = async (headers: HeaderFields, query = '') => service.nobody.get(`/v1/me${query}`, headers);

  it('5.1.1, 5.1.6: are a prefix and 32 characters; /v1/me checks them and shows the leading part only', async () => {
    const customer = await service.customer();
    expect(customer.account.key).toMatch(/^perch_live_[0-9A-Za-z]{32}$/);
    const reply = await customer.get('/v1/me');
    expect(reply.body).toMatchObject({ key_prefix: customer.account.key.slice(0, 17) });
    expect(reply.text).not.toContain(customer.account.key.slice(0, 18));
  });

  it('5.1.2: are accepted in x-api-key, or as a Bearer token with the scheme in any case (A4)', async () => {
    const { key } = (await service.customer()).account;
    for (const headers of [
      { 'x-api-key': key },
      { authorization: `Bearer ${key}` },
      { authorization: `bearer ${key}` },
      { authorization: `BEARER  ${key}` },
    ]) {
      expect((await me(headers as HeaderFields)).status).toBe(200);
    }
  });

  it('5.1.4: share one wallet and one rate limit', async () => {
    const { perch, clock } = service;
    const first = await service.customer({ credits: 10, qps: 3 });
    const second = await perch.secondKey(first.account);
    expect((await first.get('/v1/me')).headers.get('ratelimit')).toBe('limit=3, remaining=2, reset=1');
    expect((await me({ 'x-api-key': second })).headers.get('ratelimit')).toBe('limit=3, remaining=1, reset=1');
    clock.advance(2000);
    await first.get('/v1/users/user1?fresh=true');
    expect((await me({ 'x-api-key': second })).body).toMatchObject({ balance: 8 });
    expect(await perch.balance(first.account)).toBe(8);
  });

  it('A1: are accepted in both headers if they are the same', async () => {
    const { key } = (await service.customer()).account;
    expect((await me({ 'x-api-key': key, authorization: `Bearer ${key}` })).status).toBe(200);
  });

  it('A2: are answered with 400 if both headers differ, and neither is tried', async () => {
    const { key } = (await service.customer()).account;
    const reply = await me({ 'x-api-key': key, authorization: `Bearer ${stranger(3)}` });
    expect([reply.status, reply.body.error.code]).toEqual([400, 'bad_request']);
  });

  it.each(['key', 'api_key', 'apikey', 'access_token', 'token', 'x-api-key', 'whatever'])(
    'A3: are refused in the query string, as %s, with a message that says to rotate them',
    async (name) => {
      const { key } = (await service.customer()).account;
      const reply = await me({}, `?${name}=${key}`);
      expect([reply.status, reply.body.error.code]).toEqual([401, 'missing_key']);
      expect(reply.body.error.message).toMatch(/rotate/i);
      expect(reply.text).not.toContain(key);
    },
  );

  it('A4: are missing_key with another scheme alone, which is ignored beside x-api-key', async () => {
    const { key } = (await service.customer()).account;
    const basic = { authorization: 'Basic dXNlcjpwYXNz' };
    expect((await me({ ...basic, 'x-api-key': key })).status).toBe(200);
    for (const headers of [basic, { authorization: 'Bearer' }, { authorization: key }, { 'x-api-key': '' }]) {
      const reply = await me(headers as HeaderFields);
      expect([reply.status, reply.body.error.code]).toEqual([401, 'missing_key']);
    }
  });

  it('A5, A9: are answered with 401 as soon as they are revoked, with the time in the message', async () => {
    const { perch } = service;
    const customer = await service.customer();
    expect((await customer.get('/v1/me')).status).toBe(200);
    const accounts = createAccounts(perch.database.sql);
    const [key] = (await accounts.get(customer.account.accountId))?.keys ?? [];
    await accounts.revokeKey({ accountId: customer.account.accountId, keyId: key?.keyId ?? '' });
    const revoked = async () => {
      const reply = await customer.get('/v1/me');
      expect([reply.status, reply.body.error?.code, reply.body.error?.reason]).toEqual([401, 'invalid_key', 'revoked']);
      return reply;
    };
    const reply = await vi.waitFor(revoked, { timeout: 5_000, interval: 50 });
    expect(reply.body.error.message).toMatch(/revoked at \d{4}-\d\d-\d\dT/);
  });

  it('A9: do not live longer after revocation if the clock is set back a day', async () => {
    const own = await startService();
    const { sql } = own.perch.database;
    const customer = await own.customer();
    expect((await customer.get('/v1/me')).status).toBe(200);
    await sql`alter table keys disable trigger tell_key_change`;
    await sql`update keys set revoked_at = now() where account_id = ${customer.account.accountId}`;
    own.clock.advance(-86_400_000);
    const statusNow = async () => (await customer.get('/v1/me')).status;
    await vi.waitFor(async () => expect(await statusNow()).toBe(401), { timeout: 5_000, interval: 100 });
    await own.close();
  });

  it('A9: are refused on other nodes before those forget what they remember', async () => {
    const customer = await service.customer();
    expect((await customer.get('/v1/me')).status).toBe(200);
    const accounts = createAccounts(service.perch.database.sql);
    const [key] = (await accounts.get(customer.account.accountId))?.keys ?? [];
    await accounts.revokeKey({ accountId: customer.account.accountId, keyId: key?.keyId ?? '' });
    await vi.waitFor(async () => expect((await customer.get('/v1/me')).status).toBe(401), {
      timeout: 10_000,
      interval: 5,
    });
  });

  it('A10: that expire later work until then', async () => {
    const customer = await service.customer();
    const accounts = createAccounts(service.perch.database.sql);
    const [key] = (await accounts.get(customer.account.accountId))?.keys ?? [];
    const of = { accountId: customer.account.accountId, keyId: key?.keyId ?? '' };
    const successor = { hash: randomBytes(32), prefix: 'perch_live_succes', expiresAt: null };
    await accounts.rotateKey(of, successor, new Date(Date.now() + 3_600_000).toISOString());
    service.clock.advance(5000);
    expect((await customer.get('/v1/me')).status).toBe(200);
    await service.perch.database.sql`update keys set expires_at = now() where key_id = ${of.keyId}`;
    service.clock.advance(5000);
    // The node is notified of the change independently of the request, perhaps after it.
    await vi.waitFor(async () => expect((await customer.get('/v1/me')).status).toBe(401), {
      timeout: 5_000,
      interval: 5,
    });
  });

  it('W8: of a frozen account are invalid, and the message says why', async () => {
    const customer = await service.customer();
    const { sql } = service.perch.database;
    await sql`update accounts set frozen_at = now() where account_id = ${customer.account.accountId}`;
    const reply = await customer.get('/v1/me');
    expect([reply.status, reply.body.error.code, reply.body.error.reason]).toEqual([401, 'invalid_key', 'frozen']);
  });

  it.each([
    ['too short', 'perch_live_abc'],
    ['another prefix', `sk_live_${'a'.repeat(32)}`],
    ['a mistyped character', `${stranger(9).slice(0, -1)}!`],
    ['a checksum that is not its own', `perch_live_${'a'.repeat(32)}`],
  ])('A6: are malformed as %s', async (_what, key) => {
    const reply = await me({ 'x-api-key': key });
    expect([reply.status, reply.body.error.code, reply.body.error.reason]).toEqual([401, 'invalid_key', 'malformed']);
  });

  it('A7: that are missing or bad get a 401 that says where to sign in, with an error only if bad', async () => {
    const where = `Bearer resource_metadata="${service.perch.url}/.well-known/oauth-protected-resource", scope="read"`;
    expect((await me({})).headers.get('www-authenticate')).toBe(where);
    const bad = await me({ 'x-api-key': stranger(4) });
    expect(bad.headers.get('www-authenticate')).toBe(`${where}, error="invalid_token"`);
    expect((await me({}, '?x=1')).headers.get('www-authenticate')).toBe(where);
    expect((await (await service.customer()).get('/v1/me')).headers.get('www-authenticate')).toBeNull();
  });

  it('A8: get 429 under the public policy after 60 failures a minute per address; good keys still work', async () => {
    const customer = await service.customer();
    const replies = await Promise.all(range(60).map((n) => me({ 'x-api-key': stranger(n) })));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([401]));
    const reply = await me({ 'x-api-key': stranger(77) });
    expect([reply.status, reply.body.error.code]).toEqual([429, 'rate_limited']);
    expect(reply.headers.get('ratelimit-policy')).toMatch(/^public; /);
    expect(reply.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await customer.get('/v1/me')).status).toBe(200);
    service.clock.advance(61_000);
    expect((await me({ 'x-api-key': stranger(78) })).status).toBe(401);
  });

  it('A11, 5.1.1: are stored only as a hash and their leading part', async () => {
    const { account } = await service.customer();
    const { sql } = service.perch.database;
    const [row] = await sql`select * from keys where account_id = ${account.accountId}`;
    expect(row).toMatchObject({ prefix: account.key.slice(0, 17) });
    expect(row?.hash).toHaveLength(32);
    const { hash: _hash, ...rest } = row ?? {};
    expect(JSON.stringify(rest)).not.toContain(account.key.slice(17));
  });
});
