/** `npm run mutate`: changes the code in one place at a time, and checks whether the tests notice. */
import { parseArgs } from 'node:util';
import { Stryker } from '@stryker-mutator/core';
import { type Mutant, placeOf, report, unexplainedOf, wasLeftAsStatic } from './report.js';
import { ASKED, type AskedTests, TARGETS, type Target } from './targets.js';

const HELP = `npm run mutate -- TARGET [--only FILE[:LINE-LINE]]… [--quick] [--jobs N]

Mutation testing. Every place of the target is changed in every way that Stryker knows, one at a time, and those tests of
the target that reach the place run on each change: the quick ones first, then, on what those let live and nothing
explains, the ones over a database. A change that lives is told at once. At the end, those that no test notices are
listed; each has to be killed by a test or explained in tools/mutation/explained.ts; otherwise the command fails.

Targets: ${Object.keys(TARGETS).join(', ')}.

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

interface Asking {
  readonly places: readonly string[];
  readonly tests: AskedTests;
  /** Whether to load the code again and run all tests for each change, for changes in code that runs while loading. */
  readonly isReloaded: boolean;
}

/** Makes the changes in these places, and returns which of them the tests notice. */
async function ask({ places, tests, isReloaded }: Asking): Promise<readonly Mutant[]> {
  // Read by tools/mutation/vitest.config.ts in the processes that run the tests.
  process.env[ASKED] = JSON.stringify(tests);
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

const unit: AskedTests = { project: 'unit', paths: target.unit };
let mutants = await ask({ places: values.only ?? target.mutate, tests: unit, isReloaded: false });
await askAgain(wasLeftAsStatic, unit, true);
for (const paths of values.quick ? [] : target.postgres) {
  const open = unexplainedOf(mutants);
  // Again for changes in code that runs while loading, which tests without a database have not covered.
  await askAgain((mutant) => open.has(mutant), { project: 'postgres', paths }, true);
}
process.exit(report(mutants, { isWhole: !values.only?.some((place) => place.includes(':')) }));

/** Runs other tests for some of the changes. A change that these notice counts as noticed. */
async function askAgain(which: (mutant: Mutant) => boolean, tests: AskedTests, isReloaded: boolean): Promise<void> {
  const open = new Map(mutants.filter(which).map((mutant) => [nameOf(mutant), mutant]));
  if (open.size === 0) return;
  console.log(
    `${open.size} of ${mutants.length} changes are asked of tests in ${tests.paths.join(', ')} (${tests.project})`,
  );
  const places = [...open.values()].map(placeOf);
  const again = new Map((await ask({ places, tests, isReloaded })).map((mutant) => [nameOf(mutant), mutant]));
  mutants = mutants.map((mutant) => (open.has(nameOf(mutant)) ? (again.get(nameOf(mutant)) ?? mutant) : mutant));
}

function nameOf(mutant: Mutant): string {
  return `${placeOf(mutant)} ${mutant.mutatorName} ${mutant.replacement}`;
}
