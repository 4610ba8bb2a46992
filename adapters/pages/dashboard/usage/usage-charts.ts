import type { UsageGroup } from '../../../../src/domain/usage.js';
import type { UsageRow } from '../../../../src/ports/ledger.js';
import { type ChartData, creditsChart, hoursChart, itemsChart, type Range } from '../../charts/chart-data.js';
import type { SignedInRequest } from '../../kit/signed-in/authenticated-routes.js';
import type { DashboardServices } from '../frame/services.js';
import { daysOfHours, type Hours, lastHours, moments } from './usage-params.js';

/** The most rows that a table sums up or a file contains: enough for more than a year of 100 operations. */
export const MOST_ROWS = 50_000;

type Requester = Pick<SignedInRequest, 'account' | 'signal'>;

/** Daily usage in a range; `keyId` limits it to what that key paid for. */
export async function readUsageChart(
  { account: { accountId }, signal }: Requester,
  range: Range,
  chart: 'credits' | 'items',
  { ledger }: Pick<DashboardServices, 'ledger'>,
  keyId?: string,
): Promise<ChartData> {
  const read = (group: readonly UsageGroup[]) =>
    ledger.usage(accountId, { ...moments(range), group, keyId, limit: MOST_ROWS + 1 }, signal);
  if (chart === 'items') return itemsChart(range, await read(['day']));
  const rows = await read(['day', 'endpoint']);
  if (rows.length <= MOST_ROWS) return creditsChart(range, rows);
  return creditsChart(range, (await read(['day'])).map(unnamed));
}

/** The last hours: a chart, its first and last hour, and the figures by hour. */
export interface LastHours {
  readonly hours: Hours;
  readonly chart: ChartData;
  readonly span: Range;
  /** The hours with usage, in order. */
  readonly rows: readonly UsageRow[];
}

export async function readLastHours(
  { account: { accountId }, signal }: Requester,
  hours: Hours,
  { ledger, clock }: Pick<DashboardServices, 'ledger' | 'clock'>,
  keyId?: string,
): Promise<LastHours> {
  const bars = lastHours(hours, clock.now());
  // Stays below the limit: at most 48 hours, some dozens of operations, and 100 of an account's own names a day.
  const query = { ...moments(daysOfHours(bars)), group: ['hour', 'endpoint'] as const, keyId, limit: MOST_ROWS };
  const rows = (await ledger.usage(accountId, query, signal)).filter(({ hour = '' }) => bars.includes(hour));
  const span = { from: bars[0] ?? '', to: bars.at(-1) ?? '' };
  return { hours, chart: hoursChart(bars, rows), span, rows: byHour(rows) };
}

/** Rows by hour and endpoint, summed up by hour, in order. */
function byHour(rows: readonly UsageRow[]): UsageRow[] {
  const sums = new Map<string, UsageRow>();
  for (const { hour = '', requests, items, cacheHits, amount } of rows) {
    const sum = sums.get(hour) ?? { requests: 0, items: 0, cacheHits: 0, amount: 0 };
    sums.set(hour, {
      hour,
      requests: sum.requests + requests,
      items: sum.items + items,
      cacheHits: sum.cacheHits + cacheHits,
      amount: sum.amount + amount,
    });
  }
  return [...sums.values()].sort((one, other) => ((one.hour ?? '') < (other.hour ?? '') ? -1 : 1));
}

/** Used if there are more operations than can be read. */
const unnamed = (row: UsageRow): UsageRow => ({ ...row, endpoint: 'all operations' });
