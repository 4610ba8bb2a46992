import { describe, expect, test } from 'vitest';
import { accountHolder, addressHolder, type Holder, WorkSlots } from '../../../src/access/work-slots.js';
import { ServiceError } from '../../../src/domain/errors.js';
import { TIERS } from '../../../src/domain/tiers.js';

const slots = (total: number) => new WorkSlots({ total, deadlineMs: 1_000, monotonic: { now: () => 0 } });

/** Takes slots for the holder until one is refused; returns that refusal. */
function refusalOf(all: WorkSlots, holder: Holder): { message: string; reason: string | undefined } {
  for (;;) {
    const busy = all.open().countFor(holder);
    if (busy) return { message: busy.message, reason: busy.detail.reason };
  }
}

test('states the share of a holder in its refusal', () => {
  expect(refusalOf(slots(4), accountHolder('a'))).toEqual({
    reason: 'account_busy',
    message:
      'This account has 1 request in progress, the most it may have while 1 of 4 slots are in use. Wait for one of them to finish; nothing was charged.',
  });
  expect(refusalOf(slots(40), addressHolder('192.0.2.1')).message).toContain(
    'This IP address has 10 requests in progress, the most it may have while 10 of 40 slots are in use.',
  );
});

test('refuses everybody when all slots are taken', () => {
  const all = slots(2);
  const [first, second] = [accountHolder('a'), accountHolder('b')];
  for (const holder of [first, second]) expect(all.open().countFor(holder)).toBeNull();
  const message = 'All 2 slots are in use. Try again shortly; nothing was charged.';
  expect(refusalOf(all, first)).toEqual({ reason: 'account_busy', message });
  expect(refusalOf(all, accountHolder('c'))).toEqual({ reason: 'overloaded', message });
});

describe('the slot of one request', () => {
  const [ada, bob] = [accountHolder('ada'), accountHolder('bob')];

  test('counts once for its holder, and only for the last one, until it is released', () => {
    const all = slots(8);
    const slot = all.open();
    expect(all.taken).toEqual({ work: 0, network: 0 });
    for (const holder of [ada, ada, bob, bob]) {
      expect(slot.countFor(holder)).toBeNull();
      expect(all.taken).toEqual({ work: 1, network: 0 });
    }
    slot.release();
    slot.release();
    expect(all.taken).toEqual({ work: 0, network: 0 });
    expect(slot.countFor(bob)).toBeNull();
    expect(all.taken).toEqual({ work: 1, network: 0 });
  });

  test('is free when its new holder is refused, and can be taken for another', () => {
    const all = slots(4);
    expect(all.open().countFor(ada)).toBeNull();
    const slot = all.open();
    expect(slot.countFor(bob)).toBeNull();
    for (let time = 0; time < 2; time += 1) {
      expect(slot.countFor(ada)?.detail.reason).toBe('account_busy');
      expect(all.taken.work).toBe(1);
    }
    expect(slot.countFor(bob)).toBeNull();
    expect(all.taken.work).toBe(2);
  });

  test('stays with its holder when it is counted again, even if the holder has more than its share by now', () => {
    const all = slots(8);
    const held = [all.open(), all.open()];
    for (const slot of held) expect(slot.countFor(ada)).toBeNull();
    for (const name of ['b', 'c', 'd', 'e']) expect(all.open().countFor(accountHolder(name))).toBeNull();
    expect(all.open().countFor(ada)?.detail.reason).toBe('account_busy');
    for (const slot of held) expect(slot.countFor(ada)).toBeNull();
    expect(all.taken.work).toBe(6);
  });

  test('adds one of the slots for the network, of which there are half as many, and releases both together', () => {
    const all = slots(8);
    const slot = all.open();
    slot.waitForNetwork();
    expect(all.taken).toEqual({ work: 0, network: 0 });
    slot.countFor(ada);
    for (let time = 0; time < 2; time += 1) {
      slot.waitForNetwork();
      expect(all.taken).toEqual({ work: 1, network: 1 });
    }
    const second = all.open();
    expect(second.countFor(ada)).toBeNull();
    expect(() => second.waitForNetwork()).toThrow(
      'This account has 1 request waiting for the network, the most it may have while 1 of 4 slots for network reads are in use.',
    );
    expect(all.taken).toEqual({ work: 2, network: 1 });
    slot.countFor(bob);
    expect(all.taken).toEqual({ work: 2, network: 0 });
    second.waitForNetwork();
    second.release();
    slot.release();
    expect(all.taken).toEqual({ work: 0, network: 0 });
  });

  test('is shared by the calls of an account that wait for the same read, until the last of them has left (L20)', () => {
    const all = slots(1000);
    const calls = Array.from({ length: 1000 }, () => all.open());
    const [first, ...others] = calls;
    for (const slot of calls) {
      expect(slot.countFor(ada)).toBeNull();
      slot.waitForNetwork(slot === first ? undefined : first);
      slot.waitForNetwork(slot === first ? undefined : first);
    }
    // With 800 calls already waiting outside their slots, a call keeps its slot in progress.
    expect([all.taken, all.beside]).toEqual([{ work: 200, network: 1 }, 800]);
    const other = all.open();
    expect(other.countFor(bob)).toBeNull();
    other.release();
    first?.release();
    expect(all.taken.network).toBe(1);
    // A read of its own needs slots of its own.
    const [second] = others;
    second?.waitForNetwork();
    expect([all.taken, all.beside]).toEqual([{ work: 200, network: 2 }, 799]);
    for (const slot of others) slot.release();
    expect([all.taken, all.beside]).toEqual([{ work: 0, network: 0 }, 0]);
  });

  test('can wait for the network even if there is one slot in all', () => {
    const all = slots(1);
    const slot = all.open();
    slot.countFor(ada);
    slot.waitForNetwork();
    expect(all.taken).toEqual({ work: 1, network: 1 });
  });
});

test('lets one account alone wait for the network with two seconds of the highest rate', () => {
  const all = slots(1000);
  for (let n = 0; n < 2 * Math.max(...TIERS.map(({ requestsPerSecond }) => requestsPerSecond)); n += 1) {
    const slot = all.open();
    expect(slot.countFor(accountHolder('alone'))).toBeNull();
    expect(() => slot.waitForNetwork()).not.toThrow();
  }
});

test.each<[keyof WorkSlots['taken'], number]>([
  ['work', 800],
  ['network', 400],
])('of 1,000 slots, lets one account alone have four fifths of those for %s (L19)', (of, most) => {
  const all = slots(1000);
  for (let n = 0; n < most; n += 1) {
    const slot = all.open();
    expect(slot.countFor(accountHolder('alone'))).toBeNull();
    if (of === 'network') slot.waitForNetwork();
  }
  expect(all.taken[of]).toBe(most);
  const more = all.open();
  const refused = (): ServiceError | null => {
    const busy = more.countFor(accountHolder('alone'));
    if (busy === null) more.waitForNetwork();
    return busy;
  };
  if (of === 'work') expect(refused()?.detail.reason).toBe('account_busy');
  else expect(refused).toThrow('This account has 400 requests waiting for the network');
});

test('counts refusals by reason', () => {
  const all = slots(2);
  const [first, second] = [accountHolder('a'), addressHolder('192.0.2.1')];
  for (const holder of [first, second]) all.open().countFor(holder);
  expect(all.refused).toEqual({ account_busy: 0, address_busy: 0, overloaded: 0 });
  const refused = [first, second, second, accountHolder('c'), accountHolder('c'), addressHolder('192.0.2.2')];
  for (const holder of refused) expect(all.open().countFor(holder)).toBeInstanceOf(ServiceError);
  expect(all.refused).toEqual({ account_busy: 1, address_busy: 2, overloaded: 3 });
});

test.each([
  [200, 1],
  [30_000, 30],
])('says in a refusal when to try again: with a deadline of %i ms in %i s', (deadlineMs, seconds) => {
  const all = new WorkSlots({ total: 1, deadlineMs, monotonic: { now: () => 0 } });
  all.open().countFor(accountHolder('a'));
  expect(all.open().countFor(accountHolder('b'))).toMatchObject({
    code: 'upstream_rate_limited',
    retryAfter: seconds,
  });
});
