import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { expect } from 'vitest';
import { mountGraphql } from '../../adapters/graphql/yoga.js';
import { createServer } from '../../adapters/http/server.js';
import { createAccounts } from '../../adapters/postgres/accounts.js';
import { createAuditLog } from '../../adapters/postgres/audit.js';
import { createLedger } from '../../adapters/postgres/ledger.js';
import { Questions } from '../../adapters/postgres/questions.js';
import { createSales } from '../../adapters/postgres/sales.js';
import { mountRest } from '../../adapters/rest/mount.js';
import { openBilling } from '../../app/customers/billing.js';
import { createEngine } from '../../app/engine.js';
import { openObserving } from '../../app/observing.js';
import { openShared } from '../../app/shared.js';
import { schema } from '../../schema/index.js';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import { readConfig } from '../../src/config/config.js';
import { toThousandths } from '../../src/core/credits.js';
import type { Sale } from '../../src/ports/sales.js';
import { debitOf } from '../ports/ledger.suite.js';
import { type Client, createClient } from '../support/client.js';
import { freshDatabase } from '../support/database.js';
import { FakeStripe } from '../support/fake-stripe.js';
import { manualClock } from '../support/manual-clock.js';
import { createScriptedNetwork } from '../support/scripted-network.js';

export { DAY_MS } from '../../src/core/durations.js';

export interface Buyer {
  readonly accountId: string;
  readonly client: Client;
  /** Opens a checkout by the API; its session. */
  checkout(pack?: string, key?: string): Promise<string>;
  /** The same, paid; nobody was told. */
  buy(pack?: string): Promise<string>;
  /** Spends so many credits. */
  spend(credits: number): Promise<void>;
  /** Credits in the wallet. */
  balance(): Promise<number>;
  paidUsd(): Promise<number>;
  /** What the log says, the oldest first. */
  log(): Promise<string[]>;
}

export type BillingService = Awaited<ReturnType<typeof startBilling>>;

/** REST, the webhook and billing over a real database and a fake Stripe. The poll runs when it is told. */
export async function startBilling(env: Record<string, string> = {}) {
  const clock = manualClock();
  const stripe = await FakeStripe.start();
  const database = await freshDatabase({ max: 20 });
  const { sql } = database;
  const config = readConfig({ env: { PORT: '0', ...stripe.env, ...env }, cwd: process.cwd(), terminal: false });
  const told: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void told.push(line) });
  const accounts = createAccounts(sql);
  const ledger = createLedger(sql);
  const secrets = { pepper: randomBytes(32), cursor: randomBytes(32) };
  const questions = new Questions(sql);
  const stores = { sql, corpusSql: sql, accounts, ledger, questions, secrets, close: async () => undefined };
  const shared = await openShared({ config, clock, log });
  const { tracing } = await openObserving(config, log);
  const app = await createServer({ ids: { requestId: () => v7() }, log, versionHeaders: {} });
  const opened = openBilling(app, { config, stores, shared, clock, log });
  const customers = { billing: opened.billing, spent() {} };
  const { network } = createScriptedNetwork();
  const engine = await createEngine({ config, stores, shared, network, clock, tracing, customers });
  mountGraphql(app, { serve: engine.serve, schema }, (_request, reply) => reply.send());
  mountRest(app, { serve: engine.serve, schema, operations: engine.operations });
  opened.mount();
  app.baseUrl = await app.listen({ host: '127.0.0.1', port: 0 });
  app.authUrl = app.baseUrl;
  const sales = createSales(sql);

  return {
    ...opened,
    stripe,
    clock,
    told,
    sql,
    sales,
    ledger,
    url: app.baseUrl,
    webhook: `${app.baseUrl}/webhooks/stripe`,
    sale: (sessionId: string): Promise<Sale | undefined> => sales.find({ sessionId }),
    /** Sends an event, and gives the status. */
    async tell(event: Parameters<FakeStripe['send']>[0]): Promise<number> {
      const timestamp = Math.floor(clock.now() / 1000);
      return (await stripe.send(event, `${app.baseUrl}/webhooks/stripe`, { timestamp })).status;
    },
    async buyer({ email = null, qpsOverride = 10_000 }: { email?: string | null; qpsOverride?: number | null } = {}) {
      const { accountId, walletId } = await accounts.create({ name: 'test', email, paidUsd: 0, qpsOverride });
      const key = mintKey(randomBytes);
      const prefix = keyPrefix(key);
      const hash = hashKey(key, secrets.pepper);
      const { keyId } = await accounts.addKey({ accountId, hash, prefix, name: 'test', cap: null });
      const client = createClient(app.baseUrl, key);
      const buyer: Buyer = {
        accountId,
        client,
        async checkout(pack = 'starter', idempotencyKey) {
          const headers = idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey };
          const reply = await client.post('/v1/billing/checkout', { pack }, headers);
          expect(reply.status).toBe(200);
          return (reply.body as unknown as { url: string }).url.split('/').at(-1) ?? '';
        },
        async buy(pack) {
          const session = await buyer.checkout(pack);
          stripe.pay(session);
          return session;
        },
        async spend(credits) {
          const debit = debitOf({ accountId, walletId, keyId, prefix }, toThousandths(credits));
          await ledger.post({ ...debit, requestId: randomUUID() });
        },
        balance: async () => (await ledger.balance(walletId, keyId)).balance / 1000,
        paidUsd: async () => (await accounts.get(accountId))?.paidUsd ?? 0,
        log: async () =>
          (await createAuditLog(new Questions(sql)).list(accountId, 100)).map(({ what }) => what).reverse(),
      };
      return buyer;
    },
    /** Also proves the books. */
    async close(): Promise<void> {
      expect((await ledger.check()).faults).toEqual([]);
      await opened.close();
      await app.close();
      await engine.close();
      await shared.close();
      await stripe.close();
      await database.drop();
    },
  };
}
