import { randomBytes, randomUUID } from 'node:crypto';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { writeDeliveries } from '../../../adapters/postgres/customers/deliveries.js';
import { createWatchLeases } from '../../../adapters/postgres/customers/watch-leases.js';
import { createWatchBook } from '../../../adapters/postgres/customers/watches.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { type WatchBookStore, watchBookSuite } from './suites/watch-book.suite.js';

watchBookSuite('postgres', async () => {
  const database = await freshDatabase();
  const { sql } = database;
  const second = connect(database.target);
  const accounts = createAccounts(sql);
  const leases = createWatchLeases(sql);
  return {
    book: createWatchBook(sql),
    other: createWatchBook(second),
    async payer(hash) {
      const { accountId } = await accounts.create({ name: 'test', email: null, paidUsd: 0, qpsOverride: null });
      const bytes = hash === undefined ? randomBytes(32) : Buffer.alloc(32, hash);
      const key = { accountId, hash: bytes, prefix: 'perch_live_abcdef', name: 'a', cap: null };
      return { accountId, keyId: (await accounts.addKey(key)).keyId };
    },
    async put({ watchId }, state, reason, dueAt) {
      await sql`
        update watches set state = ${state}, reason = ${reason}, due_at = ${dueAt === null ? null : new Date(dueAt)}
        where watch_id = ${watchId}`;
    },
    async deliver(watch, at, charged) {
      const holder = randomUUID();
      const [row] = await sql<{ position: string }[]>`
        update watches set holder = ${holder} where watch_id = ${watch.watchId} returning position`;
      const written = await leases.step(holder, watch, {
        ...{ from: row?.position ?? '', position: randomUUID(), requestId: randomUUID(), items: 2, charged, at },
        ...{ day: new Date(at).toISOString().slice(0, 10), newestAt: null, body: '{}' },
      });
      if (!written) throw new Error('The items were not written down.');
    },
    async notice(watch) {
      const notice = { channel: 'webhook', target: watch.webhookUrl, subject: null, body: '{}', dueAt: 0 } as const;
      await writeDeliveries(sql, { ...watch, alertId: null }, [notice]);
    },
    log: (accountId) => sql<Awaited<ReturnType<WatchBookStore['log']>>>`
      select what, who, detail from audit_log where account_id = ${accountId} and what like 'watch.%' order by event_id`,
    async close() {
      await second.end();
      await database.drop();
    },
  };
});
