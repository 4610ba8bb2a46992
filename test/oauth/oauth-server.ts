import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { v7 } from 'uuid';
import { challengeOf } from '../../adapters/http/failure.js';
import { createServer } from '../../adapters/http/server.js';
import { createMemoryLimiter } from '../../adapters/memory/limiter.js';
import { mountOAuth } from '../../adapters/oauth/mount.js';
import { createAccounts } from '../../adapters/postgres/accounts.js';
import { createAuditLog } from '../../adapters/postgres/audit.js';
import { createGrantStore } from '../../adapters/postgres/grants.js';
import { createClientStore } from '../../adapters/postgres/oauth-clients.js';
import { Questions } from '../../adapters/postgres/questions.js';
import { siteAssets } from '../../adapters/site/assets.js';
import { createAdmit } from '../../src/access/admit.js';
import { hashKey } from '../../src/access/key.js';
import { ServiceError } from '../../src/core/errors.js';
import { Clients } from '../../src/oauth/clients.js';
import { Consents } from '../../src/oauth/consents.js';
import { Grants } from '../../src/oauth/grants.js';
import { Tokens } from '../../src/oauth/tokens.js';
import type { ClientDocuments } from '../../src/ports/grants.js';
import { type FreshDatabase, freshDatabase } from '../support/database.js';
import { type ManualClock, manualClock } from '../support/manual-clock.js';

const PEPPER = Buffer.alloc(32, 1);

/** OAuth over real Postgres and real HTTP; who is signed in is as the test says. */
export interface OAuthServer {
  readonly url: string;
  readonly database: FreshDatabase;
  readonly clock: ManualClock;
  readonly grants: Grants;
  readonly accounts: ReturnType<typeof createAccounts>;
  readonly audit: ReturnType<typeof createAuditLog>;
  /** Whose session every request comes with; null: nobody's. */
  visitor: string | null;
  account(name?: string): Promise<string>;
  /** Whether a key works, at the time of the test's clock. */
  isLive(key: string): Promise<boolean>;
  close(): Promise<void>;
}

const NO_DOCUMENTS: ClientDocuments = { read: () => Promise.reject(new Error('no documents here')) };

export interface OAuthServerOptions {
  readonly documents?: ClientDocuments;
  /** Paths behind the address that is announced. */
  readonly basePath?: string;
  readonly authPath?: string;
  /** The limits stand still with the test's clock; default: everybody is let in. */
  readonly limited?: boolean;
}

export async function startOAuthServer(options: OAuthServerOptions = {}): Promise<OAuthServer> {
  const { documents = NO_DOCUMENTS, basePath = '', authPath = '', limited = false } = options;
  const database = await freshDatabase({ max: 20 });
  const { sql } = database;
  const clock = manualClock();
  const store = createGrantStore(sql);
  const accounts = createAccounts(sql);
  const clients = new Clients({ store: createClientStore(sql), documents, clock, randomBytes });
  const app = await createServer({
    ids: { requestId: () => v7() },
    log: pino({ level: 'silent' }),
    versionHeaders: {},
    // Who is limited says where from.
    trustedProxies: limited ? ['127.0.0.1'] : [],
  });
  const endless = { allowed: true, limit: 10, remaining: 9, resetSeconds: 1, retryAfterSeconds: 0 };
  const limiter = limited ? createMemoryLimiter({ clock }) : { take: async () => endless };
  const server = {
    visitor: null as string | null,
    database,
    clock,
    accounts,
    audit: createAuditLog(new Questions(sql)),
    grants: new Grants({ store, clock }),
    async account(name = 'Ada') {
      const email = `${randomUUID()}@example.org`;
      return (await accounts.create({ name, email, paidUsd: 0, qpsOverride: null })).accountId;
    },
    async isLive(key: string) {
      const rows = await sql`
        select from keys where hash = ${hashKey(key, PEPPER)} and revoked_at is null
          and (expires_at is null or expires_at > ${new Date(clock.now())})`;
      return rows.length === 1;
    },
    async close() {
      await app.close();
      await database.drop();
    },
  };
  mountOAuth(app, {
    clients,
    consents: new Consents({ store, clock, randomBytes, newId: randomUUID }),
    tokens: new Tokens({ clients, store, clock, randomBytes, pepper: PEPPER, secret: Buffer.alloc(32, 2) }),
    accounts,
    door: {
      visitor: async () => (server.visitor === null ? null : { accountId: server.visitor, sessionId: 'session' }),
      open() {},
      shut() {},
    },
    admitPublic: createAdmit({ limiter }).admitPublic,
    limiter,
  });
  mountRest(app, server.isLive);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  app.baseUrl = url + basePath;
  app.authUrl = url + authPath;
  return Object.assign(server, { url });
}

type App = Awaited<ReturnType<typeof createServer>>;

/** What the service has beside OAuth: the files of its pages, and an endpoint that wants a key (A18). */
function mountRest(app: App, isLive: (key: string) => Promise<boolean>): void {
  for (const [url, asset] of siteAssets()) {
    app.get(url, (_request, reply) => reply.type(asset.type).send(asset.body));
  }
  app.get('/callback', (_request, reply) => reply.type('text/html').send('<!doctype html><title>Back</title>'));
  app.post('/mcp', async ({ headers }, reply) => {
    const key = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
    if (key !== undefined && (await isLive(key))) return reply.send({ ok: true });
    const failure = new ServiceError(key === undefined ? 'missing_key' : 'invalid_key', 'A key is needed.');
    return reply.code(401).header('WWW-Authenticate', challengeOf(failure, app.baseUrl)).send({});
  });
}
