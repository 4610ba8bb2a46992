import type { Clients } from '../../src/oauth/clients.js';
import type { Consents } from '../../src/oauth/consents.js';
import type { Tokens } from '../../src/oauth/tokens.js';
import type { Accounts } from '../../src/ports/accounts.js';
import type { RateLimiter } from '../../src/ports/rate-limiter.js';
import type { AdmitPublic } from '../http/keyless.js';
import type { SessionCookies } from '../http/session-cookies.js';

/** The dependencies of sign-in for clients. */
export interface OAuthOptions {
  readonly clients: Clients;
  readonly consents: Consents;
  readonly tokens: Tokens;
  readonly accounts: Pick<Accounts, 'get'>;
  readonly sessionCookies: SessionCookies;
  readonly admitPublic: AdmitPublic;
  readonly limiter: RateLimiter;
}
