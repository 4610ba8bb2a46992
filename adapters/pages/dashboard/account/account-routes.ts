import type { FastifyReply } from 'fastify';
import { truncated } from '../../../../src/lib/text.js';
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
/** Where the link in the mail leads. */
const EMAIL = `${PAGE}/email`;

/** The most characters of an invalid address that are put back into the field. */
const LONGEST_ADDRESS = 254;

type AccountOptions = Pick<DashboardOptions, 'accounts' | 'emailChange' | 'mail'>;

/** The account's name and mail address. */
export function mountAccount(routes: AuthenticatedRoutes, { accounts, emailChange, mail }: AccountOptions): void {
  const show = (signedIn: SignedInRequest, reply: FastifyReply, form: Partial<AccountModel> = {}): FastifyReply => {
    const { account } = signedIn;
    const typed = { name: account.name, newEmail: '' };
    const model = { layout: dashboardLayout(signedIn), email: account.email, byMail: mail, ...typed, fault: null };
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

const emailModel = (signedIn: SignedInRequest, error: string | null) => ({
  layout: dashboardLayout(signedIn),
  email: signedIn.account.email,
  error,
});
