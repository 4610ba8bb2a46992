import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { afterEach, expect, it } from 'vitest';
import type { Family } from '../../src/core/model.js';
import type { Pace } from '../../src/ports.js';

export interface PaceHarness {
  readonly pace: Pace;
  /** Lets so many milliseconds pass, and everything that is due happen. */
  advance(ms: number): Promise<void>;
  close(): Promise<void>;
}

const never = new AbortController().signal;
setMaxListeners(0, never);

/** What any `Pace` keeps, at a pace per second per family; `create` gives one that has been idle. */
export function paceSuite(create: (perSecond: Record<Family, number | null>) => Promise<PaceHarness>): void {
  let at: PaceHarness | undefined;
  afterEach(() => at?.close());
  const start = async (fast: number | null, slow: number | null = null) => {
    at = await create({ fast, slow });
    return at;
  };

  /** Starts so many calls and notes which were let through, in order. */
  function call(harness: PaceHarness, names: readonly string[], family: Family = 'fast', signal = never): string[] {
    const sent: string[] = [];
    for (const name of names) {
      harness.pace.turn(family, signal).then(
        () => sent.push(name),
        () => undefined,
      );
    }
    return sent;
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, n) => `${n}`);

  it('sends at once after a pause, and saves nothing up', async () => {
    const harness = await start(10);
    await harness.advance(5000);
    const sent = call(harness, numbered(5));
    await harness.advance(0);
    expect(sent).toEqual(['0']);
  });

  it('sends evenly: one call per interval, in the order they came (8.1.7)', async () => {
    const harness = await start(10);
    const sent = call(harness, numbered(40));
    await harness.advance(50);
    for (let n = 1; n <= 20; n += 1) {
      expect(sent).toHaveLength(n);
      await harness.advance(100);
    }
    expect(sent).toEqual(numbered(21));
  });

  it('reaches a pace whose interval is no whole number of milliseconds', async () => {
    const harness = await start(30);
    const sent = call(harness, numbered(200));
    await harness.advance(4000);
    expect(sent.length).toBeGreaterThanOrEqual(119);
    expect(sent.length).toBeLessThanOrEqual(122);
  });

  it('holds nobody back where there is no pace', async () => {
    const harness = await start(null);
    const sent = call(harness, numbered(100));
    await harness.advance(0);
    expect(sent).toHaveLength(100);
  });

  it('paces the families apart', async () => {
    const harness = await start(1, 1);
    const fast = call(harness, numbered(2), 'fast');
    const slow = call(harness, numbered(2), 'slow');
    await harness.advance(0);
    expect([fast.length, slow.length]).toEqual([1, 1]);
  });

  it('lets who gives up go at once, with the signal’s reason, and gives the turn to the next', async () => {
    const harness = await start(10);
    call(harness, ['first']);
    const leaver = new AbortController();
    const left = harness.pace.turn('fast', leaver.signal);
    const sent = call(harness, ['next']);
    leaver.abort(new Error('nobody waits'));
    await expect(left).rejects.toThrow('nobody waits');
    await harness.advance(150);
    expect(sent).toEqual(['next']);
  });

  it('spends no turn on a call that was given up before it came', async () => {
    const harness = await start(10);
    await expect(harness.pace.turn('fast', AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
    const sent = call(harness, ['next']);
    await harness.advance(0);
    expect(sent).toEqual(['next']);
  });

  it('stays within its pace and in order, whoever comes and leaves when', async () => {
    const wave = fc.record({
      pauseMs: fc.integer({ min: 0, max: 700 }),
      calls: fc.integer({ min: 0, max: 8 }),
      leave: fc.boolean(),
    });
    const waves = fc.array(wave, { maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 60 }), waves, async (rate, plan) => {
        const harness = await create({ fast: rate, slow: null });
        const sent: { order: number; atMs: number }[] = [];
        let stayed = 0;
        let order = 0;
        let nowMs = 0;
        const settled: Promise<unknown>[] = [];
        for (const { pauseMs, calls, leave } of plan) {
          const leaver = new AbortController();
          for (let n = 0; n < calls; n += 1) {
            const mine = order++;
            const turn = harness.pace.turn('fast', leaver.signal).then(() => sent.push({ order: mine, atMs: nowMs }));
            settled.push(turn.catch(() => undefined));
          }
          const before = sent.length;
          for (let passed = 0; passed < pauseMs; passed += 20) {
            await harness.advance(20);
            nowMs += 20;
          }
          if (leave) leaver.abort();
          else stayed += calls;
          expect(sent.length).toBeGreaterThanOrEqual(before);
        }
        await harness.advance(1000 * Math.ceil(order / rate + 1));
        await Promise.all(settled);
        expect(sent.length).toBeGreaterThanOrEqual(stayed);
        expect(sent.map((one) => one.order)).toEqual(sent.map((one) => one.order).sort((a, b) => a - b));
        // Moments are known to 20 ms; one interval may be caught up.
        const inside = sent.filter(({ atMs }) => atMs < nowMs);
        const excess = inside.flatMap((from, first) =>
          inside.slice(first).map((to, later) => later - 1 - ((to.atMs - from.atMs + 20 + 10) * rate) / 1000),
        );
        expect(Math.max(0, ...excess)).toBe(0);
        await harness.close();
      }),
      { numRuns: 20 },
    );
  });
}
