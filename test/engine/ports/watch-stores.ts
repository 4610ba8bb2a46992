/** For the suites of watches: stores in a database of their own, on one Postgres or on Citus. */
import { randomBytes, randomUUID } from 'node:crypto';
import { createAccounts } from '../../../adapters/postgres/accounts/accounts.js';
import { createMemberStore } from '../../../adapters/postgres/accounts/members.js';
import { writeDeliveries } from '../../../adapters/postgres/customers/new-deliveries.js';
import { createWatchLeases } from '../../../adapters/postgres/customers/watch-leases.js';
import { createWatchBook } from '../../../adapters/postgres/customers/watches.js';
import { connect } from '../../../adapters/postgres/sql.js';
import { OPERATOR } from '../../../src/domain/audit.js';
import type { WatchId } from '../../../src/ports/watches.js';
import type { FreshDatabase } from '../../kit/postgres/database.js';
import type { WatchBookStore } from './suites/watch-book.suite.js';
import { NOW, type WatchLeasesStore, type WrittenDelivery } from './suites/watch-leases.suite.js';

export async function openWatchBook(fresh: () => Promise<FreshDatabase>): Promise<WatchBookStore> {
  const database = await fresh();
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
    async deliver(watch, at, charged, body = '{}') {
      const holder = randomUUID();
      const [row] = await sql<{ position: string }[]>`
        update watches set holder = ${holder} where watch_id = ${watch.watchId} returning position`;
      const written = await leases.step(holder, watch, {
        ...{ from: row?.position ?? '', position: randomUUID(), requestId: randomUUID(), items: 2, charged, at },
        ...{ day: new Date(at).toISOString().slice(0, 10), newestAt: null, body: ['', body, ''] },
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
}

export async function openWatchLeases(fresh: () => Promise<FreshDatabase>): Promise<WatchLeasesStore> {
  const database = await fresh();
  const { sql } = database;
  const second = connect(database.target);
  const accounts = createAccounts(sql);
  const addKey = (accountId: string, hash: Buffer) =>
    accounts.addKey({ accountId, hash, prefix: 'perch_live_abcdef', name: 'a', cap: null });
  const payer = async () => {
    const settings = { name: 'test', email: 'owner@example.org', paidUsd: 0, qpsOverride: null };
    const { accountId } = await accounts.create(settings);
    return { accountId, keyId: (await addKey(accountId, randomBytes(32))).keyId };
  };
  const payerOf = async ({ accountId, watchId }: WatchId) => {
    const [row] = await sql<{ keyId: string }[]>`select key_id as "keyId" from watches where watch_id = ${watchId}`;
    return { accountId, keyId: row?.keyId ?? '' };
  };
  return {
    leases: createWatchLeases(sql),
    other: createWatchLeases(second),
    async add(beside) {
      const { accountId, keyId } = beside === undefined ? await payer() : await payerOf(beside);
      const watchId = randomUUID();
      await sql`
        insert into watches (account_id, watch_id, key_id, kind, subject, subject_id, count, webhook_url, state, state_at,
          position, created_at)
        values (${accountId}, ${watchId}, ${keyId}, 'timeline', 'aurora_obs', '7', 20, 'https://example.org/hook', 'active',
          now(), 'start', now())`;
      return { accountId, watchId };
    },
    async change({ watchId }, state) {
      await sql`
        update watches set state = ${state}, reason = ${state === 'paused' ? 'by_hand' : null}, state_at = ${new Date(NOW)}, due_at = null
        where watch_id = ${watchId}`;
    },
    async rotate({ accountId, watchId }) {
      const hash = randomBytes(32);
      const successor = { hash, prefix: 'perch_live_ghijkl', expiresAt: null };
      await accounts.rotateKey(await payerOf({ accountId, watchId }), successor, null);
      return hash.toString('hex');
    },
    async resumeWithNewKey({ accountId, watchId }) {
      const hash = randomBytes(32);
      const { keyId } = await addKey(accountId, hash);
      const book = createWatchBook(sql);
      await book.change({ accountId, watchId }, 'paused', NOW, OPERATOR);
      await book.change({ accountId, watchId, keyId }, 'active', NOW, OPERATOR);
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
}
