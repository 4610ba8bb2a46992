import type { Command } from 'commander';
import { examples, group } from '../help.js';
import { credits, dollars, email, name, perSecond, someCredits, uuid } from '../words.js';

const FREEZING = [
  ['freeze', true, 'stops every key of the account at once; nothing is lost, and its owner can still sign in'],
  ['thaw', false, 'lets the keys of a frozen account work again'],
] as const;

/** account create, show, sign-in, sign-out, freeze and thaw; wallet credit. */
export function accountCommands(program: Command): void {
  const account = group(program, 'account', 'accounts: create, show, sign-in, sign-out, freeze, thaw');

  account
    .command('create')
    .description('a new account with a wallet and a first key; the key is shown only here')
    .requiredOption('--name <name>', 'whose it is', name)
    .option('--email <address>', 'where sign-in links go', email)
    .option('--credits <credits>', 'credits to begin with, instead of PERCH_STARTING_CREDITS', credits)
    .option('--paid-usd <dollars>', 'counts as paid already, for the rate-limit tier', dollars, 0)
    .option('--qps <rate>', "requests per second instead of the tier's: for accounts of the house", perSecond)
    .option('--json', 'print {"account_id","wallet_id","key"}')
    .addHelpText(
      'after',
      examples(
        'perch account create --name "Ada Lovelace" --email ada@example.org --credits 1000',
        'perch account create --name "load test" --credits 1000000 --qps 5000 --json',
      ),
    )
    .action(async (options) => (await import('./account.js')).createAccount(options));

  account
    .command('show')
    .description('balance, paid, tier and keys')
    .argument('<id>', 'the account', uuid)
    .option('--json', 'print JSON')
    .addHelpText('after', examples('perch account show 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(async (id: string, options) => (await import('./account.js')).showAccount(id, options));

  account
    .command('sign-in')
    .description("a link that signs the account's owner in to the dashboard, once")
    .argument('<id>', 'the account', uuid)
    .option('--json', 'print {"account_id","sign_in_link"}')
    .addHelpText('after', examples('perch account sign-in 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(async (id: string, options) => (await import('./account.js')).signInAccount(id, options));

  account
    .command('sign-out')
    .description('ends every session of the account; its keys go on working')
    .argument('<id>', 'the account', uuid)
    .option('--json', 'print {"account_id","sessions_ended"}')
    .addHelpText('after', examples('perch account sign-out 019a2b3c-4d5e-7f60-8123-456789abcdef'))
    .action(async (id: string, options) => (await import('./account-access.js')).signOutAccount(id, options));

  for (const [word, frozen, does] of FREEZING) {
    account
      .command(word)
      .description(does)
      .argument('<id>', 'the account', uuid)
      .option('--json', 'print {"account_id","frozen"}')
      .addHelpText('after', examples(`perch account ${word} 019a2b3c-4d5e-7f60-8123-456789abcdef`))
      .action(async (id: string, options) => (await import('./account-access.js')).freezeAccount(id, frozen, options));
  }

  walletCommands(program);
}

function walletCommands(program: Command): void {
  group(program, 'wallet', 'wallets: credit')
    .command('credit')
    .description('give credits to an account, as a row of the ledger')
    .requiredOption('--account <id>', 'the account', uuid)
    .requiredOption('--credits <credits>', 'how many, at most three decimals', someCredits)
    .requiredOption('--reason <text>', 'why; it stays in the ledger', name)
    .option('--request-id <uuid>', 'given again with the same id, nothing happens twice', uuid)
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      examples(
        'perch wallet credit --account 019a2b3c-4d5e-7f60-8123-456789abcdef --credits 250 --reason "beta tester"',
      ),
    )
    .action(async (options) => (await import('./account.js')).creditWallet(options));
}
