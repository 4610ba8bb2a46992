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
  /** More credits. */
  grant(credits: number): Promise<void>;
}

export interface Customers {
  /** A new account with a key of its own; 1,000 credits unless told. */
  customer(options?: Parameters<TestPerch['account']>[0]): Promise<Customer>;
  /** No key at all. */
  readonly nobody: Client;
  /** The bill of every customer: what they were told they were charged is what their wallets fell by (M5). */
  settle(): Promise<void>;
}

/** Customers of a Perch whose every answer is checked for what all answers have in common. */
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
