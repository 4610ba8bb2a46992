import { expect, it } from 'vitest';
import { simulate } from './parts/run.js';

const SEEDS = Array.from({ length: 20 }, (_, nth) => nth + 1);

it('repeats a run to the last message with the same seed, and not with another', async () => {
  const first = [];
  for (const seed of SEEDS) first.push(await simulate(seed));
  for (const { seed, hash, events } of first.toReversed()) {
    const again = await simulate(seed);
    expect([again.hash, again.events]).toEqual([hash, events]);
  }
  expect(new Set(first.map(({ hash }) => hash)).size).toBe(SEEDS.length);
  expect(new Set(first.map(({ order }) => order)).size).toBe(SEEDS.length);
});

it('repeats a traced run exactly, with a line for each event', async () => {
  const [unkept, kept] = [await simulate(7), await simulate(7, { isTraced: true })];
  expect(kept.hash).toBe(unkept.hash);
  expect(kept.lines).toHaveLength(kept.events);
  expect(unkept.lines).toEqual([]);
});
