import type { Sql } from '../../adapters/postgres/sql.js';
import { meteredBooks } from '../contestants/metered-ledger.js';
import { sendRequest } from './send-request.js';

/** Credits of all wallets together, in thousandths, as reported to their owners. */
async function fortuneOf(url: string, keys: readonly string[]): Promise<number> {
  const balances = await Promise.all(
    keys.map(async (key) => (await sendRequest(`${url}/v1/me`, { key })).body.balance_remaining ?? Number.NaN),
  );
  return balances.reduce((sum, credits) => sum + Math.round(credits * 1000), 0);
}

/** What a piece of work delivered: the number of answers, and the credits of each. */
export interface Delivered {
  readonly answers: number;
  readonly credits: number;
}

/** Does the work, and returns whether the wallets fell by exactly the price of its answers. */
export async function paying<T>(
  url: string,
  keys: readonly string[],
  work: () => Promise<{ readonly result: T; readonly delivered: Delivered }>,
): Promise<{ readonly result: T; readonly note: string }> {
  const before = await fortuneOf(url, keys);
  const { result, delivered } = await work();
  const fell = before - (await fortuneOf(url, keys));
  const due = Math.round(delivered.credits * 1000) * delivered.answers;
  const note =
    fell === due
      ? 'every answer was paid: the wallets fell by exactly what was delivered'
      : `THE WALLETS FELL BY ${fell / 1000} CREDITS FOR ANSWERS THAT COST ${due / 1000}`;
  return { result, note };
}

/** Checks the books of the smallest server from now on: a row for each answer, and wallets that fell by as much. */
export async function openBooks(sql: Sql) {
  const before = await meteredBooks(sql);
  return {
    async noteOf({ answers, credits }: Delivered): Promise<string> {
      const after = await meteredBooks(sql);
      const [charges, spent] = [after.charges - before.charges, after.spent - before.spent];
      const isRight = charges === answers && spent === Math.round(credits * 1000) * answers;
      return isRight
        ? 'and so was every answer of the least server, with a row for each'
        : `THE LEAST SERVER WROTE ${charges} CHARGES OF ${spent / 1000} CREDITS FOR ${answers} ANSWERS`;
    },
  };
}
