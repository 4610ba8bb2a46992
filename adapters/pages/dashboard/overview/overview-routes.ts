import { fastifyCookie } from '@fastify/cookie';
import type { FastifyRequest } from 'fastify';
import { keyState } from '../../../../src/account/key-state.js';
import type { AccountRecord } from '../../../../src/ports/accounts.js';
import type { Receipt } from '../../../../src/ports/ledger.js';
import {
  type AuthenticatedRoutes,
  redirectTo,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import { readTestAccount } from '../frame/mode-switch.js';
import type { DashboardServices } from '../frame/services.js';
import { readUsageChart } from '../usage/usage-charts.js';
import { lastDays } from '../usage/usage-params.js';
import { livePart, overviewPage } from './overview.js';
import { ALL_TAKEN, type FirstSteps, type LiveModel } from './overview-model.js';

/** The most requests on the page. */
const NEWEST = 8;

interface OverviewOptions extends DashboardServices {
  readonly network: string;
  readonly mail: boolean;
}

/** The dashboard's first page, with its first steps. */
export function mountOverview(routes: AuthenticatedRoutes, options: OverviewOptions, baseUrl: () => string): void {
  routes.page('/dashboard', async (signedIn, reply) => {
    const { accounts, clock, network, billing } = options;
    const nowMs = clock.now();
    const range = lastDays(30, nowMs);
    const [usage, live, keys] = await Promise.all([
      readUsageChart(signedIn, range, 'credits', options),
      newest(signedIn, options),
      accounts.keys(signedIn.account.accountId),
    ]);
    const shown = { layout: dashboardLayout(signedIn), network, sells: billing.open, baseUrl: baseUrl() };
    return sendPrivatePage(reply, overviewPage({ ...shown, nowMs, range, usage, keys, ...live }));
  });
  routes.page(
    '/dashboard/live',
    async (signedIn, reply) => sendPrivatePage(reply, livePart(await newest(signedIn, options))),
    '/dashboard',
  );
  routes.form('/dashboard/first-steps/hide', '/dashboard', ({ live }, _form, reply) => {
    const secure = reply.server.authUrl.startsWith('https:');
    const cookie = { path: '/dashboard', httpOnly: true, sameSite: 'lax', secure, maxAge: HIDDEN_FOR_S } as const;
    reply.header('Set-Cookie', fastifyCookie.serialize(HIDDEN, live.accountId, cookie));
    return redirectTo(reply, '/dashboard');
  });
}

async function newest(signedIn: SignedInRequest, options: OverviewOptions): Promise<LiveModel> {
  const { account, mode, signal } = signedIn;
  const { ledger, mail } = options;
  const [recent, statement] = await Promise.all([
    ledger.recent(account.accountId, NEWEST, signal),
    ledger.statement(account.accountId, 20, signal),
  ]);
  return {
    account,
    mode: mode ?? 'live',
    mail,
    recent,
    // Reversals and holds take credits, so they are not top-ups.
    lastTopUp: statement.find(({ kind }) => kind !== 'reversal' && kind !== 'hold') ?? null,
    steps: await firstSteps(signedIn, recent, options),
  };
}

/** Names the account whose first steps are hidden, because other accounts may use this browser later. */
const HIDDEN = 'perch-steps-hidden';
const HIDDEN_FOR_S = 31_536_000;

const isHidden = ({ headers }: FastifyRequest, { accountId }: AccountRecord): boolean =>
  fastifyCookie.parse(headers.cookie ?? '')[HIDDEN] === accountId;

/** `recent`: the newest reads of the account that the page shows. Reads no more than is needed. */
async function firstSteps(
  { request, live, account, signal }: SignedInRequest,
  recent: readonly Receipt[],
  services: DashboardServices,
): Promise<FirstSteps | null> {
  if (live.frozen || isHidden(request, live)) return null;
  const nowMs = services.clock.now();
  const hasCredits = live.balance > 0;
  const hasLiveKey = live.keys.some((key) => key.grantId === null && keyState(key, nowMs) === 'active');
  if (recent.length > 0 && hasCredits && hasLiveKey) return ALL_TAKEN;
  const test = account.testOf === null ? await readTestAccount(services, live) : account;
  const has = async (whose: AccountRecord | undefined): Promise<boolean> => {
    if (whose === undefined) return false;
    if (whose.accountId === account.accountId) return recent.length > 0;
    return (await services.ledger.recent(whose.accountId, 1, signal)).length > 0;
  };
  const [hasReadLive, hasReadTest] = await Promise.all([has(live), has(test)]);
  return {
    hasTestKey: test !== undefined && test.keys.length > 0,
    hasRead: hasReadLive || hasReadTest,
    hasCredits,
    hasLiveKey,
    isLive: hasReadLive || (hasCredits && hasLiveKey),
  };
}
