/** `npm run mutate`: changes the code in one place at a time, and asks the tests whether they notice. */
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { report } from './report.js';
import { TARGETS, type Target } from './targets.js';

const HELP = `npm run mutate -- TARGET [--only FILE[:LINE-LINE]]… [--quick] [--jobs N]

Mutation testing. Every place of the target is changed in every way that Stryker knows, one at a time, and the tests of
the target run on each change: the quick ones, then those over a database. A change that no test notices is listed, and
has to be killed by a test or explained in test/mutation/explained.ts; otherwise the command fails.

Targets: ${Object.keys(TARGETS).join(', ')}. Takes about ten minutes for 200 changes on two cores.

  --only   only this file of it, or these lines of the file
  --quick  ask only the quick tests: what they let live, the others may notice
  --jobs   changes at a time (default: 2)`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    only: { type: 'string', multiple: true },
    jobs: { type: 'string', default: '2' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const target: Target | undefined = Object.entries(TARGETS).find(([name]) => name === positionals[0])?.[1];
if (values.help || target === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

/** The next change has its answer with the first test that fails. */
const vitest = (project: string, files: readonly string[]): string =>
  `node ../../node_modules/vitest/vitest.mjs run --config test/vitest.config.ts --project ${project} --bail 1 --test-timeout 120000 --reporter dot ${files.join(' ')}`;

const quick = vitest('unit', target.unit);

const results = await new Stryker({
  mutate: [...(values.only ?? target.mutate)],
  // A process for each change: what counts is its exit code, whatever the test runner keeps in memory.
  testRunner: 'command',
  commandRunner: { command: values.quick ? quick : `${quick} && ${vitest('postgres', target.postgres)}` },
  coverageAnalysis: 'off',
  concurrency: Number(values.jobs),
  // What is not a question of behaviour: texts of errors and logs.
  mutator: { excludedMutations: ['StringLiteral'] },
  ignorePatterns: ['dist', 'clients', 'examples', 'bench', '.perch'],
  reporters: ['progress-append-only'],
  tempDirName: '.mutation',
  symlinkNodeModules: false,
  cleanTempDir: 'always',
  timeoutMS: 60_000,
  timeoutFactor: 2,
  allowConsoleColors: false,
}).runMutationTest();

process.exit(report(results));
