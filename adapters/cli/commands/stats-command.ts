import type { Command } from 'commander';
import { examples } from '../help.js';
import { days } from '../option-parsers.js';

/** stats. */
export function statsCommand(program: Command): void {
  program
    .command('stats')
    .description('show the service in figures: credits sold, granted, spent and outstanding, each day, and requests')
    .option('--days <number>', 'days to show, today included, from 1 to 400', days, 30)
    .option('--json', 'print the figures as JSON')
    .addHelpText(
      'after',
      `
The same figures as the operator's pages on money and traffic. Amounts are credits; income is what the credits spent are worth, cost is by
the price list of the network. Requests are kept for 31 days. What each operation earns and costs: perch costs.
${examples('perch stats', 'perch stats --days 7', 'perch stats --json')}`,
    )
    .action(async (options) => (await import('./stats.js')).showStats(options));
}
