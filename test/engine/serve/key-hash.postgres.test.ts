/** Calls that the service itself makes for an account, by the hash of its key. */
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashKey } from '../../../src/access/key.js';
import { Keys } from '../../../src/account/keys.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import type { Call, Outcome } from '../../../src/serve/call.js';
import type { Serve } from '../../../src/serve/serve.js';
import { fillSmallCorpus } from '../../interfaces/v1/small-corpus.js';
import { fillInvented } from '../../kit/demo.js';
import { startPerch, type TestAccount, type TestPerch } from '../../kit/perch.js';
import { manualClock } from '../../kit/time/manual-clock.js';

let perch: TestPerch;
let serve: Serve;
let keys: Keys;

beforeAll(async () => {
  perch = await startPerch({
    clock: manualClock(),
    async prepare(database) {
      await fillSmallCorpus(database.sql);
      // The first request that needs it would wait for that, within its deadline.
      await fillInvented(database);
    },
    interfaces: (_, engine) => {
      serve = engine.serve;
    },
  });
  const { accounts, secrets } = perch.stores;
  keys = new Keys({ accounts, pepper: secrets.pepper, clock: { now: Date.now }, randomBytes });
});
afterAll(() => perch?.close());

const untilNever = { aborted: false, reason: undefined, signal: new AbortController().signal };

const call = ({ key }: TestAccount, changes: Partial<Call> = {}): Call => ({
  requestId: v7(),
  credential: { keyHash: hashKey(key, perch.stores.secrets.pepper).toString('hex') },
  address: '0.0.0.0',
  document: { name: 'user' },
  parse: () => ({ variables: { handle: 'aurora_obs', fresh: true }, budget: null, estimate: false }),
  interface: 'rest',
  signal: untilNever,
  ...changes,
});

const codeOf = ({ result }: Outcome): string =>
  result.kind === 'answer' ? 'answered' : `${result.failure.code} ${result.failure.detail.reason ?? ''}`.trim();

describe('a call by the hash of a key', () => {
  it('is answered and charged like one with the key', async () => {
    const account = await perch.account({ credits: 10 });
    const outcome = await serve(call(account));
    expect(outcome).toMatchObject({ accountId: account.accountId, keyId: account.keyId, mode: 'live' });
    expect(codeOf(outcome)).toBe('answered');
    expect(await perch.balance(account)).toBe(8);
  });

  it('is allowed from anywhere, whatever the rate of its account, and is not counted as a request', async () => {
    const account = await perch.account({ qps: 1 });
    await keys.change(account.accountId, account.keyId, { allowedFrom: ['203.0.113.0/24'] }, OPERATOR);
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => serve(call(account))));
    expect(outcomes.map(codeOf)).toEqual(Array.from({ length: 10 }, () => 'answered'));
    const credential = { xApiKey: account.key, authorization: undefined, hasQueryKey: false };
    const own = { credential, address: '203.0.113.7' };
    expect([codeOf(await serve(call(account, own))), codeOf(await serve(call(account, own)))]).toEqual([
      ...['answered', 'rate_limited'],
    ]);
  });

  it("obeys the key's scopes, cap and expiry", async () => {
    const limited = await perch.account({ cap: 2 });
    expect(codeOf(await serve(call(limited)))).toBe('answered');
    expect(codeOf(await serve(call(limited)))).toBe('no_credits key_cap');
    const account = await perch.account();
    await keys.change(account.accountId, account.keyId, { scopes: ['search'] }, OPERATOR);
    expect(codeOf(await serve(call(account)))).toBe('access_denied scope');
    await keys.revoke(account.accountId, account.keyId, OPERATOR);
    await expect.poll(async () => codeOf(await serve(call(account)))).toBe('invalid_key revoked');
  });

  it('reads the invented network for a test key', async () => {
    const test = await perch.testKey(await perch.account());
    const parse = () => ({ variables: { handle: 'harbor_obs' }, budget: null, estimate: false });
    const outcome = await serve(call(test, { parse }));
    expect([codeOf(outcome), outcome.mode]).toEqual(['answered', 'test']);
  });
});
