import { describe, expect, it } from 'vitest';
import { CallContext } from '../../src/read/call-context.js';

const contextOf = (beforeNetwork?: () => void): CallContext =>
  new CallContext({
    ...{ accountId: 'one', signal: new AbortController().signal, deadlineAtMs: 1_000 },
    ...(beforeNetwork && { beforeNetwork }),
  });

describe('a call at the network', () => {
  it('is let through as often as it asks, unless told otherwise', () => {
    const context = contextOf();
    context.toNetwork();
    context.toNetwork();
    expect(context.refusal).toBeUndefined();
  });

  it('is asked about each time, and refused for good by the first refusal', () => {
    let asked = 0;
    const context = contextOf(() => {
      asked += 1;
      if (asked === 2) throw new Error('no room');
    });
    context.toNetwork();
    for (let time = 0; time < 2; time += 1) expect(() => context.toNetwork()).toThrow('no room');
    expect([asked, context.refusal]).toEqual([2, new Error('no room')]);
  });
});

describe('what a call used of the network', () => {
  it.each<[string, readonly (readonly [number, number])[], number]>([
    ['none', [], 0],
    ['one', [[10, 30]], 20],
    [
      'two after each other',
      [
        [10, 30],
        [40, 45],
      ],
      25,
    ],
    [
      'two at the same time',
      [
        [10, 30],
        [10, 30],
      ],
      20,
    ],
    [
      'one that begins while another lasts',
      [
        [10, 30],
        [20, 45],
      ],
      35,
    ],
    [
      'one that ends where another ended before',
      [
        [10, 30],
        [20, 25],
      ],
      20,
    ],
  ])('is the time in which anything was on its way: %s', (_name, spans, ms) => {
    const context = contextOf();
    for (const [from, to] of spans) context.read(from, to);
    for (const [from, to] of spans) context.waited(from + 100, to + 100);
    context.called();
    context.called();
    expect(context.upstream).toEqual({ calls: 2, waitMs: ms, readMs: ms });
  });
});
