import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Clock } from '../ports/clock.js';
import type { OneTimeTokens } from '../ports/one-time-tokens.js';

const MINUTE_MS = 60_000;
/** For a link that goes by mail (ASVS 6.5.5). */
export const MAILED_MINUTES = 10;
/** For a link that an operator passes on. */
const PRINTED_MS = 1440 * MINUTE_MS;

export interface SignInLinksOptions {
  readonly tokens: Pick<OneTimeTokens, 'put'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** The address that a link leads to. The secret is behind `#`: browsers keep that to themselves, servers never log it. */
export const signInLink = (authUrl: string, token: string): string => `${authUrl}/sign-in#${token}`;

/** Makes secrets that sign in once; see `signInLink`. Only their hashes are kept. */
export class SignInLinks {
  readonly #options: SignInLinksOptions;

  constructor(options: SignInLinksOptions) {
    this.#options = options;
  }

  /** For an account's owner, passed on by the operator: works for a day. */
  forAccount(accountId: string): Promise<string> {
    return this.#mint({ accountId, next: null }, PRINTED_MS);
  }

  /** For whoever reads the address's mail: works for 10 minutes, and leads on to `next`. */
  forEmail(email: string, next: string | null): Promise<string> {
    return this.#mint({ email, next }, MAILED_MINUTES * MINUTE_MS);
  }

  async #mint(subject: object, forMs: number): Promise<string> {
    const { tokens, clock, randomBytes } = this.#options;
    const token = newSecret(randomBytes);
    const at = clock.now();
    await tokens.put({ hash: hashSecret(token), kind: 'sign_in', subject, at, expiresAt: at + forMs });
    return token;
  }
}
