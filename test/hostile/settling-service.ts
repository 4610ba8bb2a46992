import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { v7 } from 'uuid';
import type { Transaction } from '../../adapters/postgres/sql.js';
import { compose } from '../../app/compose.js';
import { openStores } from '../../app/stores.js';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import { readConfig } from '../../src/config/config.js';
import { toThousandths } from '../../src/core/credits.js';
import { type Client, createClient } from '../support/client.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { lineTo } from '../support/line-to.js';
import { createScriptedNetwork } from '../support/scripted-network.js';

export interface SettlingCustomer extends Client {
  readonly accountId: string;
  readonly keyId: string;
  /** A node of the service, by its place. */
  on(node: number): Client;
}

export interface SettlingService {
  /** Past the service's own pools: whoever holds locks in here is a stranger to it. */
  readonly database: FreshDatabase;
  customer(options?: { credits?: number; cap?: number }): Promise<SettlingCustomer>;
  /** Locks rows, and holds them until the function that it resolves with is called. */
  lock(rows: (tx: Transaction) => Promise<unknown>): Promise<() => Promise<void>>;
  check(): Promise<unknown[]>;
  close(): Promise<void>;
}

/** Nodes with the pools of a real one, over one database; one user is held after its first read. */
export async function openSettlingService({ nodes = 1, env = {} } = {}): Promise<SettlingService> {
  const database = await freshDatabase({ max: 24 });
  const { line, url } = await lineTo(database);
  const home = await mkdtemp(join(tmpdir(), 'perch-settling-'));
  const net = createScriptedNetwork();
  net.user({ id: '1', handle: 'user1' });
  const settings = { PORT: '0', PERCH_DEMO: 'off', PERCH_HOME: home, PERCH_SECRET: 's'.repeat(32), DATABASE_URL: url };
  const config = readConfig({ env: { ...settings, ...env }, cwd: process.cwd(), terminal: false });
  const log = pino({ level: process.env.PERCH_TEST_LOG ?? 'fatal' });
  const opened = await Promise.all(
    Array.from({ length: nodes }, async () => {
      const stores = await openStores(config);
      const perch = await compose(config, stores, { log, network: net.network });
      return { stores, perch, url: await perch.listen() };
    }),
  );
  const [first] = opened;
  if (first === undefined) throw new Error('a service has at least one node');
  const { accounts, ledger, secrets } = first.stores;
  return {
    database,
    async customer({ credits = 1_000, cap } = {}) {
      const { accountId } = await accounts.create({ name: 'c', email: null, paidUsd: 0, qpsOverride: 10_000 });
      const key = mintKey(randomBytes);
      const { keyId } = await accounts.addKey({
        accountId,
        hash: hashKey(key, secrets.pepper),
        prefix: keyPrefix(key),
        name: 'k',
        cap: cap === undefined ? null : { amount: toThousandths(cap), period: 'total' },
      });
      await ledger.grant({ requestId: v7(), accountId, amount: toThousandths(credits), reason: 'test' });
      const on = (node: number): Client => createClient(opened[node]?.url ?? '', key);
      return { ...on(0), accountId, keyId, on };
    },
    async lock(rows) {
      let release = (): void => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      let over: Promise<unknown> = Promise.resolve();
      await new Promise<void>((resolve, reject) => {
        over = database.sql.begin(async (tx) => {
          await rows(tx);
          resolve();
          await held;
        });
        over.catch(reject);
      });
      return async () => {
        release();
        await over;
      };
    },
    check: async () => (await ledger.check()).faults,
    async close() {
      for (const { perch, stores } of opened) {
        await perch.close();
        await stores.close();
      }
      await line.close();
      await database.drop();
      await rm(home, { recursive: true, force: true });
    },
  };
}
