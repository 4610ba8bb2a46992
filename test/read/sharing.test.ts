/** Who shares a read with whom, and who is still waited for, when callers come and go at any moment. */
import { describe, expect, it } from 'vitest';
import { createMemorySingleFlight } from '../../adapters/memory/single-flight.js';
import { CallContext } from '../../src/read/call-context.js';
import { abandoned, SharedReads } from '../../src/read/shared-reads.js';
import type { Waiters } from '../../src/read/waiters.js';

interface Caller {
  readonly context: CallContext;
  leave(): void;
}

function caller(): Caller {
  const controller = new AbortController();
  const context = new CallContext({ accountId: 'one', signal: controller.signal, deadlineAtMs: 0 });
  return { context, leave: () => controller.abort(new Error('left')) };
}

/** Reads of one key, each of which ends when it is told to, or fails once nobody waits for it. */
function sharing() {
  const shared = new SharedReads(createMemorySingleFlight());
  const reads: { waiters: Waiters; end: () => void }[] = [];
  const read = (waiters: Waiters): Promise<number> =>
    new Promise((resolve, reject) => {
      const nth = reads.length + 1;
      reads.push({ waiters, end: () => resolve(nth) });
      waiters.watch({ onJoin: () => {}, onLeave: () => {}, onEmpty: () => reject(abandoned()) });
    });
  const join = ({ context }: Caller): Promise<number | string> =>
    shared.join('key', context, read).then(
      ({ value }) => value,
      (error: Error) => error.message,
    );
  return { reads, join };
}

const aMoment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a shared read', () => {
  it('goes on for who came after one had left and before another did', async () => {
    const { reads, join } = sharing();
    const [first, second, third] = [caller(), caller(), caller()];
    const left = [first, second].map(join);
    first.leave();
    await aMoment();
    const stays = join(third);
    second.leave();
    await aMoment();
    expect(await Promise.all(left)).toEqual(['left', 'left']);
    expect(reads).toHaveLength(1);
    reads[0]?.end();
    expect(await stays).toBe(1);
  });

  it('that was dropped as its last waiter left is read anew by who comes then', async () => {
    const { reads, join } = sharing();
    const [first, second] = [caller(), caller()];
    const left = join(first);
    // Comes to a read that is about to fail because nobody waited for it.
    const stays = left.then(() => join(second));
    first.leave();
    expect(await left).toBe('left');
    await aMoment();
    expect(reads).toHaveLength(2);
    reads[1]?.end();
    expect(await stays).toBe(2);
  });

  it('waits for who came while a call that wanted it twice was leaving the one before', async () => {
    const { reads, join } = sharing();
    const [twice, next, last] = [caller(), caller(), caller()];
    // The second of both leaves after the first, in between which the next read may have begun.
    const both = [join(twice), join(twice)];
    await aMoment();
    const nextRead = both[0]?.then(() => join(next));
    reads[0]?.end();
    expect(await Promise.all(both)).toEqual([1, 1]);
    await aMoment();
    const joined = join(last);
    next.leave();
    await aMoment();
    expect(reads).toHaveLength(2);
    reads[1]?.end();
    expect([await nextRead, await joined]).toEqual(['left', 2]);
  });
});
