import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { type ExportSources, exportLines } from '../../../../src/account/export.js';
import { truncated } from '../../../../src/lib/text.js';
import { needRecentSignIn } from '../../../../src/sign-in/recent.js';
import { DELETED_PATH } from '../../../../src/sign-in/safe-next.js';
import { limitedAs } from '../../../http/origin.js';
import {
  type AuthenticatedRoutes,
  isCallerError,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import { LONGEST_NAME, readName } from '../frame/names.js';
import type { DashboardOptions } from '../frame/services.js';
import { type AccountModel, accountPage, emailPage } from './account.js';

const PAGE = '/dashboard/account';
/** The page that the mailed link leads to. */
const EMAIL = `${PAGE}/email`;

/** An invalid address is cut to this many characters when it is put back into the field. */
const LONGEST_ADDRESS = 254;

type AccountOptions = Pick<
  DashboardOptions,
  'accounts' | 'emailChange' | 'mail' | 'members' | 'sessionCookies' | 'clock'
> &
  Omit<ExportSources, 'accounts'>;

/** The account's name, the person's mail address, and the end of the account. */
export function mountAccount(routes: AuthenticatedRoutes, options: AccountOptions): void {
  const { accounts, emailChange, mail } = options;
  const show = (signedIn: SignedInRequest, reply: FastifyReply, form: Partial<AccountModel> = {}): FastifyReply => {
    const { account, person } = signedIn;
    const typed = { name: account.name, newEmail: '', typedName: '' };
    const facts = { accountName: account.name, balance: account.balance, email: person.email, byMail: mail };
    const model = { layout: dashboardLayout(signedIn), ...facts, ...typed, fault: null };
    return sendPrivatePage(reply, accountPage({ ...model, ...form }));
  };
  routes.page(PAGE, (signedIn, reply) => show(signedIn, reply));
  routes.form(`${PAGE}/name`, PAGE, async (signedIn, form, reply) => {
    const name = form.get('name') ?? '';
    try {
      await accounts.rename(signedIn.account.accountId, readName(name, 'Enter a name.'), signedIn.by);
      return redirectTo(reply, `${PAGE}?done=renamed`);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      const fault = { field: 'name', message: error.message, signInAgain: false } as const;
      return show(signedIn, reply.code(error.status), { name: truncated(name, 2 * LONGEST_NAME), fault });
    }
  });
  routes.form(EMAIL, PAGE, async (signedIn, form, reply) => {
    const newEmail = form.get('email') ?? '';
    try {
      await emailChange.request(signedIn.visitor, newEmail, limitedAs(signedIn.request));
      return redirectTo(reply, `${PAGE}?done=email-link-sent`);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      if (error.retryAfter !== undefined) reply.header('Retry-After', String(error.retryAfter));
      const signInAgain = error.detail.reason === 'sign_in_again';
      const fault = { field: 'email', message: error.message, signInAgain } as const;
      return show(signedIn, reply.code(error.status), { newEmail: truncated(newEmail, LONGEST_ADDRESS), fault });
    }
  });
  mountEnd(routes, options, show);
  routes.page(EMAIL, (signedIn, reply) => sendPrivatePage(reply, emailPage(emailModel(signedIn, null))));
  routes.form(`${EMAIL}/confirm`, EMAIL, async (signedIn, form, reply) => {
    try {
      await emailChange.confirm(signedIn.visitor, form.get('token') ?? '', signedIn.by);
      return redirectTo(reply, `${PAGE}?done=email-changed`);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      return sendPrivatePage(reply.code(error.status), emailPage(emailModel(signedIn, error.message)));
    }
  });
}

type Show = (signedIn: SignedInRequest, reply: FastifyReply, form?: Partial<AccountModel>) => FastifyReply;

/** Routes to download all stored data as a file, and to delete the account. */
function mountEnd(routes: AuthenticatedRoutes, options: AccountOptions, show: Show): void {
  const { members, sessionCookies, clock } = options;
  routes.form(`${PAGE}/export`, PAGE, async (signedIn, _form, reply) => {
    const { account, by, signal } = signedIn;
    await members.admitExport(account.accountId, by);
    reply
      .type('application/x-ndjson; charset=utf-8')
      .header('Content-Disposition', `attachment; filename="perch-${account.accountId}.ndjson"`);
    return reply.send(Readable.from(exportLines(account, options, signal)));
  });
  routes.form(`${PAGE}/delete`, PAGE, async (signedIn, form, reply) => {
    const typedName = form.get('name') ?? '';
    try {
      needRecentSignIn(signedIn.visitor, clock.now());
      await members.deleteAccount(signedIn.account, typedName, signedIn.by);
      if ((await members.standing(signedIn.visitor)) !== null) return redirectTo(reply, '/dashboard?done=deleted');
      // It was the person's last account, so the person was deleted with it.
      sessionCookies.clear(reply);
      return redirectTo(reply, DELETED_PATH);
    } catch (error) {
      if (!isCallerError(error)) throw error;
      const signInAgain = error.detail.reason === 'sign_in_again';
      const fault = { field: 'delete', message: error.message, signInAgain } as const;
      return show(signedIn, reply.code(error.status), { typedName: truncated(typedName, 2 * LONGEST_NAME), fault });
    }
  });
}

const emailModel = (signedIn: SignedInRequest, error: string | null) => ({
  layout: dashboardLayout(signedIn),
  email: signedIn.person.email,
  error,
});
