import { expect, it } from 'vitest';
import { tuneGarbageCollection } from '../../adapters/cli/serve/garbage-collection.js';

const GROWTH = '--heap-growing-percent=75';
const PRETENURING = '--no-allocation-site-pretenuring';

it.each([
  ['by itself', [], [GROWTH, PRETENURING]],
  ['beside other options', ['--max-old-space-size=4096', '--no-warnings'], [GROWTH, PRETENURING]],
  ['but for the growth, where the operator has set it', ['--heap-growing-percent=40'], [PRETENURING]],
  ['also where it is spelt as V8 does', ['--heap_growing_percent=40'], [PRETENURING]],
  ['but for a switch that the operator has set', ['--allocation-site-pretenuring'], [GROWTH]],
  ['also one that is off', ['--no-allocation-site-pretenuring'], [GROWTH]],
  ['also one that is off, as V8 spells it', ['--noallocation_site_pretenuring'], [GROWTH]],
])('tunes garbage collection %s', (_name, nodeOptions, expected) => {
  const flags: string[] = [];
  tuneGarbageCollection(nodeOptions, (flag) => flags.push(flag));
  expect(flags).toEqual(expected);
});
