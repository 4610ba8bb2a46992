import type { Command } from 'commander';
import { v7 } from 'uuid';
import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { counted } from '../../../src/domain/figures.js';
import { grant, requireAccount } from '../accounts.js';
import { examples, group, name, someCredits, uuid } from '../command-line.js';
import { answer, facts } from '../print.js';
import { withStores } from '../with-stores.js';

/** wallet credit. */
export function walletCommands(program: Command): void {
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
    .action(creditWallet);
}

interface CreditOptions {
  readonly account: string;
  readonly credits: Thousandths;
  readonly reason: string;
  readonly requestId?: string;
  readonly json?: boolean;
}

async function creditWallet(options: CreditOptions): Promise<void> {
  const { account: accountId, credits: amount, reason, requestId = v7() } = options;
  const { walletId, balance } = await withStores(async (stores) => {
    const account = await requireAccount(stores, accountId);
    return { walletId: account.walletId, balance: await grant(stores, { accountId, amount, reason, requestId }) };
  });
  const result = {
    account_id: accountId,
    wallet_id: walletId,
    credits: toCredits(amount),
    balance: toCredits(balance),
    request_id: requestId,
  };
  answer(result, options.json, () =>
    facts([
      ['Account', accountId],
      ['Granted', counted(toCredits(amount), 'credit')],
      ['Balance', counted(toCredits(balance), 'credit')],
      ['Ledger entry', requestId],
    ]),
  );
}
