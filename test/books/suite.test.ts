import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runs, type Step } from './steps.js';
import { SUITE } from './suite.js';

const nameOf = (step: Step): string => {
  if (step.step === 'cut off') return `cut off while ${step.at}`;
  if (step.step === 'storm') return step.killedAfter === undefined ? 'storm' : 'killed storm';
  return step.step;
};

it('the runs that are made each time have every kind of step, and kill the process at every moment', () => {
  const rounds = Array.from({ length: SUITE.rounds }, (_, round) =>
    fc.sample(runs(SUITE), { seed: SUITE.seed + round, numRuns: SUITE.round }),
  );
  const steps = new Set(rounds.flat(2).map(nameOf));
  const kills = ['kill', 'cut off while reading', 'cut off while settling', 'cut off while answering', 'killed storm'];
  const others = ['call', 'estimate', 'fault', 'hang', 'crowd', 'storm', 'wait', 'change'];
  const administering = ['grant', 'add key', 'revoke', 'rotate'];
  expect([...steps].sort()).toEqual([...kills, ...others, ...administering].sort());
});
