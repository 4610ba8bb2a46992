import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { REPAIRED_FILE, repaired } from '../app/build/postgres-driver.mjs';
import { LongestFirst } from './longest-first.js';
import { ON_ONE_NODE, PROJECTS, type Project } from './projects.js';

const root = new URL('..', import.meta.url).pathname;
const leftOut = process.env.TEST_SECOND_NODE ? Object.values(ON_ONE_NODE).flat() : [];

/** The driver as it is in the program that is built. */
const postgresDriver = {
  name: 'postgres driver',
  transform: (text: string, path: string) => (REPAIRED_FILE.test(path) ? repaired(text) : undefined),
} satisfies NonNullable<ViteUserConfig['plugins']>[number];

interface Limits {
  /** How many files of a project run at a time; the same for those of one turn. */
  readonly workersFor: (name: Project['name']) => number;
  readonly testTimeout: number;
  readonly hookTimeout: number;
}

const TURNS: readonly (readonly Project['name'][])[] = [['postgres', 'checks', 'unit'], ['system']];

/** How these projects are run. */
export const suiteOf = (projects: readonly Project[], { workersFor, ...timeouts }: Limits): ViteUserConfig => ({
  root,
  test: {
    // Here and not in a project: one server for the whole run.
    globalSetup: ['test/kit/global-setup.ts'],
    sequence: { shuffle: true, sequencer: LongestFirst },
    projects: projects.map(({ name, include, exclude }) => ({
      root,
      plugins: [postgresDriver],
      esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
      // One copy of graphql for our files and for packages: Vite would take its module build, Node takes the other.
      resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
      test: {
        name,
        include: [...include],
        exclude: [...exclude, ...leftOut],
        // Files share a worker and what it has loaded: they change nothing that another could see.
        isolate: false,
        // A worker allocates much that dies young: with room for it, a suite takes a tenth less of the processor.
        execArgv: ['--max-semi-space-size=64'],
        maxWorkers: workersFor(name),
        // In turns, the quickest first. Within a turn a worker that finds no more files of one project takes those of the next.
        sequence: { shuffle: true, groupOrder: TURNS.findIndex((names) => names.includes(name)) },
        // In CI, a module is translated once for all projects and both versions of Node. Not where files are renamed between
        // two runs: the cache would know the old name.
        experimental: { fsModuleCache: process.env.CI === 'true' },
        // So that it goes through the plugin.
        server: { deps: { inline: ['postgres'] } },
        // For what comes by itself. A second, as it would be otherwise, is not enough for a browser on a busy machine.
        expect: { poll: { timeout: 10_000 } },
        ...timeouts,
      },
    })),
  },
});

// Tests wait for a database, a process or a clock: more at a time than there are cores. Processes of their own are busy, too.
const workersFor = (name: Project['name']): number => availableParallelism() + (name === 'system' ? 2 : 3);

export default defineConfig(suiteOf(PROJECTS, { workersFor, testTimeout: 30_000, hookTimeout: 60_000 }));
