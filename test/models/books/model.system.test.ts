/** Gives the service and a model of its meter the same random calls; they must agree on every credit. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { MOUNTS } from '../../interfaces/graphql/service.js';
import { type Bench, openBench } from './bench.js';
import { START_MS } from './processes.js';
import { run } from './run.js';
import { runs, type Step, SUITE } from './steps.js';

/** `npm run torture` sets it, to run for that long. Otherwise the same runs are made each time. */
const SECONDS = Number(process.env.MODEL_SECONDS ?? 0);
const SEED = process.env.MODEL_SEED;
const PATH = process.env.MODEL_PATH;

const REPORT_MS = 10_000;
const SHRINK_MS = 150_000;

describe.each(MOUNTS)('any sequence of calls, over %s', (mount) => {
  let bench: Bench;
  beforeAll(async () => {
    bench = await openBench(mount);
  }, START_MS);
  afterAll(() => bench.close());

  it('has the charges, balances, pages, cursors, labels and headers of the model', {
    timeout: SECONDS * 1000 + 4 * SHRINK_MS,
  }, async () => {
    const seed = Number(SEED ?? (SECONDS > 0 ? Math.floor(Math.random() * 2 ** 30) : SUITE.seed));
    const endsAtMs = Date.now() + SECONDS * 1000;
    let [count, taken, reportedAtMs] = [0, 0, Date.now()];
    const property = fc.asyncProperty(runs(SUITE), async (steps: Step[]) => {
      await run(bench, steps);
      count += 1;
      taken += steps.length;
    });
    const goesOn = (round: number): boolean =>
      SECONDS > 0 ? round === 0 || Date.now() < endsAtMs : round < SUITE.rounds;
    for (let round = 0; goesOn(round); round += 1) {
      await fc.assert(property, {
        // A failure reports the seed of its round.
        seed: seed + round,
        numRuns: SUITE.round,
        // A failing run is shrunk for as long.
        interruptAfterTimeLimit: SHRINK_MS,
        ...(PATH !== undefined && { path: PATH }),
      });
      if (Date.now() - reportedAtMs < REPORT_MS) continue;
      reportedAtMs = Date.now();
      console.log(`${mount}: ${count} runs, ${taken} steps, seeds ${seed} to ${seed + round}`);
    }
    console.log(`${mount}: ${count} runs, ${taken} steps in all, from seed ${seed}`);
  });
});
