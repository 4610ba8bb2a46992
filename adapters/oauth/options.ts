import type { Clients } from '../../src/oauth/clients.js';
import type { Consents } from '../../src/oauth/consents.js';
import type { Tokens } from '../../src/oauth/tokens.js';
import type { Limiter } from '../../src/ports/shared.js';
import type { Accounts } from '../../src/ports/truth.js';
import type { Door } from '../http/door.js';
import type { AdmitPublic } from '../http/keyless.js';

/** What sign-in for clients works with. */
export interface OAuthOptions {
  readonly clients: Clients;
  readonly consents: Consents;
  readonly tokens: Tokens;
  readonly accounts: Pick<Accounts, 'get'>;
  readonly door: Door;
  readonly admitPublic: AdmitPublic;
  readonly limiter: Limiter;
}
