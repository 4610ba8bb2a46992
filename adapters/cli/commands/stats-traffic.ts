import { LEFT, msOf } from '../../../src/domain/traffic.js';
import type { TrafficFigures } from '../../../src/ports/figures.js';
import { table } from '../print.js';

/** Rows of accounts and the limits they met. */
export const MOST_LIMITS = 20;

/** Times are milliseconds; `hit_rate` is the cached share of the items, null without any. */
export const trafficJson = ({ operations, statuses, limits }: TrafficFigures) => ({
  requests: operations.map((row) => ({
    interface: row.interface,
    operation: row.operation === '' ? null : row.operation,
    requests: row.requests,
    refused: row.refused,
    hit_rate: row.items === 0 ? null : Math.round((row.cacheHits / row.items) * 1000) / 1000,
    p50_ms: msOf(row, 0.5),
    p99_ms: msOf(row, 0.99),
  })),
  statuses: statuses.map(({ status, code, ...row }) => ({
    ...{ status: status === LEFT ? null : status, code: code === '' ? null : code, ...row },
  })),
  limits_met: limits.map(({ accountId, account, limit, refusals, lastDay }) => ({
    ...{ account_id: accountId, account, limit, refusals, last_day: lastDay },
  })),
});

const share = (part: number, whole: number): string => (whole === 0 ? '' : `${Math.round((part / whole) * 100)}%`);

const time = (ms: number | null): string => (ms === null ? '' : `${ms} ms`);

export function trafficText({ operations, limits }: TrafficFigures): string {
  if (operations.length === 0) return 'No requests are counted: a running service writes its sums once a minute.';
  const requests = table(
    ['interface', 'operation', 'requests', 'refused', 'cached', 'p50', 'p99'],
    operations.map((row) => [
      ...[row.interface, row.operation === '' ? 'none' : row.operation, row.requests, share(row.refused, row.requests)],
      ...[share(row.cacheHits, row.items), time(msOf(row, 0.5)), time(msOf(row, 0.99))],
    ]),
  );
  const met = limits.map(({ accountId, account, limit, refusals, lastDay }) => [
    ...[account ?? accountId ?? 'without a valid key', limit, refusals, lastDay],
  ]);
  const whom = met.length === 0 ? 'Nobody met a limit.' : table(['account', 'limit met', 'refusals', 'last day'], met);
  return `${requests}\n\n${whom}`;
}
