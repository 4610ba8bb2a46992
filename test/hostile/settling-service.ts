import type { Transaction } from '../../adapters/postgres/sql.js';
import { type Client, createClient } from '../kit/client.js';
import { createScriptedNetwork } from '../kit/networks/scripted-network.js';
import { startPerch } from '../kit/perch.js';
import type { FreshDatabase } from '../kit/postgres/database.js';
import { holdLocks } from '../kit/postgres/hold-locks.js';

export interface SettlingCustomer extends Client {
  readonly accountId: string;
  readonly keyId: string;
  /** A node of the service, by its place. */
  on(node: number): Client;
}

export interface SettlingService {
  /** Outside the service's own pools: locks taken here look like another process's. */
  readonly database: FreshDatabase;
  customer(options?: { credits?: number; cap?: number }): Promise<SettlingCustomer>;
  /** Locks rows, and holds them until the function that it resolves with is called. */
  lock(rows: (tx: Transaction) => Promise<unknown>): Promise<() => Promise<void>>;
  check(): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Nodes with the pools of a real one, over one database; one user is held after its first read. */
export async function openSettlingService({ nodes = 1, env = {} } = {}): Promise<SettlingService> {
  const net = createScriptedNetwork();
  net.user({ id: '1', handle: 'user1' });
  const perch = await startPerch({ env, network: net.network, max: 24 });
  const others = await Promise.all(Array.from({ length: nodes - 1 }, () => perch.another()));
  const urls = [perch, ...others].map(({ url }) => url);
  const { database, ledger } = perch;
  return {
    database,
    async customer(options = {}) {
      const { accountId, keyId, key } = await perch.account(options);
      const on = (node: number): Client => createClient(urls[node] ?? '', key);
      return { ...on(0), accountId, keyId, on };
    },
    lock: (rows) => holdLocks(database.sql, rows),
    check: async () => (await ledger.check()).faults,
    async close() {
      for (const node of others) await node.close();
      await perch.close();
    },
  };
}
