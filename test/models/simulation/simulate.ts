/** `npm run simulate`: runs seeds of the simulation, or one seed with its trace. */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { MUTANTS, type MutantName } from './mutants.js';
import { bundle } from './parts/bundle.js';
import { simulate } from './parts/run.js';
import { runSeeds, type Summary } from './seeds.js';

const HELP = `npm run simulate -- [--seeds N] [--from S] [--processes N] [--mutant NAME]
npm run simulate -- --trace S

Runs several nodes in one process, on a virtual clock. The seed of a run decides what its clients do, in which order
messages arrive, and what fails. Runs 10,000 seeds by default, starting with 1. Prints how many interleavings were reached,
and each seed that breaks an invariant. --trace prints everything that happens in the run of one seed.

Mutants are faults put into the code, which the simulation must find: ${Object.keys(MUTANTS).join(', ')}`;

const REPORT_MS = 5_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '10000' },
    from: { type: 'string', default: '1' },
    processes: { type: 'string', default: String(availableParallelism()) },
    mutant: { type: 'string' },
    trace: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const [count, from, processes] = [values.seeds, values.from, values.processes].map(Number) as [number, number, number];
const isMutant = (name: string): name is MutantName => name in MUTANTS;
const isWrong =
  !(count >= 1 && from >= 0 && processes >= 1) || (values.mutant !== undefined && !isMutant(values.mutant));

if (values.help || isWrong) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 2;
} else if (values.trace !== undefined) {
  await trace(Number(values.trace));
} else {
  await run(values.mutant);
}

async function trace(seed: number): Promise<void> {
  const { lines, violations, hash, faults } = await simulate(seed, { isTraced: true });
  console.log(lines.join('\n'));
  console.log(`\nseed ${seed}, faults: ${faults.join(', ') || 'none'}, hash of the trace: ${hash}`);
  for (const violation of violations) console.log(`broken: ${violation}`);
  process.exitCode = violations.length > 0 ? 1 : 0;
}

async function run(mutant: string | undefined): Promise<void> {
  const program = await bundle('simulate', mutant !== undefined && isMutant(mutant) ? MUTANTS[mutant] : undefined);
  let reportedAtMs = performance.now();
  const onReport = (sum: Summary): void => {
    if (performance.now() - reportedAtMs < REPORT_MS) return;
    reportedAtMs = performance.now();
    console.log(`${sum.seeds} of ${count} seeds, ${Math.round(sum.seeds / sum.seconds)} per second`);
  };
  try {
    const sum = await runSeeds(program, { from, count, processes, onReport });
    report(sum);
  } finally {
    program.remove();
  }
}

function report({ seeds, events, calls, answered, orders, failed, seconds }: Summary): void {
  for (const { seed, violations } of failed) {
    console.log(`\nseed ${seed}, which \`npm run simulate -- --trace ${seed}\` shows:`);
    for (const violation of violations) console.log(`  ${violation}`);
  }
  console.log(
    `${seeds} seeds in ${seconds.toFixed(1)} s (${Math.round(seeds / seconds)} per second), ${orders.size} distinct interleavings, ${events} events, ${calls} calls, ${answered} of them answered, ${failed.length} seeds failed`,
  );
  if (failed.length > 0) process.exitCode = 1;
}
