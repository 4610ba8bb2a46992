import { expect } from 'vitest';
import { toThousandths } from '../../src/core/credits.js';
import { type Client, createClient, type Reply } from './client.js';
import { checkEveryAnswer } from './every-answer.js';
import type { TestAccount, TestPerch } from './perch.js';

export interface Customer extends Client {
  readonly account: TestAccount;
  /** Credits in the wallet, from the database. */
  balance(): Promise<number>;
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
  const bills: { customer: Customer; credits: number; charged: () => number }[] = [];
  return {
    nobody: createClient(perch.url, null, checkEveryAnswer),
    async customer(options = {}) {
      const account = await perch.account(options);
      let charged = 0;
      const seen = (reply: Reply): void => {
        charged += toThousandths(reply.body.credits_charged ?? 0);
        checkEveryAnswer(reply);
      };
      const client = createClient(perch.url, account.key, seen);
      const customer = { ...client, account, balance: () => perch.balance(account) };
      bills.push({ customer, credits: options.credits ?? 1000, charged: () => charged });
      return customer;
    },
    async settle() {
      for (const { customer, credits, charged } of bills) {
        expect(toThousandths(credits) - toThousandths(await customer.balance())).toBe(charged());
      }
      expect((await perch.ledger.check()).faults).toEqual([]);
    },
  };
}
