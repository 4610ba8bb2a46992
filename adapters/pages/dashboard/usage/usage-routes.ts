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
import { sendCsv } from '../../kit/signed-in/csv.js';
import { dashboardLayout } from '../frame/dashboard-page.js';
import type { DashboardServices } from '../frame/services.js';
import { mountRequests } from './requests.js';
import { usagePage } from './usage.js';
import { MOST_ROWS, readLastHours, readUsageChart } from './usage-charts.js';
import { hoursIn, moments, readUsageParams, type UsageSelection } from './usage-params.js';
import { usageCsv } from './usage-table.js';

/** Usage and its file, and the log of requests. */
export function mountUsage(routes: AuthenticatedRoutes, options: DashboardServices): void {
  mountRequests(routes, options);
  routes.page('/dashboard/usage', (signedIn, reply) => showUsage(signedIn, reply, options));
  routes.page('/dashboard/usage.csv', (signedIn, reply) => sendFile(signedIn, reply, options), '/dashboard/usage');
}

async function sendFile(
  signedIn: SignedInRequest,
  reply: FastifyReply,
  options: DashboardServices,
): Promise<FastifyReply> {
  const selection = readUsageParams(queryString(signedIn.request), options.clock.now());
  const rows = await readUsageRows(signedIn, selection, options);
  return sendCsv(reply, `usage-${selection.from}-${selection.to}`, usageCsv(selection, rows));
}

/** Throws `bad_request` if there are more rows than a file or a table may contain. */
async function readUsageRows(
  { account: { accountId }, signal }: SignedInRequest,
  selection: UsageSelection,
  { ledger }: Pick<DashboardServices, 'ledger'>,
): Promise<readonly UsageRow[]> {
  const rows = await ledger.usage(
    accountId,
    { ...moments(selection), group: selection.groups, limit: MOST_ROWS + 1 },
    signal,
  );
  if (rows.length <= MOST_ROWS) return rows;
  throw badRequest(`The result has more than ${MOST_ROWS} rows. Choose fewer days or fewer groups.`, 'group');
}

/** The request's range and groups; if they are invalid, the default range and the reason. */
function readSelection(query: URLSearchParams, nowMs: number): { selection: UsageSelection; error: string | null } {
  try {
    return { selection: readUsageParams(query, nowMs), error: null };
  } catch (error) {
    if (!isCallerError(error)) throw error;
    return { selection: readUsageParams(new URLSearchParams(), nowMs), error: error.message };
  }
}

async function showUsage(
  signedIn: SignedInRequest,
  reply: FastifyReply,
  options: DashboardServices,
): Promise<FastifyReply> {
  const nowMs = options.clock.now();
  const query = queryString(signedIn.request);
  const { selection, error } = readSelection(query, nowMs);
  const [rows, credits, items, lastHours] = await Promise.all([
    readUsageRows(signedIn, selection, options),
    readUsageChart(signedIn, selection, 'credits', options),
    readUsageChart(signedIn, selection, 'items', options),
    readLastHours(signedIn, hoursIn(query) ?? 24, options),
  ]);
  const typed =
    error === null
      ? { from: selection.from, to: selection.to }
      : { from: query.get('from') ?? '', to: query.get('to') ?? '' };
  const page = usagePage({
    layout: dashboardLayout(signedIn),
    nowMs,
    selection,
    error,
    typed,
    rows,
    credits,
    items,
    lastHours,
  });
  return sendPrivatePage(error === null ? reply : reply.code(400), page);
}
