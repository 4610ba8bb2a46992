/** `npm run torture`: runs the random calls of `model.system.test.ts` for a given time. */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const HELP = `npm run torture -- [--minutes N] [--seed N] [--path PATH] [--mount yoga|mercurius]

Sends the same random calls to the service and to the model of its meter, half of the time over each GraphQL server, kills
the service's process now and then, and compares every charge, balance, page, cursor, label and header. Runs for 60 minutes
by default. Prints its progress. If something differs, prints the shortest list of steps it could find that shows it, and
the seed and the path that repeat them.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string' },
    path: { type: 'string' },
    mount: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const minutes = Number(values.minutes);
if (values.help || !(minutes > 0)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const seconds = (minutes * 60) / (values.mount === undefined ? 2 : 1);
const only = values.mount === undefined ? [] : ['--testNamePattern', `over ${values.mount}`];
const file = 'test/models/books/model.system.test.ts';
const child = spawn(
  'npx',
  ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'system', file, ...only],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      MODEL_SECONDS: String(seconds),
      ...(values.seed !== undefined && { MODEL_SEED: values.seed }),
      ...(values.path !== undefined && { MODEL_PATH: values.path }),
    },
  },
);
child.on('exit', (code) => process.exit(code ?? 1));
