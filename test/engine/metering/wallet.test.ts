/** What a process concludes from the figures of one wallet and from its own posts, in whatever order they arrive. */
import { describe, expect, it } from 'vitest';
import { Wallet } from '../../../src/metering/wallet.js';
import type { Posted } from '../../../src/ports/ledger.js';

interface Figure {
  readonly balance: number;
  readonly seq: number;
}

const clock = { nowMs: 0, now: () => clock.nowMs };
const passed = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A post that the ledger has not answered yet. */
function post(wallet: Wallet, amount: number, planned = amount) {
  let settle = { resolve: (_: Posted): void => {}, fail: (_: Error): void => {} };
  const posting = new Promise<Posted>((resolve, fail) => {
    settle = { resolve, fail };
  });
  wallet.plan(planned);
  wallet.post(posting, planned, amount, clock);
  const then = async (action: () => void): Promise<void> => {
    action();
    await passed();
  };
  return {
    booked: (balance: number, seq: number) => then(() => settle.resolve({ ok: true, balance, seq, amount })),
    refused: () => then(() => settle.resolve({ ok: false, reason: 'balance' })),
    lost: () => then(() => settle.fail(new Error('lost'))),
  };
}

/** A figure that is being read. */
function learn(wallet: Wallet, need = 0) {
  let answer = (_: Figure): void => {};
  const read = new Promise<Figure>((resolve) => {
    answer = resolve;
  });
  const seen = { figure: undefined as Figure | undefined };
  const learning = wallet
    .learn(() => read, need, clock)
    .then((figure) => {
      seen.figure = figure;
    });
  return {
    learning,
    seen,
    async is(balance: number, seq: number): Promise<void> {
      answer({ balance, seq });
      await passed();
    },
  };
}

const known = async (balance: number, seq = 0): Promise<Wallet> => {
  const wallet = new Wallet();
  await wallet.learn(async () => ({ balance, seq }), 0, clock);
  return wallet;
};

describe('without posts', () => {
  it('has the balance, known since it was read', async () => {
    const wallet = new Wallet();
    expect([wallet.left, wallet.knownAtMs]).toEqual([0, Number.NEGATIVE_INFINITY]);
    clock.nowMs = 700;
    expect(await wallet.learn(async () => ({ balance: 900, seq: 0 }), 0, clock)).toEqual({ balance: 900, seq: 0 });
    expect([wallet.left, wallet.knownAtMs]).toEqual([900, 700]);
  });

  it('lacks what the figure does not cover, and lacks nothing before there is one', async () => {
    expect(new Wallet().isShortOf(1)).toBe(false);
    const wallet = await known(900);
    expect([wallet.isShortOf(900), wallet.isShortOf(901)]).toEqual([false, true]);
    wallet.plan(100);
    expect([wallet.isShortOf(800), wallet.isShortOf(801)]).toEqual([false, true]);
  });

  it('ignores an older figure, and takes one of the same entry: credits may have come without an entry of this wallet', async () => {
    const wallet = await known(900, 5);
    await wallet.learn(async () => ({ balance: 400, seq: 4 }), 0, clock);
    expect(wallet.left).toBe(900);
    await wallet.learn(async () => ({ balance: 950, seq: 5 }), 0, clock);
    expect(wallet.left).toBe(950);
  });
});

describe('a post', () => {
  it('counts as planned until it is booked; then what was planned and not posted is free again', async () => {
    const wallet = await known(1_000);
    const one = post(wallet, 100, 300);
    expect(wallet.left).toBe(700);
    clock.nowMs = 1_234;
    await one.booked(900, 1);
    expect([wallet.left, wallet.knownAtMs]).toEqual([900, 1_234]);
  });

  it.each(['refused', 'lost'] as const)(
    'that is %s gives its plan back, and the balance is read again',
    async (how) => {
      clock.nowMs = 10;
      const wallet = await known(1_000);
      expect(wallet.knownAtMs).toBe(10);
      await post(wallet, 100)[how]();
      expect([wallet.left, wallet.knownAtMs]).toEqual([1_000, Number.NEGATIVE_INFINITY]);
    },
  );

  it.each([
    [0, 1],
    [1, 0],
  ])('may be confirmed before or after another: %i, then %i', async (...order) => {
    const wallet = await known(1_000);
    const posts = [post(wallet, 100), post(wallet, 200)];
    // The second one's balance lacks what another node spent in between, too.
    const confirmations = [() => posts[0]?.booked(900, 1), () => posts[1]?.booked(650, 3)];
    await confirmations[order[0] ?? 0]?.();
    await confirmations[order[1] ?? 0]?.();
    expect(wallet.left).toBe(650);
  });

  it('that shows more than was computed is believed at once, because credits were added', async () => {
    const wallet = await known(1_000);
    const first = post(wallet, 100);
    post(wallet, 200);
    await first.booked(5_900, 2);
    expect(wallet.left).toBe(5_700);
  });

  it('that shows less is believed once nothing else is on its way', async () => {
    const wallet = await known(1_000);
    const [first, second] = [post(wallet, 100), post(wallet, 200)];
    await first.booked(400, 7);
    expect(wallet.left).toBe(700);
    await second.booked(200, 8);
    expect(wallet.left).toBe(200);
  });

  it('is not subtracted again if the figure already contains it', async () => {
    const wallet = await known(1_000, 0);
    const [first, second] = [post(wallet, 100), post(wallet, 200)];
    const reading = learn(wallet);
    await reading.is(900, 1);
    // 900 less the 300 on their way may be too little, but never too much.
    expect(wallet.left).toBeLessThanOrEqual(900);
    await first.booked(900, 1);
    await second.booked(700, 2);
    await reading.learning;
    expect(wallet.left).toBe(700);
  });
});

describe('a figure that is read while posts are on their way', () => {
  it('loses what was booked after it', async () => {
    const wallet = await known(1_000);
    const reading = learn(wallet);
    const [first, second] = [post(wallet, 100), post(wallet, 200)];
    // Less than was computed, so it is not adopted while the second is on its way.
    await first.booked(850, 2);
    await reading.is(1_000, 0);
    expect(wallet.left).toBe(700);
    await second.booked(650, 3);
    expect(wallet.left).toBe(650);
  });

  it('is used at once if it is enough whatever becomes of them', async () => {
    const wallet = await known(1_000);
    const one = post(wallet, 200);
    const reading = learn(wallet, 800);
    clock.nowMs = 99;
    await reading.is(1_000, 0);
    expect([reading.seen.figure, wallet.knownAtMs]).toEqual([{ balance: 1_000, seq: 0 }, 99]);
    await one.booked(800, 1);
  });

  it('is used only once they are booked if it may not be enough', async () => {
    const wallet = await known(1_000);
    const [first, second] = [post(wallet, 100), post(wallet, 200)];
    const reading = learn(wallet, 701);
    await reading.is(1_000, 0);
    expect(reading.seen.figure).toBeUndefined();
    await first.booked(900, 1);
    expect(reading.seen.figure).toBeUndefined();
    await second.booked(700, 2);
    expect(reading.seen.figure).toEqual({ balance: 1_000, seq: 0 });
    expect(wallet.left).toBe(700);
  });

  it('counts what was booked since it was read when it says whether it is enough', async () => {
    const wallet = await known(1_000);
    const reading = learn(wallet, 701);
    const [first, second] = [post(wallet, 100), post(wallet, 200)];
    await first.booked(850, 2);
    // 1,000 less 100 booked after it, less 200 on their way: 700.
    await reading.is(1_000, 0);
    expect(reading.seen.figure).toBeUndefined();
    await second.booked(650, 3);
    expect(reading.seen.figure).toBeDefined();
  });

  it('is adopted only once they are booked if it is lower', async () => {
    const wallet = await known(1_000);
    const one = post(wallet, 100);
    const reading = learn(wallet);
    await reading.is(500, 3);
    // Whether it contains the 100 cannot be told yet.
    expect(wallet.left).toBe(900);
    await one.booked(900, 1);
    await reading.learning;
    expect(wallet.left).toBe(500);
  });

  it('does not lose a post again that it contains', async () => {
    const wallet = await known(1_000);
    const first = post(wallet, 100);
    await learn(wallet).is(5_900, 2);
    post(wallet, 50);
    await first.booked(900, 1);
    expect(wallet.left).toBe(5_850);
  });

  it('subtracts later bookings if it is lower and older than those', async () => {
    const wallet = await known(1_000);
    const first = post(wallet, 100);
    await learn(wallet).is(500, 3);
    post(wallet, 50);
    await first.booked(400, 5);
    // 500 less the 100 booked after it, less 50 on their way.
    expect(wallet.left).toBe(350);
  });

  it('is adopted at once if it is higher', async () => {
    const wallet = await known(1_000);
    post(wallet, 100);
    await learn(wallet).is(3_000, 1);
    expect(wallet.left).toBe(2_900);
  });
});

it('forgets bookings made during a reading once no reading is left', async () => {
  const wallet = await known(1_000);
  const [one, other] = [learn(wallet), learn(wallet)];
  const [first, second] = [post(wallet, 100), post(wallet, 200)];
  await first.booked(850, 2);
  await one.is(1_000, 0);
  expect(wallet.left).toBe(700);
  await other.is(1_000, 0);
  expect(wallet.left).toBe(700);
  // Read after the first was booked, but from an entry before it: nothing may be subtracted twice.
  const late = learn(wallet);
  await late.is(850, 2);
  await second.booked(650, 3);
  await late.learning;
  expect(wallet.left).toBe(650);
});
