import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../../bench/options.js';
import { KINDS } from '../../../bench/profile/kinds.js';
import { CHARGED, READS, VARIED } from '../../../bench/scenarios/reads.js';
import { ROOT, tableOf } from './markdown.js';

const PAGE = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');

describe('docs/performance.md matches the benchmark', () => {
  it('names scenarios that the benchmark has', () => {
    const letters = [...PAGE.matchAll(/--only ([A-Z](?:,[A-Z])*)/g)].flatMap(([, list = '']) => list.split(','));
    expect(letters.length).toBeGreaterThan(0);
    expect(letters.filter((letter) => !(letter in SCENARIOS))).toEqual([]);
  });

  it.each([['A, B'], ['C'], ['D'], ['E']])('states the goals of %s as the benchmarks do', (letters) => {
    const [row = ''] = PAGE.split('\n').filter((line) => line.startsWith('|') && line.includes(`(${letters})`));
    const [few, many] = row
      .split('|')
      .slice(-3, -1)
      .map((cell) => cell.trim());
    const goals = [...READS, ...VARIED, ...CHARGED]
      .filter(({ letter }) => letters.split(', ').includes(letter))
      .flatMap(({ against }) => against.flatMap(({ goals }) => (goals ? [goals] : [])));
    expect(goals.length).toBeGreaterThan(0);
    for (const goal of goals) expect(goal).toEqual({ ...(few && { 32: few }), ...(many && { 128: many }) });
  });

  it('states the bounds on files of a request as the test does', () => {
    const rows = KINDS.map(({ name, most, goal = '' }) => [name, `${most}`, `${goal}`]);
    expect(tableOf(PAGE, 'Request')).toEqual(rows);
  });
});
