/** One timer for many alarms. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Alarms, type SetAlarm } from '../../../src/lib/alarms.js';
import { VirtualTime } from '../../kit/time/virtual-time.js';

/** Counts the timers that are running. */
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
  return { time, running, alarms: new Alarms({ monotonic: time, timers }) };
}

it('rings each alarm that is not cancelled at its time, with one timer', async () => {
  const moment = fc.integer({ min: 1, max: 50 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ atMs: moment, cancelled: fc.boolean() }), { maxLength: 20 }),
      async (plans) => {
        const { time, running, alarms } = setUp();
        const rung: number[] = [];
        const set = plans.map(({ atMs }) => alarms.set(atMs, () => rung.push(atMs - time.now())));
        expect(running.size).toBe(plans.length > 0 ? 1 : 0);
        for (const [nth, { cancelled }] of plans.entries()) if (cancelled) alarms.cancel(set[nth] as SetAlarm);
        await time.run(100);
        expect(rung).toEqual(plans.filter(({ cancelled }) => !cancelled).map(() => 0));
        expect(running.size).toBe(0);
      },
    ),
  );
});

it('rings in a later turn an alarm whose time has passed, or that is set by another', async () => {
  const { time, alarms } = setUp();
  await time.run(10);
  const rung: string[] = [];
  alarms.set(5, () => {
    rung.push('late');
    alarms.set(5, () => rung.push('later'));
  });
  expect(rung).toEqual([]);
  await time.run(10);
  expect(rung).toEqual(['late', 'later']);
});

it('leaves no timer behind when its last alarm is cancelled, also twice', () => {
  const { running, alarms } = setUp();
  const [first, second] = [alarms.set(5, () => {}), alarms.set(9, () => {})];
  alarms.cancel(first);
  expect(running.size).toBe(1);
  alarms.cancel(second);
  alarms.cancel(second);
  expect(running.size).toBe(0);
});
