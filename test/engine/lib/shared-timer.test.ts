/** One timer for many timeouts. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type SetTimeout, SharedTimer } from '../../../src/lib/monotonic.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';

/** Counts the running timers. */
function setUp() {
  const time = new VirtualTime(0);
  const running = new Set<object>();
  const timers = {
    after(ms: number, then: () => void) {
      const timer = {};
      running.add(timer);
      const cancel = time.after(ms, () => {
        running.delete(timer);
        then();
      });
      return () => {
        running.delete(timer);
        cancel();
      };
    },
  };
  return { time, running, timer: new SharedTimer({ monotonic: time, timers }) };
}

it('calls back at its time for each timeout that is not cancelled, with one timer', async () => {
  const moment = fc.integer({ min: 1, max: 50 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ atMs: moment, cancelled: fc.boolean() }), { maxLength: 20 }),
      async (plans) => {
        const { time, running, timer } = setUp();
        const rung: number[] = [];
        const set = plans.map(({ atMs }) => timer.set(atMs, () => rung.push(atMs - time.now())));
        expect(running.size).toBe(plans.length > 0 ? 1 : 0);
        for (const [nth, { cancelled }] of plans.entries()) if (cancelled) timer.cancel(set[nth] as SetTimeout);
        await time.run(100);
        expect(rung).toEqual(plans.filter(({ cancelled }) => !cancelled).map(() => 0));
        expect(running.size).toBe(0);
      },
    ),
  );
});

it('calls back in a later turn for a time that has passed, even from a callback', async () => {
  const { time, timer } = setUp();
  await time.run(10);
  const rung: string[] = [];
  timer.set(5, () => {
    rung.push('late');
    timer.set(5, () => rung.push('later'));
  });
  expect(rung).toEqual([]);
  await time.run(10);
  expect(rung).toEqual(['late', 'later']);
});

it('leaves no timer behind when its last timeout is cancelled, even twice', () => {
  const { running, timer } = setUp();
  const [first, second] = [timer.set(5, () => {}), timer.set(9, () => {})];
  timer.cancel(first);
  expect(running.size).toBe(1);
  timer.cancel(second);
  timer.cancel(second);
  expect(running.size).toBe(0);
});
