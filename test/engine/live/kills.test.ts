/**
 * A process that follows watches can die at any moment: what was charged is delivered, once and in order, and nothing
 * is lost.
 */
import { expect, it } from 'vitest';
import { VirtualTime } from '../../kit/time/virtual-time.js';
import { MemoryWatches } from './memory-watches.js';
import { addPlayed, itemsOf, openNode, playService } from './played.js';

const SECOND = 1000;
const START = Date.UTC(2026, 10, 26, 12);

/**
 * Two processes, and four watches of a growing list. The first process hands two of them to the second, and dies at the
 * given move. Returns the number of moves it made.
 */
async function run(diesAt: number, perCall: number): Promise<number> {
  const time = new VirtualTime(START);
  const service = playService(time);
  const { state, post } = service;
  const store = new MemoryWatches();
  state.perCall = perCall;
  post();
  const watches = [0, 1, 2, 3].map(() => addPlayed(store, time, service));
  const [first, , third] = watches;
  if (first === undefined || third === undefined) throw new Error('no watch');
  const left = openNode(time, service.serve, store.leases);
  left.state.diesAt = diesAt;
  left.watching.start();
  await time.run(SECOND);
  const right = openNode(time, service.serve, store.leases);
  right.watching.start();
  for (let nth = 0; nth < 6; nth += 1) {
    post();
    if (nth % 2 === 0) post();
    await time.run(7 * SECOND);
    // As its account might do.
    if (nth === 2) store.change(first, 'paused', time.now());
    if (nth === 3) store.change(first, 'active', time.now());
    if (nth === 4) store.change(third, 'ended', time.now());
  }
  const closed = left.state.isKilled ? undefined : left.watching.close();
  await time.run(120 * SECOND);
  if (!left.state.isKilled) await closed;
  const all = Array.from({ length: 9 }, (_, nth) => nth + 1);
  for (const watch of watches) {
    const deliveries = store.of(watch);
    const items = deliveries.flatMap(({ body }) => itemsOf(body));
    // A watch that was ended has what was charged for it until then.
    expect(items).toEqual(watch === third ? all.slice(0, items.length) : all);
    expect(deliveries.map(({ number }) => number)).toEqual(deliveries.map((_, nth) => nth + 1));
    for (const { deliveryId, charged } of deliveries) expect(state.paid.get(deliveryId ?? '')).toBe(charged);
    expect(store.rows.get(watch.watchId)).toMatchObject({ spent: items.length, number: deliveries.length });
  }
  expect(state.paid.size).toBe(store.written.length);
  if (!left.state.isKilled) expect(right.claims[0]).toBe(0);
  if (!left.state.isKilled) expect(right.claims.find((claimed) => claimed > 0)).toBe(2);
  expect([left, right].flatMap(({ failures }) => failures)).toEqual([]);
  return left.state.moves;
}

it.each([1, 100])('loses nothing when a process dies at any of its moves, with %s items at a time', async (perCall) => {
  const moves = await run(Number.POSITIVE_INFINITY, perCall);
  expect(moves).toBeGreaterThan(60);
  for (let diesAt = 1; diesAt <= moves; diesAt += 1) await run(diesAt, perCall);
});
