import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Deadline } from '../../src/serve/deadline.js';
import { createServe } from '../../src/serve/serve.js';

const NEVER = new Promise<never>(() => {});
const LATE = { code: 'upstream_error', status: 503 };
const monotonic = { now: () => performance.now() };

it('a deadline that passed between two waits has passed for the next one', async () => {
  const deadline = new Deadline(10, monotonic, {
    aborted: false,
    reason: undefined,
    signal: new AbortController().signal,
  });
  await deadline.race(Promise.resolve());
  await sleep(30);
  await expect(deadline.race(NEVER)).rejects.toMatchObject(LATE);
  await expect(deadline.race(Promise.reject(new Error('later than late')))).rejects.toMatchObject(LATE);
  expect(deadline.signal.aborted).toBe(true);
  expect(deadline.signal.reason).toMatchObject(LATE);
});

it('a call whose rate is never told ends at its deadline', async () => {
  const slot = { countFor: () => null, release: () => {} };
  const serve = createServe({
    deadlineMs: 20,
    monotonic,
    clock: monotonic,
    slots: { open: () => slot },
    identify: { identify: async () => ({ accountId: 'account' }) },
    admit: { admit: () => NEVER },
  } as never);
  const outcome = await serve({
    requestId: 'request',
    credential: { xApiKey: 'perch_live_key' },
    address: '127.0.0.1',
    signal: new AbortController().signal,
  } as never);
  expect(outcome.result).toMatchObject({ kind: 'refusal', failure: LATE });
}, 5000);
