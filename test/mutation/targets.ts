/** What is mutated, and which tests are asked about it: the quick ones first, and the slow ones only about what those let live. */
export interface Target {
  readonly mutate: readonly string[];
  /** In this process, without a database. */
  readonly unit: readonly string[];
  /** Whole services over a database. */
  readonly postgres: readonly string[];
}

export const TARGETS = {
  metering: {
    mutate: ['src/metering/*.ts'],
    unit: ['test/metering'],
    postgres: [
      ...['balance', 'batches', 'budget', 'filling', 'flights', 'objects', 'prices'].map(
        (name) => `test/rules/${name}`,
      ),
      ...['test/metering', 'test/test-mode', 'test/serve/known-price', 'test/serve/known-answers'],
    ],
  },
  access: {
    mutate: ['src/access/*.ts'],
    unit: ['test/access', 'test/observing/signature'],
    postgres: ['test/rules/keys', 'test/rules/keyless', 'test/rules/limits'],
  },
  read: {
    mutate: ['src/read/*.ts'],
    unit: ['test/read', 'test/serve', 'test/metering/trimming'],
    postgres: ['cursors', 'filling', 'flights', 'gone', 'objects', 'served-lists'].map((name) => `test/rules/${name}`),
  },
} as const satisfies Record<string, Target>;
