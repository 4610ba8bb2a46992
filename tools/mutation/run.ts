/** `npm run mutate`: changes the code in one place at a time, and checks whether the tests notice. */
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { type Mutant, placeOf, report, unexplainedOf, wasLeftAsStatic } from './report.js';
import { SELECTED_TESTS, type SelectedTests, TARGETS, type Target } from './targets.js';

const HELP = `npm run mutate -- TARGET [--only FILE[:LINE-LINE]]… [--quick] [--jobs N]

Mutation testing. Changes every place of the target in every way that Stryker knows, one at a time, and runs those tests of
the target that reach the place: the quick ones first, then, for changes that survive them and that nothing explains, the
ones over a database. Prints a surviving change at once, and at the end lists those that no test notices. The command fails
unless each of them is killed by a test or explained in tools/mutation/explained.ts.

Targets: ${Object.keys(TARGETS).join(', ')}.

  --only   change only this file of the target, or these lines of the file
  --quick  run only the quick tests: the others may notice what survives them
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

interface RunOptions {
  readonly places: readonly string[];
  readonly tests: SelectedTests;
  /** Whether to load the code again and run all tests for each change, for changes in code that runs while loading. */
  readonly isReloaded: boolean;
}

/** Makes the changes in these places, and returns which of them the tests notice. */
async function runMutations({ places, tests, isReloaded }: RunOptions): Promise<readonly Mutant[]> {
  // Read by tools/mutation/vitest.config.ts in the processes that run the tests.
  process.env[SELECTED_TESTS] = JSON.stringify(tests);
  return new Stryker({
    mutate: [...places],
    testRunner: 'vitest',
    plugins: ['@stryker-mutator/vitest-runner', './tools/mutation/reporter.mjs'],
    vitest: { configFile: 'tools/mutation/vitest.config.ts', related: false },
    coverageAnalysis: 'perTest',
    ignoreStatic: !isReloaded,
    concurrency: Number(values.jobs),
    // Not behaviour: texts of errors and logs.
    mutator: { excludedMutations: ['StringLiteral'] },
    ignorePatterns: ['dist', '.perch'],
    reporters: ['progress-append-only', 'survivors'],
    tempDirName: '.mutation',
    symlinkNodeModules: false,
    cleanTempDir: 'always',
    timeoutMS: 20_000,
    timeoutFactor: 2,
    allowConsoleColors: false,
  }).runMutationTest();
}

const unit: SelectedTests = { project: 'unit', paths: target.unit };
let mutants = await runMutations({ places: values.only ?? target.mutate, tests: unit, isReloaded: false });
await rerun(wasLeftAsStatic, unit, true);
for (const paths of values.quick ? [] : target.postgres) {
  const open = unexplainedOf(mutants);
  // Again for changes in code that runs while loading, which tests without a database have not covered.
  await rerun((mutant) => open.has(mutant), { project: 'postgres', paths }, true);
}
process.exit(report(mutants, { isWhole: !values.only?.some((place) => place.includes(':')) }));

/** Runs other tests for some of the changes. A change that these notice counts as noticed. */
async function rerun(which: (mutant: Mutant) => boolean, tests: SelectedTests, isReloaded: boolean): Promise<void> {
  const open = new Map(mutants.filter(which).map((mutant) => [nameOf(mutant), mutant]));
  if (open.size === 0) return;
  console.log(
    `${open.size} of ${mutants.length} changes run against tests in ${tests.paths.join(', ')} (${tests.project})`,
  );
  const places = [...open.values()].map(placeOf);
  const again = new Map((await runMutations({ places, tests, isReloaded })).map((mutant) => [nameOf(mutant), mutant]));
  mutants = mutants.map((mutant) => (open.has(nameOf(mutant)) ? (again.get(nameOf(mutant)) ?? mutant) : mutant));
}

function nameOf(mutant: Mutant): string {
  return `${placeOf(mutant)} ${mutant.mutatorName} ${mutant.replacement}`;
}
