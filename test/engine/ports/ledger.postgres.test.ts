import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { type LedgerStore, ledgerSuite } from './suites/ledger.suite.js';
import { ledgerProperties } from './suites/ledger-properties.suite.js';

async function openPostgres(): Promise<LedgerStore> {
  const database = await freshDatabase();
  const other = connect(database.target);
  return {
    ledger: createLedger(database.sql),
    other: createLedger(other),
    accounts: createAccounts(database.sql),
    async close() {
      await other.end();
      await database.drop();
    },
  };
}

ledgerSuite('postgres', openPostgres);
ledgerProperties('postgres', openPostgres);
