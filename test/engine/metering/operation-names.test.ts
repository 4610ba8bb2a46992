import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OperationNames } from '../../../src/metering/operation-names.js';
import { manualClock } from '../../kit/time/manual-clock.js';

const ACCOUNT = '00000000-0000-4000-8000-000000000001';

/** A store that counts its calls and takes as long as the test says. */
function store(most: number, gate: () => Promise<void> = async () => {}) {
  const kept = new Map<string, string[]>();
  const seen = { claims: 0, atOnce: 0, mostAtOnce: 0 };
  return {
    seen,
    async claimNames(accountId: string, day: string, names: readonly string[]): Promise<string[]> {
      seen.claims += 1;
      seen.atOnce += 1;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
      await gate();
      seen.atOnce -= 1;
      const all = new Set([...(kept.get(`${accountId} ${day}`) ?? []), ...names]);
      kept.set(`${accountId} ${day}`, [...all].slice(0, most));
      return kept.get(`${accountId} ${day}`) ?? [];
    },
  };
}

it('asks for a name once a day, and knows it for the rest of the day', async () => {
  const clock = manualClock();
  const ledger = store(2);
  const names = new OperationNames(ledger, clock);
  expect(await names.keep(ACCOUNT, 'mine')).toBe('mine');
  expect(names.keep(ACCOUNT, 'mine')).toBe('mine');
  expect(await names.keep(ACCOUNT, 'x'.repeat(30_000))).toBe('x'.repeat(64));
  expect(await names.keep(ACCOUNT, 'third')).toBe('other');
  expect(names.keep(ACCOUNT, 'fourth')).toBe('other');
  expect(ledger.seen.claims).toBe(3);
  clock.advance(86_400_000);
  expect(await names.keep(ACCOUNT, 'third')).toBe('third');
});

it('remembers a name until the end of its UTC day, and passes that day to the store', async () => {
  const clock = manualClock();
  const days: string[] = [];
  const names = new OperationNames(
    {
      async claimNames(_account, day, claimed) {
        days.push(day);
        return [...claimed];
      },
    },
    clock,
  );
  await names.keep(ACCOUNT, 'mine');
  clock.advance(1);
  expect(names.keep(ACCOUNT, 'mine')).toBe('mine');
  expect(days).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d$/)]);
});

it('asks for no more names once one of several was refused', async () => {
  const ledger = store(2);
  const names = new OperationNames(ledger, manualClock());
  // The second and the third are claimed together, after the first.
  const kept = await Promise.all(['first', 'second', 'third'].map((name) => names.keep(ACCOUNT, name)));
  expect(kept).toEqual(['first', 'second', 'other']);
  expect([names.keep(ACCOUNT, 'fourth'), ledger.seen.claims]).toEqual(['other', 2]);
});

it('claims names of one account one after the other, at whatever moment the next comes', async () => {
  for (let moments = 0; moments < 20; moments += 1) {
    const open: (() => void)[] = [];
    const ledger = store(100, () => new Promise((resolve) => open.push(resolve)));
    const names = new OperationNames(ledger, manualClock(), undefined, 60_000);
    const kept = [names.keep(ACCOUNT, 'first'), names.keep(ACCOUNT, 'second')];
    open.shift()?.();
    for (let moment = 0; moment < moments; moment += 1) await null;
    kept.push(names.keep(ACCOUNT, 'third'));
    const all = Promise.all(kept);
    let isDone = false;
    void all.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await new Promise(setImmediate);
      open.shift()?.();
    }
    expect([await all, ledger.seen.mostAtOnce]).toEqual([['first', 'second', 'third'], 1]);
  }
});

it('claims thousands of simultaneous names in few claims, one at a time', async () => {
  const ledger = store(100, () => sleep(5));
  const names = new OperationNames(ledger, manualClock(), undefined, 60_000);
  const kept = await Promise.all(Array.from({ length: 3_000 }, (_, nth) => names.keep(ACCOUNT, `n${nth}`)));
  const own = kept.filter((name) => name !== 'other');
  expect(own.length).toBeGreaterThan(90);
  expect(new Set(own).size).toBeLessThanOrEqual(100);
  expect(ledger.seen.mostAtOnce).toBe(1);
  expect(ledger.seen.claims).toBeLessThan(10);
});

it('lets few names of an account wait for a claim: further ones are `other` at once, waiting ones stay', async () => {
  const open: (() => void)[] = [];
  const ledger = store(1_000, () => new Promise((resolve) => open.push(resolve)));
  const names = new OperationNames(ledger, manualClock(), undefined, 60_000);
  const first = names.keep(ACCOUNT, 'first');
  const waiting = Array.from({ length: 100 }, (_, nth) => names.keep(ACCOUNT, `n${nth}`));
  expect(names.keep(ACCOUNT, 'one too many')).toBe('other');
  const again = names.keep(ACCOUNT, 'n7');
  expect(again).toBeInstanceOf(Promise);
  open.shift()?.();
  expect(await first).toBe('first');
  await expect.poll(() => open).toHaveLength(1);
  open.shift()?.();
  expect([await Promise.all(waiting), await again]).toEqual([Array.from({ length: 100 }, (_, nth) => `n${nth}`), 'n7']);
  expect(ledger.seen.claims).toBe(2);
});

it('claims names of at most 1,000 accounts at once; those of a further account are `other` until one is answered', async () => {
  const open: (() => void)[] = [];
  const ledger = store(100, () => new Promise((resolve) => open.push(resolve)));
  const names = new OperationNames(ledger, manualClock(), undefined, 60_000);
  const claims = Array.from({ length: 1_000 }, (_, nth) => names.keep(`account ${nth}`, 'mine'));
  expect(names.keep('one more', 'mine')).toBe('other');
  for (const go of open.splice(0)) go();
  expect(new Set(await Promise.all(claims))).toEqual(new Set(['mine']));
  const later = names.keep('one more', 'mine');
  for (const go of open.splice(0)) go();
  expect(await later).toBe('mine');
});

it('leaves no timer behind after a claim was answered', async () => {
  const pending = new Set<() => void>();
  const timers = {
    after(_ms: number, run: () => void) {
      pending.add(run);
      return () => void pending.delete(run);
    },
  };
  const names = new OperationNames(store(100), manualClock(), undefined, 500, timers);
  expect(await names.keep(ACCOUNT, 'mine')).toBe('mine');
  await expect.poll(() => pending.size).toBe(0);
});

it('uses `other` when the store fails or does not answer, and the charge proceeds', async () => {
  const failing = new OperationNames({ claimNames: () => Promise.reject(new Error('away')) }, manualClock());
  expect(await failing.keep(ACCOUNT, 'mine')).toBe('other');
  const throwing = new OperationNames(
    {
      claimNames: () => {
        throw new Error('away');
      },
    },
    manualClock(),
  );
  expect([await throwing.keep(ACCOUNT, 'mine'), await throwing.keep(ACCOUNT, 'mine')]).toEqual(['other', 'other']);
  const silent = new OperationNames(
    store(100, () => new Promise(() => {})),
    manualClock(),
    undefined,
    20,
  );
  expect(await silent.keep(ACCOUNT, 'mine')).toBe('other');
  expect(await silent.keep(ACCOUNT, 'another')).toBe('other');
});
