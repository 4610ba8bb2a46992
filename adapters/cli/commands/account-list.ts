import { toCredits } from '../../../src/domain/credits.js';
import { counted, figure } from '../../../src/domain/figures.js';
import type { ListedAccount } from '../../../src/ports/operator.js';
import { listAccounts } from '../../postgres/accounts/account-list.js';
import { answer, table } from '../print.js';
import { withStores } from '../with-stores.js';

interface ListOptions {
  readonly limit: number;
  readonly json?: boolean;
}

/** The newest accounts, or those that match a text. */
export async function listAccountsCommand(matching: string | undefined, options: ListOptions): Promise<void> {
  const { limit } = options;
  // One more, to say that there are more.
  const found = await withStores(({ sql }) => listAccounts(sql, { matching, limit: limit + 1 }));
  const accounts = found.slice(0, limit);
  answer({ accounts: accounts.map(json), more: found.length > limit }, options.json, () =>
    wordsOf(accounts, matching, found.length > limit),
  );
}

const json = (account: ListedAccount) => ({
  account_id: account.accountId,
  name: account.name,
  email: account.email,
  balance: toCredits(account.balance),
  paid_usd: account.paidUsd,
  frozen: account.frozen,
  live_keys: account.keys,
  created_at: account.createdAt,
});

function wordsOf(accounts: readonly ListedAccount[], matching: string | undefined, more: boolean): string {
  if (accounts.length === 0) {
    return matching === undefined
      ? 'No accounts yet. Make one with `perch account create --name NAME`.'
      : `No account has ${JSON.stringify(matching)} in its name or mail address, or as its id or key.`;
  }
  const rows = accounts.map((account) => [
    account.accountId,
    account.name,
    account.email ?? '-',
    figure(toCredits(account.balance)),
    `$${figure(account.paidUsd)}`,
    account.frozen ? 'frozen' : counted(account.keys, 'key'),
    account.createdAt.slice(0, 10),
  ]);
  const listed = table(['account', 'name', 'email', 'credits', 'paid', 'keys', 'created'], rows);
  return more ? `${listed}\n\nThere are more: give a text to look for, or a higher --limit.` : listed;
}
