import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { ON_ONE_NODE, PROJECTS } from './projects.js';

const root = new URL('..', import.meta.url).pathname;
// Most tests wait for a process or a clock: two at a time even on one core.
const maxWorkers = Math.max(2, availableParallelism());
const leftOut = process.env.TEST_SECOND_NODE ? Object.values(ON_ONE_NODE).flat() : [];

export default defineConfig({
  root,
  test: {
    // Here and not in a project: one server for the whole run.
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { shuffle: true },
    maxWorkers,
    projects: PROJECTS.map(({ name, include, exclude }, groupOrder) => ({
      root,
      esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
      // One copy of graphql for our files and for packages: Vite would take its module build, Node takes the other.
      resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
      test: {
        name,
        include: [...include],
        exclude: [...exclude, ...leftOut],
        // Files share a worker and what it has loaded: they change nothing that another could see.
        isolate: false,
        maxWorkers,
        // One project after the other, the quickest first: a worker serves only one of them.
        sequence: { shuffle: true, groupOrder },
        testTimeout: 30_000,
        hookTimeout: 60_000,
      },
    })),
  },
});
