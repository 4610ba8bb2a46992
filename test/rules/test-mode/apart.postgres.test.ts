/** Test keys and live keys work in the same way and share nothing. */
import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey, keyPrefix, mintKey } from '../../../src/access/key.js';
import { Keys } from '../../../src/account/keys.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { PLAY_CREDITS } from '../../../src/domain/mode.js';
import { createClient } from '../../kit/client.js';
import type { Service } from '../support/service.js';
import { startTestMode, testerOf } from './service.js';

let service: Service;
beforeAll(async () => {
  service = await startTestMode();
});
afterAll(() => service.close());

const MODES = ['live', 'test'] as const;

it('gives test keys their own form, and the invented network at the same endpoints and prices', async () => {
  const customer = await service.customer();
  const tester = await testerOf(service, customer);
  expect(tester.account.key).toMatch(/^perch_test_[0-9A-Za-z]{32}$/);
  const calls = service.net.calls.length;
  const read = await tester.get('/v1/users/user7');
  expect(read.body).toMatchObject({
    ...{ data: { id: '7', name: 'Invented 7' }, credits_charged: 1, cache: 'miss' },
    balance_remaining: PLAY_CREDITS - 1,
  });
  const receipt = await tester.get(`/v1/usage/${read.body.request_id}`);
  expect(receipt.body).toMatchObject({ data: { credits: 1, balance_after: PLAY_CREDITS - 1 } });
  expect((await customer.get(`/v1/usage/${read.body.request_id}`)).status).toBe(404);
  expect(service.net.calls.length).toBe(calls);
});

it('caches, labels and charges random reads of each mode as if the other did not exist', async () => {
  const step = fc.record({
    mode: fc.constantFrom(...MODES),
    path: fc.oneof(
      fc.integer({ min: 1, max: 6 }).map((n) => `/v1/users/user${n}`),
      fc.integer({ min: 1, max: 6 }).map((n) => `/v1/tweets/${n}`),
      fc.constantFrom('/v1/users/user1/tweets?count=5', '/v1/users/user1/tweets?count=9', '/v1/users/nobody'),
    ),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
      service.clock.forget();
      const customer = await service.customer();
      const clients = { live: customer, test: await testerOf(service, customer) };
      const expected = { live: 1000, test: PLAY_CREDITS };
      const lone = { live: [] as unknown[], test: [] as unknown[] };
      for (const { mode, path } of steps) {
        const upstream = service.net.calls.length;
        const { status, body } = await clients[mode].get(path);
        lone[mode].push([path, status, body.cache, body.credits_charged]);
        expected[mode] -= body.credits_charged ?? 0;
        if (status === 200) expect(JSON.stringify(body.data)).not.toMatch(mode === 'live' ? /invented/i : /live/i);
        if (mode === 'test') expect(service.net.calls.length).toBe(upstream);
      }
      expect(await customer.balance()).toBe(expected.live);
      const testBalance = await service.perch.balance(clients.test.account);
      // A test wallet is filled by its first read.
      expect(testBalance).toBe(lone.test.length === 0 ? 0 : expected.test);
      // Repeats the reads of one mode alone, which must have the same results.
      for (const mode of MODES) {
        service.clock.forget();
        const again = [];
        for (const { path } of steps.filter((one) => one.mode === mode)) {
          const { status, body } = await clients[mode].get(path);
          again.push([path, status, body.cache, body.credits_charged]);
        }
        expect(again).toEqual(lone[mode]);
      }
    }),
    { numRuns: 12 },
  );
});

it('refuses a cursor of one mode in the other before anything is read', async () => {
  const customer = await service.customer();
  const clients = { live: customer, test: await testerOf(service, customer) };
  for (const [mine, other] of [MODES, [...MODES].reverse()] as ['live' | 'test', 'live' | 'test'][]) {
    const first = await clients[mine].get('/v1/users/1/tweets?count=5');
    for (const given of [`cursor=${first.body.next_cursor}`, `since=${first.body.since_cursor}`]) {
      const next = `/v1/users/1/tweets?count=5&${given}`;
      expect((await clients[mine].get(next)).status).toBe(200);
      const refused = await clients[other].get(next);
      expect([refused.status, refused.body.error]).toMatchObject([
        400,
        { code: 'bad_request', reason: 'cursor_malformed' },
      ]);
    }
  }
});

describe('whatever the database contains', () => {
  it('trusts the text of a key: rejects a test key of a live account and a live key of a test account', async () => {
    const { perch } = service;
    const customer = await service.customer();
    const tester = await testerOf(service, customer);
    const ids = { live: customer.account.accountId, test: tester.account.accountId };
    for (const [mode, other] of [MODES, [...MODES].reverse()] as ['live' | 'test', 'live' | 'test'][]) {
      const key = mintKey(randomBytes, mode);
      const hash = hashKey(key, perch.stores.secrets.pepper);
      await perch.stores.accounts.addKey({
        ...{ accountId: ids[other], hash, prefix: keyPrefix(key), name: 'wrong', cap: null },
      });
      const reply = await createClient(perch.url, key).get('/v1/users/user1');
      expect([reply.status, reply.body.error]).toMatchObject([401, { code: 'invalid_key', reason: 'unknown' }]);
    }
  });
});

it('allows one test account for a live account, and none for a test account', async () => {
  const { accounts } = service.perch.stores;
  const { accountId } = (await service.customer()).account;
  const opened = await Promise.all(Array.from({ length: 10 }, () => accounts.openTestAccount(accountId)));
  expect(new Set(opened).size).toBe(1);
  expect(await accounts.get(opened[0] as string)).toMatchObject({ testOf: accountId, email: null, balance: 0 });
  await expect(accounts.openTestAccount(opened[0] as string)).rejects.toMatchObject({ code: 'not_found' });
});

it('keeps a rotated test key a test key', async () => {
  const { perch, clock } = service;
  const { account } = await testerOf(service, await service.customer());
  const keys = new Keys({ ...perch.stores, pepper: perch.stores.secrets.pepper, clock, randomBytes });
  const { key } = await keys.rotate(account.accountId, account.keyId, 0, OPERATOR);
  const { body } = await createClient(perch.url, key).get('/v1/me');
  expect([key.slice(0, 11), body]).toMatchObject(['perch_test_', { balance: PLAY_CREDITS }]);
});

it('stops the test keys of a frozen account at once, and restores them on thaw', async () => {
  const { accounts } = service.perch.stores;
  const customer = await service.customer();
  const tester = await testerOf(service, customer);
  expect((await tester.get('/v1/me')).status).toBe(200);
  await accounts.freeze(customer.account.accountId, true);
  await expect.poll(async () => (await tester.get('/v1/me')).body.error?.reason).toBe('frozen');
  await accounts.freeze(customer.account.accountId, false);
  await expect.poll(async () => (await tester.get('/v1/me')).status).toBe(200);
});

it('sells no credits to a test key', async () => {
  const tester = await testerOf(service, await service.customer());
  const reply = await tester.post('/v1/billing/checkout', { pack: 'starter' });
  expect([reply.status, reply.body.error]).toMatchObject([403, { code: 'access_denied', reason: 'test_mode' }]);
});

it('gives a test key the rate of its account in a bucket of its own', async () => {
  const customer = await service.customer({ qps: 3 });
  const tester = await testerOf(service, customer);
  await customer.get('/v1/me');
  const reply = await tester.get('/v1/me');
  expect(reply.headers.get('ratelimit')).toBe('limit=3, remaining=2, reset=1');
});

it('refuses to add a key of one mode to an account of the other', async () => {
  const { perch, clock } = service;
  const customer = await service.customer();
  const tester = await testerOf(service, customer);
  const keys = new Keys({ ...perch.stores, pepper: perch.stores.secrets.pepper, clock, randomBytes });
  const by = { who: 'operator', address: null } as const;
  const given = { name: 'wrong', cap: null };
  const [live, test] = [customer.account.accountId, tester.account.accountId];
  for (const [accountId, mode] of [
    [live, 'test'],
    [test, 'live'],
  ] as const) {
    const made = keys.create(accountId, { ...given, key: mintKey(randomBytes, mode) }, by);
    await expect(made).rejects.toMatchObject({ code: 'bad_request' });
  }
});
