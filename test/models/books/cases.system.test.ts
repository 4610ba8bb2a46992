import { afterAll, beforeAll, describe, it } from 'vitest';
import { MOUNTS } from '../../interfaces/graphql/service.js';
import { type Bench, openBench } from './bench.js';
import { CASES } from './cases.js';
import { START_MS } from './processes.js';
import { run } from './run.js';

describe.each(MOUNTS)('cases that random runs found, over %s', (mount) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(mount);
  }, START_MS);
  afterAll(() => bench.close());

  // Longer than a few steps may take, so that the step that never ends is named.
  it.each(Object.entries(CASES))('%s', { timeout: 600_000 }, (_name, steps) => run(bench, steps));
});
