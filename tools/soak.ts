/** `npm run soak`: runs `soak.system.test.ts` for a given time. */
import { spawn } from 'node:child_process';
import { parseArgs } from 'node:util';

const HELP = `npm run soak -- [--minutes N] [--seed N]

Runs two nodes, Redis and Postgres under mixed load. One call in twenty to the network fails, and one node is killed each
minute. Checks that the books are exact, that the other node's memory does not grow, that it leaks no descriptor or timer,
and that it answers as quickly at the end as at the beginning. Runs for 10 minutes by default. Needs redis-server.`;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const minutes = Number(values.minutes);
if (values.help || !(minutes > 0)) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const child = spawn(
  'npx',
  ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'system', 'test/ops/soak/soak.system.test.ts'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      SOAK_SECONDS: String(Math.round(minutes * 60)),
      ...(values.seed !== undefined && { SOAK_SEED: values.seed }),
    },
  },
);
child.on('exit', (code) => process.exit(code ?? 1));
