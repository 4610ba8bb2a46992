import type { Command } from 'commander';
import { examples } from '../help.js';
import { days } from '../option-parsers.js';

/** costs. */
export function costsCommand(program: Command): void {
  program
    .command('costs')
    .description('show what reads earned and what the network bills for them, by operation')
    .option('--days <number>', 'days to add up, today included, from 1 to 400', days, 7)
    .option('--daily', 'one row for each day')
    .option('--json', 'print the rows as JSON')
    .addHelpText(
      'after',
      `
Costs follow the price list of the network, income the average price of the credits sold. An operation whose price does not cover
its cost, with as much from the cache as there was, is marked as a loss. Operations that are not persisted are one row, graphql.
${examples('perch costs', 'perch costs --days 30 --daily', 'perch costs --json')}`,
    )
    .action(async (options) => (await import('./costs.js')).showCosts(options));
}
