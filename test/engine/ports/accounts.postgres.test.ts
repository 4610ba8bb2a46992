import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { holdLocks } from '../../kit/postgres/hold-locks.js';
import { accountsSuite } from './suites/accounts.suite.js';

accountsSuite('postgres', async () => {
  const database = await freshDatabase();
  const other = connect(database.target);
  return {
    accounts: createAccounts(database.sql),
    other: createAccounts(other),
    async freeze(accountId) {
      await database.sql`update accounts set frozen_at = now() where account_id = ${accountId}`;
    },
    async close() {
      await other.end();
      await database.drop();
    },
  };
});

it('reads an account, and adds, finds and rotates its keys, without adding up what they spent', async () => {
  const database = await freshDatabase();
  const sql = connect(database.target, { limits: { lockMs: 500, statementMs: 5_000, idleMs: 5_000 } });
  const accounts = createAccounts(sql);
  const { accountId } = await accounts.create({ name: 'Ada', email: null, paidUsd: 0, qpsOverride: null });
  const release = await holdLocks(database.sql, (tx) => tx`lock table debits in access exclusive mode`);
  const minted = (prefix: string) => ({ hash: randomBytes(32), prefix, expiresAt: null });
  const { keyId } = await accounts.addKey({ accountId, ...minted('perch_live_abcdef'), name: 'k', cap: null });
  const { prefix } = await accounts.rotateKey({ accountId, keyId }, minted('perch_live_ghijkl'), null);
  expect(await accounts.keyByPrefix(prefix)).toMatchObject({ prefix, name: 'k' });
  expect((await accounts.get(accountId))?.keys).toMatchObject([{ keyId }, { prefix }]);
  await expect(accounts.keys(accountId)).rejects.toThrow();
  await release();
  expect(await accounts.keys(accountId)).toMatchObject([
    { keyId, spent: 0 },
    { prefix, spent: 0 },
  ]);
  await sql.end();
  await database.drop();
});
