import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { type Closing, Lifecycle } from '../../../app/lifecycle.js';

let lifecycle: Lifecycle;
let closed: string[];
beforeEach(() => {
  lifecycle = new Lifecycle();
  closed = [];
});

const open = (name: string, close: () => unknown = () => {}, closing?: Closing): Promise<string> =>
  lifecycle.open(
    name,
    () => name,
    async (part) => {
      closed.push(part);
      await close();
    },
    closing,
  );

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await sleep(1);
};

const fails = (message: string) => () => {
  throw new Error(message);
};

describe('closing', () => {
  test('closes parts one by one in reverse order', async () => {
    const ends: string[] = [];
    for (const name of ['a', 'b', 'c']) await open(name, () => sleep(5).then(() => ends.push(name)));
    await lifecycle.open('a step that leaves nothing open', () => {});
    await lifecycle.close();
    expect(closed).toEqual(['c', 'b', 'a']);
    expect(ends).toEqual(['c', 'b', 'a']);
  });

  test('closes the other parts when some fail, and reports each failure', async () => {
    await open('a');
    await open('b', fails('no b'));
    await open('c', () => Promise.reject(new Error('no c')));
    await expect(lifecycle.close()).rejects.toThrow('not closed: c: no c; b: no b');
    expect(closed).toEqual(['c', 'b', 'a']);
  });

  test('waits for no part forever', async () => {
    await open('a');
    await open('b', () => new Promise(() => {}), { closeMs: 30 });
    await expect(lifecycle.close()).rejects.toThrow('not closed: b: still open after 30 ms');
    expect(closed).toEqual(['b', 'a']);
  });

  test('closes consecutive parts of one group together, in the position of the last', async () => {
    await open('a');
    for (const name of ['b', 'c']) {
      const meets = () => until(() => closed.includes('b') && closed.includes('c'));
      await open(name, meets, { group: 'together' });
      await lifecycle.open('a step that leaves nothing open', () => {});
    }
    await open('d');
    await open('e', () => {}, { group: 'together' });
    await lifecycle.close();
    expect(closed).toEqual(['e', 'd', 'c', 'b', 'a']);
  });

  test('ends within the time for all parts, except for a part with a time of its own', async () => {
    lifecycle = new Lifecycle({ budgetMs: 50 });
    const hangs = () => new Promise(() => {});
    await open('a', () => sleep(300), { outsideBudget: true });
    for (const name of ['b', 'c', 'd']) await open(name, hangs);
    const startMs = performance.now();
    await expect(lifecycle.close()).rejects.toThrow(
      /^not closed: d: still open after \d+ ms; c: still open after 100 ms; b: still open after 100 ms$/,
    );
    expect(performance.now() - startMs).toBeLessThan(3_000);
    expect(closed).toEqual(['d', 'c', 'b', 'a']);
  });

  test('happens once if requested twice', async () => {
    await open('a', () => sleep(10));
    const first = lifecycle.close();
    expect(lifecycle.close()).toBe(first);
    await first;
    await lifecycle.close();
    expect(closed).toEqual(['a']);
  });

  test('hardly waits in a hurry, neither for the current part nor for the next ones', async () => {
    await open('a', () => new Promise(() => {}));
    await open('b', () => new Promise(() => {}));
    const closing = lifecycle.close();
    await sleep(10);
    const hurriedAt = performance.now();
    expect(lifecycle.hurry()).toBe(closing);
    await expect(closing).rejects.toThrow(/b: still open after \d+ ms; a: still open after \d+ ms/);
    expect(performance.now() - hurriedAt).toBeLessThan(2_000);
    expect(closed).toEqual(['b', 'a']);
  });

  test('waits for a part that is being opened, closes it, and lets no other be opened', async () => {
    await open('a');
    let finish = (): void => {};
    const opening = lifecycle.open(
      'b',
      () =>
        new Promise<void>((resolve) => {
          finish = resolve;
        }),
      () => closed.push('b'),
    );
    const closing = lifecycle.close();
    await expect(open('c')).rejects.toThrow('c: not opened');
    expect(closed).toEqual([]);
    finish();
    await Promise.all([opening, closing]);
    expect(closed).toEqual(['b', 'a']);
  });
});

describe('a start', () => {
  test('returns what was built, and leaves it open', async () => {
    expect(await lifecycle.start(() => open('a'))).toBe('a');
    expect(closed).toEqual([]);
  });

  test('that fails rejects with the same error once everything is closed', async () => {
    const fault = new Error('no c');
    const starting = lifecycle.start(async () => {
      for (const name of ['a', 'b']) await open(name, () => sleep(5));
      await lifecycle.open('c', () => Promise.reject(fault));
    });
    await expect(starting).rejects.toBe(fault);
    expect(closed).toEqual(['b', 'a']);
  });

  test('that fails rejects with its own error, and reports parts that did not close', async () => {
    const warnings: string[] = [];
    lifecycle = new Lifecycle({ warn: (message) => warnings.push(message) });
    const fault = new Error('no beginning');
    const starting = lifecycle.start(async () => {
      await open('a', fails('no end'));
      throw fault;
    });
    await expect(starting).rejects.toBe(fault);
    expect(warnings).toEqual(['not closed: a: no end']);
  });
});
