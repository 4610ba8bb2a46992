/** `npm run clients:suite`: the suite of clients with all its tools, and the table of docs/clients.md. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ROOT } from '../../docs/readme/markdown.js';
import { toolsTable } from './results.js';

const HELP = `npm run clients:suite -- [--only TEXT,…] [--keep FOLDER] [--write]

Installs the tools, starts the service with the demo network, uses each tool as its own documentation says, and prints the table of
docs/clients.md. Runs on the Node that is first on the PATH: put another one there to try that.

--only TEXT,…  the tools whose name contains one of the texts
--keep FOLDER  install into this folder, and use what an earlier run has installed there
--write        keep the results in test/clients/tools/results.json; \`npm run docs\` puts them into docs/clients.md`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(HELP);
} else {
  const env = {
    ...process.env,
    CLIENTS_ALL: 'true',
    CLIENTS_ONLY: values.only,
    ...(values.keep !== undefined && { CLIENTS_HOME: values.keep }),
    ...(values.write && { CLIENTS_WRITE: 'true' }),
  };
  const suite = ['vitest', 'run', '--config', 'test/vitest.config.ts', '--project', 'system', '--reporter=verbose'];
  const { status } = spawnSync('npx', [...suite, 'test/clients/tools'], { cwd: ROOT, env, stdio: 'inherit' });
  console.log(toolsTable());
  process.exitCode = status ?? 1;
}
