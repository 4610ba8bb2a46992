/** The tests that are asked about a target, run as those of their project are. */
import { defineConfig } from 'vitest/config';
import { PROJECTS } from '../../test/projects.js';
import { suiteOf } from '../../test/vitest.config.js';
import { readAsked } from './targets.js';

const { project, paths } = readAsked(process.env);
const kind = project === 'postgres' ? 'postgres.test.ts' : 'test.ts';
const include = paths.flatMap((path) => (path.includes('*') ? [path] : [`${path}*.${kind}`, `${path}/**/*.${kind}`]));

export default defineConfig(
  suiteOf(
    PROJECTS.filter(({ name }) => name === project).map((one) => ({ ...one, include })),
    // A test that waits for what a change prevents is told to stop sooner. Changes are made side by side, not tests.
    { workersFor: () => 1, testTimeout: 10_000, hookTimeout: 30_000 },
  ),
);
