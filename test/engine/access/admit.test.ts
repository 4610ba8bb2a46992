import { describe, expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { limitAddress, limitNetwork, plainAddress } from '../../../src/access/address.js';
import { createAdmit } from '../../../src/access/admit.js';
import { createFailedAttempts } from '../../../src/access/failed-keys.js';
import { policyHeader, rateLimitHeaders } from '../../../src/access/rate-headers.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { STARTING_QPS } from '../../../src/domain/tiers.js';
import type { Soon } from '../../../src/lib/soon.js';
import { caller, standingClock } from './key-store.js';

const setUp = () => createAdmit({ limiter: createMemoryRateLimiter({ clock: standingClock() }) });
const times = async <T>(count: number, run: () => Soon<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, run));

describe('admit', () => {
  it('shares one limit among all keys of an account, and none between accounts (section 5.1.4)', async () => {
    const { admit } = setUp();
    const first = await times(15, () => admit(caller({ keyId: 'one' })));
    const second = await times(15, () => admit(caller({ keyId: 'two' })));
    expect([...first, ...second].filter(({ allowed }) => allowed)).toHaveLength(20);
    expect((await admit(caller({ accountId: 'account-2' }))).remaining).toBe(19);
  });

  it('returns a refusal instead of throwing it, because the headers need its figures', async () => {
    const { admit } = setUp();
    await admit(caller({ qps: 1 }));
    expect(await admit(caller({ qps: 1 }))).toMatchObject({ allowed: false, limit: 1, remaining: 0 });
  });

  it('applies the new tier from the next request after the payment (L8)', async () => {
    const { admit } = setUp();
    await times(20, () => admit(caller({ qps: 20 })));
    expect(await admit(caller({ qps: 50 }))).toMatchObject({ limit: 50 });
  });

  it('lets an address without a key make ten requests a second, counted apart from any account (8.1.6)', async () => {
    const { admit, admitPublic } = setUp();
    const decisions = await times(12, () => admitPublic('192.0.2.1'));
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(10);
    expect((await admitPublic('::ffff:192.0.2.1')).allowed).toBe(false);
    expect((await admitPublic('192.0.2.2')).allowed).toBe(true);
    expect((await admitPublic('2001:db8::1')).allowed).toBe(true);
    expect((await admit(caller())).remaining).toBe(19);
  });
});

describe('addresses that share a limit', () => {
  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:2::9', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['1:2:3', '1:2:3'],
    ['1::2::3', '1::2::3'],
    ['1:2:3:4:5:6:7:8::', '1:2:3:4:5:6:7:8::'],
    ['x::1', 'x::1'],
    ['unknown', 'unknown'],
  ])('%s: %s', (address, counted) => {
    expect(limitAddress(address)).toBe(counted);
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ff00::/64', '2001:db8:1::/48'],
    ['2001:db8::1', '2001:db8:0::/48'],
    ['unknown', 'unknown'],
  ])('takes %s as part of the network %s', (address, network) => {
    expect(limitNetwork(address)).toBe(network);
  });

  it('gives addresses of the same /64 one limit', async () => {
    const { admitPublic } = setUp();
    await times(10, () => admitPublic('2001:db8::1'));
    expect((await admitPublic('2001:db8::ffff:1')).allowed).toBe(false);
    expect((await admitPublic('2001:db8:0:1::1')).allowed).toBe(true);
  });

  it('counts invalid keys by the /64, too (A8)', async () => {
    const failedKeys = createFailedAttempts({
      limiter: createMemoryRateLimiter({ clock: standingClock() }),
      monotonic: standingClock(),
    });
    const invalid = new ServiceError('invalid_key', 'No.');
    const codes = [];
    for (let n = 0; n < 61; n += 1) codes.push((await failedKeys.count(`2001:db8::${n}`, invalid)).code);
    expect([codes[59], codes[60]]).toEqual(['invalid_key', 'rate_limited']);
  });
});

describe('one spelling per address', () => {
  it.each([
    ['192.0.2.123', '192.0.2.123'],
    ['::ffff:192.0.2.123', '192.0.2.123'],
    ['::ffff:123.123.123.1', '123.123.123.1'],
    ['::FFFF:10.20.30.40', '10.20.30.40'],
    ['1::ffff:192.0.2.1', '1::ffff:192.0.2.1'],
    ['::ffff:192.0.2.1, 10.0.0.1', '::ffff:192.0.2.1, 10.0.0.1'],
    ['::ffff:192.0.2', '::ffff:192.0.2'],
    ['::ffff:a.b.c.d', '::ffff:a.b.c.d'],
    ['2001:db8::1', '2001:db8::1'],
    ['unknown', 'unknown'],
  ])('%s: %s', (address, plain) => {
    expect(plainAddress(address)).toBe(plain);
  });
});

describe('the rate-limit headers', () => {
  const decision = { allowed: true, limit: 20, remaining: 19, resetSeconds: 1, retryAfterSeconds: 0 };

  it('are exactly as the interface states them (L1)', () => {
    expect(rateLimitHeaders(decision, 'account')).toEqual({
      RateLimit: 'limit=20, remaining=19, reset=1',
      'RateLimit-Policy': 'account; q=20; w=1',
    });
  });

  it('name the public policy where no key is needed (L2)', async () => {
    expect(rateLimitHeaders(await setUp().admitPublic('192.0.2.1'), 'public')).toEqual({
      RateLimit: 'limit=10, remaining=9, reset=1',
      'RateLimit-Policy': 'public; q=10; w=1',
    });
  });

  it('state the starting tier on a 401 and on an unknown path (L6, L9)', () => {
    expect(policyHeader('account', STARTING_QPS)).toBe('account; q=1; w=1');
  });

  it('count protocol messages apart from reads, at the rate of the account but at least ten a second', async () => {
    const { admit, admitHandshake } = setUp();
    await admit(caller({ qps: 1 }));
    const slow = await times(11, () => admitHandshake(caller({ qps: 1 })));
    expect(slow.map(({ allowed }) => allowed)).toEqual([...Array(10).fill(true), false]);
    const fast = await times(51, () => admitHandshake(caller({ accountId: 'busy', qps: 50 })));
    expect(fast.map(({ allowed }) => allowed)).toEqual([...Array(50).fill(true), false]);
  });
});
