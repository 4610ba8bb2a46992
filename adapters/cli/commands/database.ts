import type { Command } from 'commander';
import { counted } from '../../../src/domain/figures.js';
import type { Sql } from '../../postgres/sql.js';
import { examples, group, shardCount } from '../command-line.js';
import { configOfProcess } from '../environment.js';
import { Failure, WRONG_USE } from '../failure.js';
import { answer, note } from '../print.js';

/** database distribute, rebalance. */
export function databaseCommands(program: Command): void {
  const database = group(program, 'database', 'the database: distribute, rebalance');
  database
    .command('distribute')
    .description('distribute the tables of accounts over the workers of Citus')
    .option('--shards <number>', 'number of shards, from 1 to 64 (default: two for each worker)', shardCount)
    .option('--json', 'print what was done as JSON')
    .addHelpText(
      'after',
      `
DATABASE_URL must be the address of a Citus coordinator. The database must exist on it and on each worker, with the extension:
  create extension citus
The coordinator must know its own address and those of the workers:
  select citus_set_coordinator_host('HOST', PORT)
  select citus_add_node('HOST', PORT)

Make a backup first, because there is no other way back, and stop all Perch processes: the command refuses to run while
one is connected. It brings the schema up to date, then distributes whatever is not distributed yet. If it is interrupted,
run it again; the number of shards stays as it was in the first run. A role that is not a superuser must own the database.
docs/scaling.md describes what is different afterwards.
${examples('perch database distribute', 'perch database distribute --shards 8')}`,
    )
    .action(distributeDatabase);
  database
    .command('rebalance')
    .description('move shards to Citus workers that have few, while nodes run')
    .option('--json', 'print the number of shards moved as JSON')
    .addHelpText(
      'after',
      `
Run this after adding a worker on the coordinator:
  select citus_add_node('HOST', PORT)

For a new worker, a role that is not a superuser needs this grant, once and on the coordinator:
  grant execute on function replicate_reference_tables to ROLE

Shards move one after the other. Charges continue; those of accounts on a shard wait a few tenths of a second when the
shard has arrived. If the command is interrupted, run it again.
${examples('perch database rebalance')}`,
    )
    .action(rebalanceDatabase);
}

async function distributeDatabase(options: { shards?: number; json?: boolean }): Promise<void> {
  const { DISTRIBUTING, distribute } = await import('../../postgres/shards/distribute.js');
  const done = await withCoordinator(DISTRIBUTING, (sql) =>
    distribute(sql, { shards: options.shards, onProgress: note }),
  );
  answer({ done }, options.json, () =>
    done.length === 0
      ? 'Nothing to do: the database is distributed.'
      : `The database is distributed: ${counted(done.length, 'step')}. Start the nodes again.`,
  );
}

async function rebalanceDatabase(options: { json?: boolean }): Promise<void> {
  const { rebalance } = await import('../../postgres/shards/rebalance.js');
  const moved = await withCoordinator('perch rebalancing', (sql) => rebalance(sql, note));
  answer({ moved }, options.json, () =>
    moved === 0 ? 'Nothing to do: no worker has too few shards.' : `Moved ${counted(moved, 'shard')}.`,
  );
}

async function withCoordinator<T>(name: string, run: (sql: Sql) => Promise<T>): Promise<T> {
  const { databaseUrl: url } = configOfProcess();
  if (url === null)
    throw new Failure('The embedded database is one server: set DATABASE_URL to a coordinator of Citus.', WRONG_USE);
  const { reached } = await import('../../../app/databases.js');
  const { connect } = await import('../../postgres/sql.js');
  const sql = connect({ url }, { max: 2, name });
  try {
    return await reached('DATABASE_URL', url, run(sql));
  } finally {
    await sql.end();
  }
}
