/** The tests for a target, run as in their project. */
import { defineConfig } from 'vitest/config';
import type { Reporter, TestModule, TestSuite, Vitest } from 'vitest/node';
import { PROJECTS } from '../../test/projects.js';
import { suiteOf } from '../../test/vitest.config.js';
import { readSelectedTests } from './targets.js';

const { project, paths } = readSelectedTests(process.env);
const kind = project === 'postgres' ? 'postgres.test.ts' : 'test.ts';
const include = paths.flatMap((path) => (path.includes('*') ? [path] : [`${path}*.${kind}`, `${path}/**/*.${kind}`]));

const { test, ...suite } = suiteOf(
  PROJECTS.filter(({ name }) => name === project).map((one) => ({ ...one, include })),
  // Shorter timeouts, for tests that wait for what a change prevents. Changes run in parallel, tests do not.
  { workersFor: () => 1, testTimeout: 10_000, hookTimeout: 30_000, execArgv: [] },
);

/** Stryker checks tests only. To it, a file that cannot be loaded or a hook that fails would be no failure. */
function failuresOutsideTests(): Reporter {
  let vitest: Vitest;
  const reportErrors = (suite: TestModule | TestSuite): void => {
    for (const error of suite.errors()) vitest.state.catchError(error, 'Unhandled Error');
  };
  return {
    onInit(running) {
      vitest = running;
    },
    onTestModuleEnd: reportErrors,
    onTestSuiteResult: reportErrors,
  };
}

export default defineConfig({ ...suite, test: { ...test, reporters: [failuresOutsideTests()] } });
