import type { FastifyReply } from 'fastify';
import { badRequest } from '../../../../src/domain/errors.js';
import type { UsageRow } from '../../../../src/ports/ledger.js';
import { queryString } from '../../../http/request.js';
import {
  type AuthenticatedRoutes,
  isCallerError,
  type SignedInRequest,
  sendPrivatePage,
} from '../../kit/signed-in/authenticated-routes.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import type { DashboardServices } from '../frame/services.js';
import { livePart, overviewPage } from '../overview/overview.js';
import type { LiveModel } from '../overview/overview-model.js';
import { usagePage } from './usage.js';
import { MOST_ROWS, readLastHours, readUsageChart } from './usage-charts.js';
import { hoursIn, lastDays, moments, readUsageParams, type UsageSelection } from './usage-params.js';
import { usageCsv } from './usage-table.js';

/** The most requests on the overview. */
const NEWEST = 8;

interface UsageOptions extends DashboardServices {
  readonly network: string;
  readonly mail: boolean;
}

/** Overview, usage and its file. */
export function mountUsage(routes: AuthenticatedRoutes, options: UsageOptions): void {
  routes.page('/dashboard', async (signedIn, reply) => sendPrivatePage(reply, await overview(signedIn, options)));
  routes.page(
    '/dashboard/live',
    async (signedIn, reply) => sendPrivatePage(reply, livePart(await newest(signedIn, options))),
    '/dashboard',
  );
  routes.page('/dashboard/usage', (signedIn, reply) => showUsage(signedIn, reply, options));
  routes.page('/dashboard/usage.csv', (signedIn, reply) => sendFile(signedIn, reply, options), '/dashboard/usage');
}

async function sendFile(signedIn: SignedInRequest, reply: FastifyReply, options: UsageOptions): Promise<FastifyReply> {
  const ask = readUsageParams(queryString(signedIn.request), options.clock.now());
  const rows = await readUsageRows(signedIn, ask, options);
  return reply
    .type('text/csv; charset=utf-8; header=present')
    .header('Content-Disposition', `attachment; filename="perch-usage-${ask.from}-${ask.to}.csv"`)
    .send(usageCsv(ask, rows));
}

/** Throws `bad_request` when there are more than a file or a table may contain. */
async function readUsageRows(
  { account: { accountId }, signal }: SignedInRequest,
  ask: UsageSelection,
  { ledger }: Pick<DashboardServices, 'ledger'>,
): Promise<readonly UsageRow[]> {
  const rows = await ledger.usage(accountId, { ...moments(ask), group: ask.groups, limit: MOST_ROWS + 1 }, signal);
  if (rows.length <= MOST_ROWS) return rows;
  throw badRequest(`The result has more than ${MOST_ROWS} rows. Choose fewer days or fewer groups.`, 'group');
}

async function overview(signedIn: SignedInRequest, options: UsageOptions): Promise<string> {
  const { clock, network } = options;
  const nowMs = clock.now();
  const range = lastDays(30, nowMs);
  const [usage, live] = await Promise.all([
    readUsageChart(signedIn, range, 'credits', options),
    newest(signedIn, options),
  ]);
  return overviewPage({ layout: dashboardLayout(signedIn), network, nowMs, range, usage, ...live });
}

async function newest({ account, signal }: SignedInRequest, { ledger, mail }: UsageOptions): Promise<LiveModel> {
  const [recent, statement] = await Promise.all([
    ledger.recent(account.accountId, NEWEST, signal),
    ledger.statement(account.accountId, 20, signal),
  ]);
  // Credits that were taken are not a top-up.
  return {
    account,
    mail,
    recent,
    lastTopUp: statement.find(({ kind }) => kind !== 'reversal' && kind !== 'hold') ?? null,
  };
}

/** The request's range and groups; if invalid, the default range, and why. */
function asked(query: URLSearchParams, nowMs: number): { ask: UsageSelection; error: string | null } {
  try {
    return { ask: readUsageParams(query, nowMs), error: null };
  } catch (error) {
    if (!isCallerError(error)) throw error;
    return { ask: readUsageParams(new URLSearchParams(), nowMs), error: error.message };
  }
}

async function showUsage(signedIn: SignedInRequest, reply: FastifyReply, options: UsageOptions): Promise<FastifyReply> {
  const nowMs = options.clock.now();
  const query = queryString(signedIn.request);
  const { ask, error } = asked(query, nowMs);
  const [rows, credits, items, lastHours] = await Promise.all([
    readUsageRows(signedIn, ask, options),
    readUsageChart(signedIn, ask, 'credits', options),
    readUsageChart(signedIn, ask, 'items', options),
    readLastHours(signedIn, hoursIn(query) ?? 24, options),
  ]);
  const typed =
    error === null ? { from: ask.from, to: ask.to } : { from: query.get('from') ?? '', to: query.get('to') ?? '' };
  const page = usagePage({
    layout: dashboardLayout(signedIn),
    nowMs,
    ask,
    error,
    typed,
    rows,
    credits,
    items,
    lastHours,
  });
  return sendPrivatePage(error === null ? reply : reply.code(400), page);
}
