import type { Command } from 'commander';
import { examples, group } from '../help.js';
import { accounts, credits, dollars, email, name, perSecond, someCredits, uuid } from '../option-parsers.js';

const FREEZING = [
  ['freeze', true, 'disable all keys of an account at once; nothing is lost, and the owner can still sign in'],
  ['thaw', false, 're-enable the keys of a frozen account'],
] as const;

/** account create, list, show, sign-in, sign-out, freeze and thaw; wallet credit. */
export function accountCommands(program: Command): void {
  const account = group(program, 'account', 'manage accounts: create, list, show, sign-in, sign-out, freeze, thaw');

  account
    .command('create')
    .description('create an account with a wallet and a first key; the key is shown only once')
    .requiredOption('--name <name>', 'name of the account', name)
    .option('--email <address>', 'email address that sign-in links are sent to', email)
    .option('--credits <credits>', 'initial credits, instead of PERCH_STARTING_CREDITS', credits)
    .option('--paid-usd <dollars>', 'amount to count as already paid, for the rate-limit tier', dollars, 0)
    .option('--qps <rate>', 'override the requests per second of the tier, for internal accounts', perSecond)
    .option('--json', 'print {"account_id","wallet_id","key"}')
    .addHelpText(
      'after',
      examples(
        'perch account create --name "Ada Lovelace" --email ada@example.org --credits 1000',
        'perch account create --name "load test" --credits 1000000 --qps 5000 --json',
      ),
    )
    .action(async (options) => (await import('./account.js')).createAccount(options));

  findingCommands(account);

  account
    .command('sign-out')
    .description('end all sessions of an account; its keys keep working')
    .argument('<id>', 'account id', uuid)
    .option('--json', 'print {"account_id","sessions_ended"}')
    .addHelpText('after', examples('perch account sign-out 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(async (id: string, options) => (await import('./account-access.js')).signOutAccount(id, options));

  for (const [word, frozen, does] of FREEZING) {
    account
      .command(word)
      .description(does)
      .argument('<id>', 'account id', uuid)
      .option('--json', 'print {"account_id","frozen"}')
      .addHelpText('after', examples(`perch account ${word} 019a2b3c-4d5e-7f60-8123-456789abcdef`))
      .action(async (id: string, options) => (await import('./account-access.js')).freezeAccount(id, frozen, options));
  }

  walletCommands(program);
}

/** list, show and sign-in. */
function findingCommands(account: Command): void {
  account
    .command('list')
    .alias('find')
    .description('list the newest accounts, or those that a text is found in')
    .argument('[text]', 'part of the name or email address, or a whole account id or key')
    .option('--limit <number>', 'number of accounts', accounts, 50)
    .option('--json', 'print {"accounts":[…],"more"}')
    .addHelpText('after', examples('perch account list', 'perch account find ada@example.org'))
    .action(async (text: string | undefined, options) =>
      (await import('./account-list.js')).listAccountsCommand(text, options),
    );

  account
    .command('show')
    .description('show the balance, amount paid, rate-limit tier and keys of an account')
    .argument('<id>', 'account id', uuid)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch account show 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(async (id: string, options) => (await import('./account.js')).showAccount(id, options));

  account
    .command('sign-in')
    .description('create a one-time link that signs the owner in to the dashboard')
    .argument('[id]', 'account id', uuid)
    .option('--email <address>', 'email address of the account, instead of its id', email)
    .option('--json', 'print {"account_id","sign_in_link"}')
    .addHelpText(
      'after',
      examples(
        'perch account sign-in 019a2b3c-4d5e-7f60-8123-456789abcdef',
        'perch account sign-in --email ada@example.org',
      ),
    )
    .action(async (id: string | undefined, options) => (await import('./account.js')).signInAccount(id, options));
}

function walletCommands(program: Command): void {
  group(program, 'wallet', 'manage wallets: credit')
    .command('credit')
    .description('add credits to the wallet of an account')
    .requiredOption('--account <id>', 'account id', uuid)
    .requiredOption('--credits <credits>', 'number of credits, with at most three decimals', someCredits)
    .requiredOption('--reason <text>', 'reason, recorded in the ledger', name)
    .option('--request-id <uuid>', 'idempotency id: repeating the command with it adds nothing', uuid)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'perch wallet credit --account 019a2b3c-4d5e-7f60-8123-456789abcdef --credits 250 --reason "beta tester"',
      ),
    )
    .action(async (options) => (await import('./account.js')).creditWallet(options));
}
