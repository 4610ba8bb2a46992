import { randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { createSessionCookies } from '../../adapters/http/session-cookies.js';
import { createLogMail } from '../../adapters/mail/log.js';
import { createSmtpMail } from '../../adapters/mail/smtp.js';
import { mountSignIn } from '../../adapters/pages/sign-in/mount.js';
import { createEmailAccounts } from '../../adapters/postgres/accounts/email-accounts.js';
import { createMemberStore } from '../../adapters/postgres/accounts/members.js';
import { createOneTimeTokens } from '../../adapters/postgres/customers/one-time-tokens.js';
import { createPasskeyStore } from '../../adapters/postgres/customers/passkeys.js';
import { createSessionStore } from '../../adapters/postgres/customers/sessions.js';
import type { Admit } from '../../src/access/admit.js';
import { type InvitationMails, Members } from '../../src/account/members.js';
import type { Config } from '../../src/config/config.js';
import type { Mail } from '../../src/ports/mail.js';
import type { EmailAccounts } from '../../src/ports/sign-in.js';
import { EmailChange } from '../../src/sign-in/email-change.js';
import { LinkMails } from '../../src/sign-in/link-mails.js';
import { Passkeys } from '../../src/sign-in/passkeys.js';
import { Sessions } from '../../src/sign-in/sessions.js';
import { SignIn, type SignInOptions } from '../../src/sign-in/sign-in.js';
import type { Lifecycle } from '../lifecycle.js';
import type { Stores } from '../stores.js';
import { CLOSED_TOGETHER, type CustomersOptions, contactIn } from './options.js';

/** The mail transport; null if none is configured: the operator then passes on links from the log. */
export function openMail({ mail, authUrl, host }: Config): Mail | null {
  const { smtpUrl, from } = mail;
  if (smtpUrl === null) return null;
  const domain = authUrl === null ? host : new URL(authUrl).hostname;
  return createSmtpMail({ url: smtpUrl, from: from ?? `Perch <no-reply@${domain}>` });
}

const openLinkMails = (mail: Mail | null, { shared, log }: CustomersOptions): LinkMails =>
  new LinkMails({
    mail: mail ?? createLogMail(log),
    limiter: shared.limiter,
    onMailFailure: (err) => log.error({ err }, 'A mail with a link could not be sent.'),
  });

const invitationMails = (mails: LinkMails): InvitationMails => ({
  admit: (to, address) => mails.admitInvitation(to, address),
  send: (message) => mails.sendInvitation(message),
});

/** Sign-in by links and passkeys, stored in Postgres. */
export async function openSignIn(
  lifecycle: Lifecycle,
  app: FastifyInstance,
  options: CustomersOptions,
  mail: Mail | null,
) {
  const { config, stores, shared, clock, standIns } = options;
  const { sql, accounts } = stores;
  const tokens = createOneTimeTokens(sql);
  const sessions = new Sessions({ store: createSessionStore(sql), clock, randomBytes });
  const nameOf = async (accountId: string) => (await accounts.get(accountId))?.name ?? 'Perch';
  const emails = createEmailAccounts(sql);
  const personName = async (personId: string) =>
    (await emails.emailOf(personId)) ?? (await nameOf((await emails.ownedBy(personId)) ?? ''));
  const { limiter } = shared;
  const mails = openLinkMails(mail, options);
  const common = { tokens, sessions, limiter, clock, randomBytes, authUrl: () => app.authUrl };
  const parts: SignInOptions = {
    ...common,
    accounts: emails,
    openAccount: async (email, by) =>
      (await accounts.create({ name: email, email, paidUsd: 0, qpsOverride: null }, by)).accountId,
    grantStartingCredits: (accountId) => grantStartingCredits(stores, emails, config, accountId),
    nameOf,
    mails,
  };
  const signIn = await lifecycle.open(
    'sign-in by mail',
    () => new SignIn(parts),
    (opened) => opened.close(),
    CLOSED_TOGETHER,
  );
  const passkeys = new Passkeys({ ...common, store: createPasskeyStore(sql), nameOf: personName });
  const emailChange = new EmailChange({ ...common, emailOf: emails.emailOf, emails, mails, byMail: mail !== null });
  const members = new Members({
    ...common,
    store: createMemberStore(sql),
    accounts,
    mails: mail === null ? null : invitationMails(mails),
  });
  const sessionCookies = standIns.sessionCookies ?? createSessionCookies(app, sessions);
  return {
    sessionCookies,
    signIn,
    sessions,
    passkeys,
    emailChange,
    members,
    mount({ admitPublic }: Admit) {
      const shown = { byMail: mail !== null, contact: contactIn(config) };
      mountSignIn(app, { admitPublic, sessionCookies, signIn, sessions, passkeys, ...shown });
    },
    /** Deletes expired links, sessions, challenges and invitations. */
    async sweep() {
      await tokens.forget(clock.now());
      await sessions.sweep();
      await members.sweep();
    },
  };
}

/**
 * Grants a new account's starting credits, once per mailbox and once per account: grants are idempotent by request id,
 * and the account's id is used as the request id.
 */
async function grantStartingCredits(
  { ledger }: Stores,
  emails: Pick<EmailAccounts, 'claimStartingCredits'>,
  { startingThousandths: amount }: Config,
  accountId: string,
): Promise<void> {
  if (amount > 0 && (await emails.claimStartingCredits(accountId)))
    await ledger.grant({ requestId: accountId, accountId, amount, reason: 'starting credits' });
}
