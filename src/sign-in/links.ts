import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import { ServiceError } from '../domain/errors.js';
import { DAY_MS, MINUTE_MS } from '../lib/durations.js';
import type { Clock } from '../ports/clock.js';
import type { EmailAccounts, OneTimeTokens } from '../ports/sign-in.js';

/** Lifetime of a link sent by mail (ASVS 6.5.5). */
export const MAILED_MINUTES = 10;
/** Lifetime of a link that an operator passes on. */
const PRINTED_MS = DAY_MS;

export interface SignInLinksOptions {
  readonly tokens: Pick<OneTimeTokens, 'put'>;
  readonly accounts: Pick<EmailAccounts, 'ownerOf'>;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
}

/** The address of a link. The secret is in the fragment (`#`): browsers do not send it, so servers never log it. */
export const signInLink = (authUrl: string, token: string): string => `${authUrl}/sign-in#${token}`;

/** The hash of a link's secret, given the secret alone or the whole link as pasted. */
export const hashOfLink = (pasted: string): Buffer =>
  hashSecret(
    pasted
      .trim()
      .replace(/^.*#/s, '')
      .replace(/^change=/, ''),
  );

/** Makes secrets that sign in once; see `signInLink`. Only their hashes are stored. */
export class SignInLinks {
  readonly #options: SignInLinksOptions;

  constructor(options: SignInLinksOptions) {
    this.#options = options;
  }

  /**
   * For the person who owns the account now, passed on by the operator: valid for a day, while they own it. Throws
   * `not_found` if nobody owns it.
   */
  async forAccount(accountId: string): Promise<string> {
    const ownerId = await this.#options.accounts.ownerOf(accountId);
    if (ownerId === undefined) throw new ServiceError('not_found', 'This account has no owner.');
    return this.#mint({ accountId, ownerId, next: null }, PRINTED_MS);
  }

  /** For the owner of the mail address: valid for 10 minutes, and continues to `next`. */
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
