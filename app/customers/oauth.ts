import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { v7 } from 'uuid';
import { GuardedDocuments } from '../../adapters/client-documents/client-documents.js';
import type { SessionCookies } from '../../adapters/http/session-cookies.js';
import { mountOAuth } from '../../adapters/oauth/mount.js';
import { createClientStore, createGrantStore } from '../../adapters/postgres/customers/grants.js';
import type { Admit } from '../../src/access/admit.js';
import type { Members } from '../../src/account/members.js';
import { Clients } from '../../src/oauth/clients.js';
import { Consents } from '../../src/oauth/consents.js';
import { Grants } from '../../src/oauth/grants.js';
import { Tokens } from '../../src/oauth/tokens.js';
import type { Lifecycle } from '../lifecycle.js';
import { deriveTokenSecret } from '../secrets.js';
import { CLOSED_TOGETHER, type CustomersOptions, formatUserAgent } from './options.js';

/** OAuth for clients, stored in Postgres. */
export async function openOAuth(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  { config, stores, shared, clock, standIns }: CustomersOptions,
  { sessionCookies, members }: { readonly sessionCookies: SessionCookies; readonly members: Members },
) {
  const { sql, secrets, beforeKey } = stores;
  const store = createGrantStore(sql, beforeKey);
  const guarded = await lifecycle.open(
    "clients' documents",
    () => new GuardedDocuments({ cache: shared.unpaid, clock, userAgent: formatUserAgent(config) }),
    (opened) => opened.close(),
    CLOSED_TOGETHER,
  );
  const documents = standIns.documents ?? guarded;
  const clients = new Clients({ store: createClientStore(sql), documents, clock, randomBytes });
  const consents = new Consents({ store, clock, randomBytes, newId: () => v7() });
  const { pepper } = secrets;
  const tokens = new Tokens({ clients, store, clock, randomBytes, pepper, secret: deriveTokenSecret(secrets) });
  const grants = new Grants({ store, clock });
  return {
    grants,
    mount({ admitPublic, admitStatic }: Admit) {
      const limits = { admitPublic, admitStatic, limiter: shared.limiter };
      mountOAuth(app, { clients, consents, tokens, members, sessionCookies, ...limits });
    },
  };
}
