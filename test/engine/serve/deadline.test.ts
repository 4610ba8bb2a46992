import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { SharedTimer, timers } from '../../../src/lib/monotonic.js';
import { Deadline } from '../../../src/serve/deadline.js';
import { createServe } from '../../../src/serve/serve.js';
import { collectGarbage, dependantsOf } from '../../kit/time/garbage.js';

const NEVER = new Promise<never>(() => {});
const LATE = { code: 'upstream_error', status: 503 };
const monotonic = { now: () => performance.now() };

it('counts a deadline as passed if it passes between two waits', async () => {
  const caller = { aborted: false, reason: undefined, signal: new AbortController().signal };
  const deadline = new Deadline(10, monotonic, caller, new SharedTimer({ monotonic, timers }));
  await deadline.race(Promise.resolve());
  await sleep(30);
  await expect(deadline.race(NEVER)).rejects.toMatchObject(LATE);
  await expect(deadline.race(Promise.reject(new Error('later than late')))).rejects.toMatchObject(LATE);
  expect(deadline.signal.aborted).toBe(true);
  expect(deadline.signal.reason).toMatchObject(LATE);
});

it('keeps no answer of an ended call until its deadline, though a read may still have its signal', async () => {
  const caller = { aborted: false, reason: undefined, signal: new AbortController().signal };
  const deadline = new Deadline(
    60_000,
    monotonic,
    caller,
    new SharedTimer({ monotonic, timers: { after: () => () => {} } }),
  );
  const answered = async () => new WeakRef(await deadline.race(Promise.resolve({ large: 'answer' })));
  expect(deadline.signal.aborted).toBe(false);
  const answer = await answered();
  deadline.end();
  for (let tries = 0; tries < 50 && answer.deref(); tries += 1) {
    await sleep(1);
    collectGarbage();
  }
  expect(answer.deref()).toBeUndefined();
});

it('ends a call at its deadline when the limiter never answers', async () => {
  const slot = { countFor: () => null, release: () => {} };
  const serve = createServe({
    deadlineMs: 20,
    monotonic,
    clock: monotonic,
    slots: { open: () => slot },
    identify: { known: () => ({ accountId: 'account', allowedFrom: null, scopes: null }) },
    admit: { admit: () => NEVER },
  } as never);
  const outcome = await serve({
    requestId: 'request',
    credential: { xApiKey: 'perch_live_key' },
    address: '127.0.0.1',
    interface: 'rest',
    document: { name: 'user' },
    signal: new AbortController().signal,
  } as never);
  expect(outcome.result).toMatchObject({ kind: 'refusal', failure: LATE });
}, 5000);

it('leaves nothing in the signal of a caller that outlives thousands of calls', () => {
  const { signal } = new AbortController();
  const caller = { aborted: false, reason: undefined, signal };
  const timer = new SharedTimer({ monotonic, timers: { after: () => () => {} } });
  const calls = Array.from({ length: 100 }, () => new Deadline(60_000, monotonic, caller, timer));
  const signals = calls.map((call) => call.signal);
  expect(dependantsOf(signal)).toBe(100);
  for (const call of calls) call.end();
  expect(dependantsOf(signal)).toBe(0);
  // A read that outlives its call ends at the deadline.
  expect(signals.some(({ aborted }) => aborted)).toBe(false);
});
