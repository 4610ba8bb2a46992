/** What limits a key: kinds of reads, addresses and an end. A refusal is free on every interface, cached or not. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { Plans } from '../../../adapters/http/plans.js';
import { Keys } from '../../../src/account/keys.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { SCOPES } from '../../../src/domain/lists.js';
import type { KeyLimits } from '../../../src/ports/accounts.js';
import { fillSmallCorpus } from '../../interfaces/v1/small-corpus.js';
import { createClient } from '../../kit/client.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { manualClock } from '../../kit/time/manual-clock.js';

const HERE = '127.0.0.1';
let perch: TestPerch;
let keys: Keys;
let account: TestAccount;

beforeAll(async () => {
  perch = await startPerch({
    prepare: ({ sql }) => fillSmallCorpus(sql),
    env: { PERCH_TRUST_PROXY: HERE, PERCH_DEMO: 'off' },
    // So that no rate refills while requests are sent.
    clock: manualClock(),
  });
  const { accounts, secrets } = perch.stores;
  keys = new Keys({ accounts, pepper: secrets.pepper, clock: { now: Date.now }, randomBytes });
});
beforeEach(async () => {
  account = await perch.account();
});
afterAll(() => perch?.close());

const limit = async (limits: Partial<KeyLimits>): Promise<void> => {
  await keys.change(account.accountId, account.keyId, limits, OPERATOR);
};
const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(perch.url + path, { headers: { 'x-api-key': account.key, ...headers } });
const errorOf = async (answer: Response) => {
  const { error, credits_charged: charged } = (await answer.json()) as {
    error: { code: string; reason?: string; message: string };
    credits_charged?: number;
  };
  return { status: answer.status, code: error.code, reason: error.reason, message: error.message, charged };
};
const graphql = async (query: string) => {
  const answer = await fetch(`${perch.url}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': account.key, 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ query }),
  });
  return (await answer.json()) as { errors?: { message: string; extensions: { code: string; reason?: string } }[] };
};
/** Waits until every cached look-up of the key has the change. */
const eventually = (check: () => Promise<unknown>) => expect.poll(check, { timeout: 5_000, interval: 100 });

describe('a key with kinds of reads', () => {
  it('may read those kinds, and gets a free 403 for others', async () => {
    await limit({ scopes: ['profiles', 'timeline'] });
    await eventually(async () => (await get('/v1/tweets/search?q=a')).status).toBe(403);
    const before = await perch.balance(account);
    const refused = await errorOf(await get('/v1/tweets/search?q=a'));
    expect(refused).toMatchObject({ status: 403, code: 'access_denied', reason: 'scope', charged: 0 });
    expect(refused.message).toContain('may not read search: it is limited to profiles, timeline');
    expect((await get('/v1/users/nobody_here/tweets')).status).toBe(404);
    expect((await get('/v1/users/nobody_here')).status).toBe(404);
    expect((await get('/v1/me')).status).toBe(200);
    expect(await perch.balance(account)).toBe(before);
  });

  it.each([
    ['a list below an object', '{ user(handle: "a") { followers(first: 1) { nodes { id } } } }', 'followers'],
    [
      'a list in a fragment',
      '{ user(handle: "a") { ...f } } fragment f on User { followerIds(first: 1) { nodes } }',
      'followers',
    ],
    ['tweets by id', '{ tweet(id: "1") { id } }', 'tweets'],
  ])('refuses %s in GraphQL', async (_what, query, scope) => {
    await limit({ scopes: ['profiles'] });
    await eventually(async () => (await graphql(query)).errors?.[0]?.extensions.reason).toBe('scope');
    expect((await graphql(query)).errors?.[0]?.message).toContain(`may not read ${scope}`);
  });

  it('keeps its limits when it is rotated', async () => {
    await limit({ scopes: ['profiles'], allowedFrom: [`${HERE}/32`], expiresAt: '2099-12-31T23:59:59.999Z' });
    const { record } = await keys.rotate(account.accountId, account.keyId, 60_000, OPERATOR);
    expect(record).toMatchObject({
      ...{
        scopes: ['profiles'],
        allowedFrom: [`${HERE}/32`],
        expiresAt: '2099-12-31T23:59:59.999Z',
        isReplaced: false,
      },
    });
  });

  it('can have each kind alone', async () => {
    for (const scope of SCOPES) {
      const { record } = await keys.create(account.accountId, { name: scope, cap: null, scopes: [scope] }, OPERATOR);
      expect(record.scopes).toEqual([scope]);
    }
  });
});

describe('a key with networks', () => {
  const from = (address: string) => ({ 'x-forwarded-for': address });

  it('refuses other addresses with a free 403, before anything is read', async () => {
    await limit({ allowedFrom: ['203.0.113.0/24', '2001:db8::/32'] });
    await eventually(async () => (await get('/v1/me', from('198.51.100.7'))).status).toBe(403);
    const refused = await errorOf(await get('/v1/me', from('198.51.100.8')));
    expect(refused).toMatchObject({ status: 403, code: 'access_denied', reason: 'address_not_allowed', charged: 0 });
    expect(refused.message).toContain('may not be used from "198.51.100.8"');
    for (const address of ['203.0.113.9', '::ffff:203.0.113.9', '2001:db8:1::2']) {
      expect([address, (await get('/v1/me', from(address))).status]).toEqual([address, 200]);
    }
    for (const address of ['203.0.114.1', '2001:db9::1', '::ffff:198.51.100.9']) {
      expect([address, (await get('/v1/me', from(address))).status]).toEqual([address, 403]);
    }
  });

  it('counts requests from other addresses against those addresses, not against the account', async () => {
    await limit({ allowedFrom: ['203.0.113.0/24'] });
    await eventually(async () => (await get('/v1/me', from('198.51.100.20'))).status).toBe(403);
    const answers = await Promise.all(Array.from({ length: 40 }, () => get('/v1/me', from('198.51.100.21'))));
    expect(answers.some(({ status }) => status === 429)).toBe(true);
    expect(answers[0]?.headers.get('ratelimit-policy')).toBe('public; q=10; w=1');
    expect((await get('/v1/me', from('203.0.113.5'))).status).toBe(200);
  });

  it.each(['/graphql', '/mcp'])('is checked on %s before the body is read', async (path) => {
    await limit({ allowedFrom: ['203.0.113.0/24'] });
    const post = (address: string) =>
      fetch(perch.url + path, {
        method: 'POST',
        headers: {
          ...{ authorization: `Bearer ${account.key}`, 'content-type': 'application/json', ...from(address) },
          accept: 'application/json, text/event-stream',
        },
        body: 'no JSON',
      });
    await eventually(async () => (await post('198.51.100.30')).status).toBe(403);
    expect((await post('203.0.113.5')).status).toBe(400);
  });
});

describe('a repeated request, answered ahead of the framework', () => {
  it('is refused to a key without the right, directly after one with it', async () => {
    const found = vi.spyOn(Plans.prototype, 'find');
    const path = '/v1/users/Aurora_Obs/tweets?count=5';
    const minted = async (limits: Partial<KeyLimits>) =>
      (await keys.create(account.accountId, { name: 'one of three', cap: null, ...limits }, OPERATOR)).key;
    const [free, bound, away] = await Promise.all([
      ...[minted({}), minted({ scopes: ['search'] }), minted({ allowedFrom: ['203.0.113.0/24'] })],
    ]);
    const read = async (key = '') => (await createClient(perch.url, key).get(path)).status;
    for (let round = 0; round < 3; round++) expect(await read(free)).toBe(200);
    found.mockClear();
    const before = await perch.balance(account);
    expect([await read(bound), await read(away)]).toEqual([403, 403]);
    expect(found.mock.results.map(({ value }) => value !== undefined)).toEqual([true, true]);
    expect(await perch.balance(account)).toBe(before);
    expect(await read(free)).toBe(200);
    found.mockRestore();
  });
});

describe('the end of a key', () => {
  it('gives 401 with the time it expired; until then the key works and can be rotated', async () => {
    await limit({ expiresAt: new Date(Date.now() + 3_600_000).toISOString() });
    expect((await get('/v1/me')).status).toBe(200);
    await perch.database.sql`update keys set expires_at = now() - interval '1 second' where key_id = ${account.keyId}`;
    await eventually(async () => (await get('/v1/me')).status).toBe(401);
    const refused = await errorOf(await get('/v1/me'));
    expect(refused).toMatchObject({ code: 'invalid_key', reason: 'expired' });
    expect(refused.message).toMatch(/expired at \d{4}-/);
    await expect(keys.rotate(account.accountId, account.keyId, 0, OPERATOR)).rejects.toThrow('expired at');
  });

  it('cannot be set to a time that has passed', async () => {
    await expect(limit({ expiresAt: '2020-01-01T00:00:00.000Z' })).rejects.toMatchObject({
      ...{ code: 'bad_request', detail: { param: 'expires' } },
    });
  });
});
