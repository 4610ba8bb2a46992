import type { FastifyReply } from 'fastify';
import { INVITATIONS_PATH } from '../../../../src/account/members.js';
import { badRequest } from '../../../../src/domain/errors.js';
import { truncated } from '../../../../src/lib/text.js';
import { needRecentSignIn } from '../../../../src/sign-in/recent.js';
import { limitedAs } from '../../../http/origin.js';
import {
  type AuthenticatedRoutes,
  isCallerError,
  pathParam,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { faultOf } from '../../kit/signed-in/parts.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import type { DashboardOptions } from '../frame/services.js';
import { carry, take } from '../keys/fresh-key-cookie.js';
import { accountsPage, invitationPage } from './accounts.js';
import { invitedPage, type MembersModel, membersPage } from './members.js';

const PAGE = '/dashboard/members';
const INVITED = `${PAGE}/invited`;
const ACCOUNTS = '/dashboard/accounts';
const INVITATION = `${INVITATIONS_PATH}/:secret`;

/** An invalid address is cut to this many characters when it is put back into the field. */
const LONGEST_ADDRESS = 254;

type MemberOptions = Pick<DashboardOptions, 'members' | 'sessions' | 'alerts' | 'watches' | 'mail' | 'clock'>;

/** Members and their roles, invitations, and the accounts of the person. */
export function mountMembers(routes: AuthenticatedRoutes, options: MemberOptions): void {
  const { members, sessions, mail, clock } = options;
  const show = async (
    signedIn: SignedInRequest,
    reply: FastifyReply,
    rest: Partial<Pick<MembersModel, 'typed' | 'fault'>> = {},
  ): Promise<FastifyReply> => {
    const { accountId } = signedIn.account;
    const [list, invitations, webhookHosts] = await Promise.all([
      members.list(accountId),
      members.invitations(accountId),
      readWebhookHosts(accountId, options),
    ]);
    const known = {
      webhookHosts,
      layout: dashboardLayout(signedIn),
      personId: signedIn.person.personId,
      nowMs: clock.now(),
    };
    const form = { typed: { email: '', role: 'developer' }, fault: null };
    return sendPrivatePage(
      reply,
      membersPage({ ...known, members: list, invitations, byMail: mail, ...form, ...rest }),
    );
  };
  routes.page(PAGE, (signedIn, reply) => show(signedIn, reply));
  /** Mounts a form of the page; if the form is invalid, the page says why. */
  const form = (url: string, act: Act): void =>
    routes.form(url, PAGE, async (signedIn, fields, reply) => {
      try {
        return redirectTo(reply, await act(signedIn, fields, reply));
      } catch (error) {
        if (!isCallerError(error)) throw error;
        const { status, detail, retryAfter } = error;
        if (retryAfter !== undefined) reply.header('Retry-After', String(retryAfter));
        const fault = { ...faultOf(error), signInAgain: detail.reason === 'sign_in_again' };
        const typed = { email: truncated(fields.get('email') ?? '', LONGEST_ADDRESS), role: fields.get('role') ?? '' };
        return show(signedIn, reply.code(status), { fault, typed });
      }
    });
  form(PAGE, async ({ account, by, request }, fields, reply) => {
    const typed = { email: fields.get('email') ?? '', role: fields.get('role') ?? '' };
    const link = await members.invite(account, typed, { by, address: limitedAs(request) });
    if (link === null) return `${PAGE}?done=member-invited`;
    carry(reply, INVITED, { key: link });
    return INVITED;
  });
  routes.page(INVITED, (signedIn, reply) => {
    const link = take(signedIn.request, reply, INVITED)?.key;
    if (link === undefined || !link.includes(INVITATIONS_PATH)) return redirectTo(reply, `${PAGE}?done=link-shown`);
    return sendPrivatePage(reply, invitedPage({ layout: dashboardLayout(signedIn), link }));
  });
  form(`${PAGE}/:personId/role`, async ({ account, by, request }, fields) => {
    await members.changeRole(account.accountId, pathParam(request, 'personId'), fields.get('role') ?? '', by);
    return `${PAGE}?done=role-changed`;
  });
  form(`${PAGE}/:personId/remove`, async ({ account, by, request }, fields) => {
    const keys = fields.get('keys');
    if (keys !== 'revoke' && keys !== 'keep') throw badRequest('Choose what happens to the keys they created.');
    await members.remove(account.accountId, pathParam(request, 'personId'), keys === 'revoke', by);
    return `${PAGE}?done=member-removed`;
  });
  form(`${PAGE}/:personId/transfer`, async ({ account, visitor, person, by, request }) => {
    needRecentSignIn(visitor, clock.now());
    await members.transfer(account.accountId, person.personId, pathParam(request, 'personId'), by);
    return `${PAGE}?done=transferred`;
  });
  form(`${PAGE}/invitations/:invitationId/withdraw`, async ({ account, by, request }) => {
    await members.withdraw(account.accountId, pathParam(request, 'invitationId'), by);
    return `${PAGE}?done=invitation-withdrawn`;
  });
  form(`${PAGE}/leave`, async ({ account, person, by }) => {
    await members.remove(account.accountId, person.personId, false, by);
    return `${ACCOUNTS}?done=left`;
  });
  mountAccounts(routes, { members, sessions });
}

async function readWebhookHosts(
  accountId: string,
  { alerts, watches }: Pick<MemberOptions, 'alerts' | 'watches'>,
): Promise<string[]> {
  const watched = (await watches.list(accountId)).filter(({ state }) => state !== 'ended');
  const urls = [...watched, ...(await alerts.list(accountId))].map(({ webhookUrl }) => webhookUrl);
  return [...new Set(urls.flatMap((url) => (url === null ? [] : [new URL(url).host])))].sort();
}

type Act = (signedIn: SignedInRequest, fields: URLSearchParams, reply: FastifyReply) => Promise<string>;

/** Routes that concern the person, not one account: which account is shown, and invitations to others. */
function mountAccounts(
  routes: AuthenticatedRoutes,
  { members, sessions }: Pick<MemberOptions, 'members' | 'sessions'>,
): void {
  routes.page(ACCOUNTS, (signedIn, reply) => {
    const { memberships, account } = signedIn;
    const model = { layout: dashboardLayout(signedIn), memberships, accountId: account.accountId };
    return sendPrivatePage(reply, accountsPage(model));
  });
  routes.form(`${ACCOUNTS}/switch`, ACCOUNTS, async ({ visitor, memberships }, fields, reply) => {
    const requestedId = fields.get('account');
    const chosen = memberships.find(({ accountId }) => accountId === requestedId);
    if (chosen === undefined) throw badRequest('You are not a member of that account.', 'account');
    await sessions.choose(visitor, chosen.accountId);
    return redirectTo(reply, '/dashboard?done=switched');
  });
  const show = async (signedIn: SignedInRequest, reply: FastifyReply, error: string | null): Promise<FastifyReply> => {
    const { person, request } = signedIn;
    const secret = pathParam(request, 'secret');
    const invitation = await members.invitation(secret, person);
    if (invitation === undefined) reply.code(404);
    const model = { layout: dashboardLayout(signedIn), secret, invitation, email: person.email, error };
    return sendPrivatePage(reply, invitationPage(model));
  };
  routes.page(INVITATION, (signedIn, reply) => show(signedIn, reply, null));
  routes.form(`${INVITATION}/accept`, '/dashboard', async (signedIn, _fields, reply) => {
    try {
      const { person, visitor, by, request } = signedIn;
      const accountId = await members.accept(pathParam(request, 'secret'), person, by);
      await sessions.choose(visitor, accountId);
      return redirectTo(reply, '/dashboard?done=joined');
    } catch (error) {
      if (!isCallerError(error)) throw error;
      return show(signedIn, reply.code(error.status), error.message);
    }
  });
}
