/** How an operator finds an account: by a part of its name or address, by its id, or by one of its keys. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listAccounts } from '../../adapters/postgres/accounts/account-list.js';
import { startPerch, type TestAccount, type TestPerch } from '../kit/perch.js';

let perch: TestPerch;
let ada: TestAccount;
let grace: TestAccount;

beforeAll(async () => {
  perch = await startPerch();
  ada = await perch.account({ credits: 12.5, paidUsd: 50, email: 'Ada@Example.org' });
  grace = await perch.account({ credits: 0, email: 'grace_hopper@example.net' });
  await perch.database.sql`update accounts set name = 'Ada %_ Lovelace' where account_id = ${ada.accountId}`;
  await perch.stores.accounts.freeze(grace.accountId, true);
});
afterAll(() => perch.close());

const found = async (matching: string | undefined, limit = 10): Promise<string[]> =>
  (await listAccounts(perch.database.sql, { matching, limit })).map(({ accountId }) => accountId);

it('lists the newest accounts first, up to the limit', async () => {
  expect(await found(undefined)).toEqual([grace.accountId, ada.accountId]);
  expect(await found(undefined, 1)).toEqual([grace.accountId]);
});

it('returns balance, email, state and number of keys for the operator', async () => {
  const [first, second] = await listAccounts(perch.database.sql, { matching: undefined, limit: 10 });
  expect(first).toMatchObject({ email: 'grace_hopper@example.net', balance: 0, frozen: true, keys: 1 });
  expect(second).toMatchObject({ name: 'Ada %_ Lovelace', balance: 12_500, paidUsd: 50, frozen: false });
  expect(second?.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
});

it.each([
  ['a part of the name, in any case', () => 'LOVE'],
  ['a part of the address, in any case', () => 'ada@ex'],
  ['its id', () => ada.accountId],
  ['its id in capitals', () => ada.accountId.toUpperCase()],
  ['a whole key', () => ada.key],
  ['the visible prefix of a key', () => ada.key.slice(0, 17)],
  ['characters that stand for others in patterns', () => '%_'],
])('finds an account by %s', async (_what, text) => {
  expect(await found(text())).toEqual([ada.accountId]);
});

it.each(['nobody', "' or true --", '\\'])('finds none by %j', async (text) => {
  expect(await found(text)).toEqual([]);
});
