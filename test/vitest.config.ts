import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  root: new URL('..', import.meta.url).pathname,
  // One copy of graphql for our files and for packages: Vite would take its module build, Node takes the other.
  resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    sequence: { shuffle: true },
    // Most tests wait for a process or a clock: two at a time even on one core.
    maxWorkers: Math.max(2, availableParallelism()),
    // Files share a worker and what it has loaded: they change nothing that another could see.
    isolate: false,
    testTimeout: 30_000,
    hookTimeout: 60_000,
  },
});
