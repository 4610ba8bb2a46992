import type { FastifyReply } from 'fastify';
import { badRequest } from '../../src/core/errors.js';
import type { UsageGroup } from '../../src/core/usage.js';
import type { AccountRecord, UsageRow } from '../../src/ports/truth.js';
import { creditsChart, itemsChart, type Range } from './chart-data.js';
import { overviewPage } from './overview.js';
import type { Pictures } from './pictures.js';
import type { DashboardServices, Visit } from './services.js';
import { usagePage } from './usage.js';
import { usageCsv } from './usage-csv.js';
import {
  type ChartParams,
  lastDays,
  moments,
  readChartParams,
  readUsageParams,
  type UsageParams,
} from './usage-params.js';
import { aroundOf, isTold, queryOf, type Rooms, sendDashboard } from './visit.js';

/** Rows that a table sums up and a file holds: a year of 100 operations and more. */
const MOST_ROWS = 50_000;

/** Requests on the overview. */
const NEWEST = 8;

/** A picture has no scripts and loads nothing; what the library writes for letters is inline style. */
const PICTURE_CSP = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox";

interface UsageOptions extends DashboardServices {
  readonly network: string;
  readonly mail: boolean;
}

/** Overview, usage, its pictures and its file. */
export function mountUsage(rooms: Rooms, options: UsageOptions, pictures: Pictures): void {
  rooms.page('/dashboard', async (visit, reply) => sendDashboard(reply, await overview(visit, options)));
  rooms.page('/dashboard/usage', (visit, reply) => showUsage(visit, reply, options));
  rooms.page('/dashboard/usage.csv', async ({ request, account }, reply) => {
    const ask = readUsageParams(queryOf(request), options.clock.now());
    const rows = await rowsOf(account, ask, options);
    return reply
      .type('text/csv; charset=utf-8; header=present')
      .header('Content-Disposition', `attachment; filename="perch-usage-${ask.from}-${ask.to}.csv"`)
      .send(usageCsv(ask, rows));
  });
  rooms.page('/dashboard/usage.svg', async ({ request, account }, reply) => {
    const ask = readChartParams(queryOf(request), options.clock.now());
    const data = await chartOf(account, ask, ask.chart, options);
    const svg = await pictures(account.accountId, data, ask);
    return reply.type('image/svg+xml; charset=utf-8').header('Content-Security-Policy', PICTURE_CSP).send(svg);
  });
}

async function chartOf(
  { accountId }: AccountRecord,
  range: Range,
  chart: ChartParams['chart'],
  { ledger }: Pick<DashboardServices, 'ledger'>,
) {
  const read = (group: readonly UsageGroup[]) =>
    ledger.usage(accountId, { ...moments(range), group, limit: MOST_ROWS + 1 });
  if (chart === 'items') return itemsChart(range, await read(['day']));
  const rows = await read(['day', 'endpoint']);
  if (rows.length <= MOST_ROWS) return creditsChart(range, rows);
  const days = await read(['day']);
  return creditsChart(
    range,
    days.map((row) => ({ ...row, endpoint: 'all operations' })),
  );
}

/** Throws `bad_request` when there are more than a file or a table can have. */
async function rowsOf(
  { accountId }: AccountRecord,
  ask: UsageParams,
  { ledger }: Pick<DashboardServices, 'ledger'>,
): Promise<readonly UsageRow[]> {
  const rows = await ledger.usage(accountId, { ...moments(ask), group: ask.groups, limit: MOST_ROWS + 1 });
  if (rows.length <= MOST_ROWS) return rows;
  throw badRequest(`The result has more than ${MOST_ROWS} rows. Choose fewer days or fewer groups.`, 'group');
}

async function overview(visit: Visit, options: UsageOptions): Promise<string> {
  const { account } = visit;
  const { ledger, clock, network, mail } = options;
  const nowMs = clock.now();
  const range = lastDays(30, nowMs);
  const [usage, recent, statement] = await Promise.all([
    chartOf(account, range, 'credits', options),
    ledger.recent(account.accountId, NEWEST),
    ledger.statement(account.accountId, 20),
  ]);
  // What is taken back is no top-up.
  const lastTopUp = statement.find(({ kind }) => kind !== 'reversal') ?? null;
  return overviewPage({ around: aroundOf(visit), account, network, mail, nowMs, range, usage, recent, lastTopUp });
}

/** What is asked for; where it is not right: the usual range, and why. */
function asked(query: URLSearchParams, nowMs: number): { ask: UsageParams; error: string | null } {
  try {
    return { ask: readUsageParams(query, nowMs), error: null };
  } catch (error) {
    if (!isTold(error)) throw error;
    return { ask: readUsageParams(new URLSearchParams(), nowMs), error: error.message };
  }
}

async function showUsage(visit: Visit, reply: FastifyReply, options: UsageOptions): Promise<FastifyReply> {
  const nowMs = options.clock.now();
  const query = queryOf(visit.request);
  const { ask, error } = asked(query, nowMs);
  const [rows, credits, items] = await Promise.all([
    rowsOf(visit.account, ask, options),
    chartOf(visit.account, ask, 'credits', options),
    chartOf(visit.account, ask, 'items', options),
  ]);
  const typed =
    error === null ? { from: ask.from, to: ask.to } : { from: query.get('from') ?? '', to: query.get('to') ?? '' };
  const page = usagePage({ around: aroundOf(visit), nowMs, ask, error, typed, rows, credits, items });
  return sendDashboard(error === null ? reply : reply.code(400), page);
}
