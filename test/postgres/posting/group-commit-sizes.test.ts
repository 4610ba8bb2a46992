import { describe, expect, test } from 'vitest';
import { openFlushes } from './open-flushes.js';

describe('a shared flush', () => {
  test('has an even share of each part, in order of arrival', async () => {
    const { submit, nth, begun } = openFlushes({ bounds: { most: 6, flights: 1 } });
    await submit('x1');
    await submit('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4');
    await nth(0).end();
    expect(begun(1)).toEqual(['skipLocked: a1 a2 a3 b1 b2 b3']);
  });

  test('shares the room that retried requests leave', async () => {
    const { submit, run, nth, begun } = openFlushes({ bounds: { most: 6, flights: 1, waits: 0 } });
    await submit('l1', 'm1');
    await submit('x1');
    await nth(0).end('locked');
    await run(5);
    await submit('a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'b3', 'b4');
    await nth(1).end();
    expect(begun(2)).toEqual(['skipLocked: l1 m1 a1 a2 b1 b2']);
  });

  test('leaves requests for which it has no room to the next one', async () => {
    const { submit, run, nth, begun } = openFlushes({ bounds: { most: 2, flights: 1, waits: 0 } });
    await submit('l1');
    await submit('x1');
    await nth(0).end('locked');
    await run(5);
    await submit('a1', 'b1', 'b2');
    await nth(1).end();
    expect(begun(2)).toEqual(['skipLocked: l1 a1']);
    await nth(2).end();
    expect(begun(3)).toEqual(['skipLocked: b1 b2']);
  });

  test('examines no more parts than fit into it', async () => {
    const seen: string[] = [];
    const isPlain = (request: string) => seen.push(request) > 0;
    const { submit, begun } = openFlushes({ bounds: { most: 2, flights: 1 }, isPlain });
    await submit('a1', 'b1', 'c1', 'd1', 'e1');
    expect(begun()).toEqual(['plain: a1 b1']);
    expect(seen).toEqual(['a1', 'b1']);
  });

  test('runs beside as many others as the bound allows', async () => {
    const { submit, nth, begun } = openFlushes({ bounds: { most: 2, flights: 3 } });
    await submit('a1', 'b1', 'c1', 'd1', 'e1', 'f1', 'g1');
    expect(begun()).toEqual(['skipLocked: a1 b1', 'skipLocked: c1 d1', 'skipLocked: e1 f1']);
    await nth(1).end();
    expect(begun(3)).toEqual(['skipLocked: g1']);
  });

  test('may be a second plain one if two hundred requests wait', async () => {
    const { submit, begun } = openFlushes({ isPlain: () => true });
    const others = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, nth) => `${nth % 2 === 0 ? 'b' : 'c'}${from + nth}`);
    await submit('a1');
    await submit(...others(0, 199));
    expect(begun()).toEqual(['plain: a1']);
    await submit(...others(199, 200));
    expect(begun()[1]).toMatch(/^plain: b0 b2 /);
    expect(begun()[1]?.split(' ')).toHaveLength(201);
  });

  test('takes each later request of a part that had none waiting in between', async () => {
    const { submit, nth, begun, answers } = openFlushes();
    for (const [index, request] of ['a1', 'a2', 'a3'].entries()) {
      await submit(request);
      await nth(index).end();
    }
    expect(begun()).toEqual(['skipLocked: a1', 'skipLocked: a2', 'skipLocked: a3']);
    expect(answers).toEqual({ a1: 'a1', a2: 'a2', a3: 'a3' });
  });
});
