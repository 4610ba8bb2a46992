import fc from 'fast-check';
import { expect, it } from 'vitest';
import { KINDS } from '../calls/world.js';
import { runs, type Step, SUITE } from './steps.js';

const nameOf = (step: Step): string => {
  if (step.step === 'cut off') return `cut off while ${step.at}`;
  if (step.step === 'follow') return step.isLost ? 'lost stream' : 'follow';
  if (step.step === 'watch') return step.killedAt === null ? 'watch' : `watch killed while ${step.killedAt}`;
  if (step.step === 'storm') return step.killedAfter === undefined ? 'storm' : 'killed storm';
  return step.step;
};

const RUNS = Array.from({ length: SUITE.rounds }, (_, round) =>
  fc.sample(runs(SUITE), { seed: SUITE.seed + round, numRuns: SUITE.round }),
).flat();

it('the fixed runs have every kind of step and kill the process at every moment', () => {
  const kills = [
    'kill',
    'cut off while reading',
    'cut off while settling',
    'cut off while answering',
    'killed storm',
    'lost stream',
    'watch killed while settling',
    'watch killed while writing',
    'watch killed while delivering',
  ];
  const others = ['call', 'follow', 'watch', 'estimate', 'fault', 'hang', 'crowd', 'storm', 'wait', 'change'];
  const administering = ['grant', 'add key', 'revoke', 'rotate'];
  const steps = new Set(RUNS.flat().map(nameOf));
  expect([...steps].sort()).toEqual([...kills, ...others, ...administering].sort());
});

it('the fixed runs read every list, and lists below lists', () => {
  const requests = RUNS.flat().flatMap((step) => ('requests' in step ? step.requests : []));
  const lists = requests.filter((request) => request.read === 'list');
  expect(new Set(lists.map(({ kind }) => kind))).toEqual(new Set(KINDS));
  expect(lists.some(({ below = [] }) => below.length > 0)).toBe(true);
  expect(
    requests.some((request) => 'below' in request && request.below?.some(({ below = [] }) => below.length > 0)),
  ).toBe(true);
});
