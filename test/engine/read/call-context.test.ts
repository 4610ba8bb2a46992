import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallContext, type NetworkSlot } from '../../../src/read/call-context.js';

const contextOf = (waitForNetwork?: (same?: NetworkSlot) => void): CallContext =>
  new CallContext({
    ...{ accountId: 'one', signal: new AbortController().signal, deadlineAtMs: 1_000 },
    ...(waitForNetwork && { slot: { waitForNetwork } }),
  });

describe('a call at the network', () => {
  it('is always allowed by default', () => {
    const context = contextOf();
    context.toNetwork();
    context.toNetwork();
    expect(context.refusal).toBeUndefined();
  });

  it('checks each call, and stays refused after the first refusal', () => {
    let checks = 0;
    const context = contextOf(() => {
      checks += 1;
      if (checks === 2) throw new Error('no room');
    });
    context.toNetwork();
    for (let time = 0; time < 2; time += 1) expect(() => context.toNetwork()).toThrow('no room');
    expect([checks, context.refusal]).toEqual([2, new Error('no room')]);
  });

  it('passes on the slot of a call that waits for the same read', () => {
    const passed: unknown[] = [];
    const slot = { waitForNetwork: (same?: NetworkSlot) => void passed.push(same) };
    const context = new CallContext({
      ...{ accountId: 'one', signal: new AbortController().signal, deadlineAtMs: 1_000, slot },
    });
    context.toNetwork();
    contextOf((same) => void passed.push(same)).toNetwork(context);
    expect(passed).toEqual([undefined, slot]);
  });
});

describe('a read that the answer can do without', () => {
  it('is refused by itself, ends before the call does, and counts as the call’s (T23)', () => {
    const context = contextOf(() => {
      throw new Error('no room');
    });
    const spare = context.spare();
    expect(() => spare.toNetwork()).toThrow('no room');
    expect([context.refusal, spare.deadlineAtMs < context.deadlineAtMs]).toEqual([undefined, true]);
    spare.called();
    spare.read(10, 30);
    expect(context.upstream).toEqual({ calls: 1, waitMs: 0, readMs: 20 });
  });
});

describe('the upstream time of a call', () => {
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
      'one that began before another that has ended',
      [
        [20, 30],
        [10, 45],
      ],
      35,
    ],
    [
      'one that began before several that have ended',
      [
        [5, 8],
        [20, 30],
        [35, 40],
        [10, 45],
      ],
      38,
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

  it('is the time in which anything was on its way, whatever overlaps', () => {
    const span = fc
      .tuple(fc.nat({ max: 60 }), fc.nat({ max: 20 }))
      .map(([from, lasts]) => [from, from + lasts] as const);
    fc.assert(
      fc.property(fc.array(span, { maxLength: 20 }), (spans) => {
        const context = contextOf();
        const inOrderOfEnds = [...spans].sort((a, b) => a[1] - b[1]);
        for (const [from, to] of inOrderOfEnds) context.read(from, to);
        const covered = Array.from({ length: 80 }, (_, ms) => spans.some(([from, to]) => from <= ms && ms < to));
        expect(context.upstream.readMs).toBe(covered.filter(Boolean).length);
      }),
    );
  });
});
