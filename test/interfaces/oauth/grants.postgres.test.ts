import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { DAY_MS, HOUR_MS } from '../../../src/lib/durations.js';
import { authorizationParams, backOf, codeFor, decide, newClient, redeem, refresh } from './oauth-client.js';
import { type OAuthServer, startOAuthServer } from './oauth-server.js';

const BY = { who: 'customer', address: '192.0.2.7' } as const;

let server: OAuthServer;

beforeAll(async () => {
  server = await startOAuthServer();
});
afterAll(() => server?.close());

async function allowed(clientId: string): Promise<{ key: string; refreshToken: string }> {
  const { body } = await redeem(server, clientId, await codeFor(server, clientId));
  return { key: body.access_token, refreshToken: body.refresh_token };
}

describe('the grants of an account', () => {
  it('list grants with their newest key and what all of their keys have spent', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    const clientId = await newClient(server);
    const { refreshToken } = await allowed(clientId);
    const { sql } = server.database;
    await sql`update keys set spent_thousandths = 1500 where account_id = ${accountId}`;
    await sql`update spend_caps set spent_thousandths = 1500 where account_id = ${accountId}`;
    const { body } = await refresh(server, clientId, refreshToken);
    expect(await server.grants.list(accountId)).toEqual([
      {
        grantId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        clientId,
        clientName: 'Lantern',
        createdAt: new Date(server.clock.now()).toISOString(),
        revokedAt: null,
        isConnected: true,
        keyPrefix: body.access_token.slice(0, 17),
        cap: { amount: 100_000, period: 'day', spent: 1500 },
        spent: 1500,
      },
    ]);
  });

  it('are connected as long as their key works or can be refreshed', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    await allowed(await newClient(server));
    const { sql } = server.database;
    const isConnected = async () => (await server.grants.list(accountId))[0]?.isConnected;
    await sql`update keys set expires_at = now() - interval '1 second' where account_id = ${accountId}`;
    expect(await isConnected()).toBe(true);
    await sql`delete from oauth_refresh_tokens where account_id = ${accountId}`;
    expect(await isConnected()).toBe(false);
    await sql`update keys set expires_at = now() + interval '1 hour' where account_id = ${accountId}`;
    expect(await isConnected()).toBe(true);
    await sql`update keys set revoked_at = now() where account_id = ${accountId}`;
    expect(await isConnected()).toBe(false);
  });

  it('are revoked by their own account alone, and only once', async () => {
    const [mine, other] = [await server.account(), await server.account()];
    server.visitor = mine;
    const { key } = await allowed(await newClient(server));
    const [grant] = await server.grants.list(mine);
    const grantId = grant?.grantId ?? '';
    await expect(server.grants.revoke(other, grantId, BY)).rejects.toMatchObject({ code: 'not_found' });
    await expect(server.grants.revoke(mine, randomUUID(), BY)).rejects.toMatchObject({ code: 'not_found' });
    await expect(server.grants.revoke(mine, 'nonsense', BY)).rejects.toMatchObject({ code: 'not_found' });
    expect(await server.isLive(key)).toBe(true);
    await server.grants.revoke(mine, grantId, BY);
    await server.grants.revoke(mine, grantId, BY);
    expect(await server.isLive(key)).toBe(false);
    const events = (await server.audit.list(mine, 20)).filter(({ what }) => what === 'client.revoked');
    expect(events).toMatchObject([{ who: 'customer', address: '192.0.2.7', detail: { grant_id: grantId } }]);
    expect((await server.grants.list(mine))[0]?.revokedAt).not.toBeNull();
  });

  it('give their keys the other limits of the last one, but no expiry of their own', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    const clientId = await newClient(server);
    const { refreshToken } = await allowed(clientId);
    const keyId = (await server.accounts.get(accountId))?.keys[0]?.keyId ?? '';
    const before = await server.accounts.changeKey({ accountId, keyId }, { scopes: ['profiles'] });
    for (const expiresAt of [new Date(server.clock.now() + HOUR_MS).toISOString(), null]) {
      await expect(server.accounts.changeKey({ accountId, keyId }, { expiresAt })).rejects.toMatchObject({
        ...{ code: 'bad_request', message: expect.stringContaining('Revoke the key to disconnect the app.') },
      });
    }
    expect(await server.accounts.key({ accountId, keyId })).toEqual(before);
    await refresh(server, clientId, refreshToken);
    expect((await server.accounts.get(accountId))?.keys.map(({ scopes }) => scopes)).toEqual([
      ['profiles'],
      ['profiles'],
    ]);
  });

  it('are revoked together with their key (A14)', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    const clientId = await newClient(server);
    const { refreshToken } = await allowed(clientId);
    const keyId = (await server.accounts.get(accountId))?.keys[0]?.keyId ?? '';
    await server.accounts.revokeKey({ accountId, keyId });
    expect((await refresh(server, clientId, refreshToken)).body.error).toBe('invalid_grant');
  });
});

/** Gives the account so many grants, each with a key and a refresh token that works for another hour. */
async function addGrants(accountId: string, count: number): Promise<void> {
  const { sql } = server.database;
  const [now, later] = [new Date(server.clock.now()), new Date(server.clock.now() + HOUR_MS)];
  const hashes = sql`select sha256((${accountId} || n)::bytea) as hash, n from generate_series(1, ${count}::int) n`;
  await sql`insert into key_directory (account_id, hash) select ${accountId}, hash from (${hashes}) h`;
  await sql`
    with granted as (
      insert into oauth_grants (account_id, grant_id, client_id, client_name, created_at)
      select ${accountId}, gen_random_uuid(), 'c', n::text, ${now}::timestamptz from (${hashes}) h
      returning grant_id, client_name
    ),
    key as (
      insert into keys (account_id, wallet_id, hash, prefix, name, grant_id, expires_at)
      select ${accountId}, wallet_id, hash, 'perch_live_manyof', client_name, grant_id, ${later}
      from granted join (${hashes}) h on n::text = client_name join wallets w on w.account_id = ${accountId}
      returning key_id, grant_id, hash
    )
    insert into oauth_refresh_tokens (hash, account_id, grant_id, key_id, expires_at)
    select hash, ${accountId}, grant_id, key_id, ${later} from key`;
}

describe('an account with 200 apps', () => {
  const tooMany = expect.stringContaining('200 connected apps, the maximum');

  it('is refused on the consent page with the reason, until it has disconnected one', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    const clientId = await newClient(server);
    await addGrants(accountId, 199);
    await allowed(clientId);
    const refused = await decide(server, `${server.url}/oauth/authorize?${authorizationParams(clientId)}`);
    expect([refused.status, refused.location]).toEqual([400, null]);
    expect(refused.text).toContain('Disconnect one that you no longer use');
    expect(backOf(refused.text)?.searchParams.get('error')).toBe('access_denied');
    const [grant] = await server.grants.list(accountId);
    await server.grants.revoke(accountId, grant?.grantId ?? '', BY);
    expect((await allowed(clientId)).key).toMatch(/^perch_live_/);
  });

  it('does not count apps that can no longer refresh their key', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    await addGrants(accountId, 200);
    server.clock.advance(HOUR_MS);
    expect((await allowed(await newClient(server))).key).toMatch(/^perch_live_/);
  });

  it('gets no further app from codes that are redeemed at once', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    const clientId = await newClient(server);
    await addGrants(accountId, 199);
    const codes = [await codeFor(server, clientId), await codeFor(server, clientId), await codeFor(server, clientId)];
    const answers = await Promise.all(codes.map((code) => redeem(server, clientId, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    for (const { status, body } of answers) {
      if (status === 400) expect(body).toEqual({ error: 'invalid_grant', error_description: tooMany });
    }
    expect(await server.grants.list(accountId)).toHaveLength(200);
  });

  it('lists all of them before newer ones that have ended, 500 in all', async () => {
    const accountId = await server.account();
    server.visitor = accountId;
    const { sql } = server.database;
    const { key } = await allowed(await newClient(server));
    await addGrants(accountId, 600);
    await sql`update oauth_grants set revoked_at = now(), created_at = created_at + interval '1 hour'
      where account_id = ${accountId} and client_name <> 'Lantern'`;
    const list = await server.grants.list(accountId);
    expect(list).toHaveLength(500);
    expect(list.at(-1)).toMatchObject({ clientName: 'Lantern', keyPrefix: key.slice(0, 17), revokedAt: null });
  });
});

describe('the clean-up of clients', () => {
  const isKnown = async (clientId: string): Promise<boolean> =>
    (await refresh(server, clientId, 'none')).body.error !== 'invalid_client';

  it('deletes those without a refreshable grant after 30 days', async () => {
    server.visitor = await server.account();
    const [idle, used, left] = [await newClient(server), await newClient(server), await newClient(server)];
    await allowed(used);
    await allowed(left);
    const [grant] = await server.grants.list(server.visitor);
    await server.grants.revoke(server.visitor, grant?.grantId ?? '', BY);
    server.clock.advance(30 * DAY_MS);
    await server.grants.sweep();
    expect([await isKnown(idle), await isKnown(used), await isKnown(left)]).toEqual([true, true, true]);
    server.clock.advance(1);
    await server.grants.sweep();
    const known = [await isKnown(used), await isKnown(left)].sort();
    expect([await isKnown(idle), ...known]).toEqual([false, false, true]);
    server.clock.advance(92 * DAY_MS);
    await server.grants.sweep();
    expect([await isKnown(used), await isKnown(left)]).toEqual([false, false]);
  });

  it('deletes those never allowed, oldest first, beyond 20,000', async () => {
    server.visitor = await server.account();
    const [used, oldest] = [await newClient(server), await newClient(server)];
    await allowed(used);
    server.clock.advance(1000);
    const at = new Date(server.clock.now());
    await server.database.sql`
      insert into oauth_clients (client_id, name, redirect_uris, created_at)
      select 'flood_' || n, 'flood', array['https://app.example'], ${at} from generate_series(1, 19999) n`;
    await server.grants.sweep();
    expect([await isKnown(used), await isKnown(oldest)]).toEqual([true, true]);
    server.clock.advance(1000);
    const newest = await newClient(server);
    await server.grants.sweep();
    expect([await isKnown(used), await isKnown(oldest), await isKnown(newest)]).toEqual([true, false, true]);
  });

  it('deletes codes and refresh tokens a day after their end', async () => {
    server.visitor = await server.account();
    await allowed(await newClient(server));
    const { sql } = server.database;
    const left = async () => [
      (await sql`select from one_time_tokens where kind = 'code'`).length > 0,
      (await sql`select from oauth_refresh_tokens`).length > 0,
    ];
    server.clock.advance(DAY_MS);
    await server.grants.sweep();
    expect(await left()).toEqual([true, true]);
    server.clock.advance(60_001);
    await server.grants.sweep();
    expect(await left()).toEqual([false, true]);
    server.clock.advance(90 * DAY_MS);
    await server.grants.sweep();
    expect(await left()).toEqual([false, false]);
  });
});

describe('at the same time', () => {
  it.each(['of the grant', 'of its key'])(
    'a refresh and debits of both keys, and a refresh and a revocation %s, never deadlock',
    async (which) => {
      const clientId = await newClient(server);
      const { sql } = server.database;
      const accounts = createAccounts(sql);
      for (let round = 0; round < 12; round += 1) {
        const accountId = await server.account();
        server.visitor = accountId;
        const { refreshToken } = await allowed(clientId);
        const { body } = await refresh(server, clientId, refreshToken);
        const [grant] = await server.grants.list(accountId);
        const key = (await accounts.get(accountId))?.keys.at(-1);
        const debit = sql.begin(async (tx) => {
          await tx`select from wallets where account_id = ${accountId} for no key update`;
          await tx`select from keys where account_id = ${accountId} order by key_id for no key update`;
          await tx`update spend_caps set spent_thousandths = 1 where account_id = ${accountId}`;
        });
        const [renewed] = await Promise.all([
          refresh(server, clientId, body.refresh_token),
          which === 'of its key'
            ? accounts.revokeKey({ accountId, keyId: key?.keyId ?? '' })
            : server.grants.revoke(accountId, grant?.grantId ?? '', BY),
          debit,
        ]);
        expect([200, 400]).toContain(renewed.status);
        const live =
          await sql`select from keys where account_id = ${accountId} and revoked_at is null and expires_at > now()`;
        expect(live).toHaveLength(0);
      }
    },
  );
});
