import { z } from 'zod';

/** What is mutated, and which tests are asked about it: the quick ones first, and the slow ones only about what those let live. */
export interface Target {
  readonly mutate: readonly string[];
  /** In this process, without a database. */
  readonly unit: AskedTests['paths'];
  /** Over a database, in stages: each is asked about what the ones before let live, so that most changes cost little. */
  readonly postgres: readonly AskedTests['paths'][];
}

/** Which tests are asked, in JSON, for the workers that run them. */
export const ASKED = 'PERCH_MUTATION_TESTS';

const askedTests = z.object({ project: z.enum(['unit', 'postgres']), paths: z.array(z.string()).nonempty() });

/** Of one project of `test/projects.ts`, the tests whose paths begin so, or match. */
export type AskedTests = z.infer<typeof askedTests>;

export const readAsked = (env: NodeJS.ProcessEnv): AskedTests => askedTests.parse(JSON.parse(env[ASKED] ?? 'null'));

type Names = [string, ...string[]];

const inFolder =
  (folder: string) =>
  (...names: Names): AskedTests['paths'] =>
    names.map((name) => `${folder}/${name}`) as Names;

const rules = inFolder('test/rules');
const inPostgres = inFolder('test/postgres');

export const TARGETS = {
  metering: {
    mutate: ['src/metering/*.ts'],
    unit: ['test/metering'],
    postgres: [
      ['test/metering', 'test/test-mode', 'test/serve/known-price', 'test/serve/known-answers'],
      rules('balance', 'batches', 'budget', 'filling', 'flights', 'objects', 'prices'),
    ],
  },
  access: {
    mutate: ['src/access/*.ts'],
    unit: ['test/access', 'test/observing/signature'],
    postgres: [rules('keys', 'keyless', 'limits')],
  },
  read: {
    mutate: ['src/read/*.ts'],
    // Not those of the pool below, which wait for real time and do not reach these files.
    unit: ['test/read/*.test.ts', 'test/serve', 'test/metering/trimming'],
    postgres: [rules('cursors', 'filling', 'flights', 'gone', 'objects', 'served-lists')],
  },
  ledger: {
    mutate: [
      ...['capped-keys', 'caps', 'debit-statement', 'group-commit', 'ledger', 'plain-debits', 'post', 'uncapped-keys'],
      ...['receipt-text', 'retry'],
    ].map((name) => `adapters/postgres/${name}.ts`),
    unit: ['test/postgres', 'test/metering'],
    postgres: [
      inPostgres('plain-debits', 'debit-statement', 'caps', 'account-history'),
      ['test/ports/ledger', 'test/metering/wallet', ...inPostgres('debits', 'ledger-commits')],
      [
        ...inPostgres('lost-connections', 'retry', 'ledger-archive'),
        ...['test/v1/usage', 'test/test-mode/play-credits', ...rules('balance', 'budget')],
      ],
    ],
  },
} as const satisfies Record<string, Target>;
