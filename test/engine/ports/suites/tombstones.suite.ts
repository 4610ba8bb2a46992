import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Tombstone, TombstoneLog } from '../../../../src/ports/tombstones.js';

export interface TombstonesHarness {
  /** Two nodes, which may be the same. */
  readonly nodes: readonly [TombstoneLog, TombstoneLog];
  /** Moves their time on by this many milliseconds. */
  pass(ms: number): Promise<void>;
  close(): Promise<void>;
}

const gone = (key: string): Tombstone => ({ key, gone: true });

/** What every `Tombstones` must do. `create` returns a log without any. */
export function tombstonesSuite(create: () => Promise<TombstonesHarness>): void {
  let at: TombstonesHarness;
  beforeEach(async () => {
    at = await create();
  });
  afterEach(() => at.close());

  async function follow(node: TombstoneLog, sinceMs: number) {
    const received: Tombstone[] = [];
    const stop = await node.follow(sinceMs, (tombstones) => received.push(...tombstones));
    return { received, stop };
  }
  const untilReceived = (received: readonly Tombstone[], count: number) =>
    vi.waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count), { timeout: 20_000 });

  it('delivers every change to every node, its own included, in one order (M25)', async () => {
    const [one, other] = at.nodes;
    const [first, second] = [await follow(one, 0), await follow(other, 0)];
    await one.add([gone('a'), gone('b')]);
    await other.add([{ key: 'a', gone: false }]);
    await one.add([gone('c')]);
    await Promise.all([untilReceived(first.received, 4), untilReceived(second.received, 4)]);
    expect(first.received).toEqual([gone('a'), gone('b'), { key: 'a', gone: false }, gone('c')]);
    expect(second.received).toEqual(first.received);
  });

  it('delivers recent changes before it follows new ones', async () => {
    await at.nodes[0].add([gone('long ago')]);
    // Redis has its own clock, and a busy machine may take seconds between two steps.
    await at.pass(12_000);
    await at.nodes[0].add([gone('lately')]);
    const { received } = await follow(at.nodes[1], 10_000);
    expect(received).toEqual([gone('lately')]);
    await at.nodes[0].add([gone('now')]);
    await untilReceived(received, 2);
    expect(received).toEqual([gone('lately'), gone('now')]);
  });

  it('delivers nothing after it was stopped', async () => {
    const [left, stays] = [await follow(at.nodes[1], 0), await follow(at.nodes[1], 0)];
    await left.stop();
    await at.nodes[0].add([gone('a')]);
    await untilReceived(stays.received, 1);
    expect(left.received).toEqual([]);
  });

  it('adds nothing when there is nothing to add', async () => {
    let calls = 0;
    await at.nodes[0].follow(0, () => {
      calls += 1;
    });
    await at.nodes[0].add([]);
    const { received } = await follow(at.nodes[0], 0);
    await at.nodes[0].add([gone('a')]);
    await untilReceived(received, 1);
    await vi.waitFor(() => expect(calls).toBe(1), { timeout: 10_000 });
  });
}
