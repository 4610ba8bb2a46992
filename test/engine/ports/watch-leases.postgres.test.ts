import { randomBytes, randomUUID } from 'node:crypto';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createMemberStore } from '../../../adapters/postgres/accounts/members.js';
import { createWatchLeases } from '../../../adapters/postgres/customers/watch-leases.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import { freshDatabase } from '../../kit/postgres/database.js';
import { NOW, type WrittenDelivery, watchLeasesSuite } from './suites/watch-leases.suite.js';

watchLeasesSuite('postgres', async () => {
  const database = await freshDatabase();
  const { sql } = database;
  const second = connect(database.target);
  const accounts = createAccounts(sql);
  return {
    leases: createWatchLeases(sql),
    other: createWatchLeases(second),
    async add() {
      const { accountId } = await accounts.create({
        ...{ name: 'test', email: 'owner@example.org', paidUsd: 0, qpsOverride: null },
      });
      const hash = randomBytes(32);
      const { keyId } = await accounts.addKey({ accountId, hash, prefix: 'perch_live_abcdef', name: 'a', cap: null });
      const watchId = randomUUID();
      await sql`
        insert into watches (account_id, watch_id, key_id, kind, subject, count, webhook_url, state, state_at, position,
          created_at)
        values (${accountId}, ${watchId}, ${keyId}, 'timeline', 'aurora_obs', 20, 'https://example.org/hook', 'active', now(),
          'start', now())`;
      return { accountId, watchId };
    },
    async change({ watchId }, state) {
      await sql`
        update watches set state = ${state}, reason = ${state === 'paused' ? 'by_hand' : null}, state_at = ${new Date(NOW)}, due_at = null
        where watch_id = ${watchId}`;
    },
    async rotate({ accountId, watchId }) {
      const [row] = await sql<{ keyId: string }[]>`select key_id as "keyId" from watches where watch_id = ${watchId}`;
      const hash = randomBytes(32);
      const successor = { hash, prefix: 'perch_live_ghijkl', expiresAt: null };
      await accounts.rotateKey({ accountId, keyId: row?.keyId ?? '' }, successor, null);
      return hash.toString('hex');
    },
    deleteAccount: (accountId) => createMemberStore(sql).deleteAccount(accountId, OPERATOR),
    async deliveries({ watchId }) {
      return sql<WrittenDelivery[]>`
        select delivery_id as "deliveryId", number, channel, target, subject, body, charged_thousandths as charged
        from deliveries where watch_id = ${watchId} order by number, channel`;
    },
    async read({ watchId }) {
      const [row] = await sql`
        select position, number, spent_thousandths as spent, to_char(spent_on, 'YYYY-MM-DD') as "spentOn",
          spent_that_day_thousandths as "spentThatDay", newest_at as "newestAt", checked_at as "checkedAt",
          every_ms as "everyMs", failed, state, reason, state_at as "stateAt", due_at as "dueAt"
        from watches where watch_id = ${watchId}`;
      return { ...row };
    },
    async deliver({ watchId }) {
      await sql`update deliveries set due_at = null, delivered_at = now() where watch_id = ${watchId}`;
    },
    async clear() {
      await sql`delete from watches`;
    },
    async close() {
      await second.end();
      await database.drop();
    },
  };
});
