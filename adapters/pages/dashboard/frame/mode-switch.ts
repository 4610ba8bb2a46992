import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { badRequest } from '../../../../src/domain/errors.js';
import type { Mode } from '../../../../src/domain/mode.js';
import type { AccountRecord } from '../../../../src/ports/accounts.js';
import {
  type AuthenticatedRoutes,
  redirectTo,
  type SignedInRequest,
} from '../../kit/signed-in/authenticated-routes.js';
import type { DashboardServices } from './services.js';

const COOKIE = 'perch-mode';

/** Pages that show one mode at a time, and everything below them. The others belong to the customer's account. */
const SWITCHED = /^\/dashboard\/(?:keys|usage|receipts)(?=[/.?]|$)/;

/** The mode of a page that has two: as last chosen in this browser. Null for the other pages. */
const pageMode = (request: FastifyRequest): Mode | null =>
  SWITCHED.test(request.url) ? (chosen(request) === 'test' ? 'test' : 'live') : null;

const chosen = ({ headers }: FastifyRequest): string | undefined => fastifyCookie.parse(headers.cookie ?? '')[COOKIE];

/** Remembers the choice of a form until the browser is closed. Throws `bad_request` for anything but a mode. */
function chooseMode(form: URLSearchParams, reply: FastifyReply): Mode {
  const mode = form.get('mode');
  if (mode !== 'live' && mode !== 'test') throw badRequest('The mode must be live or test.', 'mode');
  rememberMode(mode, reply);
  return mode;
}

/** Until the browser is closed. */
export function rememberMode(mode: Mode, reply: FastifyReply): void {
  const secure = reply.server.authUrl.startsWith('https:');
  const options = { path: '/dashboard', httpOnly: true, sameSite: 'lax', secure } as const;
  reply.header('Set-Cookie', fastifyCookie.serialize(COOKIE, mode, options));
}

/** Where the form was sent from, if that page has two modes; otherwise the keys. */
const pageBefore = (form: URLSearchParams): string => {
  const from = form.get('from') ?? '';
  return (
    ['/dashboard/keys', '/dashboard/usage', '/dashboard/receipts'].find((page) => page === from) ?? '/dashboard/keys'
  );
};

/** The account that a page shows: in test mode, the test account. */
export const accountShown =
  (accounts: Pick<DashboardServices['accounts'], 'get' | 'testAccount'>) =>
  async (request: FastifyRequest, live: AccountRecord): Promise<Pick<SignedInRequest, 'account' | 'mode'>> => {
    const mode = pageMode(request);
    if (mode !== 'test') return { account: live, mode };
    const accountId = await accounts.testAccount(live.accountId);
    const account = accountId === undefined ? undefined : await accounts.get(accountId);
    // Another account that is signed in to with the same browser may have no test account.
    return account === undefined ? { account: live, mode: 'live' } : { account, mode };
  };

/** The switch between live and test mode. Entering test mode opens the test account. */
export function mountModeSwitch(routes: AuthenticatedRoutes, { accounts }: Pick<DashboardServices, 'accounts'>): void {
  routes.form('/dashboard/mode', '/dashboard/keys', async ({ account, by }, form, reply) => {
    if (chooseMode(form, reply) === 'test') await accounts.openTestAccount(account.accountId, by);
    return redirectTo(reply, pageBefore(form));
  });
}
