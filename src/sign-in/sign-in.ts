import { z } from 'zod';
import type { RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import { badRequest, ServiceError } from '../domain/errors.js';
import { mailAddress } from '../domain/mail-address.js';
import type { Clock } from '../ports/clock.js';
import type { EmailAccounts, OneTimeTokens } from '../ports/sign-in.js';
import type { LinkMails } from './link-mails.js';
import { hashOfLink, MAILED_MINUTES, SignInLinks, signInLink } from './links.js';
import { signInMail } from './mail.js';
import { safeNext } from './safe-next.js';
import type { NewSession, SessionOrigin, Sessions } from './sessions.js';

const subject = z.union([
  z.object({ accountId: z.uuid(), ownerId: z.uuid(), next: z.string().nullable() }),
  z.object({ email: mailAddress, next: z.string().nullable() }),
]);

export interface SignInOptions {
  readonly tokens: OneTimeTokens;
  readonly sessions: Pick<Sessions, 'start'>;
  readonly accounts: EmailAccounts;
  /** Opens an account for an address that has none; returns its id. */
  readonly openAccount: (email: string, by: Actor) => Promise<string>;
  /** Grants an account its starting credits, if new accounts get any. Idempotent per account. */
  readonly grantStartingCredits: (accountId: string) => Promise<void>;
  readonly nameOf: (accountId: string) => Promise<string>;
  readonly mails: LinkMails;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** The address of sign-in, known once the service listens. */
  readonly authUrl: () => string;
}

/** Sign-in by single-use links: mailed, or printed for an operator. */
export class SignIn {
  readonly #options: SignInOptions;
  readonly #links: SignInLinks;

  constructor(options: SignInOptions) {
    this.#options = options;
    this.#links = new SignInLinks(options);
  }

  /**
   * Mails a link. Nothing visible from outside depends on the mail address: an account is found or opened when the link
   * is spent, and the mail is sent after the answer. Throws `bad_request` for an invalid mail address, and
   * `rate_limited` if too many links were requested from one address or network.
   */
  async requestLink(to: string, { address, next }: { address: string; next: string | null }): Promise<void> {
    const parsed = mailAddress.safeParse(to.trim());
    if (!parsed.success) throw badRequest('Invalid email address.', 'email');
    const { mails, authUrl } = this.#options;
    await mails.admit(address);
    mails.send(parsed.data, address, async () => {
      const token = await this.#links.forEmail(parsed.data, safeNext(next));
      return signInMail({ to: parsed.data, link: signInLink(authUrl(), token), minutes: MAILED_MINUTES });
    });
  }

  /**
   * Spends a link, given its secret or the whole link as pasted: signs in, and returns the page that the user wanted to
   * see. Throws `bad_request` with the reason `link_spent` for a link that is used, expired, or was never issued,
   * and for a printed one if the account has another owner by now.
   *
   * A mailed link's account is opened first, with its starting credits, so that the link still works if that fails.
   */
  async spend(pasted: string, origin: SessionOrigin): Promise<{ session: NewSession; next: string | null }> {
    const { tokens, clock, sessions } = this.#options;
    const found = await this.#peek(pasted);
    const accountId = 'accountId' in found ? found.accountId : null;
    const personId = 'accountId' in found ? found.ownerId : await this.#personOf(found.email, origin);
    if ((await tokens.spend(hashOfLink(pasted), 'sign_in', clock.now())) === undefined) throw spent();
    const session = await sessions.start(personId, { ...origin, method: 'link', accountId });
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
    return this.#options.mails.close();
  }

  async #peek(pasted: string): Promise<z.infer<typeof subject>> {
    const { tokens, clock } = this.#options;
    const found = subject.safeParse(await tokens.peek(hashOfLink(pasted), 'sign_in', clock.now()));
    if (!found.success || !(await this.#isForOwner(found.data))) throw spent();
    return found.data;
  }

  /** A printed link must not sign in a person to whom the account has been transferred since. */
  async #isForOwner(link: z.infer<typeof subject>): Promise<boolean> {
    return !('accountId' in link) || (await this.#options.accounts.ownerOf(link.accountId)) === link.ownerId;
  }

  async #personOf(to: string, { address }: SessionOrigin): Promise<string> {
    const { accounts, openAccount, grantStartingCredits } = this.#options;
    const personId = await accounts.personOf(to, () => openAccount(to, { who: 'customer', address }));
    // A person's own account has the person's id.
    await grantStartingCredits(personId);
    return personId;
  }
}

const spent = (): ServiceError =>
  new ServiceError('bad_request', 'This link has expired or has already been used. Request a new one.', {
    reason: 'link_spent',
    param: 'token',
  });
