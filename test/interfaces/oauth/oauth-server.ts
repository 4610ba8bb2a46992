import { randomUUID } from 'node:crypto';
import { freePort } from '../../../adapters/cli/workers/free-port.js';
import { createAuditLog } from '../../../adapters/postgres/accounts/audit.js';
import type { Perch } from '../../../app/compose.js';
import type { Stores } from '../../../app/stores.js';
import { hashKey } from '../../../src/access/key.js';
import type { ClientDocuments } from '../../../src/ports/grants.js';
import type { RateLimiter } from '../../../src/ports/rate-limiter.js';
import { startPerch } from '../../kit/perch.js';
import type { FreshDatabase } from '../../kit/postgres/database.js';
import { type ManualClock, manualClock } from '../../kit/time/manual-clock.js';

/** A Perch to which every visitor is signed in as the test says. */
export interface OAuthServer {
  readonly url: string;
  readonly database: FreshDatabase;
  readonly clock: ManualClock;
  readonly grants: Perch['customers']['grants'];
  readonly accounts: Stores['accounts'];
  readonly audit: ReturnType<typeof createAuditLog>;
  /** The account with whose session every request comes; null: no session. */
  visitor: string | null;
  account(name?: string): Promise<string>;
  /** Whether a key works at the time of the test's clock. */
  isLive(key: string): Promise<boolean>;
  close(): Promise<void>;
}

const NO_DOCUMENTS: ClientDocuments = { read: () => Promise.reject(new Error('no documents here')) };

export interface OAuthServerOptions {
  readonly documents?: ClientDocuments;
  /** Path behind the public address. */
  readonly basePath?: string;
  readonly authPath?: string;
  /** Enforces the limits, on the test's clock; by default every request is admitted. */
  readonly limited?: boolean;
}

const ENDLESS = { allowed: true, limit: 10, remaining: 9, resetSeconds: 1, retryAfterSeconds: 0 };
const UNLIMITED: RateLimiter = { take: async () => ENDLESS };

export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const { documents = NO_DOCUMENTS, basePath = '', authPath = '', limited = false } = options;
  const clock = manualClock();
  const port = await freePort('127.0.0.1');
  const own = `http://127.0.0.1:${port}`;
  let visitor: string | null = null;
  const perch = await startPerch({
    clock,
    documents,
    env: {
      PORT: String(port),
      PERCH_BASE_URL: own + basePath,
      PERCH_AUTH_URL: own + authPath,
      // With limits, requests state their own address.
      ...(limited && { PERCH_TRUST_PROXY: '127.0.0.1' }),
    },
    ...(!limited && { limiter: UNLIMITED }),
    sessionCookies: {
      visitorOf: async () => (visitor === null ? null : { personId: visitor, sessionId: 'session' }),
      set() {},
      clear() {},
    },
    max: 20,
    startPoll: () => ({ close: async () => {} }),
  });
  const { accounts, queries: questions, secrets } = perch.stores;
  const { database } = perch;
  return {
    url: own,
    database,
    clock,
    accounts,
    get visitor() {
      return visitor;
    },
    set visitor(accountId) {
      visitor = accountId;
    },
    audit: createAuditLog(questions),
    grants: perch.customers.grants,
    async account(name = 'Ada') {
      const email = `${randomUUID()}@example.org`;
      return (await accounts.create({ name, email, paidUsd: 0, qpsOverride: null })).accountId;
    },
    async isLive(key) {
      const rows = await database.sql`
        select from keys where hash = ${hashKey(key, secrets.pepper)} and revoked_at is null
          and (expires_at is null or expires_at > ${new Date(clock.now())})`;
      return rows.length === 1;
    },
    close: () => perch.close(),
  };
}
