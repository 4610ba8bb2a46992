/** The simulated database answers the statements of debits as Postgres does. */
import fc from 'fast-check';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { type DebitStatements, debitStatements } from '../../../adapters/postgres/ledger/post.js';
import type { Debit } from '../../../src/ports/ledger.js';
import {
  addPayerKey,
  debitOf,
  grantTo,
  lookedUp,
  openPayer,
  type Payer,
} from '../../engine/ports/suites/ledger.suite.js';
import { type FreshDatabase, freshDatabase } from '../../kit/postgres/database.js';
import { Database } from './parts/database.js';

const GRANTED = 1_000;
const CAP = 300;

let real: FreshDatabase;
beforeAll(async () => {
  real = await freshDatabase();
});
afterAll(() => real.drop());

/** Two wallets in each database, one of them with a second key that has a cap. Both databases get the same ones. */
async function openBoth(): Promise<{ payers: Payer[]; both: DebitStatements[] }> {
  const [accounts, ledger] = [createAccounts(real.sql), createLedger(real.sql)];
  const simulated = new Database({ now: Date.now });
  const payers: Payer[] = [];
  const addKey = ({ keyId, walletId, prefix }: Payer, cap: number | null): void =>
    simulated.addKey({ keyId, walletId, prefix, hashHex: keyId, cap, qps: 1 });
  for (let nth = 0; nth < 2; nth += 1) {
    const payer = await openPayer(accounts);
    await grantTo(ledger, payer, GRANTED);
    simulated.addWallet(payer.accountId, payer.walletId, GRANTED);
    addKey(payer, null);
    payers.push(payer);
  }
  const [first] = payers as [Payer];
  const capped = { ...first, ...(await addPayerKey(accounts, first.accountId, CAP)) };
  addKey(capped, CAP);
  const statements: DebitStatements = {
    postPlain: async (debits) => simulated.postPlain(debits),
    postAny: async (debits, mode) => simulated.postAny(debits, mode),
    find: async (debits) => simulated.find(debits),
  };
  // The new cap is one more version of the key.
  const uncapped = await Promise.all(payers.map((payer) => lookedUp(accounts, payer)));
  return { payers: [...uncapped, capped], both: [debitStatements(real.sql), statements] };
}

/** One statement: payers and amounts to post; some debits repeat an earlier id. */
const statement = fc.record({
  how: fc.constantFrom('plain' as const, 'skipLocked' as const, 'waitForLock' as const),
  debits: fc.array(fc.record({ payer: fc.nat(2), amount: fc.integer({ min: 1, max: 400 }) }), {
    minLength: 1,
    maxLength: 5,
  }),
  repeated: fc.option(fc.nat(20), { freq: 4, nil: undefined }),
});

type Statement = typeof statement extends fc.Arbitrary<infer T> ? T : never;

/** The result of a statement, or the code it fails with. */
async function said(by: DebitStatements, how: Statement['how'], debits: readonly Debit[]): Promise<unknown> {
  try {
    if (how === 'plain') return await by.postPlain(debits);
    const rows = await by.postAny(debits, how);
    return rows.map(({ outcome, seq, balance_after }) =>
      outcome === 'posted' ? { outcome, seq, balance_after } : { outcome },
    );
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

it('posts, refuses and finds debits like Postgres', async () => {
  const property = fc.asyncProperty(fc.array(statement, { minLength: 1, maxLength: 8 }), async (statements) => {
    const { payers, both } = await openBoth();
    const used: Debit[] = [];
    for (const { how, debits, repeated } of statements) {
      const batch = debits.map(({ payer, amount }) => debitOf(payers[payer] as Payer, amount, { requestId: v7() }));
      const again = repeated === undefined ? undefined : used[repeated];
      if (again !== undefined) batch[0] = again;
      const [inPostgres, inMemory] = await Promise.all(both.map((by) => said(by, how, batch)));
      expect(inMemory).toEqual(inPostgres);
      used.push(...batch.filter((debit) => debit !== again));
    }
    const found = await Promise.all(both.map((by) => by.find(used)));
    expect(found[1]).toEqual(found[0]);
  });
  await fc.assert(property, { numRuns: 40, seed: 20_261_123 });
});
