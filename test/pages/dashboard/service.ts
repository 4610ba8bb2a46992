import { randomBytes, randomUUID } from 'node:crypto';
import { createAuditLog } from '../../../adapters/postgres/accounts/audit.js';
import { createEmailAccounts } from '../../../adapters/postgres/accounts/email-accounts.js';
import { createGrantStore } from '../../../adapters/postgres/customers/grants.js';
import { createSessionStore } from '../../../adapters/postgres/customers/sessions.js';
import { hashKey, keyPrefix, mintKey } from '../../../src/access/key.js';
import { hashSecret } from '../../../src/access/secret.js';
import { Keys } from '../../../src/account/keys.js';
import { toThousandths } from '../../../src/domain/credits.js';
import type { AccountRecord, KeyRecord } from '../../../src/ports/accounts.js';
import { Sessions } from '../../../src/sign-in/sessions.js';
import { startPerch } from '../../kit/perch.js';
import { FakeStripe } from '../../kit/stripe/fake-stripe.js';
import { manualClock } from '../../kit/time/manual-clock.js';

/** What a test checks of an answer. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The body without tags, with spaces folded. */
  readonly words: string;
}

/** A signed-in customer. Requests are sent as their browser would send them. */
export interface Customer {
  readonly accountId: string;
  /** The person who signs in. Several customers of a test may be the same person. */
  readonly personId: string;
  readonly sessionId: string;
  /** The session's cookie, for a browser. */
  readonly cookie: { readonly name: string; readonly value: string; readonly url: string };
  /** `more` is a cookie besides the session's. */
  get(path: string, headers?: Record<string, string>, signal?: AbortSignal, more?: string): Promise<Answer>;
  /** Sends a form of Perch's own page. `headers` replace those of a browser. */
  post(
    path: string,
    fields?: Record<string, string> | string,
    headers?: Record<string, string>,
    more?: string,
  ): Promise<Answer>;
  account(): Promise<AccountRecord>;
  /** Creates one more key directly in the store. */
  key(name?: string): Promise<KeyRecord & { readonly key: string }>;
  /** A new test key, in full. */
  testKey(): Promise<string>;
  /** Gives a client consent; returns the id of its grant. */
  allow(clientName: string): Promise<string>;
  grant(credits: number): Promise<void>;
  /** Posts a paid request for that many tweets; returns its id. */
  read(keyId: string, tweets: number): Promise<string>;
  /** Signs in from another browser; returns the id of its session. */
  otherSession(): Promise<string>;
  /** The entries of the account's log, oldest first. */
  log(): Promise<string[]>;
}

export type DashboardService = Awaited<ReturnType<typeof startDashboard>>;

/** A Perch with a fake Stripe. Customers are signed in directly in the store. */
export async function startDashboard({
  billed = true,
  env = {},
}: {
  billed?: boolean;
  env?: Record<string, string>;
} = {}) {
  const clock = manualClock();
  const stripe = await FakeStripe.start();
  const perch = await startPerch({
    clock,
    env: { ...(billed && stripe.env), PERCH_TRUST_PROXY: '127.0.0.1', ...env },
    startPoll: () => ({ close: async () => {} }),
  });
  const { accounts, ledger, queries: questions, secrets } = perch.stores;
  const { pepper } = secrets;
  const { sql } = perch.database;
  const auditLog = createAuditLog(questions);
  const bytes = (length: number) => randomBytes(length);
  const keys = new Keys({ accounts, pepper, clock, randomBytes: bytes });
  const sessions = new Sessions({ store: createSessionStore(sql), clock, randomBytes: bytes });
  const grantStore = createGrantStore(sql);
  const people = createEmailAccounts(sql);

  let requests = 0;
  /** Sends each request from another address unless given one: an address's limit refills only as the clock moves. */
  const request = async (path: string, init: RequestInit): Promise<Answer> => {
    requests += 1;
    const headers = new Headers(init.headers);
    if (!headers.has('x-forwarded-for')) headers.set('x-forwarded-for', `10.0.${requests >> 8}.${requests & 255}`);
    const answer = await fetch(perch.url + path, { redirect: 'manual', ...init, headers });
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
    ...{ url: perch.url, sql, clock, stripe, billing: perch.customers.billing, request },
    settling: perch.customers.settling,
    /** Resolves once no mail with a link is on its way. */
    mailsSent: () => perch.customers.signIn.close(),
    async customer(email: string | null = null): Promise<Customer> {
      const { accountId, walletId } = await accounts.create({ name: 'Ada', email, paidUsd: 0, qpsOverride: null });
      const origin = { userAgent: 'Firefox/140.0 Linux', address: '203.0.113.7' };
      // The person with this address owns all accounts that have it.
      const personId = (await people.ownerOf(accountId)) ?? '';
      const { token } = await sessions.start(personId, { ...origin, method: 'link', accountId });
      const sessionId = (await sessions.find(token))?.sessionId ?? '';
      const cookie = { cookie: `perch=${token}` };
      return {
        ...{ accountId, personId, sessionId, cookie: { name: 'perch', value: token, url: perch.url } },
        get: (path, headers = {}, signal = undefined, more = '') =>
          request(path, {
            headers: { cookie: [cookie.cookie, more].join('; '), accept: 'text/html', ...headers },
            ...(signal && { signal }),
          }),
        post: (path, fields = {}, headers = { 'sec-fetch-site': 'same-origin' }, more = '') =>
          request(path, {
            method: 'POST',
            body: new URLSearchParams(fields),
            headers: { cookie: [cookie.cookie, more].join('; '), ...headers },
          }),
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
        async testKey() {
          const by = { who: 'customer', address: null } as const;
          return (await keys.createTest(accountId, { name: 'Tests', cap: null }, by)).key;
        },
        allow: (clientName) => allow(accountId, clientName),
        async grant(credits) {
          await ledger.grant({ requestId: randomUUID(), accountId, amount: toThousandths(credits), reason: 'welcome' });
        },
        async read(keyId, tweets) {
          const requestId = randomUUID();
          const line = { path: 'user.tweets', unit: 'tweet', cache: 'miss', items: tweets, unitPrice: 1000 } as const;
          const posted = await ledger.post({
            ...{ requestId, accountId, walletId, keyId, uncapped: null, operation: 'user-tweets' },
            ...{ amount: tweets * 1000, items: tweets, cacheHits: 0, lines: [line] },
          });
          if (!posted.ok) throw new Error(`not posted: ${posted.reason}`);
          return requestId;
        },
        async otherSession() {
          const other = await sessions.start(personId, { ...origin, method: 'link', accountId });
          return (await sessions.find(other.token))?.sessionId ?? '';
        },
        log: async () => (await auditLog.list(accountId, 100)).map(({ what }) => what).reverse(),
      };
    },
    async close(): Promise<void> {
      await perch.close();
      await stripe.close();
    },
  };
}
