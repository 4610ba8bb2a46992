/** Which calls share a read, and whether it is still waited for, when callers come and go at any moment. */
import { describe, expect, it } from 'vitest';
import { createMemorySingleFlight } from '../../../adapters/memory/pace.js';
import { CallContext } from '../../../src/read/call-context.js';
import { abandoned, SharedReads } from '../../../src/read/shared-reads.js';
import type { Waiters } from '../../../src/read/waiters.js';

interface Caller {
  readonly context: CallContext;
  leave(): void;
}

function caller(): Caller {
  const controller = new AbortController();
  const context = new CallContext({ accountId: 'one', signal: controller.signal, deadlineAtMs: 0 });
  return { context, leave: () => controller.abort(new Error('left')) };
}

/** Reads of one key. Each ends when the test says so, or fails once no caller waits for it. */
function sharing() {
  const shared = new SharedReads(createMemorySingleFlight());
  const reads: { end: () => void }[] = [];
  let dropped = (): void => {};
  const read = (waiters: Waiters): Promise<number> =>
    new Promise((resolve, reject) => {
      const nth = reads.length + 1;
      reads.push({ end: () => resolve(nth) });
      const onEmpty = (): void => {
        reject(abandoned());
        const once = dropped;
        dropped = () => {};
        once();
      };
      waiters.watch({ onJoin: () => {}, onLeave: () => {}, onEmpty });
    });
  const join = ({ context }: Caller): Promise<number | string> =>
    shared.join('key', context, read).then(
      ({ value }) => value,
      (error: Error) => error.message,
    );
  const onDropped = (then: () => void): void => {
    dropped = then;
  };
  return { reads, join, onDropped };
}

const aMoment = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a shared read', () => {
  it('continues for a caller who joined between two that left', async () => {
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

  it('is read again by a caller that comes at the moment its last waiter leaves', async () => {
    const { reads, join, onDropped } = sharing();
    const [first, second] = [caller(), caller()];
    const left = join(first);
    let stays: ReturnType<typeof join> | undefined;
    onDropped(() => {
      stays = join(second);
    });
    first.leave();
    expect(await left).toBe('left');
    await aMoment();
    expect(reads).toHaveLength(2);
    reads[1]?.end();
    expect(await stays).toBe(2);
  });

  it('has all its waiters, even if a call that joined the previous read twice learns of its end in two moments', async () => {
    const flights: { read: () => Promise<unknown>; end: () => void }[] = [];
    const shared = new SharedReads({
      join: (_key, read) =>
        new Promise((resolve) => void flights.push({ read, end: () => resolve({ value: null as never, led: false }) })),
    });
    const all: (readonly CallContext[])[] = [];
    const join = ({ context }: Caller) =>
      shared.join('key', context, async ({ members }) => void all.push([...members]));
    const [twice, next, last] = [caller(), caller(), caller()];
    const both = [join(twice), join(twice)];
    flights[0]?.end();
    await both[0];
    const rest = [join(next)];
    flights[1]?.end();
    await both[1];
    rest.push(join(last));
    await flights[2]?.read();
    expect(all).toEqual([[next.context, last.context]]);
    for (const { end } of flights) end();
    await Promise.all(rest);
  });
});
