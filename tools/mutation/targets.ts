import { z } from 'zod';

/** What is mutated, and which tests run for it: the quick ones first, the slow ones only for surviving changes. */
export interface Target {
  readonly mutate: readonly string[];
  /** Tests in one process, without a database. */
  readonly unit: SelectedTests['paths'];
  /** Tests over a database, in stages. Each runs only for changes that survived those before, so most cost little. */
  readonly postgres: readonly SelectedTests['paths'][];
}

/** The tests to run, as JSON, for the workers that run them. */
export const SELECTED_TESTS = 'PERCH_MUTATION_TESTS';

const selectedTests = z.object({ project: z.enum(['unit', 'postgres']), paths: z.array(z.string()).nonempty() });

/** The tests of one project of `test/projects.ts` whose paths begin with this, or match it. */
export type SelectedTests = z.infer<typeof selectedTests>;

export const readSelectedTests = (env: NodeJS.ProcessEnv): SelectedTests =>
  selectedTests.parse(JSON.parse(env[SELECTED_TESTS] ?? 'null'));

type Names = [string, ...string[]];

const inFolder =
  (folder: string) =>
  (...names: Names): SelectedTests['paths'] =>
    names.map((name) => `${folder}/${name}`) as Names;

const rules = inFolder('test/rules');
const inPostgres = inFolder('test/postgres');

export const TARGETS = {
  metering: {
    mutate: ['src/metering/*.ts', 'src/figures/cost-book.ts'],
    unit: ['test/engine/metering'],
    postgres: [
      [
        'test/engine/metering',
        'test/rules/test-mode',
        'test/engine/serve/known-price',
        'test/engine/serve/known-answers',
      ],
      rules('balance', 'batches', 'budget', 'filling', 'flights', 'objects', 'prices'),
    ],
  },
  access: {
    mutate: ['src/access/*.ts'],
    unit: ['test/engine/access', 'test/ops/observing/signature'],
    postgres: [rules('keys', 'keyless', 'limits')],
  },
  read: {
    mutate: ['src/read/*.ts', 'src/figures/status-book.ts'],
    // Not the tests of the pool below, which wait for real time and do not reach these files.
    unit: ['test/engine/read/*.test.ts', 'test/engine/serve', 'test/engine/metering/trimming'],
    postgres: [rules('cursors', 'filling', 'flights', 'gone', 'objects', 'served-lists')],
  },
  ledger: {
    mutate: [...['caps', 'debit-statement', 'group-commit', 'ledger', 'plain-debits', 'post']]
      .map((name) => `adapters/postgres/ledger/${name}.ts`)
      .concat('adapters/postgres/retry.ts'),
    unit: ['test/postgres', 'test/engine/metering'],
    postgres: [
      inPostgres(
        ...['posting/plain-debits', 'posting/debit-statement', 'ledger/caps', 'ledger/account-history'],
        'shards/shard-servers',
      ),
      [
        ...['test/engine/ports/ledger', 'test/engine/metering/wallet'],
        ...inPostgres('posting/debits', 'ledger/ledger-commits'),
      ],
      [
        ...inPostgres('driver', 'retry', 'ledger/ledger-archive', 'ledger/ledger-parquet'),
        ...['test/interfaces/v1/usage', 'test/rules/test-mode/play-credits', ...rules('balance', 'budget')],
      ],
    ],
  },
} as const satisfies Record<string, Target>;
