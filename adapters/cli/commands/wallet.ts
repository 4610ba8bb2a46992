import type { Command } from 'commander';
import { v7 } from 'uuid';
import type { Stores } from '../../../app/stores.js';
import { type Thousandths, toCredits } from '../../../src/domain/credits.js';
import { counted } from '../../../src/domain/figures.js';
import { grant, requireAccount } from '../accounts.js';
import { examples, group, name, someCredits, uuid } from '../command-line.js';
import { Failure } from '../failure.js';
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
  const { walletId, balance, isRepeated } = await withStores(async (stores) => {
    const account = await requireAccount(stores, accountId);
    const { walletId } = account;
    if (await isGranted(stores, { accountId, amount, requestId }))
      return { walletId, balance: account.balance, isRepeated: true };
    return { walletId, balance: await grant(stores, { accountId, amount, reason, requestId }), isRepeated: false };
  });
  const result = {
    account_id: accountId,
    wallet_id: walletId,
    credits: toCredits(amount),
    balance: toCredits(balance),
    request_id: requestId,
    ...(isRepeated && { repeated: true }),
  };
  answer(result, options.json, () =>
    facts([
      ['Account', accountId],
      [
        'Granted',
        `${isRepeated ? 'nothing: this id was granted before, ' : ''}${counted(toCredits(amount), 'credit')}`,
      ],
      ['Balance', counted(toCredits(balance), 'credit')],
      ['Ledger entry', requestId],
    ]),
  );
}

/** Whether the id was granted before. Throws Failure if it stands for anything but this grant. */
async function isGranted(
  { sql }: Stores,
  { accountId, amount, requestId }: { accountId: string; amount: Thousandths; requestId: string },
): Promise<boolean> {
  const [entry] = await sql<{ kind: string; amount: number }[]>`
    select kind, amount_thousandths as amount from statement_entries
    where account_id = ${accountId} and request_id = ${requestId}`;
  if (entry === undefined) return false;
  if (entry.kind === 'grant' && entry.amount === amount) return true;
  const what = `a ${entry.kind} of ${counted(toCredits(entry.amount), 'credit')}`;
  throw new Failure(`nothing was added: ${requestId} is already the id of ${what}`);
}
