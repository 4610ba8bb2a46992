import { expect, it } from 'vitest';
import { WalletCache } from '../../../src/metering/wallet-cache.js';
import { clock, lateLedger, payer } from './late-ledger.js';

it.each([
  ['most of its cap left', 900, 200, 700],
  ['nothing of its cap left', 200, 200, 0],
  ['more of its cap left than the wallet has', 5_000, 200, 1_000],
])('lets a key that has %s spend exactly that', async (_name, capThousandths, keySpent, left) => {
  const { ledger } = lateLedger(1_000);
  const capped = {
    ...ledger,
    balance: async () => ({ ...(await ledger.balance(payer)), keySpent }),
  };
  const limit = await new WalletCache(capped, clock).open({ ...payer, capThousandths }, 100, Number.POSITIVE_INFINITY);
  expect(limit.left).toBe(left);
});
