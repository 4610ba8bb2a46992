import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import type { Cap } from '../ports/accounts.js';
import type { Clock } from '../ports/clock.js';
import type { GrantStore } from '../ports/grants.js';
import type { AuthorizationRequest } from './authorization.js';

/** Long enough for a redirect, too short for a log file. */
const CODE_MS = 60_000;

export interface ConsentsOptions {
  readonly store: GrantStore;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** A new UUID. */
  readonly newId: () => string;
}

/** Records customers' consent. */
export class Consents {
  readonly #options: ConsentsOptions;

  constructor(options: ConsentsOptions) {
    this.#options = options;
  }

  /**
   * Issues a code that the client may redeem once, within a minute. `cap` bounds what it may spend; null: only the
   * wallet does. Returns null if the account has as many clients as it may.
   */
  async allow(request: AuthorizationRequest, accountId: string, cap: Cap | null, by: Actor): Promise<string | null> {
    const { store, clock, randomBytes, newId } = this.#options;
    const code = newSecret(randomBytes);
    const now = new Date(clock.now());
    const { redirectUri, redirectNamed, challenge, resource } = request;
    const { clientId, name: clientName } = request.client;
    const bound = { redirectUri, redirectNamed, challenge, resource, cap };
    const approval = { accountId, grantId: newId(), clientId, clientName, ...bound };
    const endsAt = new Date(now.getTime() + CODE_MS);
    return (await store.approve({ hash: hashSecret(code), approval, now, endsAt }, by)) ? code : null;
  }
}
