import { describe, expect, it } from 'vitest';
import { createMemorySingleFlight } from '../../../adapters/memory/pace.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { CallContext } from '../../../src/read/call-context.js';
import { abandoned, isTooLate, SharedReads, tooLate } from '../../../src/read/shared-reads.js';

const callOf = (signal = new AbortController().signal) =>
  new CallContext({ accountId: 'one', signal, deadlineAtMs: 60_000 });

/** Shared reads: each fails with the next failure given here, and once these are used up, they are answered. */
function reading(failures: readonly unknown[]) {
  const shared = new SharedReads(createMemorySingleFlight());
  let reads = 0;
  const join = (call = callOf()) =>
    shared.join('key', call, async (waiters) => {
      reads += 1;
      if (reads <= failures.length) throw failures[reads - 1];
      return [...waiters.members].length;
    });
  return { join, reads: () => reads };
}

describe('a read that another call ended', () => {
  it.each([
    ['abandoned by all who waited', abandoned()],
    ['out of time', tooLate(new Error('slow'))],
  ])('%s is tried again by a call that has time left, three times at most', async (_name, failure) => {
    const once = reading([failure]);
    expect(await once.join()).toEqual({ value: 1, led: true });
    expect(once.reads()).toBe(2);
    const always = reading([failure, failure, failure]);
    await expect(always.join()).rejects.toBe(failure);
    expect(always.reads()).toBe(3);
  });

  it.each([
    ['another reason', new ServiceError('upstream_error', 'broken', { reason: 'parse' })],
    ['no reason', new ServiceError('upstream_error', 'broken')],
    ['a foreign error', Object.assign(new Error('broken'), { detail: { reason: 'too_late' } })],
  ])('is not tried again for %s', async (_name, failure) => {
    const { join, reads } = reading([failure]);
    await expect(join()).rejects.toBe(failure);
    expect(reads()).toBe(1);
  });

  it('is not tried again by a call that has left', async () => {
    const controller = new AbortController();
    const { join, reads } = reading([abandoned()]);
    const joining = join(callOf(controller.signal));
    controller.abort(new Error('left'));
    await expect(joining).rejects.toThrow();
    expect(reads()).toBe(1);
  });

  it('says which of the two it was, and the cause', () => {
    const cause = new Error('slow');
    expect([isTooLate(tooLate(cause)), isTooLate(abandoned())]).toEqual([true, false]);
    expect(tooLate(cause).cause).toBe(cause);
    for (const failure of [tooLate(cause), abandoned()]) expect(failure.code).toBe('upstream_error');
  });
});

describe('the callers of a read', () => {
  it('are known to it while they wait, and forgotten when all have left', async () => {
    const shared = new SharedReads(createMemorySingleFlight());
    const [first, second] = [callOf(), callOf()];
    let [end, seen] = [(_: string) => {}, [] as unknown[]];
    const read = (call: CallContext) =>
      shared.join('key', call, (waiters) => {
        seen = [waiters];
        return new Promise<string>((resolve) => (end = resolve));
      });
    const reads = [read(first), read(second)];
    const [waiters] = seen as [{ members: ReadonlySet<CallContext> }];
    expect([...waiters.members]).toEqual([first, second]);
    end('answer');
    expect(await Promise.all(reads)).toEqual([
      { value: 'answer', led: true },
      { value: 'answer', led: false },
    ]);
    expect(waiters.members.size).toBe(0);
    // The next read begins with none of them.
    const next = read(callOf());
    expect(seen[0]).not.toBe(waiters);
    end('later');
    await next;
  });

  it('are one call for an unshared read, until that has its answer', async () => {
    const shared = new SharedReads(createMemorySingleFlight());
    const call = callOf();
    let members: ReadonlySet<CallContext> = new Set();
    const value = await shared.alone(call, async (waiters) => {
      members = waiters.members;
      return [...members];
    });
    expect([value, members.size]).toEqual([[call], 0]);
  });
});
