import { z } from 'zod';
import { hashSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../core/audit.js';
import { badRequest, ServiceError } from '../core/errors.js';
import { mailAddress } from '../core/mail-address.js';
import { withTimeout } from '../core/with-timeout.js';
import type { Clock } from '../ports/clock.js';
import type { Mail } from '../ports/mail.js';
import type { OneTimeTokens } from '../ports/one-time-tokens.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import type { EmailAccounts } from '../ports/sign-in.js';
import { MAILED_MINUTES, SignInLinks, signInLink } from './links.js';
import { signInMail } from './mail.js';
import { safeNext } from './safe-next.js';
import type { NewSession, Origin, Sessions } from './sessions.js';

/** Links per mail address, and per requesting address, in a quarter of an hour. */
const PER_EMAIL = 5;
const PER_ADDRESS = 20;
const WINDOW_SECONDS = 900;

/** Most mails of the service in an hour: someone with many addresses can't make it send unsolicited mail in bulk. */
const IN_ALL = 600;
const IN_ALL_SECONDS = 3600;

/** Most mails being sent at once: further ones are dropped and reported to the operator. */
const MOST_PENDING = 100;

/** How long a stop waits for them. */
const CLOSE_MS = 5000;

const subject = z.union([
  z.object({ accountId: z.uuid(), next: z.string().nullable() }),
  z.object({ email: mailAddress, next: z.string().nullable() }),
]);

export interface SignInOptions {
  readonly tokens: OneTimeTokens;
  readonly sessions: Pick<Sessions, 'start'>;
  readonly accounts: EmailAccounts;
  /** Opens an account for an address that has none; returns its id. */
  readonly openAccount: (email: string, by: Actor) => Promise<string>;
  /** Grants such an account its starting credits. Idempotent per account. */
  readonly grantStartingCredits: (accountId: string) => Promise<void>;
  readonly nameOf: (accountId: string) => Promise<string>;
  readonly mail: Mail;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** The address of sign-in, known once the service listens. */
  readonly authUrl: () => string;
  /** Called with a mail that could not be sent: for the operator, never for the requester. */
  readonly onMailFailure: (error: unknown) => void;
}

/** Sign-in by single-use links: mailed, or printed for an operator. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #links: SignInLinks;
  readonly #pending = new Set<Promise<void>>();

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#links = new SignInLinks(options);
  }

  /**
   * Mails a link. Nothing visible from outside depends on the mail address: an account is found or opened when the link
   * is spent, and the mail is sent after the answer. Throws `bad_request` for an invalid mail address, and
   * `rate_limited` if too many links were requested from one address.
   */
  async requestLink(to: string, { address, next }: { address: string; next: string | null }): Promise<void> {
    const parsed = mailAddress.safeParse(to.trim());
    if (!parsed.success) throw badRequest('Invalid email address.', 'email');
    const rate = await this.#options.limiter.take(`sign-in:from:${address}`, PER_ADDRESS, WINDOW_SECONDS);
    if (!rate.allowed) {
      throw new ServiceError('rate_limited', 'Too many sign-in links were requested from your IP address.', {
        retryAfter: rate.retryAfterSeconds,
      });
    }
    this.#inBackground(() => this.#sendLink(parsed.data, safeNext(next)));
  }

  /**
   * Spends a link's secret, or the whole link as pasted: signs in, and returns where its owner wanted to go. Throws
   * `bad_request` with the reason `link_spent` for one that is used, expired, or was never issued.
   *
   * The account comes first, with its starting credits: if that fails, the link still works.
   */
  async spend(pasted: string, origin: Origin): Promise<{ session: NewSession; next: string | null }> {
    const { tokens, clock, sessions } = this.#options;
    const found = await this.#peek(pasted);
    const accountId = 'accountId' in found ? found.accountId : await this.#accountOf(found.email, origin);
    if ((await tokens.spend(hashOf(pasted), 'sign_in', clock.now())) === undefined) throw spent();
    const session = await sessions.start(accountId, { ...origin, method: 'link' });
    return { session, next: safeNext(found.next) };
  }

  /**
   * The user that a link would sign in: the mail address it was sent to, or the account's name. The link stays valid.
   * Throws as `spend` does.
   */
  async accountOf(pasted: string): Promise<string> {
    const found = await this.#peek(pasted);
    return 'accountId' in found ? this.#options.nameOf(found.accountId) : found.email;
  }

  /** Resolves once no mail is being sent any more, or after 5 seconds. */
  close(): Promise<void> {
    return withTimeout(CLOSE_MS, Promise.all(this.#pending));
  }

  async #peek(pasted: string): Promise<z.infer<typeof subject>> {
    const { tokens, clock } = this.#options;
    const found = subject.safeParse(await tokens.peek(hashOf(pasted), 'sign_in', clock.now()));
    if (found.success) return found.data;
    throw spent();
  }

  async #accountOf(to: string, { address }: Origin): Promise<string> {
    const { accounts, openAccount, grantStartingCredits } = this.#options;
    const accountId = await accounts.accountOf(to, () => openAccount(to, { who: 'customer', address }));
    if (await accounts.lacksStartingCredits(accountId)) await grantStartingCredits(accountId);
    return accountId;
  }

  async #sendLink(to: string, next: string | null): Promise<void> {
    const { limiter, mail, authUrl } = this.#options;
    // By its hash: state shared between nodes need not reveal who the customers are.
    const name = hashSecret(to.toLowerCase()).toString('base64url');
    const rate = await limiter.take(`sign-in:to:${name}`, PER_EMAIL, WINDOW_SECONDS);
    if (!rate.allowed) return;
    if (!(await limiter.take('sign-in:all', IN_ALL, IN_ALL_SECONDS)).allowed) {
      throw new Error(`${IN_ALL} sign-in links were mailed in the last hour: one was dropped`);
    }
    const token = await this.#links.forEmail(to, next);
    await mail.send(signInMail({ to, link: signInLink(authUrl(), token), minutes: MAILED_MINUTES }));
  }

  #inBackground(run: () => Promise<void>): void {
    const { onMailFailure } = this.#options;
    if (this.#pending.size >= MOST_PENDING) {
      onMailFailure(new Error(`${MOST_PENDING} mails are already being sent: one was dropped`));
      return;
    }
    const done: Promise<void> = run()
      .catch(onMailFailure)
      .finally(() => this.#pending.delete(done));
    this.#pending.add(done);
  }
}

/** The hash of a secret, or of that in a whole link as pasted. */
const hashOf = (pasted: string): Buffer => hashSecret(pasted.trim().replace(/^.*#/s, ''));

const spent = (): ServiceError =>
  new ServiceError('bad_request', 'This link has expired or has already been used. Request a new one.', {
    reason: 'link_spent',
    param: 'token',
  });
