import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { REPAIRED_FILE, repaired } from '../app/build/postgres-driver.mjs';
import { LongestFirst } from './longest-first.js';
import { ON_ONE_NODE, PROJECTS, type Project } from './projects.js';

const root = new URL('..', import.meta.url).pathname;
const leftOut = process.env.TEST_SECOND_NODE ? Object.values(ON_ONE_NODE).flat() : [];

/** Repairs the Postgres driver as the build does. */
const postgresDriver = {
  name: 'postgres driver',
  transform: (text: string, path: string) => (REPAIRED_FILE.test(path) ? repaired(text, path) : undefined),
} satisfies NonNullable<ViteUserConfig['plugins']>[number];

interface Limits {
  /** How many files of a project run at a time. Must be the same for all projects of a turn. */
  readonly workersFor: (name: Project['name']) => number;
  readonly testTimeout: number;
  readonly hookTimeout: number;
  /** Options of Node for a worker. Worker threads take none that are V8's. */
  readonly execArgv?: string[];
}

const TURNS: readonly (readonly Project['name'][])[] = [['postgres', 'checks', 'unit'], ['system']];

/** The configuration that runs these projects. */
export const suiteOf = (projects: readonly Project[], { workersFor, ...timeouts }: Limits): ViteUserConfig => ({
  root,
  test: {
    // Here and not in a project, because one server serves the whole run.
    globalSetup: ['test/kit/global-setup.ts'],
    sequence: { shuffle: true, sequencer: LongestFirst },
    projects: projects.map(({ name, include, exclude }) => ({
      root,
      plugins: [postgresDriver],
      esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
      // Our files and packages must load the same copy of graphql: Vite would take its ESM build, but Node takes the other.
      resolve: { alias: [{ find: /^graphql$/, replacement: createRequire(import.meta.url).resolve('graphql') }] },
      test: {
        name,
        include: [...include],
        exclude: [...exclude, ...leftOut],
        // Files share a worker and the modules it has loaded: they change nothing that another file could see.
        isolate: false,
        // Most objects of a worker are short-lived. With room for them, a suite takes a tenth less processor time.
        execArgv: ['--max-semi-space-size=64'],
        maxWorkers: workersFor(name),
        // Turns run one after the other, the quickest first. Within a turn, a worker that finds no more files of one project
        // continues with the next.
        sequence: { shuffle: true, groupOrder: TURNS.findIndex((names) => names.includes(name)) },
        // In CI, a module is transpiled once for all projects and both versions of Node. Not elsewhere, because the cache
        // would know the old name of a file that is renamed between two runs.
        experimental: { fsModuleCache: process.env.CI === 'true' },
        // So that the plugin transforms it.
        server: { deps: { inline: ['postgres'] } },
        // The default of a second is not enough for a browser or a process on a busy machine.
        expect: { poll: { timeout: 30_000 } },
        ...timeouts,
      },
    })),
  },
});

// Tests often wait for a database, a process or a clock, so more run than there are cores. Those of `system` also start
// processes that need the cores.
const workersFor = (name: Project['name']): number => availableParallelism() + (name === 'system' ? 2 : 3);

// Only what hangs takes as long: on a busy machine, a test takes twenty times as long as alone.
export default defineConfig(suiteOf(PROJECTS, { workersFor, testTimeout: 120_000, hookTimeout: 120_000 }));
