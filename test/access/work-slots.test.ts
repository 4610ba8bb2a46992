import { expect, test } from 'vitest';
import { accountHolder, addressHolder, type Holder, WorkSlots } from '../../src/access/work-slots.js';

const slots = (total: number) => new WorkSlots({ total, deadlineMs: 1_000, monotonic: { now: () => 0 } });

/** Takes slots for the holder until one is refused. */
function refusalOf(all: WorkSlots, holder: Holder): { message: string; reason: string | undefined } {
  for (;;) {
    const busy = all.open().countFor(holder);
    if (busy) return { message: busy.message, reason: busy.detail.reason };
  }
}

test('a holder with all it may have is told how much that is', () => {
  expect(refusalOf(slots(4), accountHolder('a'))).toEqual({
    reason: 'account_busy',
    message:
      'This account has 1 request in progress, the most it may have while 1 of 4 slots are in use. Wait for one of them to finish; nothing was charged.',
  });
  expect(refusalOf(slots(40), addressHolder('192.0.2.1')).message).toContain(
    'This IP address has 10 requests in progress, the most it may have while 10 of 40 slots are in use.',
  );
});

test('when all slots are taken everybody is told so', () => {
  const all = slots(2);
  const [first, second] = [accountHolder('a'), accountHolder('b')];
  for (const holder of [first, second]) expect(all.open().countFor(holder)).toBeNull();
  const message = 'All 2 slots are in use. Try again shortly; nothing was charged.';
  expect(refusalOf(all, first)).toEqual({ reason: 'account_busy', message });
  expect(refusalOf(all, accountHolder('c'))).toEqual({ reason: 'overloaded', message });
});
