/** Which calls wait for a read, and what is told to them. */
import { describe, expect, it } from 'vitest';
import { CallContext } from '../../../src/read/call-context.js';
import { Waiters } from '../../../src/read/waiters.js';

const caller = (accountId: string, deadlineAtMs = 0): CallContext =>
  new CallContext({ accountId, signal: new AbortController().signal, deadlineAtMs });

function watched(first?: CallContext) {
  const waiters = new Waiters(first);
  const events: string[] = [];
  waiters.watch({
    onJoin: ({ accountId }) => events.push(`${accountId} joins`),
    onLeave: ({ accountId }) => events.push(`${accountId} leaves`),
    onEmpty: () => events.push('empty'),
  });
  return { waiters, events };
}

describe('the calls that wait for a read', () => {
  it('are those that joined and have not left, and notify the watcher', () => {
    const [one, two] = [caller('one'), caller('two')];
    const { waiters, events } = watched(one);
    expect([waiters.isEmpty, [...waiters.members]]).toEqual([false, [one]]);
    waiters.join(two);
    waiters.leave(one);
    expect([waiters.isEmpty, [...waiters.members]]).toEqual([false, [two]]);
    waiters.leave(two);
    expect([waiters.isEmpty, [...waiters.members]]).toEqual([true, []]);
    expect(events).toEqual(['two joins', 'one leaves', 'empty']);
  });

  it('leave once, without a notice for one that already left or never joined', () => {
    const [one, two] = [caller('one'), caller('two')];
    const { waiters, events } = watched(one);
    waiters.leave(two);
    waiters.leave(one);
    waiters.leave(one);
    expect(events).toEqual(['empty']);
  });

  it('may come and go without a watcher', () => {
    const [one, two] = [caller('one'), caller('two')];
    const waiters = new Waiters();
    expect(waiters.isEmpty).toBe(true);
    for (const each of [one, two]) waiters.join(each);
    for (const each of [one, two]) waiters.leave(each);
    expect(waiters.isEmpty).toBe(true);
  });

  it('find out something on the account of the first of them that still waits', () => {
    const [one, two] = [caller('one'), caller('two')];
    const waiters = new Waiters(one);
    waiters.join(two);
    const accounts = [waiters.accountId];
    for (const each of [one, two]) {
      waiters.leave(each);
      accounts.push(waiters.accountId);
    }
    expect(accounts).toEqual(['one', 'two', '']);
  });

  it('wait until the last of their deadlines', () => {
    const waiters = new Waiters();
    expect(waiters.deadlineAtMs).toBe(0);
    for (const deadline of [200, 500, 300]) waiters.join(caller('one', deadline));
    expect(waiters.deadlineAtMs).toBe(500);
  });
});
