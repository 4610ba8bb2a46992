/** How often the keys of an account can be created, rotated and changed. */
import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createMemoryRateLimiter } from '../../../adapters/memory/rate-limiter.js';
import { Keys } from '../../../src/account/keys.js';
import type { Accounts, KeyRecord } from '../../../src/ports/accounts.js';
import { manualClock } from '../../kit/time/manual-clock.js';

const BY = { who: 'customer', address: null } as const;
const LIMITED = { code: 'rate_limited', message: expect.stringContaining('200 times an hour'), retryAfter: 18 };

/** Keys of accounts whose every change succeeds. */
function openKeys() {
  const clock = manualClock();
  const done = async () => ({}) as KeyRecord;
  const accounts = { get: async () => undefined, addKey: done, rotateKey: done, changeKey: done, revokeKey: done };
  const common = { accounts: accounts as unknown as Accounts, pepper: 'p', clock, randomBytes };
  return {
    clock,
    keys: new Keys({ ...common, limiter: createMemoryRateLimiter({ clock }) }),
    ofOperator: new Keys(common),
  };
}

it('creates, rotates and changes the keys of an account 200 times an hour together, and revokes them always', async () => {
  const { keys, clock } = openKeys();
  const changes = [
    () => keys.create('a', { name: 'k', cap: null }, BY),
    () => keys.rotate('a', 'k', 0, BY),
    () => keys.change('a', 'k', { cap: null }, BY),
  ];
  for (let nth = 0; nth < 200; nth += 1) await changes[nth % changes.length]?.();
  for (const change of changes) await expect(change()).rejects.toMatchObject(LIMITED);
  await keys.revoke('a', 'k', BY);
  await keys.rotate('b', 'k', 0, BY);
  clock.advance(18_000);
  await keys.rotate('a', 'k', 0, BY);
  await expect(keys.rotate('a', 'k', 0, BY)).rejects.toMatchObject(LIMITED);
});

it('does not limit operators', async () => {
  const { ofOperator } = openKeys();
  for (let nth = 0; nth < 300; nth += 1) await ofOperator.rotate('a', 'k', 0, BY);
});
