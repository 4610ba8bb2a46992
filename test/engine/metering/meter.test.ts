/** What an operation may still take, and what it took. */
import { describe, expect, it } from 'vitest';
import { type Item, Meter, shortageError } from '../../../src/metering/meter.js';
import { SpendingLimit } from '../../../src/metering/spending-limit.js';
import { Wallet } from '../../../src/metering/wallet.js';

const meterOf = (credits: number, worst = 0, ranks: ReadonlyMap<string, number> = new Map()): Meter =>
  new Meter(new SpendingLimit(new Wallet(credits * 1000), Infinity, Infinity), worst, ranks);

const tweet = (object: string, given: Partial<Item> = {}): Item => ({
  ...{ path: 'tweets', unit: 'tweet', cache: 'miss', object },
  ...given,
});

describe('an item', () => {
  it('is taken as long as it is covered, to the last thousandth', () => {
    const meter = meterOf(2);
    const tab = meter.open();
    expect(tab.take(tweet('1'))?.price).toBe(1000);
    expect(meter.covers('tweet', 'miss')).toBe(true);
    expect(meter.covers('tweet', 'bypass')).toBe(false);
    expect(tab.take(tweet('2'))?.price).toBe(1000);
    expect(meter.left).toBe(0);
    expect(tab.take(tweet('3', { cache: 'hit' }))).toBeNull();
    expect(meter.receipt.fold()).toMatchObject({ amount: 2000, items: 2 });
  });

  it('costs half if cached, double if fresh, and nothing if it is already on the receipt (G3)', () => {
    const meter = meterOf(10);
    expect(meter.costOf(tweet('1', { cache: 'hit' }))).toBe(500);
    expect(meter.costOf(tweet('1', { cache: 'bypass' }))).toBe(2000);
    expect(meter.open().take(tweet('1'))?.price).toBe(1000);
    expect(meter.costOf(tweet('1', { cache: 'bypass' }))).toBe(0);
    expect(meter.open().take(tweet('1', { path: 'elsewhere' }))?.price).toBe(0);
    expect(meter.left).toBe(9000);
    expect(meter.receipt.fold()).toMatchObject({ amount: 1000, items: 1 });
  });

  it('is free again when its field failed (G5), and can be taken once more', () => {
    const meter = meterOf(3);
    const tab = meter.open();
    for (const item of [tweet('1'), tweet('2', { cache: 'hit' })]) tab.take(item);
    expect(meter.left).toBe(1500);
    tab.giveBack();
    expect([meter.left, meter.receipt.amount]).toEqual([3000, 0]);
    expect(meter.open().take(tweet('1'))?.price).toBe(1000);
  });

  it('is paid by the next field that delivers it when the field that paid fails (M32)', async () => {
    const meter = meterOf(5);
    const [first, second, third] = [meter.open(), meter.open(), meter.open()];
    first.take(tweet('1'));
    second.take(tweet('1', { path: 'second' }));
    const kept = third.take(tweet('1', { path: 'third', cache: 'hit' }));
    const charged = third.close();
    first.giveBack();
    second.giveBack();
    expect(await charged).toBe(500);
    expect([kept?.price, meter.left]).toEqual([500, 4500]);
    expect(meter.receipt.fold()).toMatchObject({ amount: 500, lines: [{ path: 'third', items: 1, cache: 'hit' }] });
  });

  it('costs its next field no more than the failed one gave back, if that is all there is (M32)', async () => {
    const meter = meterOf(1);
    const [page, profile] = [meter.open(), meter.open()];
    page.take(tweet('1', { unit: 'edge_profile' }));
    meter.open().take(tweet('2', { cache: 'hit' }));
    profile.take(tweet('1', { path: 'user', unit: 'profile' }));
    page.giveBack();
    expect(await profile.close()).toBe(100);
    expect(meter.receipt.fold()).toMatchObject({ amount: 600, items: 2 });
  });

  it('is certain for a field only once the fields that share objects with it have ended (M32)', async () => {
    const meter = meterOf(5);
    const [one, other] = [meter.open(), meter.open()];
    one.take(tweet('1'));
    other.take(tweet('2'));
    one.take(tweet('2'));
    other.take(tweet('1'));
    expect(await Promise.all([one.close(), other.close()])).toEqual([1000, 1000]);
  });
});

describe('fields', () => {
  const order = async (meter: Meter): Promise<string[]> => {
    const done: string[] = [];
    const work = (name: string) => async () => {
      done.push(name);
      return name;
    };
    // The second one asks first.
    const turns = [meter.turn('b', work('b')), meter.turn('a', work('a'))];
    expect(await Promise.all(turns)).toEqual(['b', 'a']);
    return done;
  };
  const ranks = new Map([
    ['a', 0],
    ['b', 1],
  ]);

  it('are charged in the order of the document if the money may run out (G9)', async () => {
    const meter = meterOf(2, 2001, ranks);
    expect(meter.isTight).toBe(true);
    expect(await order(meter)).toEqual(['a', 'b']);
  });

  it('do not wait if the money covers the most that the operation can cost', async () => {
    const meter = meterOf(2, 2000, ranks);
    expect(meter.isTight).toBe(false);
    expect(await order(meter)).toEqual(['b', 'a']);
  });
});

describe('the limit that was reached', () => {
  it.each([
    {
      shortage: 'max_credits',
      detail: { reason: 'max_credits', param: 'max_credits' },
      message: "It costs 1 credit; 0.5 credits left in this call's budget. Raise max_credits (or X-Max-Credits).",
    },
    {
      shortage: 'key_cap',
      detail: { reason: 'key_cap' },
      message: "It costs 1 credit; 0.5 credits left under this key's spend cap. Raise the cap or use another key.",
    },
    {
      shortage: 'no_credits',
      detail: {},
      message: 'It costs 1 credit; the wallet holds 0.5 credits. Add credits: GET /v1/billing/packs lists the packs.',
    },
  ] as const)('is named by $shortage, with how to lift it (U1)', ({ shortage, detail, message }) => {
    const failure = shortageError(shortage, 'It costs 1 credit', 500);
    expect([failure.code, failure.status, failure.message]).toEqual(['no_credits', 402, message]);
    expect(failure.detail).toEqual(detail);
  });

  it('never leaves less than nothing', () => {
    expect(shortageError('no_credits', 'It costs 1 credit', -250).message).toContain('the wallet holds 0 credits');
  });

  it('is what the meter reports for a read', () => {
    const meter = new Meter(new SpendingLimit(new Wallet(9_000), 400, Infinity), 0, new Map());
    expect([meter.shortage, meter.left]).toEqual(['key_cap', 400]);
    expect(meter.noCredits('tweet', 'hit').message).toMatch(
      /^This read costs 0\.5 credits per tweet; 0\.4 credits left/,
    );
  });
});
