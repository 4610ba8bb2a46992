import { type Command, Option } from 'commander';
import { DAY_MS } from '../../../src/lib/durations.js';
import { examples, group } from '../help.js';
import { name, overlap, prefix, someCredits, uuid } from '../option-parsers.js';

/** key create, list, rotate, revoke. */
export function keyCommands(program: Command): void {
  const key = group(program, 'key', 'manage API keys: create, list, rotate, revoke');

  key
    .command('create')
    .description('create another key for the wallet of an account; it is shown only once')
    .requiredOption('--account <id>', 'account id', uuid)
    .option('--name <name>', 'name of the key', name, 'key')
    .option('--cap <credits>', 'spend cap of the key', someCredits)
    .addOption(
      new Option('--cap-period <period>', 'period of the spend cap')
        .choices(['total', 'month', 'day'])
        .default('total'),
    )
    .option('--test', 'a test key: it reads an invented network with play credits')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'perch key create --account 019a2b3c-4d5e-7f60-8123-456789abcdef --name ci --test',
        'perch key create --account 019a2b3c-4d5e-7f60-8123-456789abcdef --name staging --cap 500 --cap-period month',
      ),
    )
    .action(async (options) => (await import('./key.js')).createKey(options));

  key
    .command('list')
    .description('list the keys of an account, test keys included: prefix, name, spent, state')
    .requiredOption('--account <id>', 'account id', uuid)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch key list --account 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(async (options) => (await import('./key.js')).listKeys(options));

  key
    .command('rotate')
    .description('create a new key with the same name, cap and wallet; the old one keeps working for the overlap')
    .argument('<prefix>', 'prefix of the old key, such as perch_live_a1B2c3', prefix)
    .option('--overlap <time>', 'how long the old key keeps working, 0 to 30d (default: 24h)', overlap, DAY_MS)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples('perch key rotate perch_live_a1B2c3', 'perch key rotate perch_live_a1B2c3 --overlap 0'),
    )
    .action(async (old: string, options) => (await import('./key.js')).rotateKey(old, options));

  key
    .command('revoke')
    .description('revoke a key; every node rejects it within seconds')
    .argument('<prefix>', 'prefix of the key, such as perch_live_a1B2c3', prefix)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch key revoke perch_live_a1B2c3'))
    .action(async (old: string, options) => (await import('./key.js')).revokeKey(old, options));
}
