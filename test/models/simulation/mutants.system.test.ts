/** Proves that the simulation finds faults: each mutant of the real code breaks the invariant it names. */
import { expect, it } from 'vitest';
import { MUTANTS } from './mutants.js';
import { bundle } from './parts/bundle.js';
import { runSeeds } from './seeds.js';

it.each(Object.entries(MUTANTS))('finds %s', { timeout: 600_000 }, async (name, mutant) => {
  const program = await bundle(name, mutant);
  try {
    const range = { from: mutant.from, count: mutant.within, processes: 2 };
    const { failed, seeds } = await runSeeds(program, { ...range, untilFailure: true });
    const found = failed.find(({ violations }) => violations.some((what) => what.startsWith(`${mutant.breaks}: `)));
    console.log(`${mutant.name}: found after ${seeds} seeds, by seed ${found?.seed}`);
    expect(found).toBeDefined();
  } finally {
    program.remove();
  }
});
