import type { Transaction } from '../../adapters/postgres/sql.js';
import { type Client, createClient } from '../kit/client.js';
import { createScriptedNetwork } from '../kit/networks/scripted-network.js';
import { startPerch } from '../kit/perch.js';
import type { FreshDatabase } from '../kit/postgres/database.js';
import { holdLocks } from '../kit/postgres/hold-locks.js';

export interface SettlingCustomer extends Client {
  readonly accountId: string;
  readonly keyId: string;
  /** A client of a node, by the node's number. */
  on(node: number): Client;
}

export interface SettlingService {
  /** A pool apart from those of the service: locks taken here look like another process's. */
  readonly database: FreshDatabase;
  customer(options?: { credits?: number; cap?: number }): Promise<SettlingCustomer>;
  /** Locks rows; resolves with the function that lets them go. */
  lock(rows: (tx: Transaction) => Promise<unknown>): Promise<() => Promise<void>>;
  check(): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Nodes with the pools of a real one, over one database; one user is cached after its first read. */
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
