/** The store of watches for tests behaves like the one in Postgres. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { WatchId } from '../../../src/ports/watches.js';
import { NOW, watchLeasesSuite } from '../ports/suites/watch-leases.suite.js';
import { MemoryWatches } from './memory-watches.js';

const date = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

watchLeasesSuite('memory', async () => {
  const store = new MemoryWatches();
  const rotate = async ({ watchId }: WatchId): Promise<string> => {
    const keyHash = randomBytes(32).toString('hex');
    Object.assign(store.rows.get(watchId) ?? {}, { keyHash, holder: null });
    return keyHash;
  };
  return {
    leases: store.leases,
    other: store.leases,
    async add(beside) {
      const { accountId: ofAccount, keyHash } = store.rows.get(beside?.watchId ?? '') ?? {};
      const { accountId, watchId } = store.add({
        ...{ watchId: randomUUID(), kind: 'timeline', subject: 'aurora_obs', product: null },
        ...{ count: 20, webhookUrl: 'https://example.org/hook', dailyLimit: null, position: 'start' },
        ...{ accountId: ofAccount ?? randomUUID(), keyHash: keyHash ?? randomBytes(32).toString('hex') },
      });
      return { accountId, watchId };
    },
    async change(watch, state) {
      store.change(watch, state, NOW);
      Object.assign(store.rows.get(watch.watchId) ?? {}, { dueAt: null });
    },
    rotate,
    async resumeWithNewKey(watch) {
      store.change(watch, 'paused', NOW);
      store.change(watch, 'active', NOW);
      return rotate(watch);
    },
    async deleteAccount(accountId) {
      for (const row of store.rows.values()) if (row.accountId === accountId) store.remove(row.watchId);
    },
    async deliveries(watch) {
      const channel = (name: string): number => (name === 'mail' ? 0 : 1);
      return store
        .of(watch)
        .map(({ deliveryId, number, channel: by, subject, body, charged }) => {
          const target = by === 'mail' ? 'owner@example.org' : 'https://example.org/hook';
          return { deliveryId: deliveryId ?? '', number, channel: by, target, subject, body, charged };
        })
        .sort((a, b) => channel(a.channel) - channel(b.channel) || (a.number ?? 0) - (b.number ?? 0));
    },
    async read({ watchId }) {
      const row = store.rows.get(watchId);
      if (row === undefined) return {};
      const { position, number, spent, spentOn, spentThatDay, newestAt, check, state, reason, stateAt, dueAt } = row;
      return {
        ...{ position, number, spent, spentOn, spentThatDay, state, reason },
        ...{ newestAt: date(newestAt), stateAt: date(stateAt), dueAt: date(dueAt) },
        ...{
          checkedAt: date(check?.checkedAt ?? null),
          everyMs: check?.everyMs ?? null,
          failed: check?.failed ?? null,
        },
      };
    },
    async deliver(watch) {
      for (const one of store.of(watch)) one.isDelivered = true;
    },
    async clear() {
      for (const watchId of store.rows.keys()) store.remove(watchId);
    },
    async close() {},
  };
});
