import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { createServer } from '../../adapters/http/server.js';
import { mountTransport } from '../../adapters/mcp/transport.js';
import { createAccounts } from '../../adapters/postgres/accounts.js';
import { createLedger } from '../../adapters/postgres/ledger.js';
import { Questions } from '../../adapters/postgres/questions.js';
import { openCustomers } from '../../app/customers/customers.js';
import { createEngine } from '../../app/engine.js';
import { openShared } from '../../app/shared.js';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import { readConfig } from '../../src/config/config.js';
import { UNTRACED } from '../../src/core/untraced.js';
import { freshDatabase } from '../support/database.js';
import { type ManualClock, manualClock } from '../support/manual-clock.js';
import { createScriptedNetwork } from '../support/scripted-network.js';
import { exampleServers } from './example-server.js';

export interface ExampleNode {
  /** Of `/mcp`. */
  readonly url: URL;
  /** One that works. */
  readonly key: string;
  readonly clock: ManualClock;
  close(): Promise<void>;
}

/** The tools, resources and prompts that the conformance suite asks for, over this service's own transport and key check. */
export async function startExample(): Promise<ExampleNode> {
  const clock = manualClock();
  const database = await freshDatabase();
  const { sql } = database;
  const config = readConfig({ env: { PORT: '0', PERCH_DEMO: 'off' }, cwd: process.cwd(), terminal: false });
  const log = pino({ level: 'fatal' });
  const accounts = createAccounts(sql);
  const secrets = { pepper: randomBytes(32), cursor: randomBytes(32) };
  const stores = {
    sql,
    corpusSql: sql,
    accounts,
    ledger: createLedger(sql),
    questions: new Questions(sql),
    secrets,
    close: async () => undefined,
  };
  const shared = await openShared({ config, clock, log });
  const app = await createServer({ ids: { requestId: () => v7() }, log, versionHeaders: {} });
  const customers = openCustomers(app, { config, stores, shared, clock, log });
  const { network } = createScriptedNetwork();
  const engine = await createEngine({ config, stores, shared, network, clock, tracing: UNTRACED, customers });
  mountTransport(app, engine.serve, async () => exampleServers());
  app.baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  const { accountId } = await accounts.create({ name: 'suite', email: null, paidUsd: 0, qpsOverride: null });
  const key = mintKey(randomBytes);
  const hash = hashKey(key, secrets.pepper);
  await accounts.addKey({ accountId, hash, prefix: keyPrefix(key), name: 'suite', cap: null });
  return {
    url: new URL('/mcp', app.baseUrl),
    key,
    clock,
    async close() {
      await app.close();
      await engine.close();
      await customers.close();
      await shared.close();
      await database.drop();
    },
  };
}
