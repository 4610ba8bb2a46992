import { expect, it } from 'vitest';
import { boundHeapGrowth } from '../../adapters/cli/heap-growth.js';

it.each([
  ['by itself', [], ['--heap-growing-percent=100']],
  ['beside other options', ['--max-old-space-size=4096'], ['--heap-growing-percent=100']],
  ['not where the operator has set it', ['--heap-growing-percent=40'], []],
  ['nor where it is spelt as V8 does', ['--heap_growing_percent=40'], []],
])('the growth of the heap is bounded %s', (_name, nodeOptions, expected) => {
  const flags: string[] = [];
  boundHeapGrowth(nodeOptions, (flag) => flags.push(flag));
  expect(flags).toEqual(expected);
});
