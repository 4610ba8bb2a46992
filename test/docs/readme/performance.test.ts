import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SCENARIOS } from '../../../bench/options.js';
import { READS, VARIED } from '../../../bench/scenarios/reads.js';
import { ROOT } from './markdown.js';

const PAGE = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');

describe('docs/performance.md matches the benchmark', () => {
  it('scenarios that the benchmark has', () => {
    const letters = [...PAGE.matchAll(/--only ([A-Z](?:,[A-Z])*)/g)].flatMap(([, list = '']) => list.split(','));
    expect(letters.length).toBeGreaterThan(0);
    expect(letters.filter((letter) => !(letter in SCENARIOS))).toEqual([]);
  });

  it.each([
    ['A, B, C', 'A, B, C'],
    ['D', 'D'],
  ])('the goals of %s', (_title, letters) => {
    const [row = ''] = PAGE.split('\n').filter((line) => line.startsWith('|') && line.includes(`(${letters})`));
    const [few, many] = row
      .split('|')
      .slice(-3, -1)
      .map((cell) => cell.trim());
    const goals = [...READS, ...VARIED]
      .filter(({ letter }) => letters.split(', ').includes(letter))
      .flatMap(({ against }) => against.flatMap(({ goals }) => (goals ? [goals] : [])));
    expect(goals.length).toBeGreaterThan(0);
    for (const goal of goals) expect(goal).toEqual({ 32: few, 128: many });
  });
});
