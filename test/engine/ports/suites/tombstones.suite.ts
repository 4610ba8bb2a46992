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
    const heard: Tombstone[] = [];
    const stop = await node.follow(sinceMs, (tombstones) => heard.push(...tombstones));
    return { heard, stop };
  }
  const heardBy = (heard: readonly Tombstone[], count: number) =>
    vi.waitFor(() => expect(heard.length).toBeGreaterThanOrEqual(count), { timeout: 20_000 });

  it('delivers every change to every node, its own included, in one order (M25)', async () => {
    const [one, other] = at.nodes;
    const [first, second] = [await follow(one, 0), await follow(other, 0)];
    await one.add([gone('a'), gone('b')]);
    await other.add([{ key: 'a', gone: false }]);
    await one.add([gone('c')]);
    await Promise.all([heardBy(first.heard, 4), heardBy(second.heard, 4)]);
    expect(first.heard).toEqual([gone('a'), gone('b'), { key: 'a', gone: false }, gone('c')]);
    expect(second.heard).toEqual(first.heard);
  });

  it('delivers recent changes before it follows new ones', async () => {
    await at.nodes[0].add([gone('long ago')]);
    await at.pass(3000);
    await at.nodes[0].add([gone('lately')]);
    const { heard } = await follow(at.nodes[1], 2000);
    expect(heard).toEqual([gone('lately')]);
    await at.nodes[0].add([gone('now')]);
    await heardBy(heard, 2);
    expect(heard).toEqual([gone('lately'), gone('now')]);
  });

  it('delivers nothing after it was stopped', async () => {
    const [left, stays] = [await follow(at.nodes[1], 0), await follow(at.nodes[1], 0)];
    await left.stop();
    await at.nodes[0].add([gone('a')]);
    await heardBy(stays.heard, 1);
    expect(left.heard).toEqual([]);
  });

  it('adds nothing when there is nothing to add', async () => {
    let calls = 0;
    await at.nodes[0].follow(0, () => {
      calls += 1;
    });
    await at.nodes[0].add([]);
    const { heard } = await follow(at.nodes[0], 0);
    await at.nodes[0].add([gone('a')]);
    await heardBy(heard, 1);
    await vi.waitFor(() => expect(calls).toBe(1), { timeout: 10_000 });
  });
}
