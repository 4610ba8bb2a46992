import { describe, expect, it } from 'vitest';
import { Account, type AccountOptions } from '../../../src/account/account.js';
import { USAGE_PAGE } from '../../../src/domain/fields.js';
import type { Receipt, UsageRow } from '../../../src/ports/ledger.js';

const KEY_PREFIX = 'perch_live_000000';
const CALLER = {
  mode: 'live' as const,
  ...{ accountId: 'account', walletId: 'wallet', keyId: 'key', keyPrefix: KEY_PREFIX },
  ...{ qps: 5, capThousandths: null, uncapped: null, scopes: null, allowedFrom: null },
};
const RECEIPT: Receipt = {
  ...{ requestId: '0190c2a0-0000-7000-8000-000000000000', at: '1970-01-01T00:00:00Z', operation: 'tweet' },
  ...{ keyPrefix: KEY_PREFIX, amount: 1000, balanceAfter: 0, items: 1, cacheHits: 0, lines: [] },
};
const ROW: UsageRow = { day: '1970-01-01', requests: 1, items: 1, cacheHits: 0, amount: 1000 };

type FakeLedger = AccountOptions['ledger'];

const accountOver = (ledger: Partial<FakeLedger>): Account =>
  new Account({
    ledger: {
      balance: async () => ({ balance: 0, keySpent: 0, seq: 0 }),
      // As many rows as one operation may have.
      usage: async () => Array.from({ length: USAGE_PAGE.max }, () => ROW),
      receipt: async () => undefined,
      archivedMonth: async () => undefined,
      ...ledger,
    },
    clock: { now: () => 0 },
    caller: CALLER,
    signal: new AbortController().signal,
    completing() {},
  });

describe('an operation with more usage rows than one may have', () => {
  it('ends its other usage fields', async () => {
    const ended: string[] = [];
    let calls = 0;
    const account = accountOver({
      async usage(_accountId, _query, signal) {
        calls += 1;
        if (calls < 3) return Array.from({ length: USAGE_PAGE.max }, () => ROW);
        return new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
        });
      },
    });
    const fields = [1, 2, 3].map((nth) =>
      account.usagePage({}, 1).catch((error: Error) => ended.push(`${nth}: ${error.message}`)),
    );
    await Promise.all(fields);
    expect(ended).toEqual([
      expect.stringMatching(/^2: One operation can return at most 1,000 rows/),
      expect.stringMatching(/^3: One operation can return at most 1,000 rows/),
    ]);
  });

  it('still gets the receipts that it requests', async () => {
    const account = accountOver({
      receipt: (_accountId, _requestId, signal) =>
        new Promise((resolve, reject) => {
          signal?.addEventListener('abort', () => reject(signal.reason));
          setTimeout(() => resolve(RECEIPT), 20);
        }),
    });
    const reading = account.receipt(RECEIPT.requestId);
    await account.usagePage({}, 1);
    await expect(account.usagePage({}, 1)).rejects.toThrow('1,000 rows');
    await expect(reading).resolves.toBe(RECEIPT);
  });
});

it('answers not_found for a receipt of an archived month, and says why', async () => {
  const account = accountOver({ archivedMonth: async () => '2025-12' });
  await expect(account.receipt(RECEIPT.requestId)).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringContaining('Receipts of 2025-12 are archived'),
  });
  await expect(accountOver({}).receipt(RECEIPT.requestId)).rejects.toThrow('no paid request with that id');
  await expect(account.receipt('none')).rejects.toThrow('no paid request with that id');
});
