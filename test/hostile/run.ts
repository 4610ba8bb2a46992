/** `npm run hostile`: the same attacks outside of the tests, with a table of results. */
import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openEmbeddedPostgres } from '../../adapters/postgres/embedded/launcher.js';
import { migrate } from '../../adapters/postgres/migrate.js';
import { connect } from '../../adapters/postgres/sql.js';
import { openLine } from '../kit/postgres/line.js';
import { ATTACKS } from './attacks.js';
import { openArena, type Trial } from './support/arena.js';
import type { Seen } from './support/innocents.js';
import { judge, summaryOf } from './support/judge.js';
import type { Mount } from './support/service.js';

const HELP = `npm run hostile -- [--only TEXT] [--mount yoga|mercurius] [--markdown]

Starts the service in a process of its own, with an embedded Postgres in a temporary folder, and runs each attack of
test/hostile/attacks against it. Prints how long a probe of /healthz and a customer who reads a cached profile waited during
each attack, at worst. From that it subtracts how late a server that does nothing was, and divides by how many times slower
the machine was than an idle one; the column "control" shows both. The measured time follows in brackets. --only runs the
attacks whose name contains the text.`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    mount: { type: 'string', default: 'yoga' },
    markdown: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const COLUMNS = [
  'attack',
  'healthz worst',
  'customer worst',
  'refused',
  'control',
  'CPU',
  'peak',
  'kept',
  'answers',
  'verdict',
];

const ms = (value: number): string => `${Math.round(value)} ms`;
const mb = (value: number): string => (Number.isNaN(value) ? '?' : `${value < 0 ? 0 : Math.round(value)} MB`);

/** The worst wait as judged, and by the clock. */
const waits = ({ worstMs, worstByClockMs }: Seen): string => `${ms(worstMs)} (${ms(worstByClockMs)})`;

function row(trial: Trial): string[] {
  const { healthz, customer, controlMs, slowness, late, wrong } = judge(trial);
  const faults = [...wrong, ...late];
  return [
    trial.attack.name,
    waits(healthz),
    waits(customer),
    `${customer.refused}/${customer.count}`,
    `${ms(controlMs)}, ${slowness.toFixed(1)} ×`,
    `${trial.cpuSeconds.toFixed(1)} s`,
    mb(trial.peakMb),
    mb(trial.keptMb),
    summaryOf(trial.answers),
    faults.length === 0 ? 'fine' : faults.join('; '),
  ];
}

const line = (cells: readonly string[]): string =>
  values.markdown
    ? `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
    : cells.join('  ·  ');

async function main(): Promise<number> {
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const attacks = ATTACKS.filter(({ name }) => name.includes(values.only));
  const home = await realpath(await mkdtemp(join(tmpdir(), 'perch-hostile-')));
  // When this runs as root, the database runs as the user `nobody`, who must be able to enter the folder.
  await chmod(home, 0o711);
  const server = await openEmbeddedPostgres({ home });
  const { host, port, username, database } = server.connection;
  const sql = connect(server.connection);
  let [failed, stopped] = [0, false];
  // The current attack is finished, then everything is cleaned up.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => (stopped = true));
  try {
    await migrate(sql);
    const tcp = await openLine({ path: `${host}/.s.PGSQL.${port}` });
    const url = `postgres://${username}@127.0.0.1:${tcp.port}/${database}`;
    const arena = await openArena({ sql, url }, values.mount as Mount);
    console.log(line(COLUMNS));
    if (values.markdown) console.log(line(COLUMNS.map(() => '---')));
    for (const attack of attacks) {
      if (stopped) break;
      const cells = row(await arena.try(attack, { exact: true }));
      if (cells.at(-1) !== 'fine') failed += 1;
      console.log(line(cells));
    }
    await arena.close();
    await tcp.close();
  } finally {
    await sql.end({ timeout: 5 });
    await server.stop();
    await rm(home, { recursive: true, force: true });
  }
  console.error(`${attacks.length - failed} of ${attacks.length} attacks came to nothing`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
