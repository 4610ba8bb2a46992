import { v7 } from 'uuid';
import { expect } from 'vitest';
import { type Thousandths, toThousandths } from '../../src/domain/credits.js';
import { type Client, createClient, type Reply } from './client.js';
import { checkEveryAnswer } from './every-answer.js';
import type { TestAccount, TestPerch } from './perch.js';

export interface Customer extends Client {
  readonly account: TestAccount;
  /** Credits in the wallet, from the database. */
  balance(): Promise<number>;
  /** Adds credits to the wallet. */
  grant(credits: number): Promise<void>;
}

export interface Customers {
  /** Opens an account with a key of its own; it has 1,000 credits by default. */
  customer(options?: Parameters<TestPerch['account']>[0]): Promise<Customer>;
  /** Calls without a key. */
  readonly nobody: Client;
  /**
   * Compares every customer's bill: their wallets must have fallen by what their answers said they were charged (M5).
   */
  settle(): Promise<void>;
}

/** Customers of a test's Perch. Each of their answers is checked for what all answers have in common. */
export function customersOf(perch: TestPerch): Customers {
  const bills: { customer: Customer; expected: () => Thousandths }[] = [];
  return {
    nobody: createClient(perch.url, null, checkEveryAnswer),
    async customer(options = {}) {
      const account = await perch.account(options);
      let expected = toThousandths(options.credits ?? 1000);
      const seen = (reply: Reply): void => {
        expected -= toThousandths(reply.body.credits_charged ?? 0);
        checkEveryAnswer(reply);
      };
      const customer: Customer = {
        ...createClient(perch.url, account.key, seen),
        account,
        balance: () => perch.balance(account),
        async grant(credits) {
          const amount = toThousandths(credits);
          await perch.ledger.grant({ requestId: v7(), accountId: account.accountId, amount, reason: 'test' });
          expected += amount;
        },
      };
      bills.push({ customer, expected: () => expected });
      return customer;
    },
    async settle() {
      for (const { customer, expected } of bills) {
        expect(toThousandths(await customer.balance())).toBe(expected());
      }
      expect((await perch.ledger.check()).faults).toEqual([]);
    },
  };
}
