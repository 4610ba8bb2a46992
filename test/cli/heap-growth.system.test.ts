import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it('this Node knows the option that bounds the growth of the heap', () => {
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain('--heap-growing-percent');
});
