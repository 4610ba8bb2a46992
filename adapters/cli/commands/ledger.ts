import { counted } from '../../../src/domain/figures.js';
import { FAILED } from '../failure.js';
import { answer, table } from '../print.js';
import { withStores } from '../with-stores.js';

/** Exit code 1 when an invariant is broken. */
export async function checkLedger(options: { json?: boolean }): Promise<void> {
  const { wallets, entries, faults } = await withStores(({ ledger }) => ledger.check());
  const ok = faults.length === 0;
  const seen = `${counted(wallets, 'wallet')}, ${counted(entries, 'entry', 'entries')}`;
  const named = faults.map(({ invariant, walletId, detail }) => ({ invariant, wallet_id: walletId, detail }));
  answer({ ok, wallets, entries, ...(!ok && { faults: named }) }, options.json, () =>
    ok
      ? `The ledger is consistent: ${seen}.`
      : `The ledger is inconsistent: ${counted(faults.length, 'fault')} in ${seen}.\n\n${table(
          ['invariant', 'wallet', 'fault'],
          faults.map(({ invariant, walletId, detail }) => [invariant, walletId, detail]),
        )}`,
  );
  if (!ok) process.exitCode = FAILED;
}
