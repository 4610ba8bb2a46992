import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';

it.each(['--heap-growing-percent', '--allocation-site-pretenuring'])('this Node knows the option %s', (option) => {
  expect(execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })).toContain(option);
});
