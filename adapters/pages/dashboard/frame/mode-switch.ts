import { fastifyCookie } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toThousandths } from '../../../../src/domain/credits.js';
import { badRequest } from '../../../../src/domain/errors.js';
import { type Mode, PLAY_CREDITS } from '../../../../src/domain/mode.js';
import { utcDay } from '../../../../src/lib/durations.js';
import type { AccountRecord } from '../../../../src/ports/accounts.js';
import {
  type AuthenticatedRoutes,
  redirectTo,
  type SignedInRequest,
} from '../../kit/signed-in/authenticated-routes.js';
import { isMenuPage } from './dashboard-page.js';
import type { DashboardServices } from './services.js';

const COOKIE = 'perch-mode';

/**
 * Pages, with everything below them, that show the test account in test mode. All others show the customer's account.
 */
const SWITCHED = /^\/dashboard(?:\/(?:live|usage|keys|connect|receipts|watches)(?:[/.].*)?)?$/;

const isSwitched = ({ url }: FastifyRequest): boolean => SWITCHED.test(url.split('?', 1)[0] ?? '');

/** The mode last chosen in this browser. */
const chosen = ({ headers }: FastifyRequest): Mode =>
  fastifyCookie.parse(headers.cookie ?? '')[COOKIE] === 'test' ? 'test' : 'live';

/** Remembers the mode chosen in a form until the browser is closed. Throws `bad_request` for anything but a mode. */
function chooseMode(form: URLSearchParams, reply: FastifyReply): Mode {
  const mode = form.get('mode');
  if (mode !== 'live' && mode !== 'test') throw badRequest('The mode must be live or test.', 'mode');
  rememberMode(mode, reply);
  return mode;
}

/** Remembers the mode until the browser is closed. */
export function rememberMode(mode: Mode, reply: FastifyReply): void {
  const secure = reply.server.authUrl.startsWith('https:');
  const options = { path: '/dashboard', httpOnly: true, sameSite: 'lax', secure } as const;
  reply.header('Set-Cookie', fastifyCookie.serialize(COOKIE, mode, options));
}

/** Shows the balance that the next read can spend, because the first read of a UTC day refills the wallet. */
const withPlayCredits = (account: AccountRecord, nowMs: number): AccountRecord =>
  account.refilledOn === utcDay(nowMs)
    ? account
    : { ...account, balance: Math.max(account.balance, toThousandths(PLAY_CREDITS)) };

/** The test account of a customer's account, as pages show it; undefined if there is none yet. */
export async function readTestAccount(
  { accounts, clock }: Pick<DashboardServices, 'accounts' | 'clock'>,
  live: AccountRecord,
): Promise<AccountRecord | undefined> {
  const accountId = await accounts.testAccount(live.accountId);
  const account = accountId === undefined ? undefined : await accounts.get(accountId);
  return account && withPlayCredits(account, clock.now());
}

/** The mode that the customer chose, and the account that the page shows in it. */
export const accountShown =
  (services: Pick<DashboardServices, 'accounts' | 'clock'>) =>
  async (request: FastifyRequest, live: AccountRecord): Promise<Pick<SignedInRequest, 'account' | 'mode'>> => {
    const test = chosen(request) === 'test' ? await readTestAccount(services, live) : undefined;
    // The mode may have been chosen for another account in this browser; this one may have no test account.
    if (test === undefined) return { account: live, mode: 'live' };
    return { account: isSwitched(request) ? test : live, mode: 'test' };
  };

/** The switch between live and test mode. Entering test mode opens the test account. */
export function mountModeSwitch(routes: AuthenticatedRoutes, { accounts }: Pick<DashboardServices, 'accounts'>): void {
  routes.form('/dashboard/mode', '/dashboard', async ({ live, by }, form, reply) => {
    if (chooseMode(form, reply) === 'test') await accounts.openTestAccount(live.accountId, by);
    const from = form.get('from') ?? '';
    return redirectTo(reply, isMenuPage(from) ? from : '/dashboard');
  });
}
