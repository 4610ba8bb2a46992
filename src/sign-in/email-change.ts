import { z } from 'zod';
import { hashSecret, newSecret, type RandomBytes } from '../access/secret.js';
import type { Actor } from '../domain/audit.js';
import { badRequest, ServiceError, takeOrThrow } from '../domain/errors.js';
import { mailAddress } from '../domain/mail-address.js';
import { MINUTE_MS } from '../lib/durations.js';
import type { Clock } from '../ports/clock.js';
import type { RateLimiter } from '../ports/rate-limiter.js';
import type { EmailAccounts, OneTimeTokens } from '../ports/sign-in.js';
import type { LinkMails } from './link-mails.js';
import { hashOfLink, MAILED_MINUTES } from './links.js';
import { changedNotice, changeMail, takenMail } from './mail.js';
import { needRecentSignIn } from './recent.js';
import type { Visitor } from './sessions.js';

/** Links that one person may request in a quarter of an hour, for all addresses together. */
const PER_ACCOUNT = 5;
const WINDOW_SECONDS = 900;

/** The path of the page that a link leads to. */
const EMAIL_PAGE = '/dashboard/account/email';

const subject = z.object({ personId: z.uuid(), from: z.string().nullable(), to: mailAddress });

export interface EmailChangeOptions {
  readonly tokens: OneTimeTokens;
  readonly emails: Pick<EmailAccounts, 'find' | 'change'>;
  /** The current address of a person; null if they have none. */
  readonly emailOf: (personId: string) => Promise<string | null>;
  readonly mails: Pick<LinkMails, 'admit' | 'send'>;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly randomBytes: RandomBytes;
  /** The address of sign-in, known once the service listens. */
  readonly authUrl: () => string;
  /** Whether there is a mail server. Without one, the old address gets no notice of a change. */
  readonly byMail: boolean;
}

/**
 * Changes a person's mail address by a link sent to the new one. The link works once, within 10 minutes, only in a
 * session of that person, and no longer if the address was changed in another way meanwhile.
 */
export class EmailChange {
  readonly #options: EmailChangeOptions;

  constructor(options: EmailChangeOptions) {
    this.#options = options;
  }

  /**
   * Mails a link. Only the mail shows whether the address has an account. Throws `bad_request` for an invalid
   * address and for the person's own, `access_denied` with the reason `sign_in_again` if the sign-in is more than 10
   * minutes old, and `rate_limited` if too many links were requested by them, or from the address or its network.
   */
  async request(visitor: Visitor, typed: string, address: string): Promise<void> {
    const { clock, emailOf, limiter, mails } = this.#options;
    const { personId } = visitor;
    const parsed = mailAddress.safeParse(typed.trim());
    if (!parsed.success) throw badRequest('Invalid email address. It should look like name@example.org.', 'email');
    const to = parsed.data;
    needRecentSignIn(visitor, clock.now());
    const from = await emailOf(personId);
    if (isSame(from, to)) throw badRequest('This is already the address of your account.', 'email');
    await takeOrThrow(limiter, [`email-change:of:${personId}`, PER_ACCOUNT, WINDOW_SECONDS], {
      message: 'Too many links were requested for this account. Try again later.',
    });
    await mails.admit(address);
    mails.send(to, address, () => this.#write(personId, from, to));
  }

  /**
   * Changes the address, given a link's secret or the whole link as pasted, and ends the person's other sessions.
   * Returns the new address. Throws `bad_request` with the reason `link_spent` for a link that is used, expired,
   * another person's, or was never issued, and for an address that has an account by now.
   */
  async confirm({ personId, sessionId }: Visitor, pasted: string, by: Actor): Promise<string> {
    const { tokens, clock, emails } = this.#options;
    const hash = hashOfLink(pasted);
    const found = subject.safeParse(await tokens.peek(hash, 'email_change', clock.now()));
    // A link that the wrong person opened stays valid for the right one.
    if (!found.success || found.data.personId !== personId) throw spent();
    if ((await tokens.spend(hash, 'email_change', clock.now())) === undefined) throw spent();
    const { from, to } = found.data;
    const change = { personId, from, to, notice: this.#noticeOf(from, to), sessionId, at: clock.now() };
    if (!(await emails.change(change, by))) throw spent();
    return to;
  }

  #noticeOf(from: string | null, to: string) {
    if (from === null || !this.#options.byMail) return null;
    const { to: target, subject, text } = changedNotice({ from, to });
    return { channel: 'mail', target, subject, body: text, dueAt: this.#options.clock.now() } as const;
  }

  async #write(personId: string, from: string | null, to: string) {
    const { tokens, emails, clock, randomBytes, authUrl } = this.#options;
    if ((await emails.find(to)) !== undefined) return takenMail(to);
    const token = newSecret(randomBytes);
    const at = clock.now();
    const expiresAt = at + MAILED_MINUTES * MINUTE_MS;
    const facts = { personId, from, to };
    await tokens.put({ hash: hashSecret(token), kind: 'email_change', subject: facts, at, expiresAt });
    // The fragment differs from a sign-in link's, so that the sign-in page does not accept it.
    return changeMail({ to, link: `${authUrl()}${EMAIL_PAGE}#change=${token}`, minutes: MAILED_MINUTES });
  }
}

const isSame = (from: string | null, to: string): boolean => from?.toLowerCase() === to.toLowerCase();

const spent = (): ServiceError =>
  new ServiceError(
    'bad_request',
    'This link has expired, has already been used, or is for another account. Request a new one.',
    { reason: 'link_spent', param: 'token' },
  );
