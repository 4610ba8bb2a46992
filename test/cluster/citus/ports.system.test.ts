/** The port suites on a real Citus, if TEST_CITUS_URL is the address of a coordinator with workers. */
import { describe } from 'vitest';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createLedger } from '../../../adapters/postgres/ledger/ledger.js';
import { readShards } from '../../../adapters/postgres/shards/shards.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { accountsSuite } from '../../engine/ports/suites/accounts.suite.js';
import { ledgerSuite } from '../../engine/ports/suites/ledger.suite.js';
import { ledgerProperties } from '../../engine/ports/suites/ledger-properties.suite.js';
import { watchBookSuite } from '../../engine/ports/suites/watch-book.suite.js';
import { watchLeasesSuite } from '../../engine/ports/suites/watch-leases.suite.js';
import { openWatchBook, openWatchLeases } from '../../engine/ports/watch-stores.js';
import { CITUS_URL, freshCitus, serversOf } from '../../kit/postgres/citus-database.js';

/** For the queues of four shards. */
const CONNECTIONS = 20;

async function openCitus() {
  const database = await freshCitus({ max: CONNECTIONS });
  const other = connect(database.target, { max: CONNECTIONS });
  const shards = await readShards(database.sql);
  const servers = serversOf(database.target, database.sql, CONNECTIONS);
  await servers.look();
  return {
    ledger: createLedger(database.sql, { shards, servers }),
    // As if the workers could be reached from the coordinator only.
    other: createLedger(other, { shards }),
    accounts: createAccounts(database.sql, { isDistributed: true }),
    async close() {
      await servers.end({ timeout: 1 });
      await other.end();
      await database.drop();
    },
  };
}

describe.skipIf(CITUS_URL === undefined)('with TEST_CITUS_URL', () => {
  ledgerSuite('citus', openCitus);
  ledgerProperties('citus', openCitus);
  watchBookSuite('citus', () => openWatchBook(freshCitus));
  watchLeasesSuite('citus', () => openWatchLeases(freshCitus));
  accountsSuite('citus', async () => {
    const database = await freshCitus();
    const other = connect(database.target);
    const accounts = createAccounts(database.sql, { isDistributed: true });
    return {
      accounts,
      other: createAccounts(other, { isDistributed: true }),
      // No triggers notify nodes of a change made by hand.
      async freeze(accountId) {
        await accounts.freeze(accountId, true, OPERATOR);
      },
      async close() {
        await other.end();
        await database.drop();
      },
    };
  });
});
