/** What is remembered of keys, so that a statement need not look them up. The statement itself runs in tests over a database. */
import { describe, expect, it } from 'vitest';
import { CappedKeys, UncappedKeys } from '../../../adapters/postgres/ledger/remembered-keys.js';
import type { Sql } from '../../../adapters/postgres/sql.js';
import { Memories } from '../../../src/lib/memories.js';
import type { Debit } from '../../../src/ports/ledger.js';
import { manualClock } from '../../kit/time/manual-clock.js';

const MINUTE = 60_000;
/** As many as each of both memories has room for, at least. */
const MANY_KEYS = 100_000;
/** Ids of keys are this long. */
const idOf = (key: number): string => `${key}`.padStart(36, '0');

describe('a key that was seen to have a cap', () => {
  it('is taken to have it for a minute', () => {
    const clock = manualClock();
    const keys = new CappedKeys(new Memories(), clock);
    keys.add('one');
    const has: boolean[] = [];
    for (const ms of [0, MINUTE - 1, 1]) {
      clock.advance(ms);
      has.push(keys.has('one'));
    }
    expect([has, keys.has('another')]).toEqual([[true, true, false], false]);
  });

  it('is taken to have it for a minute since it was seen last', () => {
    const clock = manualClock();
    const keys = new CappedKeys(new Memories(), clock);
    keys.add('one');
    clock.advance(MINUTE - 1);
    keys.add('one');
    clock.advance(MINUTE - 1);
    expect(keys.has('one')).toBe(true);
  });

  it('is one of the 100,000 that paid last', () => {
    const keys = new CappedKeys(new Memories(), manualClock());
    for (let key = 0; key < MANY_KEYS; key += 1) keys.add(idOf(key));
    expect(keys.has(idOf(0))).toBe(true);
    for (let key = MANY_KEYS; key < MANY_KEYS + 1_000; key += 1) keys.add(idOf(key));
    expect([0, 1, MANY_KEYS].map((key) => keys.has(idOf(key)))).toEqual([true, false, true]);
  });
});

const debitOf = (keyId: string, walletId = 'wallet', accountId = 'account') =>
  ({ keyId, walletId, accountId }) as Debit;

/** A database of keys: of those named so, none has no cap. */
function opened(isCapped: (keyId: string) => boolean = () => false) {
  const clock = manualClock();
  const read: string[][] = [];
  const payers: string[] = [];
  const rowsOf = async (_text: unknown, accounts: string[], wallets: string[], keys: string[]) => {
    read.push(keys);
    payers.push(...accounts.map((account, position) => `${account} ${wallets[position]}`));
    return keys.flatMap((key, position) =>
      isCapped(key) ? [] : [{ position, keyNumber: Number.parseInt(key, 36), capsVersion: read.length }],
    );
  };
  return { clock, read, payers, keys: new UncappedKeys(rowsOf as unknown as Sql, new Memories(), clock) };
}

describe('a key that was seen to have no cap', () => {
  it('is known by what was read of it, and by nothing before that', async () => {
    const { keys, clock } = opened();
    expect(keys.keyOf(debitOf('a'))).toBeUndefined();
    await keys.learn([debitOf('b'), debitOf('a')]);
    expect(keys.keyOf(debitOf('a'))).toEqual({
      ...{ accountId: 'account', walletId: 'wallet', keyNumber: 10, capsVersion: 1, readAtMs: clock.now() },
    });
    expect(keys.keyOf(debitOf('b'))?.keyNumber).toBe(11);
  });

  it('is known for debits of its account and wallet only', async () => {
    const { keys } = opened();
    await keys.learn([debitOf('a')]);
    expect([keys.keyOf(debitOf('a', 'other')), keys.keyOf(debitOf('a', 'wallet', 'other'))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('is read once for all debits, with all others that are not known', async () => {
    const { keys, read } = opened();
    await keys.learn(['a', 'b', 'a'].map((key) => debitOf(key)));
    await keys.learn(['b', 'c', 'a'].map((key) => debitOf(key)));
    await keys.learn(['a', 'b', 'c'].map((key) => debitOf(key)));
    expect(read).toEqual([['a', 'b'], ['c']]);
  });

  it('is read again when a debit is of another wallet, or of another account', async () => {
    const { keys, read, payers } = opened();
    await keys.learn([debitOf('a'), debitOf('a', 'other'), debitOf('a', 'wallet', 'other')]);
    expect([read, payers]).toEqual([[['a', 'a', 'a']], ['account wallet', 'account other', 'other wallet']]);
  });

  it('is read again after a minute', async () => {
    const { keys, clock, read } = opened();
    const versions: (number | undefined)[] = [];
    for (const ms of [0, MINUTE, 1]) {
      clock.advance(ms);
      await keys.learn([debitOf('a')]);
      versions.push(keys.keyOf(debitOf('a'))?.capsVersion);
    }
    expect([read.length, versions]).toEqual([2, [1, 1, 2]]);
  });

  it('is dropped when it is forgotten or read to have a cap', async () => {
    const capped = new Set<string>();
    const { keys, clock } = opened((key) => capped.has(key));
    await keys.learn([debitOf('a'), debitOf('b')]);
    keys.forget('a');
    expect(keys.keyOf(debitOf('a'))).toBeUndefined();
    capped.add('b');
    clock.advance(MINUTE + 1);
    await keys.learn([debitOf('b')]);
    expect(keys.keyOf(debitOf('b'))).toBeUndefined();
  });

  it('is one of the 100,000 that paid last', async () => {
    const { keys } = opened();
    const many = (from: number, to: number): Debit[] =>
      Array.from({ length: to - from }, (_, nth) => debitOf(idOf(from + nth), idOf(0), idOf(0)));
    const [first, second] = many(0, 2) as [Debit, Debit];
    await keys.learn(many(0, MANY_KEYS));
    expect(await keys.learn([first])).toEqual([expect.anything()]);
    await keys.learn(many(MANY_KEYS, MANY_KEYS + 1_000));
    expect([first, second].map((debit) => keys.keyOf(debit) !== undefined)).toEqual([true, false]);
  });
});
