import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { expect } from 'vitest';
import { createAuditLog } from '../../../adapters/postgres/accounts/audit.js';
import { createSales } from '../../../adapters/postgres/customers/sales.js';
import { QueryLimiter } from '../../../adapters/postgres/ledger/query-limiter.js';
import { keyPrefix } from '../../../src/access/key.js';
import { toThousandths } from '../../../src/domain/credits.js';
import type { Sale } from '../../../src/ports/sales.js';
import { debitOf } from '../../engine/ports/suites/ledger.suite.js';
import { type Client, createClient } from '../../kit/client.js';
import { createScriptedNetwork } from '../../kit/networks/scripted-network.js';
import { startPerch } from '../../kit/perch.js';
import { FakeStripe } from '../../kit/stripe/fake-stripe.js';
import { manualClock } from '../../kit/time/manual-clock.js';

export { DAY_MS } from '../../../src/lib/durations.js';

export interface Buyer {
  readonly accountId: string;
  readonly client: Client;
  /** Opens a checkout over the API; returns its session. */
  checkout(pack?: string, key?: string): Promise<string>;
  /** Opens a checkout and pays it. The service does not learn of the payment. */
  buy(pack?: string): Promise<string>;
  /** Spends that many credits. */
  spend(credits: number): Promise<void>;
  /** Credits in the wallet. */
  balance(): Promise<number>;
  paidUsd(): Promise<number>;
  /** The entries of the account's log, oldest first. */
  log(): Promise<string[]>;
}

export type BillingService = Awaited<ReturnType<typeof startBilling>>;

/** A Perch over a scripted network and a fake Stripe. The poll runs only when the test starts it. */
export async function startBilling(env: Record<string, string> = {}) {
  const clock = manualClock();
  const stripe = await FakeStripe.start();
  const logLines: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logLines.push(line) });
  const perch = await startPerch({
    clock,
    log,
    network: createScriptedNetwork().network,
    env: { ...stripe.env, ...env },
    max: 20,
    startPoll: () => ({ close: async () => {} }),
  });
  const { url, ledger, stores } = perch;
  const { sql } = perch.database;
  const { billing, settling } = perch.customers;
  const webhook = `${url}/webhooks/stripe`;
  const sales = createSales(sql);

  return {
    billing,
    settling,
    stripe,
    clock,
    logLines,
    sql,
    sales,
    accounts: stores.accounts,
    ledger,
    url,
    webhook,
    another: perch.another,
    sale: (sessionId: string): Promise<Sale | undefined> => sales.find({ sessionId }),
    /** Sends an event; returns the status of the answer. */
    async deliver(event: Parameters<FakeStripe['send']>[0]): Promise<number> {
      const timestamp = Math.floor(clock.now() / 1000);
      return (await stripe.send(event, webhook, { timestamp })).status;
    },
    async buyer({ email = null, qps = 10_000 }: { email?: string | null; qps?: number } = {}) {
      const { accountId, walletId, keyId, key } = await perch.account({ email, qps, credits: 0 });
      const client = createClient(url, key);
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
          const debit = debitOf(
            { accountId, walletId, keyId, uncapped: null, prefix: keyPrefix(key) },
            toThousandths(credits),
          );
          await ledger.post({ ...debit, requestId: randomUUID() });
        },
        balance: async () => (await ledger.balance({ accountId, walletId, keyId })).balance / 1000,
        paidUsd: async () => (await stores.accounts.get(accountId))?.paidUsd ?? 0,
        log: async () =>
          (await createAuditLog(new QueryLimiter(sql)).list(accountId, 100)).map(({ what }) => what).reverse(),
      };
      return buyer;
    },
    /** Resolves once the service knows of every key change so far: notices arrive in the order of commits. */
    async caughtUp(): Promise<void> {
      const marker = randomUUID();
      let stop = async (): Promise<void> => {};
      await new Promise<void>((resolve, reject) => {
        const listening = stores.accounts.onKeyChange((hashHex) => hashHex === marker && resolve());
        listening
          .then((unlisten) => {
            stop = unlisten;
            return sql`select pg_notify('perch_key_change', ${marker})`;
          })
          .catch(reject);
      });
      await stop();
    },
    /** Also checks the books. */
    async close(): Promise<void> {
      expect((await ledger.check()).faults).toEqual([]);
      await perch.close();
      await stripe.close();
    },
  };
}
