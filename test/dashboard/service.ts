import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createDoor } from '../../adapters/http/session-cookie.js';
import { createMemoryLimiter } from '../../adapters/memory/limiter.js';
import { createAccounts } from '../../adapters/postgres/accounts.js';
import { createAuditLog } from '../../adapters/postgres/audit.js';
import { createGrantStore } from '../../adapters/postgres/grants.js';
import { createLedger } from '../../adapters/postgres/ledger.js';
import { createOneTimeTokens } from '../../adapters/postgres/one-time-tokens.js';
import { createPasskeyStore } from '../../adapters/postgres/passkeys.js';
import { type QuestionLimits, Questions } from '../../adapters/postgres/questions.js';
import { createSales } from '../../adapters/postgres/sales.js';
import { createSessionStore } from '../../adapters/postgres/sessions.js';
import { createStripePayments } from '../../adapters/stripe/payments.js';
import { hashKey, keyPrefix, mintKey } from '../../src/access/key.js';
import { hashSecret } from '../../src/access/secret.js';
import { Keys } from '../../src/account/keys.js';
import { Billing } from '../../src/billing/billing.js';
import { Settling } from '../../src/billing/settling.js';
import { toThousandths } from '../../src/core/credits.js';
import { Grants } from '../../src/oauth/grants.js';
import type { AccountRecord, KeyRecord } from '../../src/ports/truth.js';
import { Passkeys } from '../../src/sign-in/passkeys.js';
import { Sessions } from '../../src/sign-in/sessions.js';
import { freshDatabase } from '../support/database.js';
import { FakeStripe } from '../support/fake-stripe.js';
import { manualClock } from '../support/manual-clock.js';
import { serveDashboard } from './stand-ins.js';

/** An answer, as a test looks at it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Without tags, spaces folded. */
  readonly words: string;
}

/** A signed-in customer, as their browser sends what they do. */
export interface Customer {
  readonly accountId: string;
  readonly sessionId: string;
  get(path: string, signal?: AbortSignal): Promise<Answer>;
  /** A form of one's own page; `headers` in place of what a browser says. */
  post(path: string, fields?: Record<string, string> | string, headers?: Record<string, string>): Promise<Answer>;
  account(): Promise<AccountRecord>;
  /** One more key, by the back door. */
  key(name?: string): Promise<KeyRecord & { readonly key: string }>;
  /** A client with consent. Its grant's id. */
  allow(clientName: string): Promise<string>;
  grant(credits: number): Promise<void>;
  /** A paid request of so many tweets. Its id. */
  read(keyId: string, tweets: number): Promise<string>;
  /** Another browser. Its session's id. */
  otherSession(): Promise<string>;
  /** What the log says, the oldest first. */
  log(): Promise<string[]>;
}

export type DashboardService = Awaited<ReturnType<typeof startDashboard>>;

/** The dashboard over a real database and a fake Stripe; sessions are in cookies, as they are. */
export async function startDashboard({
  billed = true,
  limits = {},
}: {
  billed?: boolean;
  limits?: Partial<QuestionLimits>;
} = {}) {
  const clock = manualClock();
  const stripe = await FakeStripe.start();
  const database = await freshDatabase();
  const { sql } = database;
  const accounts = createAccounts(sql);
  const questions = new Questions(sql, limits);
  const ledger = createLedger(sql, { questions });
  const auditLog = createAuditLog(questions);
  const bytes = (length: number) => randomBytes(length);
  const pepper = randomBytes(32);
  const keys = new Keys({ accounts, pepper, clock, randomBytes: bytes });
  const sessions = new Sessions({ store: createSessionStore(sql), clock, randomBytes: bytes });
  const grantStore = createGrantStore(sql);
  const grants = new Grants({ store: grantStore, clock });
  let authUrl = '';
  const common = { clock, randomBytes: bytes, authUrl: () => authUrl };
  const passkeys = new Passkeys({
    ...common,
    limiter: createMemoryLimiter({ clock }),
    ...{ store: createPasskeyStore(sql), tokens: createOneTimeTokens(sql), sessions, nameOf: async () => 'Ada' },
  });
  const payments = billed ? createStripePayments({ secretKey: stripe.secretKey, baseUrl: stripe.url }) : null;
  const sold = { payments, sales: createSales(sql), ...common };
  const settling = new Settling({ ...sold, log: pino({ level: 'silent' }) });
  const billing = new Billing({ ...sold, accounts, settling, newId: randomUUID });
  const admission = { allowed: true };
  const served = await serveDashboard({
    ...{ accounts, ledger, keys, billing, grants, sessions, auditLog, passkeys, clock },
    admission,
    door: (app) => createDoor(app, sessions),
    ...{ network: 'corpus', mail: false, checkoutOrigin: billed ? stripe.url : null },
  });
  authUrl = served.url;

  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(served.url + path, { redirect: 'manual', ...init });
    const body = await answer.text();
    const words = body.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
    return { status: answer.status, headers: answer.headers, body, words };
  };

  const allow = async (accountId: string, clientName: string): Promise<string> => {
    const [code, grantId, now] = [randomBytes(32), randomUUID(), new Date(clock.now())];
    const key = mintKey(bytes);
    const later = new Date(clock.now() + 86_400_000);
    const approval = {
      ...{
        accountId,
        grantId,
        clientId: 'client',
        clientName,
        redirectUri: 'http://127.0.0.1/cb',
        redirectNamed: true,
      },
      ...{ challenge: 'c', resource: null, cap: { amount: 5000, period: 'month' as const } },
    };
    const by = { who: 'customer', address: null } as const;
    await grantStore.approve({ hash: code, approval, now, endsAt: later }, by);
    await grantStore.redeem({ hash: code, now, by }, () => ({
      ...{ keyHash: hashKey(key, pepper), keyPrefix: keyPrefix(key), refreshHash: hashSecret(randomUUID()) },
      ...{ keyEndsAt: later, refreshEndsAt: later },
    }));
    return grantId;
  };

  return {
    ...{ sql, clock, stripe, accounts, billing, keys, admission, url: served.url, ask },
    async customer(email: string | null = null): Promise<Customer> {
      const { accountId, walletId } = await accounts.create({ name: 'Ada', email, paidUsd: 0, qpsOverride: null });
      const origin = { userAgent: 'Firefox/140.0 Linux', address: '203.0.113.7' };
      const { token } = await sessions.start(accountId, { ...origin, method: 'link' });
      const sessionId = (await sessions.find(token))?.sessionId ?? '';
      const cookie = { cookie: `perch=${token}` };
      return {
        ...{ accountId, sessionId },
        get: (path, signal) => ask(path, { headers: { ...cookie, accept: 'text/html' }, ...(signal && { signal }) }),
        post: (path, fields = {}, headers = { 'sec-fetch-site': 'same-origin' }) =>
          ask(path, { method: 'POST', body: new URLSearchParams(fields), headers: { ...cookie, ...headers } }),
        async account() {
          const account = await accounts.get(accountId);
          if (account === undefined) throw new Error('no account');
          return account;
        },
        async key(name = 'Reader') {
          const by = { who: 'customer', address: null } as const;
          const { key, record } = await keys.create(accountId, { name, cap: null }, by);
          return { ...record, key };
        },
        allow: (clientName) => allow(accountId, clientName),
        async grant(credits) {
          await ledger.grant({ requestId: randomUUID(), accountId, amount: toThousandths(credits), reason: 'welcome' });
        },
        async read(keyId, tweets) {
          const requestId = randomUUID();
          const line = { path: 'user.tweets', unit: 'tweet', cache: 'miss', items: tweets, unitPrice: 1000 } as const;
          const posted = await ledger.post({
            ...{ requestId, accountId, walletId, keyId, operation: 'user-tweets' },
            ...{ amount: tweets * 1000, items: tweets, cacheHits: 0, lines: [line] },
          });
          if (!posted.ok) throw new Error(`not posted: ${posted.reason}`);
          return requestId;
        },
        async otherSession() {
          const other = await sessions.start(accountId, { ...origin, method: 'link' });
          return (await sessions.find(other.token))?.sessionId ?? '';
        },
        log: async () => (await auditLog.list(accountId, 100)).map(({ what }) => what).reverse(),
      };
    },
    async close(): Promise<void> {
      await served.close();
      await stripe.close();
      await database.drop();
    },
  };
}
