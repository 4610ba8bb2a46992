/** What the meter records of accounts is weighed as what it takes, so the bound of each memory holds. */
import { expect, it } from 'vitest';
import { Memories } from '../../../src/lib/memories.js';
import type { MemoryName } from '../../../src/lib/memory-table.js';
import { OperationNames } from '../../../src/metering/operation-names.js';
import { PlayCredits } from '../../../src/metering/play-credits.js';
import { WalletCache } from '../../../src/metering/wallet-cache.js';
import { clock, lateLedger, payer } from './late-ledger.js';

const bytesOf = (memories: Memories, name: MemoryName): number =>
  memories.states().find((state) => state.name === name)?.bytes ?? 0;

it('counts a kilobyte for a wallet, whatever is on its way', async () => {
  const memories = new Memories();
  const wallets = new WalletCache(lateLedger(1_000).ledger, clock, memories);
  await wallets.open(payer, 100, Number.POSITIVE_INFINITY);
  const one = bytesOf(memories, 'wallets');
  expect(one).toBeGreaterThanOrEqual(1024);
  await wallets.open({ ...payer, walletId: `${payer.walletId}2` }, 100, Number.POSITIVE_INFINITY);
  expect(bytesOf(memories, 'wallets') - one).toBeGreaterThanOrEqual(1024);
});

it('counts each name of an operation as the longest possible', async () => {
  const memories = new Memories();
  const names = new OperationNames({ claimNames: async (_account, _day, claimed) => [...claimed] }, clock, memories);
  await names.keep('one', 'a');
  const one = bytesOf(memories, 'operation_names');
  await Promise.all([names.keep('two', 'a'), names.keep('two', 'b'), names.keep('two', 'c')]);
  // The second claim has both of the names that waited for the first.
  expect(bytesOf(memories, 'operation_names') - 2 * one).toBe(2 * 64 + 64);
});

it('counts the same for each account’s day of play credits', async () => {
  const memories = new Memories();
  const credits = new PlayCredits({
    ...{ ledger: { refill: async () => {} }, clock, newId: () => 'row', memories },
  });
  await credits.refill('a');
  const entry = bytesOf(memories, 'test_mode');
  const empty = new Memories();
  empty.map('test_mode', { weigh: () => 0 }).set('a', {});
  expect(entry - bytesOf(empty, 'test_mode')).toBe(64);
});
