import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { freshDatabase } from '../../kit/postgres/database.js';
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
